/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at the Nth allocation of reading, stamping and resolving: -ENOMEM, nothing
 * leaked (LeakSanitizer looks), nothing half made. Linked with --wrap (lib/module.mk); what
 * libyaml, libelf and capstone allocate themselves is not counted.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/resolve.h"
#include "tests/units/manifest_elf.h"

static bool counting;
static long until_failure;

static bool fails(void)
{
	return counting && until_failure-- == 0;
}

#define WRAP(fn, params, args)                                                                     \
	void *__real_##fn params;                                                                  \
	void *__wrap_##fn params;                                                                  \
	void *__wrap_##fn params                                                                   \
	{                                                                                          \
		return fails() ? NULL : __real_##fn args;                                          \
	}

WRAP(malloc, (size_t n), (n))
WRAP(calloc, (size_t cnt, size_t n), (cnt, n))
WRAP(realloc, (void *p, size_t n), (p, n))
WRAP(reallocarray, (void *p, size_t cnt, size_t n), (p, cnt, n))

static const char text[] =
	"manifest: 1\napplication: pool\n"
	"resources:\n  - {resource: r, unit: u, capacity: {site: f, arg: 0}}\n"
	"descriptors:\n"
	"  - {id: 1, resource: r, event: ACQUIRE, site: f, instance_key: arg0}\n"
	"  - {id: 2, resource: r, event: RELEASE, site: f+1, instance_key: arg0}\n"
	"  - {id: 3, resource: r, event: USE, site: gone}\n"
	"  - {id: 4, resource: r, event: USE, site: \"usdt:a:b\"}\n"
	"invariants:\n  - {id: p, kind: pairing, of: [1, 2]}\n";

static char path[] = "/tmp/assay-faults-XXXXXX";

static void make_binary(void)
{
	static struct elf_image image;
	static const struct elf_function f = CODE("f", "\x55\x0f\x1f\x44\x00\x00\x5d\xc3");
	int fd = mkstemp(path);
	uint64_t addr;

	cr_assert_geq(fd, 0);
	close(fd);
	elf_image_begin(&image);
	addr = elf_add_function(&image, &f);
	elf_add_probe(&image, &(struct elf_probe){"a", "b", "8@%rdi", addr, 0, ELF_STAPSDT_BASE});
	cr_assert(elf_image_write(&image, path, NULL));
}

/* Everything once; the error of the first part that fails. */
static int run(struct diag *d)
{
	struct manifest m;
	struct bound_manifest b;
	char *out;
	size_t len;
	int rc = manifest_stamp(text, strlen(text), "m.yaml", "00112233", &out, &len, d);

	if (rc)
		return rc;
	free(out);
	rc = manifest_parse(text, strlen(text), "m.yaml", &m, d);
	if (rc)
		return rc;
	rc = manifest_bind(&m, path, BINDING_BEST_EFFORT, &b, d);
	if (!rc) {
		rc = b.sites.sites_cnt == 4 && b.sites.failures_cnt == 1 ? 0 : -EBADMSG;
		bound_manifest_free(&b);
	}
	manifest_free(&m);
	return rc;
}

Test(manifest_faults, memory_that_runs_out_is_an_error_each_time)
{
	long n = 0;
	int rc;

	make_binary();
	do {
		struct diag d = {0};

		until_failure = n;
		counting = true;
		rc = run(&d);
		counting = false;
		if (until_failure >= 0)
			break;
		cr_expect_eq(rc, -ENOMEM, "allocation %ld: %d, %s", n, rc, d.reason);
		cr_expect(d.cure[0], "allocation %ld has a cure", n);
	} while (++n < 1000);
	cr_expect_eq(rc, 0, "with all of its memory it works: %d", rc);
	cr_expect_gt(n, 20, "%ld allocations were failed", n);
	unlink(path);
}

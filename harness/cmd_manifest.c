/* SPDX-License-Identifier: BSD-2-Clause */
/* assay manifest: check, resolve, compile, diff, stamp. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command.h"
#include "harness/file_kind.h"
#include "lib/files.h"
#include "lib/opts.h"
#include "lib/resolve.h"

static const struct opts check_opts = {
	.command = "assay manifest check",
	.usage = "FILE",
	.purpose = "Says whether a manifest is sound, or what is wrong where",
	.args_min = 1,
	.args_max = 1,
	.examples = {"assay manifest check pool.yaml",
		     "assay manifest check pool.yaml && echo sound",
		     "for m in *.yaml; do assay manifest check $m || exit 1; done"},
};

static const char *const bindings[] = {"stamped", "best-effort", "strict", NULL};
static struct {
	unsigned binding;
	const char *output;
} args = {.binding = BINDING_BEST_EFFORT};

static const struct opt resolve_table[] = {
	{"binding", 0, OPT_CHOICE, "WORD",
	 "stamped and strict refuse another build-id (best-effort)", &args.binding, 0, 0, bindings},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts resolve_opts = {
	.command = "assay manifest resolve",
	.usage = "FILE EXE [--binding WORD]",
	.purpose = "Shows where the sites of a manifest are in a binary and what they cost",
	.table = resolve_table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay manifest resolve pool.yaml ./pool",
		     "assay manifest resolve pool.yaml ./pool --binding strict",
		     "assay manifest resolve pool.yaml ./pool | grep stepped"},
};

static const struct opts compile_opts = {
	.command = "assay manifest compile",
	.usage = "FILE EXE",
	.purpose = "Prints what the BPF side evaluates, a line a descriptor",
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay manifest compile pool.yaml ./pool",
		     "assay manifest compile pool.yaml ./pool | grep args",
		     "assay manifest compile pool.yaml ./pool > table.txt"},
};

static const struct opts diff_opts = {
	.command = "assay manifest diff",
	.usage = "A B",
	.purpose = "Prints what two manifests say differently; 1 if they do",
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay manifest diff v1.yaml v2.yaml",
		     "assay manifest diff v1.yaml v2.yaml | grep site",
		     "assay manifest diff old.yaml new.yaml && echo same"},
};

static const struct opt stamp_table[] = {
	{"output", 'o', OPT_STR, "OUT", "another file (FILE itself)", &args.output, 0, 0, NULL},
	{NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL},
};

static const struct opts stamp_opts = {
	.command = "assay manifest stamp",
	.usage = "FILE EXE [-o OUT]",
	.purpose = "Writes the build-id of a binary into a manifest, and changes nothing else",
	.table = stamp_table,
	.args_min = 2,
	.args_max = 2,
	.examples = {"assay manifest stamp pool.yaml ./pool",
		     "assay manifest stamp pool.yaml ./pool -o stamped.yaml",
		     "assay manifest stamp pool.yaml build/workloads/pool/pool"},
};

/* A bad manifest or binary is a failed check; a file that cannot be read is another thing. */
static int manifest_error(const struct diag *d)
{
	if (d->err != -EINVAL && d->err != -ESTALE && d->err != -ENOEXEC)
		return command_error(d);
	diag_print(d, stderr);
	return EXIT_FAILED;
}

static int no_manifest(const struct diag *d, const char *path)
{
	int code = manifest_error(d);

	file_kind_note(path, "a manifest");
	return code;
}

static int ended(void)
{
	struct diag d;

	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_GOOD;
	diag_set(&d, -EIO, "standard output", 0, "space and rights there", "cannot be written");
	return command_error(&d);
}

static void print_warnings(const struct manifest *m)
{
	for (uint32_t i = 0; i < m->warnings_cnt; i++)
		fprintf(stderr, "assay: %s:%u: warning: column %u: %s\n", m->path,
			m->warnings[i].line, m->warnings[i].column, m->warnings[i].text);
}

static int check(int argc, char **argv)
{
	struct manifest m;
	struct diag d = {0};
	int first, rc = opts_start(&check_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (manifest_load(argv[first], &m, &d))
		return no_manifest(&d, argv[first]);
	print_warnings(&m);
	printf("%s: sound: %s, %u resources, %u descriptors, %u invariants, %u warnings, %s%s\n",
	       argv[first], m.application, m.resources_cnt, m.descriptors_cnt, m.invariants_cnt,
	       m.warnings_cnt, m.build_id[0] ? "build " : "not stamped", m.build_id);
	manifest_free(&m);
	return ended();
}

/* ---- resolve ---- */

static void print_notes(const char *word, const struct resolve_note *notes, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		const struct diag *d = &notes[i].diag;

		fprintf(stderr, "assay: %s:%" PRIu64 ": %s%s\n", d->file, d->line, word, d->reason);
		if (d->cure[0])
			fprintf(stderr, "       try: %s\n", d->cure);
	}
}

/* "3", or the name of the resource whose capacity it is. */
static const char *owner_name(const struct manifest *m, const struct resolved_site *s, char ret[64])
{
	if (s->is_capacity)
		return m->resources[s->index].name;
	snprintf(ret, 64, "%u", m->descriptors[s->index].id);
	return ret;
}

static const char *owner_event(const struct manifest *m, const struct resolved_site *s)
{
	return s->is_capacity ? "capacity" : event_kind_name(m->descriptors[s->index].event);
}

static const struct manifest_site *owner_site(const struct manifest *m,
					      const struct resolved_site *s)
{
	return s->is_capacity ? &m->resources[s->index].capacity_site
			      : &m->descriptors[s->index].site;
}

static void print_bytes(const struct resolved_site *s)
{
	unsigned cnt = s->insn_len ? s->insn_len : s->bytes_cnt < 4 ? s->bytes_cnt : 4;

	for (unsigned i = 0; i < cnt; i++)
		printf("%02x", s->bytes[i]);
	printf("%*s", (int)(cnt < 9 ? 2 * (9 - cnt) : 1), "");
}

static void print_site(const struct manifest *m, const struct resolved_site *s)
{
	char name[64], ns[32] = "?";

	if (s->ns.high)
		snprintf(ns, sizeof(ns), "%u-%u", s->ns.low, s->ns.high);
	printf("%-10s %-8s %-22s %8" PRIx64 "  ", owner_name(m, s, name), owner_event(m, s),
	       manifest_site_text(owner_site(m, s)).s, s->offset);
	print_bytes(s);
	printf("%-8s %10s%s", cost_class_name(s->cost), ns, s->needs_args ? " args" : "");
	if (s->args[0])
		printf(" (%s)", s->args);
	if (s->semaphore)
		printf(" semaphore %" PRIx64, s->semaphore);
	putchar('\n');
}

static void print_sites(const struct bound_manifest *b)
{
	printf("%-10s %-8s %-22s %8s  %-18s%-8s %10s\n", "descriptor", "event", "site", "offset",
	       "first bytes", "class", "ns a hit");
	for (size_t i = 0; i < b->sites.sites_cnt; i++)
		print_site(b->m, &b->sites.sites[i]);
	printf("%zu sites, %zu failed; build %s%s\n", b->sites.sites_cnt, b->sites.failures_cnt,
	       b->sites.build_id[0] ? b->sites.build_id : "unknown",
	       b->degraded ? ", not the one that the manifest was validated on: starts suspect"
			   : ", starts validated");
}

/* Loads and binds, for the commands that take both files. -1: go on, else an exit code. */
static int bind_files(char **files, enum manifest_binding how, struct manifest *m,
		      struct bound_manifest *b)
{
	struct diag d = {0};

	if (manifest_load(files[0], m, &d))
		return manifest_error(&d);
	if (!manifest_bind(m, files[1], how, b, &d))
		return -1;
	manifest_free(m);
	return manifest_error(&d);
}

/* Failures come last, where they are seen. */
static int print_outcome(const struct manifest *m, const struct bound_manifest *b)
{
	int rc = ended();

	print_warnings(m);
	print_notes("warning: ", b->sites.warnings, b->sites.warnings_cnt);
	print_notes("", b->sites.failures, b->sites.failures_cnt);
	return rc ? rc : b->sites.failures_cnt ? EXIT_FAILED : EXIT_GOOD;
}

static int resolve(int argc, char **argv)
{
	struct manifest m;
	struct bound_manifest b;
	int first, rc = opts_start(&resolve_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	rc = bind_files(argv + first, (enum manifest_binding)args.binding, &m, &b);
	if (rc >= 0)
		return rc;
	print_sites(&b);
	rc = print_outcome(&m, &b);
	bound_manifest_free(&b);
	manifest_free(&m);
	return rc;
}

/* ---- compile ---- */

static void print_prog(const struct manifest *m, uint32_t i, const struct resolution *r)
{
	const struct manifest_descriptor *v = &m->descriptors[i];
	struct desc_prog p = manifest_prog(v);
	size_t sites = 0;

	for (size_t k = 0; k < r->sites_cnt; k++)
		sites += !r->sites[k].is_capacity && r->sites[k].index == i;
	printf("%u: id %u %s at %zu %s%s", i, p.id, event_kind_name(p.event), sites,
	       p.on_return		   ? "returns"
	       : v->site.kind == SITE_USDT ? "probes"
					   : "places",
	       p.needs_args ? ", args saved at entry" : "");
	if (p.when.op != WHEN_ALWAYS)
		printf("; when %s", manifest_when_text(&p.when).s);
	if (p.instance.kind)
		printf("; instance %s", manifest_expr_text(&p.instance).s);
	if (p.units.kind)
		printf("; units %s", manifest_expr_text(&p.units).s);
	if (p.target.kind)
		printf("; target %s", manifest_expr_text(&p.target).s);
	putchar('\n');
}

static int compile(int argc, char **argv)
{
	struct manifest m;
	struct bound_manifest b;
	int first, rc = opts_start(&compile_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	rc = bind_files(argv + first, BINDING_BEST_EFFORT, &m, &b);
	if (rc >= 0)
		return rc;
	for (uint32_t i = 0; i < m.descriptors_cnt; i++)
		print_prog(&m, i, &b.sites);
	rc = print_outcome(&m, &b);
	bound_manifest_free(&b);
	manifest_free(&m);
	return rc;
}

/* ---- diff, stamp ---- */

static int diff(int argc, char **argv)
{
	struct manifest a, b;
	struct diag d = {0};
	int first, cnt, rc = opts_start(&diff_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	if (manifest_load(argv[first], &a, &d))
		return manifest_error(&d);
	if (manifest_load(argv[first + 1], &b, &d)) {
		manifest_free(&a);
		return manifest_error(&d);
	}
	cnt = manifest_diff(&a, &b, stdout);
	manifest_free(&a);
	manifest_free(&b);
	rc = ended();
	return rc ? rc : cnt ? EXIT_FAILED : EXIT_GOOD;
}

static int read_build_id(const char *exe, char ret[65], struct diag *d)
{
	struct elf_file *f;
	int rc = elf_file_open(exe, &f, d);

	if (rc)
		return rc;
	strcpy(ret, elf_file_build_id(f));
	elf_file_close(f);
	if (!ret[0])
		return diag_set(d, -EINVAL, exe, 0, "link it with -Wl,--build-id",
				"it has no build-id");
	return 0;
}

static int stamp(int argc, char **argv)
{
	const char *into;
	struct diag d = {0};
	char id[65];
	int first, rc = opts_start(&stamp_opts, argc, argv, &first);

	if (rc >= 0)
		return rc;
	into = args.output ? args.output : argv[first];
	if (read_build_id(argv[first + 1], id, &d) ||
	    manifest_stamp_file(argv[first], id, into, &d))
		return manifest_error(&d);
	printf("%s: build %s\n", into, id);
	return ended();
}

int cmd_manifest(int argc, char **argv)
{
	static const struct command parts[] = {
		{"check", "is this manifest sound?", check},
		{"resolve", "where its sites are in a binary, and what they cost", resolve},
		{"compile", "what the BPF side evaluates", compile},
		{"diff", "what two manifests say differently", diff},
		{"stamp", "write a binary's build-id into it", stamp},
		{NULL, NULL, NULL},
	};

	return command_dispatch("assay manifest",
				"Manifests: what a team says that its probe sites mean", parts,
				argc, argv);
}

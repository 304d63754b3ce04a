/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A manifest all the way: 23 acquires, uses and releases in, 23 events with the right lives out,
 * live as in replay; a program that keeps its contract is believed, one whose acquire is inlined at
 * every fifth caller is not; attach-only believes both; another build is refused.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <unistd.h>

#include "lib/elf_file.h"
#include "lib/files.h"
#include "tests/live/rig/collector_programs.h"

/* What the compiler may not look into: its arguments stay where the calling convention has them. */
#if defined(__clang__)
#define SITE static __attribute__((noinline))
#else
#define SITE static __attribute__((noipa))
#endif

enum { LEASES = 4, LONG_RUN = 3000 };

struct lease {
	uint64_t owner;
	uint32_t units;
};

static struct lease leases[LEASES];

SITE void rig_lease_init(uint64_t capacity)
{
	__asm__ volatile("" ::"r"(capacity) : "memory");
}

static inline struct lease *take(uint64_t i, uint32_t units)
{
	struct lease *l = &leases[i % LEASES];

	l->units = units;
	return l;
}

SITE struct lease *rig_lease_get(uint64_t i, uint32_t units)
{
	return units ? take(i, units) : NULL;
}

SITE void rig_lease_touch(struct lease *l)
{
	l->owner++;
	DTRACE_PROBE1(rig, lease__touched, l);
}

SITE void rig_lease_put(struct lease *l)
{
	__asm__ volatile("" ::"r"(l) : "memory");
}

static void lease_once(uint64_t i, bool inlined)
{
	struct lease *l = inlined ? take(i, 2) : rig_lease_get(i, 2);

	rig_lease_get(i, 0); /* refused: no acquire */
	rig_lease_touch(l);
	rig_lease_put(l);
}

static void child_short(void)
{
	rig_lease_init(8);
	for (uint64_t i = 0; i < RIG_OPS; i++)
		lease_once(i, false);
}

static void child_base(void)
{
	rig_lease_init(8);
	for (uint64_t i = 0; i < LONG_RUN; i++)
		lease_once(i, false);
}

static void child_inlined(void)
{
	rig_lease_init(8);
	for (uint64_t i = 0; i < LONG_RUN; i++)
		lease_once(i, i % 5 == 0);
}

/* ---- the manifest ---- */

static const char text[] =
	"manifest: 1\n"
	"application: rig\n"
	"build_id: %s\n"
	"resources:\n"
	"  - resource: rig.lease\n"
	"    unit: slot\n"
	"    capacity: {site: rig_lease_init, arg: 0}\n"
	"    lifetime: [ACQUIRE, USE*, RELEASE]\n"
	"    owner: operation\n"
	"descriptors:\n"
	"  - id: 1\n"
	"    resource: rig.lease\n"
	"    event: ACQUIRE\n"
	"    site: rig_lease_get:return\n"
	"    instance_key: retval\n"
	"    unit_key: arg1\n"
	"    when: retval != 0\n"
	"    generation: acquire_epoch\n"
	"    confidence: validated\n"
	"  - id: 2\n"
	"    resource: rig.lease\n"
	"    event: USE\n"
	"    site: usdt:rig:lease__touched\n"
	"    instance_key: arg0\n"
	"    unit_key: 1\n"
	"    generation: acquire_epoch\n"
	"    confidence: validated\n"
	"  - id: 3\n"
	"    resource: rig.lease\n"
	"    event: RELEASE\n"
	"    site: rig_lease_put\n"
	"    instance_key: arg0\n"
	"    unit_key: \"*(arg0+8):u32\"\n"
	"    generation: acquire_epoch\n"
	"    confidence: validated\n"
	"invariants:\n"
	"  - {id: release-needs-acquire, kind: pairing, of: [1, 3]}\n"
	"  - {id: use-of-the-living, kind: membership, of: [2]}\n"
	"  - {id: one-life-at-a-time, kind: generation, of: [1]}\n"
	"  - {id: slots-come-back, kind: balance, of: [1, 3], evidence: proof}\n";

static char exe[PATH_MAX];
static char *manifest, *foreign;

static void write_manifest(const char *path, const char *build_id)
{
	char buf[4096];
	struct diag d = {0};
	int n = snprintf(buf, sizeof(buf), text, build_id);

	RIG_CHECK(!file_write(path, buf, (size_t)n, &d), "%s", d.reason);
}

static void prepare(void)
{
	struct elf_file *f = NULL;
	struct diag d = {0};

	RIG_CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0, "readlink");
	RIG_CHECK(!elf_file_open(exe, &f, &d), "%s", d.reason);
	manifest = programs_file("manifest.yaml");
	foreign = programs_file("foreign.yaml");
	write_manifest(manifest, elf_file_build_id(f));
	write_manifest(foreign, "0123456789abcdef0123456789abcdef01234567");
	elf_file_close(f);
}

/* ---- runs ---- */

static const char *evidence_of(void (*child)(void), const char *with, const char *name)
{
	const char *path = programs_file(name);

	programs_watch("collector/collector",
		       (const char *[PROGRAM_ARGS]){"record", "--evidence", path, "--exe", exe,
						    "--manifest", with},
		       child);
	return path;
}

static struct claims join(const char *profiler, const char *evidence, const char *with,
			  const char *binding)
{
	const char *path = programs_file("claims.jsonl");

	programs_run(profiler, (const char *[PROGRAM_ARGS]){"join", "--evidence", evidence, "--exe",
							    exe, "--manifest", with, "--binding",
							    binding, "--claims", path});
	return programs_claims(path);
}

static struct claims live(void (*child)(void))
{
	const char *path = programs_file("live.jsonl");

	programs_watch("causal/causal",
		       (const char *[PROGRAM_ARGS]){"run", "--claims", path, "--exe", exe,
						    "--manifest", manifest},
		       child);
	return programs_claims(path);
}

/* ---- checks ---- */

static void check_events(const struct claims *c, const char *what, bool generations)
{
	uint64_t seen[EVENT_KIND_CNT] = {0}, gen = 0;

	for (size_t i = 0; i < c->cnt; i++) {
		const struct claim *v = &c->v[i];
		uint64_t n = seen[v->type]++;

		if (v->kind != CLAIM_EVENT) {
			seen[v->type]--;
			continue;
		}
		RIG_CHECK(v->event.instance == (uint64_t)&leases[n % LEASES], "%s: %zu: %#lx", what,
			  i, v->event.instance);
		RIG_CHECK(v->event.units == (v->type == EVENT_USE ? 1 : 2), "%s: %zu: %lu units",
			  what, i, v->event.units);
		RIG_CHECK(!!(v->has & HAS_GEN) == generations, "%s: %zu: generation", what, i);
		if (v->type == EVENT_ACQUIRE && generations)
			RIG_CHECK(v->event.gen > gen, "%s: a new life", what);
		else
			RIG_CHECK(v->event.gen == gen, "%s: the same life", what);
		gen = v->event.gen;
	}
	RIG_CHECK(seen[EVENT_ACQUIRE] == RIG_OPS && seen[EVENT_USE] == RIG_OPS &&
			  seen[EVENT_RELEASE] == RIG_OPS,
		  "%s: %lu acquires, %lu uses, %lu releases", what, seen[EVENT_ACQUIRE],
		  seen[EVENT_USE], seen[EVENT_RELEASE]);
}

static unsigned worst(const struct claims *c, uint32_t desc)
{
	unsigned state = HEALTH_VALIDATED;

	for (size_t i = 0; i < c->cnt; i++)
		if (c->v[i].kind == CLAIM_HEALTH && c->v[i].health.desc == desc &&
		    c->v[i].type > state)
			state = c->v[i].type;
	return state;
}

static void check_states(struct claims c, const char *what, unsigned acquire, unsigned use,
			 unsigned release)
{
	RIG_CHECK(worst(&c, 1) == acquire && worst(&c, 2) == use && worst(&c, 3) == release,
		  "%s: %s %s %s", what, health_state_name(worst(&c, 1)),
		  health_state_name(worst(&c, 2)), health_state_name(worst(&c, 3)));
	claims_free(&c);
}

static size_t count_events(struct claims c)
{
	size_t n = 0;

	for (size_t i = 0; i < c.cnt; i++)
		n += c.v[i].kind == CLAIM_EVENT;
	claims_free(&c);
	return n;
}

static void events(void)
{
	const char *e = evidence_of(child_short, manifest, "short.bin");
	struct claims c = join("causal/causal", e, manifest, "stamped");

	check_events(&c, "replay", true);
	claims_free(&c);
	c = live(child_short);
	check_events(&c, "live", true);
	claims_free(&c);
	c = join("attach-only/attach-only", e, manifest, "stamped");
	check_events(&c, "attach-only", false);
	claims_free(&c);
	check_states(join("causal/causal", e, foreign, "strict"), "strict", HEALTH_REFUSED,
		     HEALTH_REFUSED, HEALTH_REFUSED);
	check_states(join("causal/causal", e, foreign, "best-effort"), "best-effort",
		     HEALTH_SUSPECT, HEALTH_SUSPECT, HEALTH_SUSPECT);
	RIG_CHECK(!count_events(join("attach-only/attach-only", e, foreign, "strict")),
		  "attach-only speaks of a build that it refuses");
}

static void contracts(void)
{
	const char *base = evidence_of(child_base, manifest, "base.bin");
	const char *inlined = evidence_of(child_inlined, manifest, "inlined.bin");

	check_states(join("causal/causal", base, manifest, "stamped"), "base", HEALTH_VALIDATED,
		     HEALTH_VALIDATED, HEALTH_VALIDATED);
	check_states(join("causal/causal", inlined, manifest, "stamped"), "inlined", HEALTH_STALE,
		     HEALTH_VALIDATED, HEALTH_SUSPECT);
	check_states(live(child_base), "base, live", HEALTH_VALIDATED, HEALTH_VALIDATED,
		     HEALTH_VALIDATED);
	check_states(live(child_inlined), "inlined, live", HEALTH_STALE, HEALTH_VALIDATED,
		     HEALTH_SUSPECT);
	check_states(join("attach-only/attach-only", inlined, manifest, "stamped"), "attach-only",
		     HEALTH_VALIDATED, HEALTH_VALIDATED, HEALTH_VALIDATED);
}

int main(int argc, char **argv)
{
	programs_begin(argc ? argv[0] : ".");
	prepare();
	events();
	contracts();
	programs_end();
	puts("ok: collector_manifest");
	return 0;
}

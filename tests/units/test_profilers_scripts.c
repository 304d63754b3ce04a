/* SPDX-License-Identifier: BSD-2-Clause */
/* What the scripts that start tools make of a manifest, and of what a tool prints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char manifest[] = "manifest: 1\n"
			       "descriptors:\n"
			       "  - id: 1\n"
			       "    resource: a.b      # of what\n"
			       "    event: ACQUIRE\n"
			       "    site: take:return\n"
			       "    instance_key: arg1\n"
			       "    unit_key: \"*(retval+8):u32\"\n"
			       "    when: retval != 0  # none\n"
			       "  - id: 2\n"
			       "    resource: a.b\n"
			       "    event: RELEASE\n"
			       "    site: give\n"
			       "    instance_key: \"*(*(arg0+8)+0):u64\"\n"
			       "    unit_key: 1\n"
			       "  - id: 3\n"
			       "    resource: a.b\n"
			       "    event: USE\n"
			       "    site: use\n"
			       "    instance_key: arg0\n"
			       "    when: arg1 > 7\n"
			       "  - id: 4\n"
			       "    resource: a.b\n"
			       "    event: PUSH\n"
			       "    site: push\n"
			       "    instance_key: arg0\n"
			       "invariants:\n";

/* What `command` prints, with the manifest on its standard input. */
static void say(const char *command, char *ret, size_t cap)
{
	char path[] = "/tmp/assay-scripts-XXXXXX", all[1024];
	int fd = mkstemp(path);
	size_t len;
	FILE *p;

	cr_assert(fd >= 0);
	cr_assert(write(fd, manifest, strlen(manifest)) == (ssize_t)strlen(manifest));
	close(fd);
	snprintf(all, sizeof(all), "awk -f profilers/tools/descriptors.awk %s | %s", path, command);
	p = popen(all, "r");
	cr_assert(p);
	len = fread(ret, 1, cap - 1, p);
	ret[len] = '\0';
	cr_expect(pclose(p) == 0, "%s", all);
	unlink(path);
}

Test(profilers_scripts, make_a_probe_of_each_descriptor_that_bpftrace_has_words_for)
{
	char got[4096];

	say("awk -v exe=X -v pid=7 -f profilers/bpftrace-sites/program.awk", got, sizeof(got));
	cr_expect(strstr(got, "uprobe:X:take /pid == 7/ { @arg1_1[tid] = arg1; }\n"), "%s", got);
	cr_expect(strstr(got, "uretprobe:X:take /pid == 7 && retval != 0/ { "
			      "printf(\"%d %llu 1 0x%llx %llu\\n\", tid, nsecs, "
			      "(uint64)@arg1_1[tid], (uint64)*(uint32 *)(retval + 8)); }\n"),
		  "%s", got);
	cr_expect(strstr(got, "uprobe:X:give /pid == 7/ { "
			      "printf(\"%d %llu 2 - %llu\\n\", tid, nsecs, (uint64)1); }\n"),
		  "%s", got);
	cr_expect(!strstr(got, "X:use"), "a guard that is no comparison with 0: %s", got);
	cr_expect(!strstr(got, "X:push"), "truth has no events of it: %s", got);
}

Test(profilers_scripts, claim_the_hits_that_bpftrace_prints_and_nothing_else)
{
	char got[4096];

	say("{ cat >/tmp/assay-descriptors.$$; printf '%s\\n' '5 90 1 0xa 3' 'Lost 7 events' "
	    "'@arg1_1[5]: 10' "
	    "'5 95 2 - 1' | awk -f profilers/bpftrace-sites/events.awk /tmp/assay-descriptors.$$ "
	    "-; "
	    "rm /tmp/assay-descriptors.$$; }",
	    got, sizeof(got));
	cr_expect(!strcmp(got, "{\"c\":\"event\",\"event\":\"ACQUIRE\",\"class\":\"a.b\","
			       "\"instance\":\"0xa\",\"units\":3,\"tid\":5,\"t\":90,\"desc\":1}\n"
			       "{\"c\":\"event\",\"event\":\"RELEASE\",\"class\":\"a.b\","
			       "\"units\":1,\"tid\":5,\"t\":95,\"desc\":2}\n"),
		  "%s", got);
}

Test(profilers_scripts, leave_uftrace_the_calls_that_tell_alone)
{
	char got[256];

	say("awk -f profilers/uftrace/sites.awk", got, sizeof(got));
	cr_expect(!strcmp(got, "give entry 2 RELEASE a.b\n"), "%s", got);
}

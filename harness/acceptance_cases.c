/* SPDX-License-Identifier: BSD-2-Clause */
/* The acceptance cases, as a table; docs/acceptance.md has a page of each. */
#include "harness/acceptance.h"

#define USUAL(what)                                                                                \
	{                                                                                          \
		.regime = "clean", .setting = "", .scope = what                                    \
	}
#define LOSSY(rate)                                                                                \
	{                                                                                          \
		rate " %",                                                                         \
		{                                                                                  \
			.regime = "pair-drop:" rate ":silent", .setting = "", .scope = "all"       \
		}                                                                                  \
	}

const struct acceptance_case acceptance_cases[] = {
	{
		.id = "A1",
		.class = "BYPASS",
		.source = "https://github.com/iovisor/bcc/pull/5144",
		.changes = "reads of missed pages go to a sibling of the probed function",
		.read = "misses",
		.naive = "attach-only",
		.exposes = "I/O that goes on while misses stop",
	},
	{
		.id = "A2",
		.class = "INLINE",
		.source = "https://github.com/iovisor/bcc/issues/1667",
		.changes = "the release is inlined into its callers, the function stays",
		.read = "releases",
		.naive = "attach-only",
		.exposes = "more is taken than given back, and nothing runs out",
	},
	{
		.id = "A3",
		.class = "TAILJUMP",
		.source = "https://github.com/DmitryNFomin/pg_wait_tracer/pull/31",
		.changes = "the acquiring function becomes a stub that jumps through a hook",
		.read = "acquisitions",
		.naive = "attach-only",
		.exposes = "use without acquisition",
	},
	{
		.id = "A4",
		.class = "LAYOUT",
		.source = "https://github.com/iovisor/bcc/issues/4602",
		.changes = "another field lies where the length was",
		.read = "lengths right",
		.naive = "attach-only",
		.exposes = "what is given back against what was taken",
	},
	{
		.id = "A5",
		.class = "LAYOUT",
		.source = "https://github.com/kevinbudz/kloak/issues/222",
		.changes = "the header of a handle grows",
		.read = "events",
		.naive = "attach-only",
		.exposes = "hits of the site without an event",
	},
	{
		.id = "A6",
		.class = "ABIARG",
		.source = "https://www.postgresql.org/docs/16/dynamic-trace.html",
		.changes = "the probe keeps its name, its arguments mean something else",
		.read = "values right",
		.naive = "attach-only",
		.exposes = "a value that nothing later agrees with",
	},
	{
		.id = "A7",
		.class = "REUSE",
		.source = "https://github.com/iovisor/bcc/issues/3307",
		.changes = "an address is given out again at once",
		.read = "joins right",
		.naive = "attach-only",
		.exposes = "lives of one address that overlap",
	},
	{
		.id = "A8",
		.class = "loss",
		.source = "https://github.com/cilium/tetragon/pull/422",
		.changes = "a return and the next entry of the thread are lost",
		.read = "calls",
		.naive = "thread",
		.exposes = "numbers that are missing between the two",
		.workload = "calls",
		.level = "context",
		.before = USUAL("all"),
		.after = {LOSSY("1"), LOSSY("5"), LOSSY("20")},
	},
	{
		.id = "A9",
		.class = "HANDOFF, REUSE",
		.source = "https://github.com/open-telemetry/"
			  "opentelemetry-ebpf-instrumentation/issues/2259",
		.changes = "work goes to a thread of a pool and not on where it came in",
		.read = "requests",
		.naive = "thread",
		.exposes = "calls on the same thread are right",
		.workload = "pipeline",
		.level = "context",
		.before = USUAL("type:call"),
		.after = {{"", USUAL("type:queue")}},
	},
	{
		.id = "A10",
		.class = "STICKY",
		.source = "https://github.com/open-telemetry/"
			  "opentelemetry-go-compile-instrumentation/issues/673",
		.changes = "a worker is born inside a request and keeps its context",
		.read = "owners right",
		.naive = "attach-only",
		.exposes = "an owner that ended long ago",
	},
	{
		.id = "A11",
		.class = "steal",
		.source = "https://github.com/open-telemetry/"
			  "opentelemetry-ebpf-instrumentation/issues/2242",
		.changes = "tasks that wait go on on another worker",
		.read = "resumptions",
		.naive = "thread",
		.exposes = "begin and end on two threads",
		.workload = "tasks",
		.level = "context",
		.control = "calls",
		.before = USUAL("type:call"),
		.after = {{"", USUAL("type:resume")}},
	},
	{
		.id = "A12",
		.class = "multishot, REUSE",
		.source = "https://github.com/tokio-rs/tokio/pull/8112",
		.changes = "one request completes again and again, and its slot is used anew",
		.read = "completions",
		.naive = "pointer",
		.exposes = "more completions than requests",
		.workload = "uring",
		.level = "context",
		.control = "pipeline",
		.before = {.setting = "alone", .regime = "clean", .scope = "type:io"},
		.after = {{"", USUAL("mark:multishot")}},
	},
	{
		.id = "A13",
		.class = "RELMOVE",
		.source = "https://github.com/dotnet/SqlClient/issues/3640",
		.changes = "the error path and the one that cleans up both release",
		.read = "releases",
		.naive = "attach-only",
		.exposes = "a release of what nobody holds",
	},
	{
		.id = "A14",
		.class = "CUMUL",
		.source = "https://github.com/iovisor/bcc/issues/5352",
		.changes = "a loop passes its running total",
		.read = "sizes right",
		.naive = "attach-only",
		.exposes = "their sum against another total",
	},
	{
		.id = "A15",
		.class = "ACTOR",
		.source = "https://github.com/iovisor/bcc/blob/master/tools/tcpaccept_example.txt",
		.changes = "the event comes from the thread that completes",
		.read = "owners right",
		.naive = "attach-only",
		.exposes = "one owner of all events",
	},
	{.id = NULL},
};

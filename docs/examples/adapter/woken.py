#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A complete joiner: who woke whom through a futex, from what assay's collector recorded."""
import json
import os
import shutil
import subprocess
import sys

SAYS = {"version": "1", "declares": ["handoff:wake"]}
BUILT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../build/assay")
FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_CMD_MASK = 0, 9, 127


def records(evidence):
    """The header, then a record a line, in the order in which they happened."""
    command = [shutil.which("assay") or BUILT, "evidence", "export", evidence]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as export:
        yield from map(json.loads, export.stdout)


def wakes(evidence):
    since, waking = {}, {}  # by thread: its open wait, who made it runnable since
    for r in records(evidence):
        kind, tid = r.get("kind"), r.get("tid")
        if kind == "futex-enter" and int(r["op"], 16) & FUTEX_CMD_MASK in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            since[tid] = r
            waking.pop(tid, None)
        elif kind == "sched-waking" and not r["flags"]:  # none: by a thread of the application
            waking[r["wakee"]] = r
        elif kind == "futex-exit" and since.pop(tid, None) and r["result"] == 0:
            yield waking.get(tid), r


def end(r):
    return r and {"tid": r["tid"], "t": r["t"]}


def main():
    if sys.argv[1] == "describe":
        print(json.dumps({"name": "woken", "division": "attach", "launch": ["join"], "needs": [], **SAYS}))
        return
    options = dict(zip(sys.argv[2::2], sys.argv[3::2]))  # join --evidence … --claims …, and more
    with open(options["--claims"], "w", encoding="utf-8") as out:
        print(json.dumps({"claims": 1, "profiler": "woken", "clock": "monotonic", **SAYS}), file=out)
        for src, dst in wakes(options["--evidence"]):
            print(json.dumps({"c": "handoff", "type": "wake", "src": end(src), "dst": end(dst)}), file=out)


main()

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The cheats that a few seconds are enough for; all of them: make cheats.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
exec "$top/tests/cheats/run.sh" "$build" short

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 60 mutants of the scorer, drawn by the commit: other commits try others, so that all get a turn.
set -eu
cd "$(dirname "$0")/../.."
seed=$(git rev-parse HEAD 2>/dev/null || echo no-commit)
exec make mutate-scorer MUTATE="--sample 60 --seed $seed"

#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 60 mutants of the scorer, drawn by the commit: other commits try others, so that all get a turn.
# Of a sample less is asked than the whole form has (docs/scoring.md): where 98 % are caught,
# fewer than 89 % of what is judged of 60 are in less than 1 of 1,000 draws
# (binomial, 46 to 60 judged). Tests that take more than 2 s are left to the whole form.
set -eu
cd "$(dirname "$0")/../.."
seed=$(git rev-parse HEAD 2>/dev/null || echo no-commit)
exec make mutate-scorer MUTATE_RUNS=1000 MUTATE="--sample 60 --at-least 89 --longest 2s --seed $seed"

# SPDX-License-Identifier: BSD-2-Clause
# What a user types.

.PHONY: all help deps bench test lint perf install clean

all: $(ALL) ## build everything under build/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' mk/targets.mk tests/module.mk

clean: ## remove build/
	$(Q)rm -rf build

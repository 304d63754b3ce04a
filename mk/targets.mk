# SPDX-License-Identifier: BSD-2-Clause
# What a user types.

.PHONY: all help deps deps-tools bench test lint perf install uninstall clean

all: $(ALL) ## build everything under build/

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' mk/targets.mk tests/module.mk

deps: ## install what is missing for every target (Debian 12, 13, Ubuntu 24.04)
	$(Q)mk/deps.sh perf

deps-tools: ## install the tools of the distribution that have an adapter
	$(Q)mk/deps.sh tools

bench: ## install what is missing, build, run the default suite, print the table
	$(Q)mk/deps.sh bench
	$(Q)$(MAKE) -j2 all
	$(Q)$(BUILD)/assay bench default $(BENCH_ARGS)

.PHONY: acceptance
acceptance: ## public reports of what profilers got wrong: who does here? (as root)
	$(Q)mk/deps.sh bench
	$(Q)$(MAKE) -j2 all
	$(Q)$(BUILD)/assay bench acceptance $(BENCH_ARGS)

# Each part is built before it is timed, so that a compiler error is not taken for a slow test.
test: ## install what is missing, build, run every test; the last line counts
	$(Q)mk/deps.sh test
	$(Q)$(MAKE) -j2 all
	$(Q)$(MAKE) -j2 KIND=units test-programs
	$(Q)$(MAKE) -j2 KIND=live test-programs
	$(Q)$(MAKE) -j2 KIND=cheats test-programs
	$(Q)$(MAKE) -j2 SAN=address,undefined KIND=units test-programs
	$(Q)$(MAKE) -j2 SAN=thread KIND=race test-programs
	$(Q)$(FUZZ_MAKE) -j2 KIND=fuzz test-programs
	$(Q)tests/run.sh lint=mk/lint.sh $(RUN_UNITS) $(RUN_SPIN) $(RUN_LIVE) \
		san=$(call list,$(patsubst $(BUILD)/%,$(SAN_BUILD)/%,$(TESTS_units))) \
		race=$(call list,$(patsubst $(BUILD)/%,$(RACE_BUILD)/%,$(TESTS_race))) \
		fuzz=$(call list,$(FUZZERS)) $(RUN_MUTANTS) $(RUN_QUADS)

lint: ## format, include directions, warnings under gcc and clang, scripts, man pages
	$(Q)mk/deps.sh test
	$(Q)mk/lint.sh

perf: ## measure: truth, claims, scorer, collector (never asserted)
	$(Q)mk/deps.sh perf
	$(Q)$(MAKE) -j2 all
	$(Q)$(MAKE) -j2 KIND=perf test-programs
	$(Q)tests/perf/run.sh $(BUILD)

.PHONY: overhead-check cheats soak kernels deps-kernels
overhead-check: ## is nothing seen where nothing is, and a burn of 5 %? (TRIES=10 each, as root)
	$(Q)mk/deps.sh bench
	$(Q)$(MAKE) -j2 all
	$(Q)tests/perf/overhead.sh $(BUILD) $(or $(TRIES),10)

cheats: all ## every cheat beside the honest profiler that it leans on: the table of docs/threat-model.md
	$(Q)$(MAKE) -j2 KIND=cheats test-programs
	$(Q)tests/cheats/run.sh $(BUILD)

deps-kernels: ## install QEMU and download the kernels that it is to boot (Debian 12)
	$(Q)mk/deps.sh kernels
	$(Q)tests/kernels/fetch.sh $(BUILD)/kernels

kernels: all ## boot Debian's 6.1 and 6.12 in QEMU: doctor, and cells of causal
	$(Q)tests/kernels/run.sh $(BUILD)

soak: ## every workload at full rate, causal attached, memory watched (SOAK=1200 seconds)
	$(Q)mk/deps.sh test
	$(Q)$(MAKE) -j2 all
	$(Q)tests/soak/run.sh $(BUILD) $(or $(SOAK),1200)

INSTALL_BIN := $(DESTDIR)$(PREFIX)/lib/assay
install: all ## install under PREFIX (/usr/local)
	$(Q)install -d $(INSTALL_BIN) $(DESTDIR)$(PREFIX)/bin
	$(Q)for f in $(patsubst $(BUILD)/%,%,$(ALL)); do \
		install -D -m 755 $(BUILD)/$$f $(INSTALL_BIN)/$$f; done
	$(Q)for f in $(BUILD)/profilers/*/*.sh $(BUILD)/profilers/*/*.awk; do \
		install -D -m 644 $$f $(INSTALL_BIN)/$${f#$(BUILD)/}; done
	$(Q)ln -sf ../lib/assay/assay $(DESTDIR)$(PREFIX)/bin/assay
	$(Q)for f in workloads/*/manifest.yaml; do install -D -m 644 $$f $(INSTALL_BIN)/$$f; done
	$(Q)for f in results/reference/*/*; do install -D -m 644 $$f $(INSTALL_BIN)/$${f#results/}; done
	$(Q)for f in man/*.[1-8]; do \
		install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/man/man$${f##*.}/$$(basename $$f); done

uninstall: ## remove what install put there
	$(Q)rm -rf $(INSTALL_BIN) $(DESTDIR)$(PREFIX)/bin/assay
	$(Q)cd man && for f in *.[1-8]; do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${f##*.}/$$f; done

clean: ## remove build/
	$(Q)rm -rf build

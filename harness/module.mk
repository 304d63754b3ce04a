# SPDX-License-Identifier: BSD-2-Clause
# The command. Its logic is an archive, so that tests can call it; one cmd_*.c is one command.
HARNESS_MAIN := harness/main.c $(wildcard harness/cmd_*.c)
$(call c_library,harness/libharness,$(filter-out $(HARNESS_MAIN),$(wildcard harness/*.c)))

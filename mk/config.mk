# SPDX-License-Identifier: BSD-2-Clause
# Compilers, flags and where things go. Every variable can be set on the command line.

CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
ifeq ($(origin CXX),default)
CXX     := g++
endif
ifeq ($(origin AR),default)
AR      := ar
endif
BPF_CC  ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
PREFIX  ?= /usr/local
DESTDIR ?=

# SAN=address,undefined or SAN=thread builds a second tree under build/san-…
SAN     ?=
comma   := ,
ifeq ($(SAN),)
BUILD   ?= build
OPT     ?= -O2
else
BUILD   ?= build/san-$(subst $(comma),-,$(SAN))
OPT     ?= -Og
# xxhash insists on inlining what -Og with a sanitizer cannot inline.
SANFLAGS := -fsanitize=$(SAN) -fno-omit-frame-pointer -DXXH_NO_INLINE_HINTS=1
ifneq ($(findstring undefined,$(SAN)),)
SANFLAGS += -fno-sanitize-recover=all
endif
endif

# Filled by the fuzz build only; applies to everything that is compiled.
EXTRA_CFLAGS ?=

MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
WARN    := -Wall -Wextra -Wshadow -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes \
	   -Wvla -Werror
CFLAGS_ALL   := -std=gnu17 $(OPT) -g -D_GNU_SOURCE -I. -I$(BUILD) $(WARN) $(SANFLAGS) $(EXTRA_CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(OPT) -g -D_GNU_SOURCE -I. -I$(BUILD) -Wall -Wextra -Werror $(SANFLAGS) $(EXTRA_CFLAGS)
LDFLAGS_ALL  := $(SANFLAGS) $(EXTRA_CFLAGS)
BPF_ARCH     := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
BPF_CFLAGS   := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. -I/usr/include/$(MULTIARCH) \
		-Wall -Werror

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)'
MAKEFLAGS += --no-print-directory
endif

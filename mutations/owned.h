/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folders that belong to a process: whoever comes later removes what a killed one left.
 *
 * Their names are LEAD, the machine's name, the number of the process, and a word: NODE-PID-WORD.
 * Those of other machines are left alone, since numbers say nothing there; so are those of a
 * process that lives, or of another that has its number by now. Thread-safe.
 */
#ifndef ASSAY_MUTATIONS_OWNED_H
#define ASSAY_MUTATIONS_OWNED_H

#include "lib/diag.h"
#include "mutations/record.h"

enum { OWNED_STEM = 128 };

/* "LEADNODE-PID", of this process; lead: "" or a few letters. */
void owned_stem(const char *lead, char ret[OWNED_STEM]);

/* A fresh folder of this process in that one, the caller's to remove. Prunes first. */
int owned_new(const char *folder, const char *lead, char ret[RECORD_PATH], struct diag *d);

/* Removes those whose process is gone. */
void owned_prune(const char *folder, const char *lead);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where mutations find what they are made from and where what they make goes.
 *
 *   SOURCE/workloads, groundtruth, lib    the sources of the workloads and the headers they use
 *   SOURCE/mutations                      the records, or a folder that is named in its place
 *   BUILD/lib/libassay.a                  what workloads link
 *   BUILD/variants/o/HASH.o               objects, by the hash of all that they are made from
 *   BUILD/variants/c/ID                   certificates
 *   BUILD/variants/t/NODE-PID-…           what lives no longer than a command (owned.h)
 *
 * Plain data, immutable once open.
 */
#ifndef ASSAY_MUTATIONS_HOUSE_H
#define ASSAY_MUTATIONS_HOUSE_H

#include "lib/diag.h"
#include "mutations/record.h"

struct house {
	char source[RECORD_PATH], build[RECORD_PATH];
	char records[RECORD_PATH], variants[RECORD_PATH], library[RECORD_PATH];
};

/*
 * build: the folder of the command. source: the top of the tree, or NULL: the nearest folder above
 * build that holds workloads and mutations. records: a folder of records, or NULL: that of the
 * sources. -ENOENT with a cure where there is none (an installed command has no sources).
 */
int house_open(struct house *h, const char *build, const char *source, const char *records,
	       struct diag *d);

/* FOLDER/NAME into ret; -ENAMETOOLONG with *d. */
int house_path(char ret[RECORD_PATH], struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A fresh folder below BUILD/variants/t, the caller's to remove; what killed commands left there
 * goes. */
int house_scratch(const struct house *h, char ret[RECORD_PATH], struct diag *d);

/* Removes a folder and all in it; absent is fine. */
int house_remove(const char *path, struct diag *d);

#endif

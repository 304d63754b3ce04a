/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run that cannot go on. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "workloads/driver/workload.h"

void run_fail(int err, const char *fmt, ...)
{
	struct diag d;
	char reason[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	/* the program is called like its workload */
	diag_set(&d, err, "", 0, NULL, "%s: %s%s%s", program_invocation_short_name, reason,
		 err ? ": " : "", err ? strerror(-err) : "");
	diag_print(&d, stderr);
	fflush(stderr);
	_exit(1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run that cannot go on. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "workloads/driver/workload.h"

enum { EXIT_FAILED = 1, EXIT_REFUSED = 2, EXIT_LACKS = 77 };

static void say(int err, const char *fmt, va_list ap)
{
	char reason[400];
	struct diag d;

	vsnprintf(reason, sizeof(reason), fmt, ap);
	/* the program is called like its workload */
	diag_set(&d, err, "", 0, NULL, "%s: %s%s%s", program_invocation_short_name, reason,
		 err ? ": " : "", err ? strerror(-err) : "");
	diag_print(&d, stderr);
	fflush(stderr);
}

void run_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(err, fmt, ap);
	va_end(ap);
	_exit(EXIT_FAILED);
}

/* Not built in, switched off, or not mounted; and not what a full table or too little memory is. */
static bool is_lack(int err)
{
	switch (err) {
	case -ENOSYS:
	case -EPERM:
	case -EACCES:
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
	case -EOPNOTSUPP:
		return true;
	default:
		return false;
	}
}

void run_lacks(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(err, fmt, ap);
	va_end(ap);
	_exit(is_lack(err) ? EXIT_LACKS : EXIT_FAILED);
}

void run_refuse(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(0, fmt, ap);
	va_end(ap);
	_exit(EXIT_REFUSED);
}

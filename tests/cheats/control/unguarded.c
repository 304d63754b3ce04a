/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into the command: truth lies in memory that can be read, as if there were no secret
 * one, and no call is refused. What peeks at it must succeed then; else that it fails otherwise
 * says nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

typedef long syscall_fn(long number, ...);

static long pass_on(long number, const long a[6])
{
	syscall_fn *next = (syscall_fn *)dlsym(RTLD_NEXT, "syscall");

	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long syscall(long number, ...)
{
	va_list args;
	long a[6];

	if (number == SYS_memfd_secret)
		return memfd_create("unguarded", MFD_CLOEXEC);
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return pass_on(number, a);
}

int prctl(int option, ...)
{
	long a[6] = {option};
	va_list args;

	if (option == PR_SET_SECCOMP)
		return 0;
	va_start(args, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return (int)pass_on(SYS_prctl, a);
}

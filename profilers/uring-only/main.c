/* SPDX-License-Identifier: BSD-2-Clause */
/* The joiner `uring-only` as a program of the adapter contract. */
#include "profilers/adapter/adapter.h"
#include "profilers/adapter/joiners.h"

int main(int argc, char **argv)
{
	return adapter_main(argc, argv, &joiner_uring_only, NULL);
}

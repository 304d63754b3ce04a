/* SPDX-License-Identifier: BSD-2-Clause */
/* The floor `changed` as a program of the adapter contract. */
#include "profilers/adapter/adapter.h"
#include "profilers/adapter/joiners.h"

int main(int argc, char **argv)
{
	return adapter_main(argc, argv, &joiner_changed, NULL);
}

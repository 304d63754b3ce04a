/* SPDX-License-Identifier: BSD-2-Clause */
/* `attach-only` as a program of the adapter contract. */
#include "profilers/adapter/joiners.h"
#include "profilers/collector/live.h"

int main(int argc, char **argv)
{
	return adapter_main(argc, argv, &joiner_attach_only, &collector_live);
}

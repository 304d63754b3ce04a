/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a service. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/driver/workload.h"

enum { LINE = 64 }; /* of the CPU's caches */

void *run_alloc(size_t cnt, size_t size)
{
	size_t bytes = (cnt * size + LINE - 1) / LINE * LINE;
	void *p = aligned_alloc(LINE, bytes);

	if (!p)
		run_fail(-ENOMEM, "memory of the service");
	return memset(p, 0, bytes);
}

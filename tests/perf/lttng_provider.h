/* SPDX-License-Identifier: BSD-2-Clause */
/* One LTTng-UST tracepoint that carries what a truth record carries. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER assay_perf

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/perf/lttng_provider.h"

#if !defined(ASSAY_TESTS_PERF_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ASSAY_TESTS_PERF_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* The fields are a list without commas, which the formatter takes for one call. */
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
	assay_perf, record,
	LTTNG_UST_TP_ARGS(uint64_t, t0, uint64_t, t1, uint64_t, id, uint64_t, op, uint64_t, v),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, t0, t0)
		lttng_ust_field_integer(uint64_t, t1, t1)
		lttng_ust_field_integer(uint64_t, id, id)
		lttng_ust_field_integer(uint64_t, op, op)
		lttng_ust_field_integer(uint64_t, v, v)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>

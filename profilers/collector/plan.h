/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a manifest is to be probed: sites for the collector. */
#ifndef ASSAY_PROFILERS_COLLECTOR_PLAN_H
#define ASSAY_PROFILERS_COLLECTOR_PLAN_H

#include "profilers/adapter/inputs.h"
#include "profilers/collector/app.h"

/*
 * in must outlive what is made. Without a manifest, or where the program was not given, there is
 * nothing to probe: *ret is NULL. A manifest that is refused, and a descriptor whose site was not
 * found, become descriptors without sites. -ENOMEM. Free with app_options_free.
 */
int plan_new(const struct inputs *in, struct app_options **ret);

/* For an attachment whose sites will be replaced: where there is nothing to probe, too, there is
 * something to be replaced. */
int plan_new_replaced(const struct inputs *in, struct app_options **ret);
void app_options_free(struct app_options *o);

#endif

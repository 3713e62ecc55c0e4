// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A build without libpfm4: see pfm.h.
 */
#include "pfm.h"

#include <errno.h>

static int missing(struct op_error *error)
{
	return op_error_set(error, ENOTSUP,
			    "built without libpfm4, which has the events of this PMU: build with "
			    "libpfm4 (Debian: libpfm4-dev)");
}

int op_pfm_add(struct op_catalogue *catalogue, const char *pmu, struct op_error *error)
{
	(void)catalogue;
	(void)pmu;
	return missing(error);
}

int op_pfm_add_of_type(struct op_catalogue *catalogue, const struct op_cpu_pmu *pmu,
		       struct op_error *error)
{
	(void)catalogue;
	(void)pmu;
	(void)error;
	return 0;
}

bool op_pfm_is_there(void)
{
	return false;
}

void op_pfm_each(void (*visit)(const char *name, const char *title, unsigned int events,
			       void *context),
		 void *context)
{
	(void)visit;
	(void)context;
}

int op_pfm_join(const struct op_catalogue *catalogue, const struct op_catalogue_event *event,
		const char *masks, uint32_t *value, uint32_t *extra, struct op_error *error)
{
	(void)catalogue;
	(void)event;
	(void)masks;
	(void)value;
	(void)extra;
	return missing(error);
}

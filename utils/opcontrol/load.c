// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loading the driver: see load.h.
 */
#include "load.h"

#include <errno.h>
#include <string.h>

#include "driver.h"
#include "module.h"

/* A module that is loaded keeps its backend: it must be the requested one. */
static int check_backend(const char *wanted, struct op_error *error)
{
	char backend[MODULE_BACKEND_MAX > DRIVER_CPU_TYPE_MAX ? MODULE_BACKEND_MAX
							      : DRIVER_CPU_TYPE_MAX];

	if ((module_backend(backend) || !*backend) && driver_cpu_type(backend, error))
		return -1;
	if (!strcmp(backend, wanted))
		return 0;
	return op_error_set(error, EBUSY,
			    "the module is loaded with the backend %s, not %s: unload it with "
			    "\"opcontrol --deinit\" first",
			    backend, wanted);
}

/* Adds a hint to @error: how to profile without the module.  Return: -1. */
static int without_module(const struct request *request, struct op_error *error)
{
	struct op_error why = *error;

	if (!request_starts_daemon(request))
		return -1;
	return op_error_set(error, why.code, "%.900s; without a module: opcontrol --start --perf",
			    why.text);
}

int load_driver(const struct request *request, struct op_error *error)
{
	bool loaded;

	if (driver_is_given())
		return 0;
	loaded = module_is_loaded();
	if (!loaded && module_load(request->module, request->backend, error))
		return without_module(request, error);
	if (driver_mount(error))
		return -1;
	return loaded && request->backend ? check_backend(request->backend, error) : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* oppush: sends closed sessions to the store of a fleet.  See oppush(1). */
#include <stdio.h>

#include "libop/base/option.h"
#include "request.h"
#include "schema.h"
#include "service.h"

int main(int argc, const char **argv)
{
	struct request request;
	struct op_error error;
	int result;

	op_program_begin(argv[0]);
	if (request_parse(argc, argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	result = request.install_schema ? schema_install(&request.destinations.item[0].store,
							 request.schema, request.cluster, &error)
					: service_run(&request, &error);
	request_free(&request);
	if (result)
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	if (fflush(stdout) || ferror(stdout))
		op_die_errno(OP_EXIT_FAILURE, "cannot write to stdout");
	return OP_EXIT_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* oppush: sends closed sessions to the store of a fleet.  See oppush(1). */
#include <stdio.h>
#include <time.h>

#include "libop/base/option.h"
#include "libop/base/page_guard.h"
#include "pp/formats/store/sums.h"
#include "request.h"
#include "schema.h"
#include "service.h"

/* Sessions that began in an hour end up to an hour later, and come after that. */
#define GRACE_SECONDS 7200

static uint64_t seconds_before(uint64_t now, uint64_t days)
{
	return now > days * SUMS_DAY ? now - days * SUMS_DAY : 0;
}

static int add_up_store(const struct request *request, const struct store_url *store,
			struct op_error *error)
{
	uint64_t now = (uint64_t)time(NULL) - GRACE_SECONDS;
	uint64_t from = seconds_before(now, request->add_up_days) / SUMS_DAY * SUMS_DAY;
	uint64_t before = seconds_before(now, request->keep_days);
	size_t n, days = 0;
	int result = store_sums_make(store, from, now / SUMS_HOUR * SUMS_HOUR, &n, error);

	if (!result && request->keep_days)
		result = store_sums_drop(store, before, &days, error);
	if (n)
		printf("%zu sums are made\n", n);
	if (days)
		printf("samples of %zu days are removed\n", days);
	return result;
}

/* In all stores of ClickHouse that are named. */
static int add_up(const struct request *request, struct op_error *error)
{
	int result = 0;

	for (size_t i = 0; !result && i < request->destinations.count; i++)
		if (!request->destinations.item[i].api)
			result = add_up_store(request, &request->destinations.item[i].store, error);
	return result;
}

static int run(const struct request *request, struct op_error *error)
{
	if (request->install_schema)
		return schema_install(&request->destinations.item[0].store, request->schema,
				      request->cluster, error);
	if (request->add_up)
		return add_up(request, error);
	return service_run(request, error);
}

int main(int argc, const char **argv)
{
	struct request request;
	struct op_error error;
	int result;

	op_program_begin(argv[0]);
	page_guard_ignore_file_limit();
	if (request_parse(argc, argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	result = run(&request, &error);
	request_free(&request);
	if (result)
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	if (fflush(stdout) || ferror(stdout))
		op_die_errno(OP_EXIT_FAILURE, "cannot write to stdout");
	return OP_EXIT_OK;
}

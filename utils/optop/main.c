// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * optop: where the machine's time goes, live.
 */
#include <errno.h>
#include <locale.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/perf/event.h"
#include "loop.h"
#include "model.h"
#include "request.h"
#include "screen.h"
#include "source.h"

static int open_perf(struct source *source, struct model *model, const struct request *request,
		     struct op_error *error)
{
	const struct source_config config = {
		.keep_dir = request->keep,
		.operf_options = request->operf.item,
	};

	return source_open(source, model, &config, error);
}

/* A daemon that runs has all the system; without one, perf events have. */
static int open_source(struct source *source, struct model *model, const struct request *request,
		       struct op_error *error)
{
	const struct source_config config = {.session_dir = request->session_dir};

	if (request->source == SOURCE_PERF)
		return open_perf(source, model, request, error);
	if (!source_open(source, model, &config, error))
		return 0;
	source_close(source);
	if (request->source == SOURCE_DAEMON)
		return -1;
	return open_perf(source, model, request, error);
}

static int show(const struct request *request, struct op_error *error)
{
	struct model model;
	struct source source = {.messages = -1, .feed.fd = -1};
	int signal = 0, result;

	/* before anything is sampled in vain */
	if (!request->batch && screen_check(error))
		return -1;
	if (model_init(&model))
		return op_error_memory(error);
	loop_block_signals();
	result = open_source(&source, &model, request, error);
	if (!result)
		result = source_begin(&source, error);
	if (!result)
		result = loop_run(request, &model, &source, &signal, error);
	source_close(&source);
	model_free(&model);
	if (result)
		return -1;
	return signal ? 128 + signal : OP_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct request request;
	struct op_error error = {0};
	int status;

	op_program_begin(argv[0]);
	setlocale(LC_CTYPE, "");
	if (request_parse(argc, (const char **)argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	status = show(&request, &error);
	if (status < 0) {
		op_complain("%s", error.text);
		status = OP_EXIT_FAILURE;
	}
	request_free(&request);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of optop. */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/optop/request.h"

struct row {
	const char *argv[6];
	int source;	   /* -1: an error */
	const char *operf; /* the options for operf, joined by blanks; or the error's text */
};

static const struct row rows[] = {
	{{"optop"}, SOURCE_ANY, "--callgraph --system-wide "},
	{{"optop", "-F", "4000", "-g"}, SOURCE_PERF, "--freq=4000 --callgraph --system-wide "},
	{{"optop", "-e", "cycles:100000", "-p", "1,2"},
	 SOURCE_PERF,
	 "--events=cycles:100000 --callgraph --pid=1 --pid=2 "},
	{{"optop", "--call-graph=dwarf"}, SOURCE_PERF, "--call-graph=dwarf --system-wide "},
	{{"optop", "--session-dir=/x"}, SOURCE_DAEMON, "--callgraph --system-wide "},
	{{"optop", "--keep=/x"}, SOURCE_PERF, "--callgraph --system-wide "},
	{{"optop", "--no-call-graph"}, SOURCE_PERF, "--no-call-graph --system-wide "},
	{{"optop", "--no-call-graph", "-g"}, -1, "--callgraph"},
	{{"optop", "--source=daemon", "-F", "10"}, -1, "--source=perf"},
	{{"optop", "--session-dir=/x", "-g"}, -1, "--keep"},
	{{"optop", "--by=functoin"}, -1, "functoin"},
	{{"optop", "--delay=0"}, -1, "--delay=0"},
	{{"optop", "-l", "3"}, -1, "--batch"},
	{{"optop", "word"}, -1, "word"},
};

static const char *joined(const struct op_strings *list)
{
	static char text[512];

	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		strcat(text, list->item[i]);
		strcat(text, " ");
	}
	assert_null(list->item[list->count]);
	return text;
}

TEST(options_choose_the_source_and_go_to_operf)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct request request;
		struct op_error error = {0};
		int argc = 0, result;

		while (argc < 6 && row->argv[argc])
			argc++;
		result = request_parse(argc, (const char **)row->argv, &request, &error);
		assert_int_equal(result, row->source < 0 ? -1 : 0);
		if (result)
			assert_non_null(strstr(error.text, row->operf));
		else
			assert_string_equal(joined(&request.operf), row->operf);
		if (!result)
			assert_int_equal(request.source, row->source);
		request_free(&request);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of perf's options: see perf_values.h. */
#include "perf_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "perf_add.h"
#include "perf_events.h"

/* The kernel lowers what is more than it allows. */
int perf_take_frequency(struct perf_line *line, const char *value, struct op_error *error)
{
	return perf_add(&line->out, "--freq=%", strcmp(value, "max") ? value : "100000", error);
}

/* ---- what is sampled ---- */

int perf_take_process(struct perf_line *line, const char *value, struct op_error *error)
{
	line->has_process = true;
	return perf_add(&line->out, line->of == OF_STAT ? "--process-list=%" : "--pid=%", value,
			error);
}

int perf_take_all_cpus(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->all_cpus = true;
	return 0;
}

/* As with perf, processes go before the system. */
static int finish_target(struct perf_line *line, struct op_error *error)
{
	if (!line->all_cpus || line->has_process || line->of == OF_TOP)
		return 0;
	return perf_add(&line->out, "--system-wide", NULL, error);
}

int perf_take_method(struct perf_line *line, const char *value, struct op_error *error)
{
	size_t length = value ? strcspn(value, ",") : 0;
	char first[16];

	if (!value)
		return perf_add(&line->out, "--callgraph", NULL, error);
	if (!strncmp(value, "lbr", length) && length)
		return op_error_set(error, EINVAL,
				    "records of branches are not read: without a method, callers "
				    "of code without frame pointers are found, too");
	if (!strncmp(value, "no", length) && length)
		return perf_add(&line->out, "--no-call-graph", NULL, error);
	/* optop takes a method only; perf top has there what its report does with callers, too */
	if (line->of == OF_TOP) {
		snprintf(first, sizeof(first), "%.*s", (int)(length < 15 ? length : 15), value);
		return perf_add(&line->out, "--call-graph=%", first, error);
	}
	return perf_add(&line->out, "--call-graph=%", value, error);
}

int perf_take_interval(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)error;
	line->milliseconds = value;
	return 0;
}

int perf_take_intervals(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)error;
	line->intervals = value;
	return 0;
}

static int finish_intervals(struct perf_line *line, struct op_error *error)
{
	char *text;
	int result;

	if (line->intervals && !line->milliseconds)
		return op_error_set(error, EINVAL, "--interval-count needs --interval-print");
	if (!line->milliseconds)
		return 0;
	text = op_path("%s%s%s", line->milliseconds, line->intervals ? ":" : "",
		       line->intervals ? line->intervals : "");
	result = text ? perf_add(&line->out, "--time-interval=%", text, error)
		      : op_error_memory(error);
	free(text);
	return result;
}

int perf_take_separator(struct perf_line *line, const char *value, struct op_error *error)
{
	if (!strcmp(value, ","))
		return perf_add(&line->out, line->of == OF_STAT ? "--brief-format" : "--csv", NULL,
				error);
	return op_error_set(error, EINVAL, "%s has commas, and --json names",
			    line->of == OF_STAT ? "--brief-format" : "--csv");
}

/* ---- what reports show ---- */

/* A profile is a word of its own. */
int perf_take_profile(struct perf_line *line, const char *value, struct op_error *error)
{
	line->words++;
	return perf_add(&line->out, "%", value, error);
}

int perf_take_children(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->calls = CALLS_CHILDREN;
	return 0;
}

int perf_take_no_children(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->no_children = true;
	return 0;
}

int perf_take_no_source(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->no_source = true;
	return 0;
}

int perf_take_caller(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)value, (void)error;
	line->calls = CALLS_CALLER;
	return 0;
}

/* Whether a list between commas has @item. */
static bool list_has(const char *list, const char *item)
{
	size_t length = strlen(item);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, item, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

/* "graph,0.5,caller": how it is drawn, limits, in which order.  Only the order is left here. */
int perf_take_calls(struct perf_line *line, const char *value, struct op_error *error)
{
	line->calls = CALLS_ANY;
	if (!value)
		return 0;
	if (list_has(value, "folded"))
		return op_error_set(error, EINVAL, "\"opexport --to=folded\" writes folded stacks");
	if (list_has(value, "none"))
		line->calls = CALLS_NONE;
	else if (list_has(value, "caller"))
		line->calls = CALLS_CALLER;
	else if (list_has(value, "callee"))
		line->calls = CALLS_CALLEE;
	return 0;
}

int perf_take_percentage(struct perf_line *line, const char *value, struct op_error *error)
{
	if (!strcmp(value, "relative"))
		return 0;
	if (!strcmp(value, "absolute") && line->of == OF_REPORT)
		return perf_add(&line->out, "--global-percent", NULL, error);
	return op_error_set(error, EINVAL, "percentages are of what is selected");
}

int perf_take_compute(struct perf_line *line, const char *value, struct op_error *error)
{
	(void)line;
	if (!strncmp(value, "delta", 5))
		return 0;
	return op_error_set(
		error, EINVAL,
		"opdiff shows the differences of shares; --per-second compares numbers");
}

static const struct {
	const char *name;
	enum perf_key key;
} keys[] = {
	{"comm", KEY_COMM},
	{"dso", KEY_DSO},
	{"sym", KEY_SYMBOL},
	{"symbol", KEY_SYMBOL},
	{"srcline", KEY_LINE},
	{"srcfile", KEY_LINE},
	{"pid", KEY_PROCESS},
	{"tgid", KEY_PROCESS},
	{"tid", KEY_THREAD},
	{"cpu", KEY_CPU},
	{"cgroup", KEY_CGROUP},
	{"overhead", KEY_NUMBER},
	{"overhead_children", KEY_NUMBER},
	{"overhead_sys", KEY_NUMBER},
	{"overhead_us", KEY_NUMBER},
	{"sample", KEY_NUMBER},
	{"period", KEY_NUMBER},
};

int perf_take_keys(struct perf_line *line, const char *value, struct op_error *error)
{
	struct op_strings list = {0};
	int result = op_strings_split(&list, value, ',') ? op_error_memory(error) : 0;

	for (size_t i = 0; !result && i < list.count; i++) {
		const char *name = list.item[i] + (*list.item[i] == '+');
		size_t k = 0;

		while (k < OP_ARRAY_SIZE(keys) && strcmp(keys[k].name, name) != 0)
			k++;
		if (k < OP_ARRAY_SIZE(keys))
			line->keys |= keys[k].key;
		else
			result =
				op_error_set(error, EINVAL,
					     "rows are symbols, images (dso), programs (comm), "
					     "processes (pid), threads (tid), CPUs, control groups "
					     "(cgroup) or lines (srcline), not \"%s\"",
					     name);
	}
	op_strings_free(&list);
	return result;
}

/* ---- all together ---- */

/* What has one row, or one column, for each. */
static const struct {
	enum perf_key key;
	const char *report, *top;
} whos[] = {
	{KEY_THREAD, "--by=thread", "--by=thread"},
	{KEY_PROCESS, "--by=process", "--by=process"},
	{KEY_CPU, "--by=cpu", "--by=cpu"},
	{KEY_CGROUP, "--by=cgroup", "--by=cgroup"},
};

static const char *find_who(const struct perf_line *line, bool top)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(whos); i++)
		if (line->keys & whos[i].key)
			return top ? whos[i].top : whos[i].report;
	return NULL;
}

static const char *calls_option(const struct perf_line *line)
{
	switch (line->calls) {
	case CALLS_CHILDREN:
		return "--children";
	case CALLS_CALLER:
		return "--tree";
	case CALLS_CALLEE:
		return "--inverted";
	case CALLS_ANY:
		return line->no_children ? "--inverted" : "--tree";
	case CALLS_NONE:
	case CALLS_UNSAID:
		break;
	}
	return line->no_children ? "--no-children" : NULL;
}

static int finish_report(struct perf_line *line, struct op_error *error)
{
	const char *who = find_who(line, false), *calls = calls_option(line), *rows = NULL;
	bool has_tree = line->calls > CALLS_CHILDREN;
	unsigned int names = line->keys & (KEY_SYMBOL | KEY_DSO | KEY_COMM);

	if (line->keys & KEY_LINE)
		rows = "--lines";
	else if (!who && names && !(names & KEY_SYMBOL))
		rows = names & KEY_DSO ? "--libraries" : "--no-libraries";
	/* alone, images are added up over programs */
	if (rows && names == KEY_DSO && !(line->keys & KEY_LINE) &&
	    perf_add(&line->front, "--merge=lib", NULL, error))
		return -1;
	if (calls && (who || rows)) {
		if (has_tree)
			op_warn("calls are shown of symbols only, not of --sort's rows");
		calls = NULL;
	}
	if ((!rows && (!who || names & KEY_SYMBOL)) &&
	    perf_add(&line->front, "--symbols", NULL, error))
		return -1;
	return (rows && perf_add(&line->front, rows, NULL, error)) ||
			       (who && perf_add(&line->front, who, NULL, error)) ||
			       (calls && perf_add(&line->front, calls, NULL, error))
		       ? -1
		       : 0;
}

/* Rows of optop are one thing; a function has its image beside it. */
static bool is_several(unsigned int rows)
{
	rows &= ~(unsigned int)KEY_NUMBER;
	if (rows & KEY_SYMBOL)
		rows &= ~(unsigned int)KEY_DSO;
	return rows & (rows - 1);
}

static int finish_top(struct perf_line *line, struct op_error *error)
{
	const char *rows = find_who(line, true);

	if (!rows && line->keys & KEY_SYMBOL)
		rows = "--by=function";
	else if (!rows && line->keys & KEY_DSO)
		rows = "--by=image";
	else if (!rows && line->keys & KEY_COMM)
		rows = "--by=application";
	if (line->keys & KEY_LINE)
		return op_error_set(error, EINVAL,
				    "--sort=srcline: optop shows the lines of the function that "
				    "Enter is pressed on");
	if (rows && is_several(line->keys))
		op_warn("rows are one of these at a time: %s; a key changes it", rows);
	return rows && perf_add(&line->out, rows, NULL, error) ? -1 : 0;
}

/* Without words, perf compares the last two recordings of this directory. */
static int finish_diff(struct perf_line *line, struct op_error *error)
{
	if (line->keys && !(line->keys & (KEY_SYMBOL | KEY_NUMBER)) &&
	    perf_add(&line->front, "--no-symbols", NULL, error))
		return -1;
	return !line->words && (perf_add(&line->out, "session:previous", NULL, error) ||
				perf_add(&line->out, "session:current", NULL, error))
		       ? -1
		       : 0;
}

static int finish_annotate(struct perf_line *line, struct op_error *error)
{
	return (!line->no_source && perf_add(&line->front, "--source", NULL, error)) ||
			       perf_add(&line->front, "--assembly", NULL, error)
		       ? -1
		       : 0;
}

/* What follows in most pipes would fold them once more. */
static int finish_script(struct perf_line *line, struct op_error *error)
{
	for (size_t i = 0; i < line->out.count; i++)
		if (!strncmp(line->out.item[i], "--to=", 5) || !strcmp(line->out.item[i], "--to"))
			return 0;
	op_warn("stacks are written folded: flamegraph.pl reads them without "
		"stackcollapse-perf.pl");
	return perf_add(&line->front, "--to=folded", NULL, error);
}

int perf_finish(struct perf_line *line, struct op_error *error)
{
	if (line->of & OF_COUNTERS && perf_finish_events(line, error))
		return -1;
	switch (line->of) {
	case OF_RECORD:
		return finish_target(line, error);
	case OF_STAT:
		return finish_target(line, error) || finish_intervals(line, error) ? -1 : 0;
	case OF_TOP:
		return finish_top(line, error);
	case OF_REPORT:
		return finish_report(line, error);
	case OF_ANNOTATE:
		return finish_annotate(line, error);
	case OF_SCRIPT:
		return finish_script(line, error);
	default:
		return finish_diff(line, error);
	}
}

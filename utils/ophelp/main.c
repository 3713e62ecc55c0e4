// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ophelp: lists the events that can be counted, and checks event specifications.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/events/pfm.h"
#include "libop/events/list.h"
#include "request.h"

#define DRIVER_ENVIRONMENT "OPROFILE_FS_DIR"

/* The requested CPU type, and its counters. */
struct target {
	const char *name;
	struct op_counters counters;
};

static int find_target(const struct request *request, struct target *target, struct op_error *error)
{
	struct op_cpu_id cpu;
	struct op_error cause;
	int local, type;

	op_cpu_id_read(&cpu);
	local = op_cpu_type_detect(getenv(DRIVER_ENVIRONMENT), &cpu, &cause);
	if (!request->cpu_type && local == OP_CPU_NONE)
		return op_error_set(error, cause.code, "%s (see --cpu-type)", cause.text);
	type = request->cpu_type ? op_cpu_type_number(request->cpu_type) : local;
	target->name = type == OP_CPU_NONE ? request->cpu_type : op_cpu_type_name(type);
	/* the counters of another CPU type are not those of this CPU */
	if (request->counters)
		target->counters = op_counters_plain((unsigned int)request->counters,
						     (unsigned int)request->fixed_counters);
	else
		target->counters = op_counters_of(type, type == op_cpu_id_type(&cpu) ? &cpu : NULL);
	return 0;
}

static void list(const struct request *request, const struct op_catalogue *catalogue,
		 const struct search *search)
{
	if (request->action == ACTION_XML)
		list_xml(catalogue, search, stdout);
	else if (request->action == ACTION_JSON)
		list_json(catalogue, search, stdout);
	else
		list_text(catalogue, search, stdout);
	list_warn(catalogue);
}

/* What oprofilefs' file "extra" gets, or else, as OProfile has it, a unit mask given by name. */
static uint32_t extra_mask(const struct op_resolved_event *choice)
{
	return choice->extra ? choice->extra : choice->has_named_mask ? choice->unit_mask : 0;
}

static void put_choice(enum action action, const struct op_resolved_event *choice)
{
	switch (action) {
	case ACTION_CODE:
		printf("%" PRIu32 "\n", choice->event->code);
		break;
	case ACTION_UNIT_MASK:
		printf("%" PRIu32 "\n", choice->unit_mask);
		break;
	case ACTION_EXTRA_MASK:
		printf("%" PRIu32 "\n", extra_mask(choice));
		break;
	default:
		if (choice->event->ext)
			op_safe_printf(stdout, "%s ", choice->event->ext);
		else
			printf("%u ", choice->counter);
	}
}

static int ophelp_choose(const struct request *request, struct op_catalogue *catalogue,
			 struct op_error *error)
{
	bool check = request->action == ACTION_CHECK_EVENTS;
	struct op_resolve_options how = {
		.callgraph_depth = (unsigned int)request->callgraph_depth,
		.ignore_count = request->ignore_count || !check,
		.ignore_counters = !check,
	};
	size_t n = request->specs.count;
	struct op_resolved_event *choices;

	if (check && !catalogue->counters.general && !catalogue->counters.fixed &&
	    catalogue->cpu_type != OP_CPU_TIMER)
		return op_error_set(error, ENOTSUP,
				    "the number of counters of %s is unknown: use --counters",
				    catalogue->cpu_name);
	choices = calloc(n, sizeof(*choices));
	if (!choices)
		return op_error_memory(error);
	if (op_events_resolve(catalogue, request->specs.item, n, &how, choices, error)) {
		free(choices);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		put_choice(request->action, &choices[i]);
	if (check)
		putchar('\n');
	free(choices);
	return 0;
}

static int put_default(const struct op_catalogue *catalogue, struct op_error *error)
{
	struct op_error cause;
	char *spec;

	if (catalogue->cpu_type == OP_CPU_TIMER)
		return 0; /* there is none, and none is needed */
	spec = op_default_event(catalogue, &cause);
	if (!spec)
		return op_error_set(error, cause.code, "%s", cause.text);
	op_safe_line(stdout, "%s", spec);
	free(spec);
	return 0;
}

static int with_catalogue(const struct request *request, struct op_error *error)
{
	bool lists = request->action == ACTION_LIST || request->action == ACTION_XML ||
		     request->action == ACTION_JSON;
	struct op_catalogue catalogue;
	struct search search = {0};
	struct target target;
	int result = 0;

	if (find_target(request, &target, error))
		return -1;
	if (request->action == ACTION_CPU_TYPE) {
		printf("%s\n", target.name);
		return 0;
	}
	if (op_catalogue_load(target.name, &target.counters, lists, &catalogue, error))
		return -1;
	if (lists) {
		result = search_compile(&search, request->search, error);
		if (!result)
			list(request, &catalogue, &search);
		search_free(&search);
	} else if (request->action == ACTION_DEFAULT_EVENT) {
		result = put_default(&catalogue, error);
	} else {
		result = ophelp_choose(request, &catalogue, error);
	}
	op_catalogue_free(&catalogue);
	return result;
}

static void put_pfm_type(const char *name, const char *title, unsigned int events, void *context)
{
	(void)context;
	printf("    - " OP_CATALOGUE_PFM "%-24s %s (%u events)\n", name, title, events);
}

static void list_cpu_types(void)
{
	for (int type = 0; op_cpu_type_name(type); type++) {
		if (type == OP_CPU_TIMER || op_cpu_pmu(op_cpu_type_name(type)))
			printf("%5d %-28s %s\n", type, op_cpu_type_name(type),
			       op_cpu_type_title(type));
	}
	op_pfm_each(put_pfm_type, NULL);
}

static int act(const struct request *request, struct op_error *error)
{
	switch (request->action) {
	case ACTION_LIST_CPU_TYPES:
		list_cpu_types();
		return 0;
	default:
		return with_catalogue(request, error);
	}
}

int main(int argc, const char **argv)
{
	struct request request;
	struct op_error error;
	int result;

	op_program_begin(argv[0]);
	if (request_parse(argc, argv, &request, &error)) {
		request_free(&request);
		op_die(OP_EXIT_USAGE, "%s (see %s --help)", error.text, op_program());
	}
	result = act(&request, &error);
	request_free(&request);
	if (result)
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	if (fflush(stdout) || ferror(stdout))
		op_die_errno(OP_EXIT_FAILURE, "cannot write to stdout");
	return OP_EXIT_OK;
}

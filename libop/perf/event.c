// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of perf_event_open(2), their names and encodings: see event.h.
 */
#include "event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/events/unit_mask.h"
#include "spelling.h"

#define NANOSECONDS UINT64_C(1000000000)
/*
 * Of clocks, in ns: 854 samples a second.  Much work repeats each millisecond, or in 2, 4, 5, 10 or
 * 20 of them, or in parts of one.  Samples at such a period always see the same part of it: shares
 * that were 0.75 were counted as 0.37 to 0.92.  4 - 2 * sqrt(2) ms is far from all ratios of small
 * numbers to these, so that samples go through all parts within some ten of them.
 */
#define CLOCK_COUNT  1171573
#define CYCLES_COUNT 100000
/* A request for more than this is a mistake, and the kernel's default limit. */
#define FREQUENCY_MOST 100000

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct op_perf_name names[] = {
	{"cpu-clock", "time that CPUs spent, in ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	 CLOCK_COUNT},
	{"task-clock", "time that tasks spent on CPUs, in ns", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_TASK_CLOCK, CLOCK_COUNT},
	{"page-faults", "page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
	{"minor-faults", "page faults without disk access", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_PAGE_FAULTS_MIN, 1},
	{"major-faults", "page faults with disk access", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1},
	{"context-switches", "context switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
	 1},
	{"cpu-migrations", "tasks moved to another CPU", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CPU_MIGRATIONS, 1},
	{"alignment-faults", "unaligned accesses that the kernel handled", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_ALIGNMENT_FAULTS, 1},
	{"emulation-faults", "instructions that the kernel emulated", PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_EMULATION_FAULTS, 1},
	{"cycles", "clock cycles of running CPUs", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	 CYCLES_COUNT},
	{"instructions", "retired instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
	 CYCLES_COUNT},
	{"cache-references", "accesses to the last cache", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_REFERENCES, 10000},
	{"cache-misses", "misses of the last cache", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
	 10000},
	{"branches", "retired branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	 CYCLES_COUNT},
	{"branch-misses", "branches predicted wrongly", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_MISSES, 10000},
	{"bus-cycles", "clock cycles of the bus", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
	 10000},
	{"stalled-cycles-frontend", "cycles without instructions issued", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, CYCLES_COUNT},
	{"stalled-cycles-backend", "cycles without instructions retired", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND, CYCLES_COUNT},
	{"ref-cycles", "clock cycles at a constant rate", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_REF_CPU_CYCLES, CYCLES_COUNT},
	{"L1-dcache-loads", "loads from the first data cache", PERF_TYPE_HW_CACHE,
	 CACHE(L1D, READ, ACCESS), CYCLES_COUNT},
	{"L1-dcache-load-misses", "loads that missed the first data cache", PERF_TYPE_HW_CACHE,
	 CACHE(L1D, READ, MISS), 10000},
	{"LLC-loads", "loads from the last cache", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS),
	 10000},
	{"LLC-load-misses", "loads that missed the last cache", PERF_TYPE_HW_CACHE,
	 CACHE(LL, READ, MISS), 10000},
	{"dTLB-load-misses", "loads that missed the data TLB", PERF_TYPE_HW_CACHE,
	 CACHE(DTLB, READ, MISS), 10000},
	{"iTLB-load-misses", "fetches that missed the instruction TLB", PERF_TYPE_HW_CACHE,
	 CACHE(ITLB, READ, MISS), 10000},
};

#define NAMES OP_ARRAY_SIZE(names)

/* Second names that perf has. */
static const struct {
	const char *name, *of;
} aliases[] = {
	{"cs", "context-switches"},
	{"faults", "page-faults"},
	{"migrations", "cpu-migrations"},
	{"cpu-cycles", "cycles"},
	{"branch-instructions", "branches"},
	{"idle-cycles-frontend", "stalled-cycles-frontend"},
	{"idle-cycles-backend", "stalled-cycles-backend"},
};

const struct op_perf_name *op_perf_name(const char *name)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(aliases); i++) {
		if (!strcmp(aliases[i].name, name))
			name = aliases[i].of;
	}
	for (size_t i = 0; i < NAMES; i++) {
		if (!strcmp(names[i].name, name))
			return &names[i];
	}
	return NULL;
}

const struct op_perf_name *op_perf_name_at(size_t index)
{
	return index < NAMES ? &names[index] : NULL;
}

bool op_perf_is_software(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE;
}

bool op_perf_is_clock(const struct perf_event_attr *attr)
{
	return op_perf_is_software(attr) && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
					     attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

int op_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

const char *op_perf_default(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = CYCLES_COUNT,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = op_perf_open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? "cycles" : "cpu-clock";
}

static bool is_for_want_of_counter(int code)
{
	return code == ENOENT || code == ENODEV || code == EOPNOTSUPP || code == EINVAL;
}

int op_perf_check_counters(const struct op_perf_events *events, struct op_error *error)
{
	for (size_t i = 0; i < events->count; i++) {
		struct perf_event_attr attr = events->event[i].attr;
		int fd;

		attr.disabled = 1;
		fd = op_perf_open(&attr, 0, -1, -1);
		if (fd >= 0)
			close(fd);
		else if (is_for_want_of_counter(errno))
			return op_perf_explain_open(errno, events->event[i].event.name, &attr, 0,
						    error);
	}
	return 0;
}

/* ---- choosing ---- */

/*
 * The frequency that the kernel takes without pauses; the limit falls when its interrupts take
 * long. It is one of samples in a tick, and that with which it is reached is the first that is
 * paused: of 500 Hz, two in each of 250 ticks.
 */
static uint64_t within_limit(uint64_t frequency)
{
	int limit = op_perf_setting("perf_event_max_sample_rate", 0), most = limit / 2;

	if (most <= 0 || frequency <= (uint64_t)most)
		return frequency;
	op_warn("sampling at %d Hz instead of %" PRIu64
		" Hz: the kernel pauses what comes near %d Hz (perf_event_max_sample_rate)",
		most, frequency, limit);
	return (uint64_t)most;
}

static int set_frequency(struct op_perf_choose *how, struct op_error *error)
{
	if (how->frequency > FREQUENCY_MOST)
		return op_error_set(error, ERANGE, "a frequency above %d Hz", FREQUENCY_MOST);
	how->frequency = within_limit(how->frequency);
	return 0;
}

/* What perf programs into a counter of an x86 CPU for the event. */
static uint64_t raw_config(const struct op_perf_event *choice)
{
	uint64_t config = (choice->event.code & 0xff) |
			  (uint64_t)(choice->event.unit_mask & 0xff) << 8 |
			  (uint64_t)(choice->event.code >> 8 & 0xf) << 32;

	return config | (choice->extra & OP_EXTRA_REGISTER);
}

/* Level 2 of perf_event_paranoid, the default of Linux, keeps the kernel to root. */
static bool may_see_kernel(void)
{
	return op_perf_is_privileged() || op_perf_setting("perf_event_paranoid", 2) < 2;
}

bool op_perf_is_clock_name(const char *event)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock"};
	size_t length = strcspn(event, ":");

	for (size_t i = 0; i < OP_ARRAY_SIZE(clocks); i++)
		if (strlen(clocks[i]) == length && !strncmp(event, clocks[i], length))
			return true;
	return false;
}

/* What much work repeats after: timers of programs, games and servers have ticks of whole ms. */
#define TICK 1000000
/* Samples are at that many moments of a tick at least, which are this part of it apart. */
#define MOMENTS_LEAST 8
#define APART	      50
/* What a period in step is made longer by, and how often. */
#define LONGER_BY   61
#define LONGER_MOST 4

/* Whether samples that are @period ns apart are at few moments of a tick for long. */
static bool keeps_step(uint64_t period)
{
	for (uint64_t i = 1; i < MOMENTS_LEAST; i++) {
		uint64_t moment = i * period % TICK;

		if (moment < TICK / APART || moment > TICK - TICK / APART)
			return true;
	}
	return false;
}

uint64_t op_perf_clock_period(uint64_t frequency)
{
	uint64_t period = NANOSECONDS / frequency;

	/* below, there are as many moments in any case */
	for (int i = 0; period * MOMENTS_LEAST >= TICK && i < LONGER_MOST && keeps_step(period);
	     i++)
		period += period / LONGER_BY;
	return period;
}

/* Fills in @choice->attr from the rest.  Clocks take a period for each frequency. */
static int set_attr(struct op_perf_event *choice, const struct op_perf_choose *how,
		    struct op_error *error)
{
	const struct op_perf_name *name = op_perf_name(choice->event.name);
	struct perf_event_attr *attr = &choice->attr;

	/* exclude what is not permitted, so that the rest can be counted */
	if (choice->event.user && !may_see_kernel())
		choice->event.kernel = false;
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = name ? name->type : PERF_TYPE_RAW,
		.config = name ? name->config : raw_config(choice),
		.exclude_kernel = !choice->event.kernel,
		.exclude_user = !choice->event.user,
		.exclude_hv = !choice->event.kernel,
	};
	if (how->counting)
		return 0;
	if (how->frequency && op_perf_is_clock(attr)) {
		choice->event.count = (uint32_t)op_perf_clock_period(how->frequency);
		if (how->is_default && choice->event.count < CLOCK_COUNT)
			choice->event.count = CLOCK_COUNT;
	} else if (how->frequency) {
		choice->event.count = 0;
		attr->freq = 1;
		attr->sample_freq = how->frequency;
		return 0;
	}
	if (!choice->event.count)
		return op_error_set(error, EINVAL, "event \"%s\": a count of 0",
				    choice->event.name);
	if (op_perf_is_clock(attr) && choice->event.count < OP_PERF_CLOCK_LEAST)
		return op_error_set(error, ERANGE,
				    "event \"%s\": a period of %" PRIu32
				    " ns; the smallest that the kernel has is %d: %s:%d",
				    choice->event.name, choice->event.count, OP_PERF_CLOCK_LEAST,
				    choice->event.name, OP_PERF_CLOCK_LEAST);
	attr->sample_period = choice->event.count;
	return 0;
}

static struct op_perf_event *perf_event_add(struct op_perf_events *events)
{
	if (op_array_extend(events->event, events->count))
		return NULL;
	events->event[events->count] =
		(struct op_perf_event){.event.counter = (uint32_t)events->count};
	return &events->event[events->count++];
}

static int choose_own(const struct op_event_spec *spec, const struct op_perf_name *name,
		      struct op_perf_event *choice, struct op_error *error)
{
	if (spec->unit_mask || spec->unit_mask_name)
		return op_error_set(error, EINVAL, "event \"%s\" has no unit masks", spec->name);
	choice->event.code = (uint32_t)name->config;
	choice->event.count = (uint32_t)(spec->has_count ? spec->count : name->count);
	choice->event.kernel = spec->kernel;
	choice->event.user = spec->user;
	choice->event.name = strdup(name->name);
	return choice->event.name ? 0 : op_error_memory(error);
}

/* The catalogue of this CPU, loaded for the first event that needs it. */
struct own_catalogue {
	struct op_catalogue catalogue;
	bool loaded;
};

static int own_catalogue_load(struct own_catalogue *own, const char *event, struct op_error *error)
{
	struct op_counters counters;
	struct op_error cause;
	struct op_cpu_id cpu;
	int type;

	if (own->loaded)
		return 0;
	op_cpu_id_read(&cpu);
	type = op_cpu_id_type(&cpu);
	if (type == OP_CPU_NONE)
		return op_error_set(error, ENOENT,
				    "event \"%s\" is not an event of perf, and the CPU type of "
				    "this machine is unknown: \"ocount --list\" lists the events",
				    event);
	counters = op_counters_of(type, &cpu);
	if (op_catalogue_load(op_cpu_type_name(type), &counters, true, &own->catalogue, &cause))
		return op_error_set(error, cause.code, "event \"%s\": %s", event, cause.text);
	own->loaded = true;
	return 0;
}

/* An unknown event may be one of perf's own, unless one of the CPU's is like it.  Return: -1. */
static int suggest_own(const char *name, struct op_error *error)
{
	struct op_similar similar = {.word = name};
	const struct op_perf_name *own;
	size_t length = strlen(error->text);

	if (strstr(error->text, "did you mean"))
		return -1;
	for (size_t i = 0; (own = op_perf_name_at(i)); i++)
		op_similar_try(&similar, own->name);
	snprintf(error->text + length, sizeof(error->text) - length, OP_SIMILAR_FORMAT,
		 OP_SIMILAR_ARGUMENTS(similar, ""));
	return -1;
}

static int choose_of_cpu(struct own_catalogue *own, char *text, const char *name,
			 const struct op_perf_choose *how, struct op_perf_event *choice,
			 struct op_error *error)
{
	const struct op_resolve_options choose = {
		.callgraph_depth = how->callgraph,
		.ignore_count = how->counting || how->frequency,
		.ignore_counters = true, /* the kernel places and multiplexes events */
	};
	uint32_t place = choice->event.counter;
	struct op_resolved_event of_cpu;

	if (own_catalogue_load(own, name, error))
		return error->code == ENOENT ? suggest_own(name, error) : -1;
	if (op_events_resolve(&own->catalogue, &text, 1, &choose, &of_cpu, error))
		return error->code == ENOENT ? suggest_own(name, error) : -1;
	if (of_cpu.event->ext)
		return op_error_set(error, ENOTSUP,
				    "event \"%s\" is counted by %s, which perf events have no "
				    "counter for",
				    name, of_cpu.event->ext);
	op_resolved_event_copy(&of_cpu, &choice->event);
	choice->event.code = of_cpu.event_code;
	choice->event.counter = place;
	choice->extra = of_cpu.extra;
	choice->event.name = strdup(of_cpu.event->name);
	return choice->event.name ? 0 : op_error_memory(error);
}

/* A raw event or a tracepoint, whose name is no event's.  A raw event has the parts of its number
 * that sample files have a place for. */
static int choose_nameless(const struct perf_spelling *spelling, const struct op_event_spec *spec,
			   struct op_perf_event *choice, struct op_error *error)
{
	const struct op_perf_name as_named = {
		.name = spec->name,
		.config = spelling->raw & 0xff,
		.count = spelling->kind == PERF_SPELLING_RAW ? CYCLES_COUNT : 1};

	if (choose_own(spec, &as_named, choice, error))
		return -1;
	choice->event.unit_mask = (uint32_t)(spelling->raw >> 8 & 0xff);
	return 0;
}

static int choose_spelled(struct own_catalogue *own, const struct perf_spelling *spelling,
			  const struct op_perf_choose *how, struct op_perf_event *choice,
			  struct op_error *error)
{
	const struct op_perf_name *name;
	struct op_event_spec spec;
	int result;

	if (op_event_spec_parse(spelling->rest, &spec, error))
		return -1;
	name = op_perf_name(spec.name);
	if (spelling->kind != PERF_SPELLING_NAME)
		result = choose_nameless(spelling, &spec, choice, error);
	else if (name)
		result = choose_own(&spec, name, choice, error);
	else
		result = choose_of_cpu(own, spelling->rest, spec.name, how, choice, error);
	op_event_spec_free(&spec);
	if (!result && spelling->has_modifiers) {
		choice->event.user = spelling->user;
		choice->event.kernel = spelling->kernel;
	}
	return result ? -1 : set_attr(choice, how, error);
}

static int choose_one(struct own_catalogue *own, const char *text, const struct op_perf_choose *how,
		      struct op_perf_events *events, struct op_error *error)
{
	struct op_perf_event *choice = perf_event_add(events);
	struct perf_spelling spelling = {0};
	int result;

	if (!choice)
		return op_error_memory(error);
	result = perf_spelling_parse(text, &spelling, error) ||
				 choose_spelled(own, &spelling, how, choice, error)
			 ? -1
			 : 0;
	if (!result)
		perf_spelling_apply(&spelling, &choice->attr);
	perf_spelling_free(&spelling);
	return result;
}

static bool is_alike(const struct op_event *a, const struct op_event *b)
{
	return !strcmp(a->name, b->name) && a->count == b->count && a->unit_mask == b->unit_mask;
}

/* Two of the same name, count and unit mask would share their sample files. */
static int check_distinct(const struct op_perf_events *events, struct op_error *error)
{
	for (size_t i = 0; i < events->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (is_alike(&events->event[i].event, &events->event[j].event))
				return op_error_set(error, EINVAL, "event \"%s\" is given twice",
						    events->event[i].event.name);
		}
	}
	return 0;
}

int op_perf_choose(char *const *specs, size_t n, const struct op_perf_choose *wanted,
		   struct op_perf_events *events, struct op_error *error)
{
	struct op_perf_choose adapted = *wanted, *how = &adapted;
	struct own_catalogue own = {0};
	char *fallback;
	int result = 0;

	*events = (struct op_perf_events){0};
	if (!n) {
		fallback = (char *)op_perf_default();
		specs = &fallback;
		n = 1;
		how->is_default = !how->counting && !how->frequency;
		if (how->is_default)
			how->frequency = OP_PERF_FREQUENCY;
	}
	if (n > OP_COUNTERS_MAX)
		result = op_error_set(error, EINVAL, "more than %d events", OP_COUNTERS_MAX);
	if (!result)
		result = set_frequency(how, error);
	for (size_t i = 0; !result && i < n; i++)
		result = choose_one(&own, specs[i], how, events, error);
	strcpy(events->cpu_type, OP_PERF_CPU_TYPE);
	if (own.loaded) {
		snprintf(events->cpu_type, sizeof(events->cpu_type), "%s", own.catalogue.cpu_name);
		op_catalogue_free(&own.catalogue);
	}
	if (!result && !how->counting)
		result = check_distinct(events, error);
	if (result)
		op_perf_events_free(events);
	return result;
}

/* The type of this CPU, or perf's where no event needs it. */
static void choose_cpu_type(struct op_perf_events *events)
{
	struct op_cpu_id cpu;
	int type = OP_CPU_NONE;

	for (size_t i = 0; i < events->count && type == OP_CPU_NONE; i++) {
		if (!op_perf_name(events->event[i].event.name)) {
			op_cpu_id_read(&cpu);
			type = op_cpu_id_type(&cpu);
		}
	}
	snprintf(events->cpu_type, sizeof(events->cpu_type), "%s",
		 type == OP_CPU_NONE ? OP_PERF_CPU_TYPE : op_cpu_type_name(type));
}

int op_perf_from_daemon(const char *text, uint64_t frequency, struct op_perf_events *events,
			struct op_error *error)
{
	struct op_perf_choose how = {.frequency = frequency};
	struct op_events parsed;
	int result = 0;

	*events = (struct op_perf_events){0};
	if (op_events_parse(text, &parsed, error))
		return -1;
	for (size_t i = 0; i < parsed.count; i++) {
		if (!parsed.event[i].count && !how.frequency) {
			how.is_default = true;
			how.frequency = OP_PERF_FREQUENCY;
		}
	}
	result = set_frequency(&how, error);
	for (size_t i = 0; !result && i < parsed.count; i++) {
		struct op_perf_event *choice = perf_event_add(events);

		if (!choice) {
			result = op_error_memory(error);
			break;
		}
		choice->event = parsed.event[i];
		choice->event.counter = (uint32_t)i;
		choice->event.name = strdup(parsed.event[i].name);
		result =
			choice->event.name ? set_attr(choice, &how, error) : op_error_memory(error);
	}
	op_events_free(&parsed);
	if (result) {
		op_perf_events_free(events);
		return result;
	}
	choose_cpu_type(events);
	return 0;
}

unsigned int op_perf_rate(const struct op_perf_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		if (events->event[i].attr.freq)
			return (unsigned int)events->event[i].attr.sample_freq;
	}
	return 0;
}

bool op_perf_adapts(const struct op_perf_events *events)
{
	return op_perf_rate(events);
}

uint64_t op_perf_count_instead(uint64_t count, uint64_t taken, uint64_t ns)
{
	double rate = ns ? (double)taken * (double)NANOSECONDS / (double)ns : 0;
	double least =
		(double)count * (rate > 2 * OP_PERF_FREQUENCY ? rate / OP_PERF_FREQUENCY : 2);
	uint64_t step = 1;

	while (step <= UINT64_MAX / 10 / 10 && (double)step * 10 <= least)
		step *= 10;
	return (double)step >= least	   ? step
	       : (double)step * 2 >= least ? 2 * step
	       : (double)step * 5 >= least ? 5 * step
					   : 10 * step;
}

char *op_perf_format(const struct op_perf_events *events)
{
	struct op_events plain = {.count = events->count};
	char *text;

	plain.event = calloc(events->count + 1, sizeof(*plain.event));
	if (!plain.event)
		return NULL;
	for (size_t i = 0; i < events->count; i++)
		plain.event[i] = events->event[i].event;
	text = op_events_format(&plain);
	free(plain.event);
	return text;
}

static bool is_same_counted(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->precise_ip == b->precise_ip &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_guest == b->exclude_guest && a->exclude_host == b->exclude_host;
}

int op_perf_check_format(const struct op_perf_events *events, struct op_error *error)
{
	char *text = op_perf_format(events);
	struct op_perf_events read;
	int result;

	if (!text)
		return op_error_memory(error);
	/* the rate makes no difference to what is counted */
	result = op_perf_from_daemon(text, 1, &read, error);
	free(text);
	if (result)
		return -1;
	for (size_t i = 0; !result && i < events->count; i++)
		if (!is_same_counted(&events->event[i].attr, &read.event[i].attr))
			result = op_error_set(
				error, ENOTSUP,
				"event \"%s\": the daemon has no place for all that "
				"it says (tracepoints, precision, guests, modifiers of "
				"counters): operf counts it",
				events->event[i].event.name);
	op_perf_events_free(&read);
	return result;
}

int op_perf_events_copy(struct op_perf_events *copy, const struct op_perf_events *events,
			struct op_error *error)
{
	*copy = (struct op_perf_events){0};
	memcpy(copy->cpu_type, events->cpu_type, sizeof(copy->cpu_type));
	for (size_t i = 0; i < events->count; i++) {
		struct op_perf_event *event = perf_event_add(copy);

		if (event) {
			*event = events->event[i];
			event->event.name = strdup(events->event[i].event.name);
		}
		if (!event || !event->event.name) {
			op_perf_events_free(copy);
			return op_error_memory(error);
		}
	}
	return 0;
}

void op_perf_events_free(struct op_perf_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->event[i].event.name);
	free(events->event);
	*events = (struct op_perf_events){0};
}

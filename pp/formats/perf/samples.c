// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes samples of records: see profile.h. */
#include "pp/formats/model/labels.h"
#include "profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/formats/input/input.h"
#include "census.h"
#include "libop/base/memory.h"

/* Facts are all kept; more cgroups than this are only counted. */
#define CGROUPS_TOLD 1000

static int deliver(void *context, const struct perf_raw *raw, struct op_error *error);

struct perf_profile *perf_profile_new(struct prof_sink *sink)
{
	struct perf_profile *profile = op_alloc(1, sizeof(*profile));

	profile->sink = sink;
	profile->maps = maps_new(sink);
	perf_callers_init(&profile->stack.callers, profile->maps);
	profile->order = perf_order_new(PERF_ORDER_BYTES, deliver, profile);
	profile->features = (struct perf_features){sink, &profile->events, &profile->build_ids};
	maps_comm(profile->maps, 0, 0, "swapper"); /* no record names it */
	return profile;
}

void perf_profile_free(struct perf_profile *profile)
{
	if (!profile)
		return;
	perf_order_free(profile->order);
	perf_late_free(&profile->late);
	perf_callers_free(&profile->stack.callers);
	maps_free(profile->maps);
	perf_build_ids_free(&profile->build_ids);
	perf_events_free(&profile->events);
	op_pair_table_free(&profile->cgroups);
	free(profile);
}

/* The record is damaged, of which the first counts. */
static int perf_profile_fail(struct perf_profile *profile, const struct perf_raw *raw,
			     const char *what)
{
	const char *name = perf_type_name(raw->type);

	if (!profile->has_fault)
		input_fail(raw->origin, &profile->fault, EINVAL, raw->offset,
			   "%s record of %u bytes: %s", name ? name : "unknown", raw->size, what);
	profile->has_fault = true;
	return 0;
}

/* ---- what tells where addresses are ---- */

/*
 * If one of several recorders wants build-ids, Linux says of the mappings that it tells the others
 * that they have one, too, but gives them the inode.  Recorders that put them in later do so
 * without asking for them, but those are whole.
 */
static bool is_build_id_likely(const struct perf_event *event, const struct perf_mmap *mmap)
{
	return mmap->build_id_length == PERF_BUILD_ID_MOST ||
	       (event && perf_attr_flag(&event->attr, PERF_FLAG_BUILD_ID));
}

static void take_mmap(struct perf_profile *profile, const struct perf_event *event,
		      const struct perf_record *record)
{
	struct perf_mmap mmap = record->mmap;
	char room[PERF_NAME_ROOM];
	struct prof_image image;
	const char *symbol;
	int64_t pid;

	if (perf_cpumode(record->misc) >= PERF_MODE_GUEST_KERNEL)
		return;
	if (!is_build_id_likely(event, &mmap))
		mmap.build_id_length = 0;
	pid = perf_mmap_is_kernel(&mmap, record->misc) ? MAPS_KERNEL : (int64_t)mmap.pid;
	if (!perf_image_of_mmap(&image, &mmap, record->misc, room, &symbol)) {
		profile->census.hidden_kernels += symbol != NULL;
		return;
	}
	if (!mmap.executable) {
		maps_unmap(profile->maps, pid, image.start, image.end);
		return;
	}
	if (symbol)
		prof_sink_fact(profile->sink, "perf.kernel", "%s at 0x%" PRIx64,
			       *symbol ? symbol : "start", image.start - image.offset);
	perf_build_ids_apply(&profile->build_ids, &image);
	maps_map(profile->maps, pid, &image);
}

/* Whether records of the event have a time. */
static bool has_time(const struct perf_event *event)
{
	return event && event->attr.sample_type & PERF_SAMPLE_TIME &&
	       perf_attr_flag(&event->attr, PERF_FLAG_SAMPLE_ID_ALL);
}

/*
 * Recorders make up a FORK for each process that ran before, so that its parent is known: the
 * process has its own program and mappings, which follow.  Such records have no time; perf marks
 * them, too, since Linux 5.1.
 */
static bool is_made_up(const struct perf_event *event, const struct perf_record *record)
{
	return (has_time(event) && !record->ids.time) || record->misc & PERF_MISC_FORK_EXEC;
}

static void take_fork(struct perf_profile *profile, const struct perf_event *event,
		      const struct perf_record *record)
{
	const struct perf_task *task = &record->task;

	if (task->pid == task->parent_pid || !is_made_up(event, record))
		maps_fork(profile->maps, task->pid, task->tid, task->parent_pid, task->parent_tid);
	else
		maps_begin(profile->maps, task->pid);
}

static void take_exit(struct perf_profile *profile, const struct perf_task *task)
{
	maps_exit(profile->maps, task->pid, task->tid);
}

/*
 * Before Linux 3.16, a COMM does not say whether a program was executed or a thread has got a new
 * name, and without times nothing tells one that was made up from others.
 */
static bool may_be_exec(const struct perf_event *event, const struct perf_comm *comm)
{
	return comm->pid == comm->tid && event &&
	       (!has_time(event) || !perf_attr_flag(&event->attr, PERF_FLAG_COMM_EXEC));
}

static void take_comm(struct perf_profile *profile, const struct perf_event *event,
		      const struct perf_comm *comm)
{
	if (comm->exec)
		maps_exec(profile->maps, comm->pid);
	else if (may_be_exec(event, comm))
		maps_may_exec(profile->maps, comm->pid);
	maps_comm(profile->maps, comm->pid, comm->tid, comm->comm);
}

static void take_ksymbol(struct perf_profile *profile, const struct perf_ksymbol *symbol)
{
	const struct prof_image image = {
		.kind = PROF_BPF,
		.is_kernel = true,
		.pid = PROF_ANY,
		.path = symbol->name,
		.start = symbol->start,
		.end = symbol->start + symbol->length,
	};

	if (symbol->unregister)
		maps_unmap(profile->maps, MAPS_KERNEL, image.start, image.end);
	else
		maps_map(profile->maps, MAPS_KERNEL, &image);
}

/* Whether LOST_SAMPLES are what the recorder has read at the end. */
static bool is_of_recorder(const struct perf_event *event, const struct perf_record *record)
{
	return event && event->attr.read_format & PERF_BIT_FORMAT_LOST && !record->ids.time;
}

static void take_lost(struct perf_profile *profile, const struct perf_event *event,
		      const struct perf_record *record)
{
	uint64_t count = record->lost.count;

	if (record->type == PERF_RECORD_LOST)
		perf_losses_add(&profile->census.losses.meanwhile, count);
	else if (record->misc & PERF_MISC_FILTERED)
		return;
	else if (is_of_recorder(event, record))
		perf_losses_add(&profile->census.losses.at_end, count);
	else if (count)
		profile->sink->lost(profile->sink, PROF_LOST_CPU_FULL, count);
}

static void take_cgroup(struct perf_profile *profile, const struct perf_cgroup *cgroup)
{
	if (++profile->census.cgroups <= CGROUPS_TOLD)
		prof_sink_fact(profile->sink, "perf.cgroup", "%" PRIu64 " %s", cgroup->id,
			       cgroup->path);
	*op_pair_table_get(&profile->cgroups, cgroup->id, 0) =
		profile->sink->string(profile->sink, cgroup->path);
}

/* ---- samples ---- */

static int take_branches(struct perf_profile *profile, const struct perf_sample *sample,
			 int64_t pid, struct op_error *error)
{
	for (uint64_t i = 0; i < sample->extra.branches_size; i++) {
		struct perf_branch taken = perf_branch_at(sample, i);
		struct prof_branch branch = {
			.from = perf_stack_place(profile->maps, pid, taken.from),
			.to = perf_stack_place(profile->maps, pid, taken.to),
			.count = 1,
			.mispredicted = taken.mispredicted,
			.cycles = taken.cycles,
		};

		if (profile->sink->branch(profile->sink, &branch, error) < 0)
			return -1;
	}
	return 0;
}

static void count_sample(struct perf_profile *profile, const struct perf_sample *sample,
			 uint16_t misc)
{
	struct perf_census *census = &profile->census;
	const struct perf_stack *stack = &profile->stack;

	census->groups += sample->extra.counters > 1;
	census->sample_aux += sample->extra.aux_size != 0;
	census->guests += perf_cpumode(misc) == PERF_MODE_GUEST_KERNEL ||
			  perf_cpumode(misc) == PERF_MODE_GUEST_USER;
	census->cut += stack->was_cut;
	census->odd_chains += stack->has_unknown;
	census->deferred += stack->is_deferred;
}

/* A number of a process, thread or CPU; all ones: the kernel could not tell. */
static int64_t label(uint32_t number, bool is_there)
{
	return is_there && number != UINT32_MAX ? (int64_t)number : PROF_ANY;
}

/* All in the order of the recording, but for those that only carry records of another kind. */
static void declare_events(struct perf_profile *profile)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct perf_attr *attr = &profile->events.list[i].attr;

		if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY)
			perf_event_declare(&profile->events.list[i], profile->sink);
	}
}

/* The control group of a sample; one that no record names has its number. */
static struct prof_label cgroup_of(struct perf_profile *profile, uint64_t id)
{
	const uint64_t *path = op_pair_table_find(&profile->cgroups, id, 0);

	return (struct prof_label){
		.name = profile->sink->string(profile->sink, PROF_LABEL_CGROUP),
		.value = path ? (uint32_t)*path : 0,
		.number = path ? 0 : (int64_t)id,
	};
}

static int perf_profile_take_sample(struct perf_profile *profile, struct perf_event *event,
				    const struct perf_raw *raw, struct op_reader body,
				    struct op_error *error)
{
	const struct perf_attr *attr = &event->attr;
	bool has_task = attr->sample_type & PERF_SAMPLE_TID;
	struct perf_sample found;
	const char *fault = perf_sample_read(&found, attr, body);
	struct prof_value value = {.count = 1, .events = found.period};
	struct prof_sample sample = {.values = &value, .n_values = 1, .time = found.ids.time};
	struct prof_label cgroup;

	if (fault) {
		char text[64];

		snprintf(text, sizeof(text), "its %s does not fit", fault);
		return perf_profile_fail(profile, raw, text);
	}
	if (!event->declared) {
		declare_events(profile);
		perf_event_declare(event, profile->sink);
	}
	value.event = event->number;
	sample.pid = label(found.ids.pid, has_task);
	sample.tid = label(found.ids.tid, has_task);
	sample.cpu = label(found.ids.cpu, attr->sample_type & PERF_SAMPLE_CPU);
	if (perf_cpumode(raw->misc) == PERF_MODE_USER)
		maps_runs(profile->maps, sample.pid);
	perf_stack_read(&profile->stack, profile->maps, &found, attr, raw->misc, sample.pid);
	count_sample(profile, &found, raw->misc);
	sample.frames = profile->stack.frames;
	sample.depth = profile->stack.depth;
	sample.has_entry = true;
	if (sample.pid != PROF_ANY) {
		sample.app = maps_app(profile->maps, sample.pid);
		sample.comm = maps_comm_of(profile->maps, sample.pid, sample.tid);
	}
	if (attr->sample_type & PERF_SAMPLE_CGROUP && found.extra.cgroup) {
		cgroup = cgroup_of(profile, found.extra.cgroup);
		sample.labels = &cgroup;
		sample.n_labels = 1;
	}
	if (profile->sink->sample(profile->sink, &sample, error) < 0)
		return -1;
	if (!found.extra.branches_size || perf_stack_is_branches(attr))
		return 0;
	return take_branches(profile, &found, sample.pid, error);
}

/* ---- in the order of time ---- */

/* Records of other types were checked by decoding them, and have no place in a profile. */
static void take_record(struct perf_profile *profile, const struct perf_event *event,
			const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mmap(profile, event, record);
		break;
	case PERF_RECORD_COMM:
		take_comm(profile, event, &record->comm);
		break;
	case PERF_RECORD_FORK:
		take_fork(profile, event, record);
		break;
	case PERF_RECORD_EXIT:
		take_exit(profile, &record->task);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		take_lost(profile, event, record);
		break;
	case PERF_RECORD_KSYMBOL:
		take_ksymbol(profile, &record->ksymbol);
		break;
	case PERF_RECORD_CGROUP:
		take_cgroup(profile, &record->cgroup);
		break;
	case PERF_RECORD_AUX:
		profile->census.aux_bytes += record->aux.size;
		break;
	default:
		break;
	}
}

static int deliver(void *context, const struct perf_raw *raw, struct op_error *error)
{
	struct perf_profile *profile = context;
	struct op_reader body = perf_raw_body(raw, profile->swap);
	struct perf_event *event = perf_events_of(&profile->events, raw, body);
	struct perf_record record;
	const char *fault;

	if (raw->type == PERF_RECORD_SAMPLE) {
		if (event)
			return perf_profile_take_sample(profile, event, raw, body, error);
		profile->census.no_event++;
		return 0;
	}
	/* the trailers of all events have the same size, or the records could not be decoded */
	if (!event && profile->events.n)
		event = profile->events.list;
	fault = perf_record_read(&record, raw, event ? &event->attr : NULL, profile->swap);
	if (fault)
		return perf_profile_fail(profile, raw, fault);
	take_record(profile, event, &record);
	return 0;
}

/* ---- as they come ---- */

static const char *take_attr(struct perf_profile *profile, struct op_reader body)
{
	struct perf_attr attr;
	const char *fault;

	if (perf_attr_read(&attr, &body) < 0)
		return "an event of invalid size";
	fault = perf_events_add(&profile->events, &attr);
	return fault ? fault : perf_events_add_ids(&profile->events, body);
}

static const char *take_update(struct perf_profile *profile, struct op_reader body)
{
	enum { NAME = 2 };
	struct perf_event_update update;
	const char *fault = perf_event_update_read(&update, body);
	struct perf_event *event;

	if (fault || update.kind != NAME)
		return fault;
	event = perf_events_of_id(&profile->events, update.id);
	if (event)
		perf_event_rename(event, update.text, true);
	return NULL;
}

/* An event's name as old recorders told it: by config, since there were no other kinds. */
static const char *take_event_type(struct perf_profile *profile, struct op_reader body)
{
	uint64_t config = op_reader_u64(&body);
	/* one that fills its words has no NUL */
	char name[PERF_EVENT_NAME_MOST + 1] = "";
	size_t n = op_reader_left(&body) < PERF_EVENT_NAME_MOST ? op_reader_left(&body)
								: PERF_EVENT_NAME_MOST;
	const void *text = op_reader_take(&body, n);

	if (!text)
		return "no room for an event's number";
	memcpy(name, text, n);
	for (size_t i = 0; i < profile->events.n; i++)
		if (profile->events.list[i].attr.config == config)
			perf_event_rename(&profile->events.list[i], name, false);
	return NULL;
}

static const char *take_build_id(struct perf_profile *profile, const struct perf_raw *raw,
				 struct op_reader body)
{
	struct perf_build_id id;
	const char *fault = perf_build_id_read(&id, raw->misc, body);

	if (!fault)
		perf_build_ids_add(&profile->build_ids, &id, profile->sink);
	return fault;
}

static void take_feature(struct perf_profile *profile, struct op_reader body)
{
	uint64_t bit = op_reader_u64(&body);

	if (!body.failed && bit < PERF_FEATURES && op_reader_left(&body))
		perf_feature_read(&profile->features, (unsigned int)bit, body);
}

static int take_own(struct perf_profile *profile, const struct perf_raw *raw,
		    struct op_error *error)
{
	struct op_reader body = perf_raw_body(raw, profile->swap);
	const char *fault = NULL;

	switch (raw->type) {
	case PERF_TYPE_ATTR:
		fault = take_attr(profile, body);
		break;
	case PERF_TYPE_EVENT_TYPE:
		fault = take_event_type(profile, body);
		break;
	case PERF_TYPE_EVENT_UPDATE:
		fault = take_update(profile, body);
		break;
	case PERF_TYPE_BUILD_ID:
		fault = take_build_id(profile, raw, body);
		break;
	case PERF_TYPE_FEATURE:
		take_feature(profile, body);
		break;
	case PERF_TYPE_FINISHED_ROUND:
		return perf_order_round(profile->order, error);
	}
	return fault ? perf_profile_fail(profile, raw, fault) : 0;
}

static void count_record(struct perf_census *census, uint32_t type)
{
	if (perf_type_name(type))
		census->records[type]++;
	else if (type >= PERF_TYPE_SIMPLEPERF)
		census->simpleperf++;
	else
		census->unknown++;
}

uint64_t perf_profile_time(const struct perf_profile *profile, const struct perf_raw *raw)
{
	return perf_events_time(&profile->events, raw, profile->swap);
}

int perf_profile_add(struct perf_profile *profile, const struct perf_raw *raw,
		     struct op_error *error)
{
	uint64_t time;

	if (perf_late_is_next(&profile->late))
		return 0;
	count_record(&profile->census, raw->type);
	if (raw->type >= PERF_TYPE_FIRST_USER)
		return take_own(profile, raw, error);
	if (!perf_type_name(raw->type))
		return 0;
	/* What the recorder made up about what was there before has no time. */
	time = perf_profile_time(profile, raw);
	if (!time || time == UINT64_MAX)
		return deliver(profile, raw, error);
	return perf_order_add(profile->order, raw, time, error);
}

int perf_profile_foresee(struct perf_profile *profile, struct perf_stream *stream,
			 struct op_error *error)
{
	const struct perf_late *late = &profile->late;

	perf_late_find(&profile->late, stream, &profile->events);
	for (size_t i = 0; i < late->n; i++) {
		const struct perf_late_record *record = &late->items[i];

		count_record(&profile->census, record->raw.type);
		if (perf_order_add_early(profile->order, &record->raw, record->time, error) < 0)
			return -1;
	}
	return 0;
}

int perf_profile_end(struct perf_profile *profile, struct op_error *error)
{
	int result = perf_order_flush(profile->order, error);

	declare_events(profile);
	perf_census_tell(profile);
	return result;
}

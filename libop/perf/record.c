// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoders of records other than samples: see record.h. */
#include "libop/base/array.h"
#include "record.h"

/* Bits of the header's misc that older kernel headers lack. */
#define MISC_MMAP_DATA	   (1u << 13)
#define MISC_COMM_EXEC	   (1u << 13)
#define MISC_BUILD_ID	   (1u << 14)
#define MISC_BUILD_ID_SIZE (1u << 15)

static const char *text_of_rest(struct op_reader *body)
{
	return op_reader_text(body, op_reader_left(body));
}

/*
 * Whether the path follows: before Linux 3.16, MMAP2 had no protection and flags before it.  Of
 * the protection, only bits of the first and the last byte are in use.
 */
static bool is_text(const struct op_reader *body)
{
	return op_reader_left(body) > 2 && (body->at[1] || body->at[2]);
}

/*
 * A build-id, or device and inode.  The kernel sets the bit of the build-id for an event that did
 * not request it, too, if another event did; most device numbers are not valid sizes.
 */
static void read_identity(struct perf_mmap *mmap, uint16_t misc, const uint8_t *id, bool swap)
{
	if (misc & MISC_BUILD_ID && *id <= PERF_BUILD_ID_MOST && !id[1] && !id[2] && !id[3]) {
		mmap->build_id_length = *id;
		mmap->build_id = id + 4;
		return;
	}
	mmap->major = op_load_u32(id, swap);
	mmap->minor = op_load_u32(id + 4, swap);
	mmap->inode = op_load_u64(id + 8, swap);
	mmap->generation = op_load_u32(id + 16, swap);
}

static const char *read_mmap(struct perf_mmap *mmap, const struct perf_raw *raw,
			     struct op_reader body)
{
	const uint8_t *id;

	*mmap = (struct perf_mmap){.executable = !(raw->misc & MISC_MMAP_DATA)};
	mmap->pid = op_reader_u32(&body);
	mmap->tid = op_reader_u32(&body);
	mmap->start = op_reader_u64(&body);
	mmap->length = op_reader_u64(&body);
	mmap->offset = op_reader_u64(&body);
	if (raw->type == PERF_RECORD_MMAP2) {
		id = op_reader_take(&body, 24);
		if (id)
			read_identity(mmap, raw->misc, id, body.swap);
		if (!is_text(&body))
			op_reader_u64(&body); /* protection and flags */
	}
	mmap->path = text_of_rest(&body);
	return body.failed ? "a mapping without its end" : NULL;
}

static const char *read_task(struct perf_task *task, struct op_reader body)
{
	task->pid = op_reader_u32(&body);
	task->parent_pid = op_reader_u32(&body);
	task->tid = op_reader_u32(&body);
	task->parent_tid = op_reader_u32(&body);
	return body.failed ? "a task without its end" : NULL;
}

static const char *read_comm(struct perf_comm *comm, const struct perf_raw *raw,
			     struct op_reader body)
{
	comm->pid = op_reader_u32(&body);
	comm->tid = op_reader_u32(&body);
	comm->comm = text_of_rest(&body);
	comm->exec = raw->misc & MISC_COMM_EXEC;
	return body.failed ? "a name of a command without its end" : NULL;
}

static const char *read_lost(struct perf_lost *lost, const struct perf_raw *raw,
			     struct op_reader body)
{
	if (raw->type == PERF_RECORD_LOST)
		op_reader_u64(&body);
	lost->count = op_reader_u64(&body);
	return body.failed ? "a record of losses without their number" : NULL;
}

static const char *read_namespaces(struct perf_namespaces *namespaces, struct op_reader body)
{
	namespaces->pid = op_reader_u32(&body);
	namespaces->tid = op_reader_u32(&body);
	namespaces->n = op_reader_u64(&body);
	namespaces->links = op_reader_array(&body, namespaces->n, 16);
	return body.failed ? "more namespaces than the record holds" : NULL;
}

struct perf_namespace perf_namespace_at(const struct perf_namespaces *namespaces, uint64_t index,
					bool swap)
{
	const uint8_t *at = namespaces->links + 16 * index;

	return (struct perf_namespace){op_load_u64(at, swap), op_load_u64(at + 8, swap)};
}

static const char *read_ksymbol(struct perf_ksymbol *symbol, struct op_reader body)
{
	symbol->start = op_reader_u64(&body);
	symbol->length = op_reader_u32(&body);
	symbol->type = op_reader_u16(&body);
	symbol->unregister = op_reader_u16(&body) & 1;
	symbol->name = text_of_rest(&body);
	return body.failed ? "a kernel symbol without its end" : NULL;
}

static const char *read_bpf_event(struct perf_bpf_event *event, struct op_reader body)
{
	event->type = op_reader_u16(&body);
	op_reader_u16(&body);
	event->id = op_reader_u32(&body);
	event->tag = op_reader_take(&body, 8);
	return body.failed ? "a BPF program without its tag" : NULL;
}

static const char *read_cgroup(struct perf_cgroup *cgroup, struct op_reader body)
{
	cgroup->id = op_reader_u64(&body);
	cgroup->path = text_of_rest(&body);
	return body.failed ? "a cgroup without its path" : NULL;
}

static const char *read_text_poke(struct perf_text_poke *poke, struct op_reader body)
{
	poke->address = op_reader_u64(&body);
	poke->old_length = op_reader_u16(&body);
	poke->new_length = op_reader_u16(&body);
	op_reader_take(&body, (uint64_t)poke->old_length + poke->new_length);
	return body.failed ? "changed code without its bytes" : NULL;
}

static const char *read_aux(struct perf_aux *aux, struct op_reader body)
{
	aux->offset = op_reader_u64(&body);
	aux->size = op_reader_u64(&body);
	aux->flags = op_reader_u64(&body);
	return body.failed ? "an AUX record without its end" : NULL;
}

const char *perf_build_id_read(struct perf_build_id *id, uint16_t misc, struct op_reader body)
{
	const uint8_t *bytes;

	*id = (struct perf_build_id){.misc = misc};
	id->pid = (int32_t)op_reader_u32(&body);
	bytes = op_reader_take(&body, 24);
	id->path = text_of_rest(&body);
	if (body.failed)
		return "a build-id without its end";
	id->id = bytes;
	id->length = misc & MISC_BUILD_ID_SIZE ? bytes[PERF_BUILD_ID_MOST] : PERF_BUILD_ID_MOST;
	return id->length > PERF_BUILD_ID_MOST ? "a build-id of more than 20 bytes" : NULL;
}

const char *perf_event_update_read(struct perf_event_update *update, struct op_reader body)
{
	enum { UNIT = 0, NAME = 2 };

	*update = (struct perf_event_update){0};
	update->kind = op_reader_u64(&body);
	update->id = op_reader_u64(&body);
	if (update->kind == UNIT || update->kind == NAME)
		update->text = text_of_rest(&body);
	return body.failed ? "an incomplete update of an event" : NULL;
}

const char *perf_type_name(uint32_t type)
{
	static const char *const kernel[] = {
		[PERF_RECORD_MMAP] = "MMAP",
		[PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES] = "NAMESPACES",
		[PERF_RECORD_KSYMBOL] = "KSYMBOL",
		[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
		[PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
		[PERF_TYPE_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[PERF_TYPE_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[PERF_TYPE_ATTR] = "HEADER_ATTR",
		[PERF_TYPE_EVENT_TYPE] = "HEADER_EVENT_TYPE",
		[PERF_TYPE_TRACING_DATA] = "HEADER_TRACING_DATA",
		[PERF_TYPE_BUILD_ID] = "HEADER_BUILD_ID",
		[PERF_TYPE_FINISHED_ROUND] = "FINISHED_ROUND",
		[PERF_TYPE_ID_INDEX] = "ID_INDEX",
		[PERF_TYPE_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[PERF_TYPE_AUXTRACE] = "AUXTRACE",
		[PERF_TYPE_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
		[PERF_TYPE_THREAD_MAP] = "THREAD_MAP",
		[PERF_TYPE_CPU_MAP] = "CPU_MAP",
		[PERF_TYPE_STAT_CONFIG] = "STAT_CONFIG",
		[PERF_TYPE_STAT] = "STAT",
		[PERF_TYPE_STAT_ROUND] = "STAT_ROUND",
		[PERF_TYPE_EVENT_UPDATE] = "EVENT_UPDATE",
		[PERF_TYPE_TIME_CONV] = "TIME_CONV",
		[PERF_TYPE_FEATURE] = "HEADER_FEATURE",
		[PERF_TYPE_COMPRESSED] = "COMPRESSED",
		[PERF_TYPE_FINISHED_INIT] = "FINISHED_INIT",
		[PERF_TYPE_COMPRESSED2] = "COMPRESSED2",
		[PERF_TYPE_BPF_METADATA] = "BPF_METADATA",
		[PERF_TYPE_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
		[PERF_TYPE_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
	};

	return type < OP_ARRAY_SIZE(kernel) ? kernel[type] : NULL;
}

const char *perf_record_read(struct perf_record *record, const struct perf_raw *raw,
			     const struct perf_attr *attr, bool swap)
{
	struct op_reader body = perf_raw_body(raw, swap);

	record->type = raw->type;
	record->misc = raw->misc;
	record->ids = (struct perf_ids){0};
	if (attr && perf_trailer_read(&record->ids, attr, &body) < 0)
		return "it is shorter than its trailer";
	switch (raw->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return read_mmap(&record->mmap, raw, body);
	case PERF_RECORD_COMM:
		return read_comm(&record->comm, raw, body);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return read_task(&record->task, body);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return read_lost(&record->lost, raw, body);
	case PERF_RECORD_NAMESPACES:
		return read_namespaces(&record->namespaces, body);
	case PERF_RECORD_KSYMBOL:
		return read_ksymbol(&record->ksymbol, body);
	case PERF_RECORD_BPF_EVENT:
		return read_bpf_event(&record->bpf_event, body);
	case PERF_RECORD_CGROUP:
		return read_cgroup(&record->cgroup, body);
	case PERF_RECORD_TEXT_POKE:
		return read_text_poke(&record->text_poke, body);
	case PERF_RECORD_AUX:
		return read_aux(&record->aux, body);
	default:
		return NULL;
	}
}

uint64_t perf_payload_size(const struct perf_raw *raw, bool swap)
{
	struct op_reader body = perf_raw_body(raw, swap);

	if (raw->type == PERF_TYPE_TRACING_DATA) {
		uint64_t size = op_reader_u32(&body);

		/* old recorders of Android have it in the record */
		return raw->size > PERF_HEADER_SIZE + 8 && size <= op_reader_left(&body)
			       ? 0
			       : (size + 7) & ~UINT64_C(7);
	}
	if (raw->type == PERF_TYPE_AUXTRACE)
		return op_reader_u64(&body);
	return 0;
}

bool perf_raw_plausible(const struct perf_raw *raw)
{
	return raw->size >= PERF_HEADER_SIZE &&
	       (perf_type_name(raw->type) ||
		(raw->type >= PERF_TYPE_SIMPLEPERF && raw->type < PERF_TYPE_SIMPLEPERF + 256));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_record.h. */
#include "pp/formats/perf/record.h"

/* Bits of the header's misc that some kernel headers don't have. */
#define MISC_MMAP_DATA	   (1u << 13)
#define MISC_COMM_EXEC	   (1u << 13)
#define MISC_BUILD_ID	   (1u << 14)
#define MISC_BUILD_ID_SIZE (1u << 15)

static const char *text_of_rest(struct perf_bytes *body)
{
	return perf_text(body, perf_bytes_left(body));
}

/*
 * Before Linux 3.16, MMAP2 had no protection and flags before the path.  Protections have bits in
 * their first or last byte only.
 */
static bool is_text(const struct perf_bytes *body)
{
	return perf_bytes_left(body) > 2 && (body->at[1] || body->at[2]);
}

const char *perf_mmap_read(struct perf_mmap *mmap, const struct perf_raw *raw,
			   struct perf_bytes body)
{
	const uint8_t *id;

	*mmap = (struct perf_mmap){.executable = !(raw->misc & MISC_MMAP_DATA)};
	mmap->pid = perf_u32(&body);
	mmap->tid = perf_u32(&body);
	mmap->start = perf_u64(&body);
	mmap->length = perf_u64(&body);
	mmap->offset = perf_u64(&body);
	if (raw->type == PERF_RECORD_MMAP2) {
		/* Either the build-id or device and inode, which have no such first bytes. */
		id = perf_bytes_take(&body, 24);
		if (id && raw->misc & MISC_BUILD_ID && *id <= PERF_BUILD_ID_MOST && !id[1] &&
		    !id[2] && !id[3]) {
			mmap->build_id_length = *id;
			mmap->build_id = id + 4;
		}
		if (!is_text(&body))
			perf_u64(&body); /* protection and flags; perf sets none of its own */
	}
	mmap->path = text_of_rest(&body);
	return body.fault ? "a mapping without its end" : NULL;
}

const char *perf_task_read(struct perf_task *task, struct perf_bytes body)
{
	task->pid = perf_u32(&body);
	task->parent_pid = perf_u32(&body);
	task->tid = perf_u32(&body);
	task->parent_tid = perf_u32(&body);
	return body.fault ? "a task without its end" : NULL;
}

const char *perf_comm_read(struct perf_comm *comm, const struct perf_raw *raw,
			   struct perf_bytes body)
{
	comm->pid = perf_u32(&body);
	comm->tid = perf_u32(&body);
	comm->comm = text_of_rest(&body);
	comm->exec = raw->misc & MISC_COMM_EXEC;
	return body.fault ? "a command's name without its end" : NULL;
}

const char *perf_lost_read(struct perf_lost *lost, const struct perf_raw *raw,
			   struct perf_bytes body)
{
	if (raw->type == PERF_RECORD_LOST)
		perf_u64(&body);
	lost->count = perf_u64(&body);
	return body.fault ? "a loss without its number" : NULL;
}

const char *perf_namespaces_read(struct perf_namespaces *namespaces, struct perf_bytes body)
{
	namespaces->pid = perf_u32(&body);
	namespaces->tid = perf_u32(&body);
	namespaces->n = perf_u64(&body);
	namespaces->links = perf_bytes_array(&body, namespaces->n, 16);
	return body.fault ? "more namespaces than fit" : NULL;
}

struct perf_namespace perf_namespace_at(const struct perf_namespaces *namespaces, uint64_t index,
					bool swap)
{
	const uint8_t *at = namespaces->links + 16 * index;

	return (struct perf_namespace){perf_load64(at, swap), perf_load64(at + 8, swap)};
}

const char *perf_ksymbol_read(struct perf_ksymbol *symbol, struct perf_bytes body)
{
	symbol->start = perf_u64(&body);
	symbol->length = perf_u32(&body);
	symbol->type = perf_u16(&body);
	symbol->unregister = perf_u16(&body) & 1;
	symbol->name = text_of_rest(&body);
	return body.fault ? "a kernel symbol without its end" : NULL;
}

const char *perf_bpf_event_read(struct perf_bpf_event *event, struct perf_bytes body)
{
	event->type = perf_u16(&body);
	perf_u16(&body);
	event->id = perf_u32(&body);
	event->tag = perf_bytes_take(&body, 8);
	return body.fault ? "a BPF program without its tag" : NULL;
}

const char *perf_cgroup_read(struct perf_cgroup *cgroup, struct perf_bytes body)
{
	cgroup->id = perf_u64(&body);
	cgroup->path = text_of_rest(&body);
	return body.fault ? "a cgroup without its path" : NULL;
}

const char *perf_text_poke_read(struct perf_text_poke *poke, struct perf_bytes body)
{
	poke->address = perf_u64(&body);
	poke->old_length = perf_u16(&body);
	poke->new_length = perf_u16(&body);
	perf_bytes_take(&body, (uint64_t)poke->old_length + poke->new_length);
	return body.fault ? "changed code without its bytes" : NULL;
}

const char *perf_aux_read(struct perf_aux *aux, struct perf_bytes body)
{
	aux->offset = perf_u64(&body);
	aux->size = perf_u64(&body);
	aux->flags = perf_u64(&body);
	return body.fault ? "an AUX record without its end" : NULL;
}

const char *perf_build_id_read(struct perf_build_id *id, uint16_t misc, struct perf_bytes body)
{
	const uint8_t *bytes;

	*id = (struct perf_build_id){.misc = misc};
	id->pid = (int32_t)perf_u32(&body);
	bytes = perf_bytes_take(&body, 24);
	id->path = text_of_rest(&body);
	if (body.fault)
		return "a build-id without its end";
	id->id = bytes;
	id->length = misc & MISC_BUILD_ID_SIZE ? bytes[PERF_BUILD_ID_MOST] : PERF_BUILD_ID_MOST;
	return id->length > PERF_BUILD_ID_MOST ? "a build-id of more than 20 bytes" : NULL;
}

const char *perf_event_update_read(struct perf_event_update *update, struct perf_bytes body)
{
	enum { UNIT = 0, NAME = 2 };

	*update = (struct perf_event_update){0};
	update->kind = perf_u64(&body);
	update->id = perf_u64(&body);
	if (update->kind == UNIT || update->kind == NAME)
		update->text = text_of_rest(&body);
	return body.fault ? "an event's update without its end" : NULL;
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

	return type < sizeof(kernel) / sizeof(*kernel) ? kernel[type] : NULL;
}

uint64_t perf_payload_size(const struct perf_raw *raw, bool swap)
{
	struct perf_bytes body = perf_raw_body(raw, swap);

	if (raw->type == PERF_TYPE_TRACING_DATA)
		return ((uint64_t)perf_u32(&body) + 7) & ~UINT64_C(7);
	if (raw->type == PERF_TYPE_AUXTRACE)
		return perf_u64(&body);
	return 0;
}

bool perf_raw_plausible(const struct perf_raw *raw)
{
	return raw->size >= PERF_HEADER_SIZE &&
	       (perf_type_name(raw->type) ||
		(raw->type >= PERF_TYPE_SIMPLEPERF && raw->type < PERF_TYPE_SIMPLEPERF + 256));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of the live rings: see record.h. */
#include "record.h"

#include <inttypes.h>

#include "libop/session/log.h"

struct perf_attr perf_live_attr(bool chain, uint64_t user_registers)
{
	struct perf_attr attr = {
		.sample_type = PERF_SAMPLE_LIVE,
		.flags = UINT64_C(1) << PERF_FLAG_SAMPLE_ID_ALL,
		.sample_regs_user = user_registers,
	};

	if (chain)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (user_registers)
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return attr;
}

/* The events ask for build-ids: what has the bit of one, has one. */
static bool has_bad_build_id(const struct perf_live_record *record)
{
	return record->type == PERF_RECORD_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	       !record->other.mmap.build_id;
}

int perf_live_read(struct perf_live_record *record, const struct perf_attr *attr, const void *bytes,
		   size_t size)
{
	const uint8_t *at = bytes;
	struct perf_raw raw;

	if (size < PERF_HEADER_SIZE)
		return -1;
	record->type = op_load_u32(at, false);
	record->misc = op_load_u16(at + 4, false);
	if (record->type == PERF_RECORD_SAMPLE)
		return perf_sample_read_live(&record->sample, attr, at + PERF_HEADER_SIZE,
					     size - PERF_HEADER_SIZE)
			       ? -1
			       : 0;
	if (!perf_raw_of(&raw, bytes, size) || perf_record_read(&record->other, &raw, attr, false))
		return -1;
	return has_bad_build_id(record) ? -1 : 0;
}

void perf_live_log(const struct perf_live_record *record)
{
	const struct perf_mmap *mmap = &record->other.mmap;
	const struct perf_task *task = &record->other.task;

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		log_line("process %" PRIu32 ": %#" PRIx64 " to %#" PRIx64 " is %s", mmap->pid,
			 mmap->start, mmap->start + mmap->length, mmap->path);
		break;
	case PERF_RECORD_COMM:
		if (record->other.comm.exec)
			log_line("process %" PRIu32 " executes a program", record->other.comm.pid);
		break;
	case PERF_RECORD_FORK:
		log_line("process %" PRIu32 " begins thread %" PRIu32 " of %" PRIu32,
			 task->parent_pid, task->tid, task->pid);
		break;
	case PERF_RECORD_EXIT:
		log_line("process %" PRIu32 ": thread %" PRIu32 " ends", task->pid, task->tid);
		break;
	default:
		break;
	}
}

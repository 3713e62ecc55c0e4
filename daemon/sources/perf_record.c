// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of a perf ring: see perf_record.h.
 */
#include "perf_record.h"

#include <inttypes.h>
#include <string.h>

#include "libop/session/log.h"

/* What a record ends with, but for samples, in this order: see PERF_RECORD_SAMPLE_TYPE. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

_Static_assert(sizeof(struct trailer) == 32, "the kernel's layout");

/* What a sample begins with. */
struct sample_head {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

_Static_assert(sizeof(struct sample_head) == 40, "the kernel's layout");

#define MAP_NAME_OFFSET 64 /* of MMAP2: behind its fixed fields, without the header */
#define MOUNT_NAMESPACE 5  /* MNT_NS_INDEX of perf's headers */

/* The bytes of a record that were not read yet. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static bool take(struct cursor *cursor, void *out, size_t size)
{
	if (cursor->left < size)
		return false;
	memcpy(out, cursor->at, size);
	cursor->at += size;
	cursor->left -= size;
	return true;
}

/* @count numbers of 64 bits; NULL if there are not so many. */
static const uint8_t *take_array(struct cursor *cursor, uint64_t count)
{
	const uint8_t *at = cursor->at;

	if (count > cursor->left / sizeof(uint64_t))
		return NULL;
	cursor->at += count * sizeof(uint64_t);
	cursor->left -= count * sizeof(uint64_t);
	return at;
}

static bool take_user_state(struct cursor *cursor, uint64_t mask, struct perf_user_state *user)
{
	uint64_t size, valid;

	if (!take(cursor, &user->abi, sizeof(user->abi)))
		return false;
	if (user->abi) {
		user->registers = take_array(cursor, (unsigned int)__builtin_popcountll(mask));
		if (!user->registers)
			return false;
	}
	if (!take(cursor, &size, sizeof(size)))
		return false;
	if (!size)
		return true;
	if (size > cursor->left)
		return false;
	user->stack = cursor->at;
	cursor->at += size;
	cursor->left -= size;
	if (!take(cursor, &valid, sizeof(valid)))
		return false;
	user->size = valid < size ? valid : size;
	return true;
}

static int parse_sample(struct cursor cursor, const struct perf_layout *layout,
			struct perf_record *record)
{
	struct sample_head head;
	uint64_t frames;

	record->kind = PERF_KIND_SAMPLE;
	if (!take(&cursor, &head, sizeof(head)))
		return -1;
	record->id = head.id;
	record->pid = head.pid;
	record->tid = head.tid;
	record->time = head.time;
	record->cpu = head.cpu;
	record->sample.ip = head.ip;
	if (layout->chain) {
		if (!take(&cursor, &frames, sizeof(frames)))
			return -1;
		record->sample.chain = take_array(&cursor, frames);
		if (!record->sample.chain)
			return -1;
		record->sample.frames = frames;
	}
	if (layout->user_registers &&
	    !take_user_state(&cursor, layout->user_registers, &record->sample.user))
		return -1;
	return 0;
}

static int parse_map(struct cursor cursor, struct perf_record *record)
{
	const char *name = (const char *)cursor.at + MAP_NAME_OFFSET;
	struct {
		uint32_t pid, tid;
		uint64_t start, length, offset;
	} head;
	uint8_t identity[24];

	record->kind = PERF_KIND_MAP;
	if (cursor.left <= MAP_NAME_OFFSET || !memchr(name, '\0', cursor.left - MAP_NAME_OFFSET) ||
	    !take(&cursor, &head, sizeof(head)) || !take(&cursor, identity, sizeof(identity)))
		return -1;
	record->pid = head.pid;
	record->tid = head.tid;
	record->map.start = head.start;
	record->map.length = head.length;
	record->map.offset = head.offset;
	record->map.name = name;
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (identity[0] > PERF_RECORD_BUILD_ID_MOST)
			return -1;
		record->map.build_id_size = identity[0];
		memcpy(record->map.build_id, identity + 4, identity[0]);
		return 0;
	}
	memcpy(&record->map.major, identity, 4);
	memcpy(&record->map.minor, identity + 4, 4);
	memcpy(&record->map.inode, identity + 8, 8);
	memcpy(&record->map.generation, identity + 16, 4);
	return 0;
}

static int parse_task(struct cursor cursor, enum perf_record_kind kind, struct perf_record *record)
{
	uint32_t pid, parent, tid;

	record->kind = kind;
	if (!take(&cursor, &pid, 4) || !take(&cursor, &parent, 4) || !take(&cursor, &tid, 4))
		return -1;
	record->pid = pid;
	record->tid = tid;
	record->task.parent_pid = parent;
	return 0;
}

static int parse_comm(struct cursor cursor, struct perf_record *record)
{
	if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC))
		return 0;
	record->kind = PERF_KIND_EXEC;
	return take(&cursor, &record->pid, 4) && take(&cursor, &record->tid, 4) ? 0 : -1;
}

static int parse_namespaces(struct cursor cursor, struct perf_record *record)
{
	struct {
		uint64_t device, inode;
	} link;
	uint64_t count;

	record->kind = PERF_KIND_NAMESPACE;
	if (!take(&cursor, &record->pid, 4) || !take(&cursor, &record->tid, 4) ||
	    !take(&cursor, &count, sizeof(count)))
		return -1;
	for (uint64_t i = 0; i < count && i <= MOUNT_NAMESPACE; i++) {
		if (!take(&cursor, &link, sizeof(link)))
			return -1;
		if (i == MOUNT_NAMESPACE)
			record->namespaces.mount = link.inode;
	}
	return 0;
}

static int parse_lost(struct cursor cursor, bool has_id, struct perf_record *record)
{
	uint64_t id;

	record->kind = PERF_KIND_LOST;
	if (has_id && !take(&cursor, &id, sizeof(id)))
		return -1;
	return take(&cursor, &record->lost.records, sizeof(record->lost.records)) ? 0 : -1;
}

int perf_record_parse(const void *bytes, size_t size, const struct perf_layout *layout,
		      struct perf_record *record)
{
	struct cursor cursor = {bytes, size};
	struct perf_event_header header;
	struct trailer trailer;

	*record = (struct perf_record){0};
	if (!take(&cursor, &header, sizeof(header)))
		return -1;
	record->misc = header.misc;
	if (header.type == PERF_RECORD_SAMPLE)
		return parse_sample(cursor, layout, record);
	if (cursor.left < sizeof(trailer))
		return -1;
	cursor.left -= sizeof(trailer);
	memcpy(&trailer, cursor.at + cursor.left, sizeof(trailer));
	record->pid = trailer.pid;
	record->tid = trailer.tid;
	record->time = trailer.time;
	record->cpu = trailer.cpu;
	record->id = trailer.id;
	switch (header.type) {
	case PERF_RECORD_MMAP2:
		return parse_map(cursor, record);
	case PERF_RECORD_COMM:
		return parse_comm(cursor, record);
	case PERF_RECORD_FORK:
		return parse_task(cursor, PERF_KIND_FORK, record);
	case PERF_RECORD_EXIT:
		return parse_task(cursor, PERF_KIND_EXIT, record);
	case PERF_RECORD_NAMESPACES:
		return parse_namespaces(cursor, record);
	case PERF_RECORD_LOST:
		return parse_lost(cursor, true, record);
	case PERF_RECORD_LOST_SAMPLES:
		return parse_lost(cursor, false, record);
	case PERF_RECORD_THROTTLE:
		record->kind = PERF_KIND_THROTTLE;
		return 0;
	default:
		return 0;
	}
}

uint64_t perf_record_time(const void *bytes, size_t size)
{
	struct perf_event_header header;
	const uint8_t *at = bytes;
	uint64_t time;
	size_t offset;

	if (size < sizeof(header))
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE)
		offset = sizeof(header) + offsetof(struct sample_head, time);
	else if (size >= sizeof(header) + sizeof(struct trailer))
		offset = size - sizeof(struct trailer) + offsetof(struct trailer, time);
	else
		return 0;
	if (size < offset + sizeof(time))
		return 0;
	memcpy(&time, at + offset, sizeof(time));
	return time;
}

void perf_record_log(const struct perf_record *record)
{
	switch (record->kind) {
	case PERF_KIND_MAP:
		log_line("process %" PRIu32 ": %#" PRIx64 " to %#" PRIx64 " is %s", record->pid,
			 record->map.start, record->map.start + record->map.length,
			 record->map.name);
		break;
	case PERF_KIND_EXEC:
		log_line("process %" PRIu32 " executes a program", record->pid);
		break;
	case PERF_KIND_FORK:
		log_line("process %" PRIu32 " begins thread %" PRIu32 " of %" PRIu32,
			 record->task.parent_pid, record->tid, record->pid);
		break;
	case PERF_KIND_EXIT:
		log_line("process %" PRIu32 ": thread %" PRIu32 " ends", record->pid, record->tid);
		break;
	default:
		break;
	}
}

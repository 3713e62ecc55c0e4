// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_sample.h.  The order of the fields is not that of their bits. */
#include "pp/formats/perf/sample.h"

#define TRAILER_BITS                                                                               \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

#define BRANCH_SIZE 24

/* PERF_FORMAT_*: what the values of counters in a sample look like. */
enum {
	FORMAT_TIME_ENABLED = 1,
	FORMAT_TIME_RUNNING = 2,
	FORMAT_ID = 4,
	FORMAT_GROUP = 8,
	FORMAT_LOST = 16,
};

/* Return: of how many counters there are values. */
static uint64_t skip_read(struct perf_bytes *bytes, uint64_t format)
{
	uint64_t counters = 1;
	size_t times =
		(format & FORMAT_TIME_ENABLED ? 1 : 0) + (format & FORMAT_TIME_RUNNING ? 1 : 0);
	size_t words = 1 + (format & FORMAT_ID ? 1 : 0) + (format & FORMAT_LOST ? 1 : 0);

	if (format & FORMAT_GROUP)
		counters = perf_u64(bytes);
	perf_bytes_array(bytes, times, 8);
	perf_bytes_array(bytes, counters, 8 * words);
	return counters;
}

static void take_branches(struct perf_sample *sample, const struct perf_attr *attr,
			  struct perf_bytes *bytes)
{
	uint64_t n = perf_u64(bytes);

	/* perf keeps the index before the entries even if there are none. */
	if (attr->branch_sample_type & PERF_BRANCH_HW_INDEX)
		perf_u64(bytes);
	sample->branches = perf_bytes_array(bytes, n, BRANCH_SIZE);
	if (attr->branch_sample_type & PERF_BRANCH_COUNTERS)
		perf_bytes_array(bytes, n, 8);
	if (!bytes->fault)
		sample->branches_size = n;
}

static bool skip_registers(struct perf_bytes *bytes, uint64_t mask)
{
	if (!perf_u64(bytes)) /* no ABI, no registers */
		return false;
	perf_bytes_array(bytes, (uint64_t)__builtin_popcountll(mask), 8);
	return true;
}

static uint64_t skip_stack(struct perf_bytes *bytes)
{
	uint64_t size = perf_u64(bytes), valid;

	if (!size)
		return 0;
	perf_bytes_take(bytes, size);
	valid = perf_u64(bytes);
	return valid < size ? valid : size;
}

const char *perf_sample_read(struct perf_sample *sample, const struct perf_attr *attr,
			     struct perf_bytes bytes)
{
	uint64_t type = attr->sample_type;

	*sample = (struct perf_sample){.swap = bytes.swap, .period = attr->sample_period};
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->ids.id = perf_u64(&bytes);
	if (type & PERF_SAMPLE_IP)
		sample->ip = perf_u64(&bytes);
	if (type & PERF_SAMPLE_TID) {
		sample->ids.pid = perf_u32(&bytes);
		sample->ids.tid = perf_u32(&bytes);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->ids.time = perf_u64(&bytes);
	if (type & PERF_SAMPLE_ADDR)
		sample->addr = perf_u64(&bytes);
	if (type & PERF_SAMPLE_ID)
		sample->ids.id = perf_u64(&bytes);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->ids.stream_id = perf_u64(&bytes);
	if (type & PERF_SAMPLE_CPU) {
		sample->ids.cpu = perf_u32(&bytes);
		perf_u32(&bytes);
	}
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = perf_u64(&bytes);
	if (bytes.fault)
		return "fixed part";
	if (type & PERF_SAMPLE_READ)
		sample->counters = skip_read(&bytes, attr->read_format);
	if (bytes.fault)
		return "counter values";
	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample->chain_size = perf_u64(&bytes);
		sample->chain = perf_bytes_array(&bytes, sample->chain_size, 8);
	}
	if (bytes.fault)
		return "call chain";
	if (type & PERF_SAMPLE_RAW) {
		sample->raw_size = perf_u32(&bytes);
		sample->raw = perf_bytes_take(&bytes, sample->raw_size);
	}
	if (bytes.fault)
		return "raw data";
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(sample, attr, &bytes);
	if (bytes.fault)
		return "branch stack";
	if (type & PERF_SAMPLE_REGS_USER)
		sample->registers = skip_registers(&bytes, attr->sample_regs_user);
	if (bytes.fault)
		return "user registers";
	if (type & PERF_SAMPLE_STACK_USER)
		sample->stack_size = skip_stack(&bytes);
	if (bytes.fault)
		return "user stack";
	if (type & (PERF_SAMPLE_WEIGHT | PERF_BIT_WEIGHT_STRUCT))
		sample->weight = perf_u64(&bytes);
	if (type & PERF_SAMPLE_DATA_SRC)
		sample->data_src = perf_u64(&bytes);
	if (type & PERF_SAMPLE_TRANSACTION)
		sample->transaction = perf_u64(&bytes);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(&bytes, attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		sample->phys_addr = perf_u64(&bytes);
	if (type & PERF_SAMPLE_CGROUP)
		sample->cgroup = perf_u64(&bytes);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = perf_u64(&bytes);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = perf_u64(&bytes);
	if (bytes.fault)
		return "memory access";
	if (type & PERF_SAMPLE_AUX) {
		sample->aux_size = perf_u64(&bytes);
		perf_bytes_take(&bytes, sample->aux_size);
	}
	return bytes.fault ? "AUX data" : NULL;
}

struct perf_branch perf_branch_at(const struct perf_sample *sample, uint64_t index)
{
	const uint8_t *at = sample->branches + BRANCH_SIZE * index;
	uint64_t word = perf_load64(at + 16, sample->swap), flags;
	struct perf_branch branch = {
		.from = perf_load64(at, sample->swap),
		.to = perf_load64(at + 8, sample->swap),
	};

	flags = perf_bit_fields(word, sample->swap);
	branch.mispredicted = flags & 1;
	branch.predicted = flags >> 1 & 1;
	branch.in_transaction = flags >> 2 & 1;
	branch.abort = flags >> 3 & 1;
	/* Of a field of several bits, the bits themselves stand in the usual order. */
	branch.cycles = (uint16_t)(perf_big_endian(sample->swap) ? word >> 44 : word >> 4);
	return branch;
}

size_t perf_trailer_size(const struct perf_attr *attr)
{
	if (!perf_attr_flag(attr, PERF_FLAG_SAMPLE_ID_ALL))
		return 0;
	return 8 * (size_t)__builtin_popcountll(attr->sample_type & TRAILER_BITS);
}

int perf_trailer_read(struct perf_ids *ids, const struct perf_attr *attr, struct perf_bytes *bytes)
{
	size_t size = perf_trailer_size(attr);
	struct perf_bytes trailer;

	*ids = (struct perf_ids){0};
	if (size > perf_bytes_left(bytes)) {
		bytes->fault = true;
		return -1;
	}
	if (!size)
		return 0;
	bytes->end -= size;
	trailer = perf_bytes_of(bytes->end, size, bytes->swap);
	if (attr->sample_type & PERF_SAMPLE_TID) {
		ids->pid = perf_u32(&trailer);
		ids->tid = perf_u32(&trailer);
	}
	if (attr->sample_type & PERF_SAMPLE_TIME)
		ids->time = perf_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_ID)
		ids->id = perf_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		ids->stream_id = perf_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_CPU) {
		ids->cpu = perf_u32(&trailer);
		perf_u32(&trailer);
	}
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		ids->id = perf_u64(&trailer);
	return 0;
}

static int words(uint64_t bits)
{
	return 8 * __builtin_popcountll(bits);
}

int perf_id_offset(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(sample_type & PERF_SAMPLE_ID))
		return -1;
	return words(sample_type &
		     (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

int perf_id_offset_back(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(sample_type & PERF_SAMPLE_ID))
		return -1;
	return 8 + words(sample_type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

int perf_time_offset(uint64_t sample_type)
{
	return words(sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
}

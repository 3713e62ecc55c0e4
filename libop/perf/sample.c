// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoder of samples: see sample.h.  The fields of a record are not in the order of their bits.
 */
#include "sample.h"

#define BRANCH_SIZE 24

/* PERF_FORMAT_*: the layout of counter values in a sample. */
enum {
	FORMAT_TIME_ENABLED = 1,
	FORMAT_TIME_RUNNING = 2,
	FORMAT_ID = 4,
	FORMAT_GROUP = 8,
};

/* Return: number of counters whose values were skipped. */
static uint64_t skip_read(struct op_reader *bytes, uint64_t format)
{
	uint64_t counters = 1;
	size_t times =
		(format & FORMAT_TIME_ENABLED ? 1 : 0) + (format & FORMAT_TIME_RUNNING ? 1 : 0);
	size_t words = 1 + (format & FORMAT_ID ? 1 : 0) + (format & PERF_BIT_FORMAT_LOST ? 1 : 0);

	if (format & FORMAT_GROUP)
		counters = op_reader_u64(bytes);
	op_reader_array(bytes, times, 8);
	op_reader_array(bytes, counters, 8 * words);
	return counters;
}

static void take_branches(struct perf_sample *sample, const struct perf_attr *attr,
			  struct op_reader *bytes)
{
	uint64_t n = op_reader_u64(bytes);

	/* The index precedes the entries even if there are none. */
	if (attr->branch_sample_type & PERF_BRANCH_HW_INDEX)
		op_reader_u64(bytes);
	sample->extra.branches = op_reader_array(bytes, n, BRANCH_SIZE);
	if (attr->branch_sample_type & PERF_BRANCH_COUNTERS)
		op_reader_array(bytes, n, 8);
	if (!bytes->failed)
		sample->extra.branches_size = n;
}

/* Return: the ABI of the registers; 0: there are none. */
static uint64_t take_registers(struct op_reader *bytes, uint64_t mask, const uint8_t **registers)
{
	uint64_t abi = op_reader_u64(bytes);

	if (abi)
		*registers = op_reader_array(bytes, (uint64_t)__builtin_popcountll(mask), 8);
	return abi;
}

static void take_stack(struct perf_user_state *user, struct op_reader *bytes)
{
	uint64_t size = op_reader_u64(bytes), valid;

	if (!size)
		return;
	user->stack = op_reader_take(bytes, size);
	valid = op_reader_u64(bytes);
	user->size = valid < size ? valid : size;
}

/* The next of the fields whose size was checked together. */
static inline uint64_t next64(const uint8_t **at, bool swap)
{
	*at += 8;
	return op_load_u64(*at - 8, swap);
}

static inline __attribute__((always_inline)) void
read_fixed(struct perf_sample *sample, uint64_t type, const uint8_t *at, bool swap)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->ids.id = next64(&at, swap);
	if (type & PERF_SAMPLE_IP)
		sample->ip = next64(&at, swap);
	if (type & PERF_SAMPLE_TID) {
		sample->ids.pid = op_load_u32(at, swap);
		sample->ids.tid = op_load_u32(at + 4, swap);
		at += 8;
	}
	if (type & PERF_SAMPLE_TIME)
		sample->ids.time = next64(&at, swap);
	if (type & PERF_SAMPLE_ADDR)
		sample->extra.addr = next64(&at, swap);
	if (type & PERF_SAMPLE_ID)
		sample->ids.id = next64(&at, swap);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->ids.stream_id = next64(&at, swap);
	if (type & PERF_SAMPLE_CPU) {
		sample->ids.cpu = op_load_u32(at, swap);
		at += 8;
	}
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = next64(&at, swap);
}

/* Fields after the call chain and raw data, in two parts. */
static const char *read_state(struct perf_sample *sample, const struct perf_attr *attr,
			      struct op_reader *bytes)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(sample, attr, bytes);
	if (bytes->failed)
		return "branch stack";
	if (type & PERF_SAMPLE_REGS_USER)
		sample->user.abi =
			take_registers(bytes, attr->sample_regs_user, &sample->user.registers);
	if (bytes->failed)
		return "user registers";
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&sample->user, bytes);
	return bytes->failed ? "user stack" : NULL;
}

static const char *read_access(struct perf_sample *sample, const struct perf_attr *attr,
			       struct op_reader *bytes)
{
	uint64_t type = attr->sample_type;
	const uint8_t *registers;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_BIT_WEIGHT_STRUCT))
		sample->extra.weight = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_DATA_SRC)
		sample->extra.data_src = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_TRANSACTION)
		sample->extra.transaction = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_registers(bytes, attr->sample_regs_intr, &registers);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		sample->extra.phys_addr = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_CGROUP)
		sample->extra.cgroup = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		sample->extra.data_page_size = op_reader_u64(bytes);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		sample->extra.code_page_size = op_reader_u64(bytes);
	if (bytes->failed)
		return "memory access";
	if (type & PERF_SAMPLE_AUX) {
		sample->extra.aux_size = op_reader_u64(bytes);
		op_reader_take(bytes, sample->extra.aux_size);
	}
	return bytes->failed ? "AUX data" : NULL;
}

/*
 * Decodes the fields of @type, which is attr->sample_type: of a constant, the compiler makes a
 * decoder of that layout.  The fields in @sample->extra that the attr does not select are
 * unchanged.
 */
static inline __attribute__((always_inline)) const char *read_fields(struct perf_sample *sample,
								     uint64_t type,
								     const struct perf_attr *attr,
								     struct op_reader bytes)
{
	const uint8_t *fixed = op_reader_array(
		&bytes, (uint64_t)__builtin_popcountll(type & PERF_SAMPLE_FIXED), 8);
	const char *fault;

	sample->ids = (struct perf_ids){0};
	sample->ip = 0;
	sample->period = attr->sample_period;
	sample->chain_size = 0;
	sample->chain = NULL;
	sample->user = (struct perf_user_state){0};
	sample->swap = bytes.swap;
	if (!fixed)
		return "fixed part";
	read_fixed(sample, type, fixed, bytes.swap);
	if (type & PERF_SAMPLE_READ)
		sample->extra.counters = skip_read(&bytes, attr->read_format);
	if (bytes.failed)
		return "counter values";
	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample->chain_size = op_reader_u64(&bytes);
		sample->chain = op_reader_array(&bytes, sample->chain_size, 8);
		if (!sample->chain)
			return "call chain";
	}
	if (type & PERF_SAMPLE_RAW) {
		sample->extra.raw_size = op_reader_u32(&bytes);
		sample->extra.raw = op_reader_take(&bytes, sample->extra.raw_size);
	}
	if (bytes.failed)
		return "raw data";
	if (!(type &
	      ~(PERF_SAMPLE_FIXED | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)))
		return NULL;
	fault = read_state(sample, attr, &bytes);
	return fault ? fault : read_access(sample, attr, &bytes);
}

const char *perf_sample_read(struct perf_sample *sample, const struct perf_attr *attr,
			     struct op_reader bytes)
{
	sample->extra = (struct perf_sample_extra){0};
	return read_fields(sample, attr->sample_type, attr, bytes);
}

/* Live sources select all of the fields after the call chain, or none. */
static __attribute__((noinline)) const char *read_live_user(struct perf_sample *sample,
							    const struct perf_attr *attr,
							    const void *body, size_t size)
{
	return read_fields(sample, attr->sample_type, attr, op_reader_of(body, size, false));
}

const char *perf_sample_read_live(struct perf_sample *sample, const struct perf_attr *attr,
				  const void *body, size_t size)
{
	const struct op_reader bytes = op_reader_of(body, size, false);

	switch (attr->sample_type) {
	case PERF_SAMPLE_LIVE:
		return read_fields(sample, PERF_SAMPLE_LIVE, attr, bytes);
	case PERF_SAMPLE_LIVE | PERF_SAMPLE_CALLCHAIN:
		return read_fields(sample, PERF_SAMPLE_LIVE | PERF_SAMPLE_CALLCHAIN, attr, bytes);
	case PERF_SAMPLE_LIVE_PERIOD:
		return read_fields(sample, PERF_SAMPLE_LIVE_PERIOD, attr, bytes);
	case PERF_SAMPLE_LIVE_PERIOD | PERF_SAMPLE_CALLCHAIN:
		return read_fields(sample, PERF_SAMPLE_LIVE_PERIOD | PERF_SAMPLE_CALLCHAIN, attr,
				   bytes);
	default:
		return read_live_user(sample, attr, body, size);
	}
}

struct perf_branch perf_branch_at(const struct perf_sample *sample, uint64_t index)
{
	const uint8_t *at = sample->extra.branches + BRANCH_SIZE * index;
	uint64_t word = op_load_u64(at + 16, sample->swap), flags;
	struct perf_branch branch = {
		.from = op_load_u64(at, sample->swap),
		.to = op_load_u64(at + 8, sample->swap),
	};

	flags = perf_bit_fields(word, sample->swap);
	branch.mispredicted = flags & 1;
	branch.predicted = flags >> 1 & 1;
	branch.in_transaction = flags >> 2 & 1;
	branch.abort = flags >> 3 & 1;
	/* Within a field of several bits, the order of bits is the same in both byte orders. */
	branch.cycles = (uint16_t)(perf_big_endian(sample->swap) ? word >> 44 : word >> 4);
	return branch;
}

/* Bytes of the trailer of records other than samples. */
static size_t perf_trailer_size(const struct perf_attr *attr)
{
	if (!perf_attr_flag(attr, PERF_FLAG_SAMPLE_ID_ALL))
		return 0;
	return perf_trailer_bytes(attr->sample_type);
}

int perf_trailer_read(struct perf_ids *ids, const struct perf_attr *attr, struct op_reader *bytes)
{
	size_t size = perf_trailer_size(attr);
	struct op_reader trailer;

	*ids = (struct perf_ids){0};
	if (size > op_reader_left(bytes)) {
		op_reader_fail(bytes);
		return -1;
	}
	if (!size)
		return 0;
	bytes->end -= size;
	trailer = op_reader_of(bytes->end, size, bytes->swap);
	if (attr->sample_type & PERF_SAMPLE_TID) {
		ids->pid = op_reader_u32(&trailer);
		ids->tid = op_reader_u32(&trailer);
	}
	if (attr->sample_type & PERF_SAMPLE_TIME)
		ids->time = op_reader_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_ID)
		ids->id = op_reader_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		ids->stream_id = op_reader_u64(&trailer);
	if (attr->sample_type & PERF_SAMPLE_CPU) {
		ids->cpu = op_reader_u32(&trailer);
		op_reader_u32(&trailer);
	}
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		ids->id = op_reader_u64(&trailer);
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

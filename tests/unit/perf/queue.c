// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue behind a ring: records come out whole and in order, whatever their sizes and whoever
 * moves them; what finds no room stays in the ring.  A thread plays the kernel.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>

#include "tests/unit/test.h"

#include "daemon/sources/perf/record.h"
#include "daemon/sources/perf/ring.h"
#include "libop/base/array.h"

#define RING_SIZE  4096
#define QUEUE_SIZE 65536

/* struct machine - a ring in plain memory, and what reads it */
struct machine {
	struct perf_event_mmap_page page;
	uint8_t data[RING_SIZE];
	struct perf_ring ring;
	uint64_t written; /* records */
	int done;
};

/* struct record - all its words tell its number */
struct record {
	struct perf_event_header header;
	uint64_t word[32];
};

static void set_up(struct machine *machine)
{
	*machine = (struct machine){.ring = {.data = machine->data, .size = RING_SIZE}};
	machine->ring.page = &machine->page;
	assert_int_equal(perf_ring_queue(&machine->ring, QUEUE_SIZE, NULL), 0);
}

static void tear_down(struct machine *machine)
{
	perf_queue_free(machine->ring.queue);
	free(machine->ring.bounce);
}

static size_t size_of(uint64_t number)
{
	return sizeof(struct perf_event_header) + sizeof(uint64_t) * (1 + number * 7 % 32);
}

/* Return: whether there was room. */
static bool put_record(struct machine *machine)
{
	uint64_t head = machine->page.data_head, number = machine->written;
	struct record record = {.header.size = (uint16_t)size_of(number)};

	if (head + record.header.size -
		    __atomic_load_n(&machine->page.data_tail, __ATOMIC_ACQUIRE) >
	    RING_SIZE)
		return false;
	for (size_t i = 0; i < 32; i++)
		record.word[i] = number;
	for (size_t i = 0; i < record.header.size; i++)
		machine->data[(head + i) % RING_SIZE] = ((uint8_t *)&record)[i];
	__atomic_store_n(&machine->page.data_head, head + record.header.size, __ATOMIC_RELEASE);
	machine->written++;
	return true;
}

/* Takes the next record and compares it.  Return: whether there was one. */
static bool take_record(struct machine *machine, uint64_t number)
{
	size_t size;
	const uint8_t *bytes = perf_ring_peek(&machine->ring, &size);

	if (!bytes)
		return false;
	assert_int_equal(size, size_of(number));
	for (size_t at = sizeof(struct perf_event_header); at < size; at += sizeof(number))
		assert_memory_equal(bytes + at, &number, sizeof(number));
	perf_ring_pass(&machine->ring, size);
	return true;
}

TEST(what_finds_no_room_stays)
{
	static struct machine machine;
	uint64_t taken = 0, more;

	set_up(&machine);
	/* the ring is emptied behind each record, until the queue is full, and then the ring is */
	while (put_record(&machine))
		perf_queue_fill(machine.ring.queue);
	assert_true(machine.page.data_head > QUEUE_SIZE);
	assert_true(machine.page.data_tail <= QUEUE_SIZE);
	assert_true(machine.page.data_tail > QUEUE_SIZE - sizeof(struct record));
	more = machine.written;
	perf_ring_look(&machine.ring);
	while (take_record(&machine, taken))
		taken++;
	assert_true(taken < more);
	/* room is given back, and the next look brings the rest */
	perf_ring_release(&machine.ring);
	assert_true(perf_queue_fill(machine.ring.queue));
	assert_true(put_record(&machine));
	perf_ring_look(&machine.ring);
	while (take_record(&machine, taken))
		taken++;
	assert_int_equal(taken, more + 1);
	assert_int_equal(perf_ring_broken(&machine.ring), 0);
	tear_down(&machine);
}

TEST(a_ring_without_sense_is_passed_over)
{
	static struct machine machine;

	set_up(&machine);
	assert_true(put_record(&machine));
	memset(machine.data, 0, sizeof(struct perf_event_header));
	perf_ring_look(&machine.ring);
	assert_false(take_record(&machine, 0));
	assert_int_equal(perf_ring_broken(&machine.ring), 1);
	assert_int_equal(machine.page.data_tail, machine.page.data_head);
	assert_true(put_record(&machine));
	perf_ring_look(&machine.ring);
	assert_true(take_record(&machine, 1));
	tear_down(&machine);
}

/* A sample of 8 + 8 + 8 bytes, with two registers and @size bytes of stack, of which @filled are.
 */
static size_t put_sample(struct machine *machine, uint64_t chain, uint64_t size, uint64_t filled)
{
	const struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(8 * (8 + chain) + (size ? size + 8 : 0))};
	uint64_t words[RING_SIZE / 8] = {0}, n = 0;

	memcpy(&words[n++], &header, sizeof(header));
	words[n++] = 77; /* IDENTIFIER */
	words[n++] = 78; /* IP */
	words[n++] = chain;
	n += chain;
	words[n++] = PERF_SAMPLE_REGS_ABI_64;
	words[n++] = 79;
	words[n++] = 80;
	words[n++] = size;
	for (uint64_t i = 0; i < size / 8; i++)
		words[n++] = i < (filled + 7) / 8 ? i + 1 : UINT64_MAX;
	if (size)
		words[n++] = filled;
	assert_int_equal(8 * n, header.size);
	for (size_t i = 0; i < header.size; i++)
		machine->data[(machine->page.data_head + i) % RING_SIZE] = ((uint8_t *)words)[i];
	machine->page.data_head += header.size;
	return header.size;
}

TEST(stacks_are_moved_as_far_as_they_are_filled)
{
	static const struct {
		uint64_t chain, size, filled, kept;
	} cases[] = {
		{0, 512, 64, 64}, {3, 512, 0, 0},     {3, 512, 61, 64}, {0, 512, 512, 512},
		{0, 0, 0, 0},	  {0, 512, 600, 512}, {0, 64, 8, 8},
	};
	static const struct perf_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 3,
	};
	static struct machine machine;

	set_up(&machine);
	machine.ring.queue->attr = &attr;
	for (size_t i = 0; i < 500; i++) { /* goes round both rings */
		size_t row = i % OP_ARRAY_SIZE(cases), size;
		size_t whole =
			put_sample(&machine, cases[row].chain, cases[row].size, cases[row].filled);
		struct perf_sample sample;
		const uint8_t *bytes;

		perf_ring_look(&machine.ring);
		bytes = perf_ring_peek(&machine.ring, &size);
		assert_non_null(bytes);
		assert_int_equal(size, whole - cases[row].size + cases[row].kept);
		assert_null(perf_sample_read_live(&sample, &attr, bytes + 8, size - 8));
		assert_int_equal(sample.ip, 78);
		assert_int_equal(sample.chain_size, cases[row].chain);
		assert_int_equal(sample.user.size, cases[row].filled < cases[row].size
							   ? cases[row].filled
							   : cases[row].size);
		for (uint64_t word, j = 0; j < sample.user.size / 8; j++) {
			memcpy(&word, sample.user.stack + 8 * j, sizeof(word));
			assert_int_equal(word, j + 1);
		}
		perf_ring_pass(&machine.ring, size);
		perf_ring_release(&machine.ring);
		/* an empty queue begins at its start: no more memory is used than is needed */
		assert_int_equal(machine.ring.tail % QUEUE_SIZE, 0);
	}
	assert_int_equal(perf_ring_broken(&machine.ring), 0);
	tear_down(&machine);
}

#define RECORDS 40000 /* the ring wraps a thousand times */

static void *be_kernel(void *argument)
{
	struct machine *machine = argument;

	while (machine->written < RECORDS) {
		if (!put_record(machine))
			sched_yield();
	}
	return NULL;
}

static void *be_drain(void *argument)
{
	struct machine *machine = argument;

	while (!__atomic_load_n(&machine->done, __ATOMIC_RELAXED)) {
		if (!perf_queue_fill(machine->ring.queue))
			sched_yield();
	}
	return NULL;
}

TEST(three_threads_agree)
{
	static struct machine machine;
	pthread_t kernel, drain;
	uint64_t taken = 0;

	set_up(&machine);
	assert_int_equal(pthread_create(&kernel, NULL, be_kernel, &machine), 0);
	assert_int_equal(pthread_create(&drain, NULL, be_drain, &machine), 0);
	while (taken < RECORDS) {
		perf_ring_look(&machine.ring);
		while (take_record(&machine, taken))
			taken++;
		perf_ring_release(&machine.ring);
	}
	__atomic_store_n(&machine.done, 1, __ATOMIC_RELAXED);
	pthread_join(kernel, NULL);
	pthread_join(drain, NULL);
	assert_int_equal(perf_ring_broken(&machine.ring), 0);
	tear_down(&machine);
}

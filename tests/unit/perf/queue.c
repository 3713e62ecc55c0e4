// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue behind a ring: records come out whole and in order, whatever their sizes and whoever
 * moves them; what finds no room stays in the ring.  A thread plays the kernel.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>

#include "tests/unit/test.h"

#include "daemon/sources/perf/ring.h"

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
	assert_int_equal(perf_ring_queue(&machine->ring, QUEUE_SIZE), 0);
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings of several CPUs: records come in the order of their time, also round the end of a ring,
 * and a ring that makes no sense is passed over and counted.
 */
#include "libop/base/array.h"
#include "ring.h"

#include "daemon/sources/perf/merge.h"

#define CPUS 3
#define SIZE 4096

/* Rings that we write ourselves. */
struct machine {
	struct perf_cpu cpu[CPUS];
	struct perf_event_mmap_page page[CPUS];
	uint8_t data[CPUS][SIZE];
	struct perf_counters counters;
	struct perf_merge merge;
};

static struct machine *machine;

TEST_HOOK(set_up)
{
	machine = calloc(1, sizeof(*machine));
	for (int i = 0; i < CPUS; i++) {
		machine->cpu[i].cpu = i;
		machine->cpu[i].ring = (struct perf_ring){
			.page = &machine->page[i], .data = machine->data[i], .size = SIZE};
	}
	machine->counters = (struct perf_counters){.cpu = machine->cpu, .cpus = CPUS};
	return perf_merge_reserve(&machine->merge, CPUS);
}

TEST_HOOK(tear_down)
{
	perf_merge_free(&machine->merge);
	for (int i = 0; i < CPUS; i++)
		free(machine->cpu[i].ring.bounce);
	free(machine);
	return 0;
}

static void write_record(int cpu, const struct bytes *bytes)
{
	uint64_t head = machine->page[cpu].data_head;

	assert_true(head + bytes->size - machine->page[cpu].data_tail <= SIZE);
	for (size_t i = 0; i < bytes->size; i++)
		machine->data[cpu][(head + i) % SIZE] = bytes->at[i];
	machine->page[cpu].data_head = head + bytes->size;
}

static void write_sample(int cpu, uint64_t time)
{
	struct bytes bytes;

	bytes_sample(&bytes, time * 16, 1, time);
	write_record(cpu, &bytes);
}

/* Takes all records up to a time.  Return: how many; each must be what was written. */
static size_t take(uint64_t until)
{
	const struct perf_attr flat = perf_live_attr(false, 0);
	struct perf_live_record record;
	uint64_t last = 0;
	const void *bytes;
	size_t size, count = 0;

	perf_merge_begin(&machine->merge, &machine->counters);
	while (perf_merge_next(&machine->merge, until, &bytes, &size)) {
		assert_int_equal(perf_live_read(&record, &flat, bytes, size), 0);
		assert_true(record.sample.ids.time >= last && record.sample.ids.time <= until);
		assert_int_equal(record.sample.ip, record.sample.ids.time * 16);
		last = record.sample.ids.time;
		perf_merge_pass(&machine->merge, size);
		count++;
	}
	for (int i = 0; i < CPUS; i++)
		perf_ring_release(&machine->cpu[i].ring);
	return count;
}

TEST_WITH(nothing, set_up, tear_down)
{
	assert_int_equal(take(UINT64_MAX), 0);
}

TEST_WITH(in_order_of_time, set_up, tear_down)
{
	write_sample(2, 10);
	write_sample(0, 20);
	write_sample(1, 15);
	write_sample(2, 30);
	write_sample(1, 40);
	assert_int_equal(take(29), 3);
	assert_int_equal(take(29), 0);
	write_sample(0, 35);
	assert_int_equal(take(UINT64_MAX), 3);
}

/* Random times and CPUs for long enough that each ring goes round many times. */
TEST_WITH(round_the_end, set_up, tear_down)
{
	uint64_t time = 1;
	size_t written = 0, taken = 0;

	srand(4711);
	for (int round = 0; round < 2000; round++) {
		for (int i = rand() % 40; i > 0; i--) {
			time += (uint64_t)rand() % 3;
			write_sample(rand() % CPUS, time);
			written++;
		}
		taken += take(time - (uint64_t)rand() % 2);
		if (written - taken > 20)
			taken += take(time);
	}
	taken += take(UINT64_MAX);
	assert_int_equal(taken, written);
	assert_true(machine->page[0].data_head > 10 * SIZE);
}

TEST_WITH(a_ring_that_makes_no_sense, set_up, tear_down)
{
	static const uint16_t sizes[] = {0, 7, 12, 4096 + 8};
	struct bytes bytes;

	for (size_t i = 0; i < OP_ARRAY_SIZE(sizes); i++) {
		bytes_sample(&bytes, 1, 1, 1);
		memcpy(bytes.at + offsetof(struct perf_event_header, size), &sizes[i], 2);
		write_record(1, &bytes);
		write_sample(1, 5);
		write_sample(0, 6 + i);
		assert_int_equal(take(UINT64_MAX), 1);
		assert_int_equal(machine->cpu[1].ring.broken, i + 1);
		/* and goes on with what is written then */
		write_sample(1, 9);
		assert_int_equal(take(UINT64_MAX), 1);
	}
}

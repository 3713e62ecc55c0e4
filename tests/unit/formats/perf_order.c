// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of perf.data in the order of time. */
#include "tests/unit/test.h"

#include "libop/base/error.h"
#include "pp/formats/perf/order.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

/* What was delivered: the number in the body of each. */
static uint64_t delivered[100000];
static size_t n_delivered;
static size_t fail_at;

static int take(void *context, const struct perf_raw *raw, struct op_error *error)
{
	assert_ptr_equal(context, delivered);
	assert_true(raw->size >= 16);
	memcpy(&delivered[n_delivered], raw->body, 8);
	if (++n_delivered == fail_at)
		return op_error_set(error, 28, "full");
	return 0;
}

static struct perf_order *order;

TEST_HOOK(begin)
{
	n_delivered = fail_at = 0;
	order = perf_order_new(PERF_ORDER_BYTES, take, delivered);
	return 0;
}

TEST_HOOK(end)
{
	perf_order_free(order);
	return 0;
}

static int add(uint64_t time, uint64_t number, size_t size)
{
	static uint8_t body[65536];
	struct perf_raw raw = {.type = 9, .size = (uint16_t)size, .body = body};

	memcpy(body, &number, 8);
	return perf_order_add(order, &raw, time, NULL);
}

static void assert_delivered(const uint64_t *numbers, size_t n)
{
	assert_int_equal(n_delivered, n);
	assert_memory_equal(delivered, numbers, n * sizeof(*numbers));
}

TEST_WITH(records_wait_for_the_second_round, begin, end)
{
	static const uint64_t first[] = {1, 2, 3}, all[] = {1, 2, 3, 4, 5, 6};

	add(30, 3, 16);
	add(10, 1, 16);
	perf_order_round(order, NULL);
	assert_int_equal(n_delivered, 0);
	add(60, 6, 16);
	add(20, 2, 16); /* of a CPU whose turn came later */
	add(40, 4, 16);
	perf_order_round(order, NULL);
	assert_delivered(first, N(first));
	add(50, 5, 16);
	perf_order_flush(order, NULL);
	assert_delivered(all, N(all));
	assert_int_equal(perf_order_late(order), 0);
}

TEST_WITH(equal_times_keep_their_order, begin, end)
{
	for (uint64_t i = 0; i < 1000; i++)
		add(i % 3, i, 16);
	perf_order_flush(order, NULL);
	assert_int_equal(n_delivered, 1000);
	for (size_t i = 1; i < 1000; i++)
		assert_true(delivered[i] % 3 > delivered[i - 1] % 3 ||
			    (delivered[i] % 3 == delivered[i - 1] % 3 &&
			     delivered[i] > delivered[i - 1]));
}

/* Against a plain sort, with records of many sizes. */
TEST_WITH(any_order_becomes_that_of_time, begin, end)
{
	srand(1);
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t time = 1 + (uint64_t)rand() % 1000000;

		add(time, time, 16 + 8 * ((size_t)rand() % 50));
	}
	perf_order_flush(order, NULL);
	assert_int_equal(n_delivered, 20000);
	for (size_t i = 1; i < n_delivered; i++)
		assert_true(delivered[i - 1] <= delivered[i]);
	assert_int_equal(perf_order_late(order), 0);
}

/* Records that never could be delivered by a round must not pile up. */
TEST_WITH(memory_is_bounded, begin, end)
{
	perf_order_free(order);
	order = perf_order_new(1 << 20, take, delivered);
	for (uint64_t i = 0; i < 50000; i++)
		add(i + 1, i + 1, i % 2 ? 16 : 400);
	assert_true(n_delivered > 40000);
	assert_int_equal(perf_order_late(order), 0);
	add(1, 50001, 16); /* its turn has passed */
	perf_order_flush(order, NULL);
	assert_int_equal(n_delivered, 50001);
	assert_int_equal(perf_order_late(order), 1);
}

/* A round costs nothing if nothing is due, however many wait. */
TEST_WITH(many_rounds_take_no_time, begin, end)
{
	for (uint64_t i = 0; i < 10000; i++)
		add(UINT64_MAX - 20000 + i, i, 16);
	for (unsigned int i = 0; i < 1000000; i++)
		perf_order_round(order, NULL);
	assert_int_equal(n_delivered, 10000);
}

TEST_WITH(errors_are_passed_on_and_what_waits_is_kept, begin, end)
{
	for (uint64_t i = 1; i <= 10; i++)
		add(i, i, 16);
	fail_at = 4;
	assert_int_equal(perf_order_flush(order, NULL), -1);
	assert_int_equal(n_delivered, 4);
	assert_int_equal(perf_order_flush(order, NULL), 0);
	assert_int_equal(n_delivered, 10);
	add(11, 11, 65528); /* still waits when it is freed */
}

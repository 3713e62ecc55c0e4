// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/hash.h"
#include "libop/base/number.h"
#include "memory.h"

#define MODEL_MOST 3000

/* What a table should have, in the order of addition. */
struct model {
	uint64_t key[MODEL_MOST];
	uint32_t number[MODEL_MOST];
	size_t n;
};

static void check_key(const struct op_hash *hash, const struct model *model, uint64_t key)
{
	size_t at = 0;
	uint32_t i;

	op_hash_for_each_possible (hash, key, i) {
		/* numbers of other keys may be among them: the element of a number is its key */
		while (at < model->n && model->number[at] != i)
			at++;
		assert_true(at < model->n);
		assert_int_equal(op_hash_tag(model->key[at]), op_hash_tag(key));
		at++;
	}
	i = 0;
	for (size_t j = 0; j < model->n; j++)
		i += op_hash_tag(model->key[j]) == op_hash_tag(key);
	op_hash_for_each_possible (hash, key, at)
		i--;
	assert_int_equal(i, 0);
}

static void add(struct op_hash *hash, struct model *model, uint64_t key, uint32_t number)
{
	assert_int_equal(op_hash_add(hash, key, number), 0);
	model->key[model->n] = key;
	model->number[model->n++] = number;
}

static void remove_at(struct op_hash *hash, struct model *model, size_t at)
{
	assert_true(op_hash_remove(hash, model->key[at], model->number[at]));
	model->n--;
	memmove(&model->key[at], &model->key[at + 1], (model->n - at) * sizeof(model->key[0]));
	memmove(&model->number[at], &model->number[at + 1],
		(model->n - at) * sizeof(model->number[0]));
}

static uint64_t small_key(unsigned int *seed)
{
	return (uint64_t)rand_r(seed) % 97;
}

static uint64_t high_key(unsigned int *seed)
{
	return (uint64_t)rand_r(seed) % 997 << 52;
}

static uint64_t wide_key(unsigned int *seed)
{
	return (uint64_t)rand_r(seed) << 32 ^ (uint64_t)rand_r(seed);
}

/* Few keys make long runs of equal ones; the runs wrap around the end of the table. */
static void run_random(uint64_t (*key_of)(unsigned int *seed), unsigned int seed)
{
	struct op_hash hash = {0};
	struct model *model = calloc(1, sizeof(*model));
	uint32_t next = 0;

	assert_non_null(model);
	for (int step = 0; step < 4000; step++) {
		uint64_t key = key_of(&seed);

		if (model->n && (rand_r(&seed) % 100 < 40 || model->n == MODEL_MOST))
			remove_at(&hash, model, (size_t)rand_r(&seed) % model->n);
		else
			add(&hash, model, key, next++);
		assert_int_equal(hash.n, model->n);
		if (step % 16 == 0)
			check_key(&hash, model, key);
	}
	for (size_t i = 0; i < model->n; i++)
		check_key(&hash, model, model->key[i]);
	while (model->n)
		remove_at(&hash, model, model->n / 2);
	for (size_t i = 0; i < (size_t)1 << hash.bits; i++)
		assert_int_equal(hash.slots[i].number, 0);
	op_hash_free(&hash);
	free(model);
}

TEST(hash_equals_a_list_for_random_additions_and_removals)
{
	for (unsigned int seed = 1; seed <= 4; seed++) {
		run_random(small_key, seed);
		run_random(high_key, seed);
		run_random(wide_key, seed);
	}
}

TEST(hash_finds_numbers_of_one_key_in_the_order_of_addition)
{
	struct op_hash hash = {0};
	uint32_t i, before;

	/* grows several times, with other keys in between */
	for (i = 0; i < 1000; i++)
		assert_int_equal(op_hash_add(&hash, i % 3 ? i : 42, i), 0);
	before = 0;
	op_hash_for_each_possible (&hash, 42, i) {
		if (i % 3 && i == 42)
			continue;
		assert_true(i >= before);
		before = i;
	}
	assert_int_equal(before, 999);
	op_hash_free(&hash);
}

/*
 * A run of 160 slots in a table that is half full has a probability of exp(-160 (ln 2 - 1/2)) a
 * slot if places are random: 4e-7 for the 13 tables of each of 100 secrets.
 */
#define LONGEST_RUN 160

TEST(hash_spreads_keys_that_differ_in_few_bits_with_any_secret)
{
	const struct op_hash_secret drawn = op_hash_secret;

	for (uint64_t i = 0; i < 100; i++) {
		for (unsigned int shift = 0; shift <= 48; shift += 4) {
			struct op_hash hash = {0};
			size_t longest = 0, run = 0;

			for (uint32_t key = 0; key < 1 << 12; key++)
				assert_int_equal(op_hash_add(&hash, (uint64_t)key << shift, key),
						 0);
			for (size_t at = 0; at < (size_t)1 << hash.bits; at++) {
				run = hash.slots[at].number ? run + 1 : 0;
				longest = run > longest ? run : longest;
			}
			assert_true(longest < LONGEST_RUN);
			op_hash_free(&hash);
		}
		op_hash_secret.tag = op_siphash(&drawn.text, &i, sizeof(i)) | 1;
	}
	op_hash_secret = drawn;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return op_compare_u64(*x, *y);
}

/* Such as addresses of images, of which one may stand for both parts of a name. */
TEST(hash_keys_of_pairs_differ_for_equal_and_exchanged_numbers)
{
	enum { NUMBERS = 256 };
	static uint64_t keys[NUMBERS * NUMBERS];
	size_t n = 0;

	for (uint64_t first = 0; first < NUMBERS; first++) {
		for (uint64_t second = 0; second < NUMBERS; second++)
			keys[n++] = op_hash_mix(0x5581d2c0a000 + first * 96,
						0x5581d2c0a000 + second * 96);
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n; i++)
		assert_true(keys[i - 1] != keys[i]);
}

TEST(hash_is_unchanged_when_out_of_memory)
{
	struct op_hash hash = {0};
	uint32_t n = 0, i;

	memory_fails = true;
	assert_int_equal(op_hash_add(&hash, 1, 1), -1);
	op_hash_for_each_possible (&hash, 1, i)
		fail();
	memory_fails = false;
	assert_int_equal(op_hash_add(&hash, 0, n++), 0);
	memory_fails = true;
	while (!op_hash_add(&hash, n, n))
		n++;
	memory_fails = false;
	assert_true(n > 1);
	assert_int_equal(hash.n, n);
	for (uint32_t key = 0; key < n; key++) {
		bool found = false;

		op_hash_for_each_possible (&hash, key, i)
			found |= i == key;
		assert_true(found);
	}
	op_hash_free(&hash);
}

TEST(hash_adds_what_was_reserved_without_memory)
{
	struct op_hash hash = {0};

	assert_int_equal(op_hash_add(&hash, 0, 0), 0);
	assert_int_equal(op_hash_reserve(&hash, 5000), 0);
	memory_fails = true;
	for (uint32_t i = 1; i < 5000; i++)
		assert_int_equal(op_hash_add(&hash, i, i), 0);
	memory_fails = false;
	assert_int_equal(op_hash_reserve(&hash, SIZE_MAX), -1);
	op_hash_clear(&hash);
	assert_int_equal(hash.n, 0);
	assert_true(op_hash_memory(&hash) > 0);
	op_hash_free(&hash);
	assert_int_equal(op_hash_memory(&hash), 0);
}

TEST(hash_removes_nothing_that_was_not_added)
{
	struct op_hash hash = {0};

	assert_false(op_hash_remove(&hash, 1, 1));
	assert_int_equal(op_hash_add(&hash, 1, 1), 0);
	assert_false(op_hash_remove(&hash, 1, 2));
	assert_false(op_hash_remove(&hash, 2, 1));
	assert_true(op_hash_remove(&hash, 1, 1));
	assert_false(op_hash_remove(&hash, 1, 1));
	op_hash_free(&hash);
}

/* ---- maps ---- */

#define KEYS 500

TEST(map_equals_an_array_for_random_operations)
{
	struct op_hash_map map = {0};
	char values[KEYS], *expected[KEYS] = {NULL};
	unsigned int seed = 1;
	size_t n = 0;

	for (int step = 0; step < 50000; step++) {
		size_t i = (size_t)rand_r(&seed) % KEYS;
		uint64_t key = (uint64_t)i << 54 | i;

		if (rand_r(&seed) % 2) {
			n += !expected[i];
			expected[i] = &values[rand_r(&seed) % KEYS];
			assert_int_equal(op_hash_map_set(&map, key, expected[i]), 0);
		} else {
			n -= expected[i] != NULL;
			assert_ptr_equal(op_hash_map_remove(&map, key), expected[i]);
			expected[i] = NULL;
		}
		assert_ptr_equal(op_hash_map_find(&map, key), expected[i]);
		assert_int_equal(map.n, n);
	}
	for (size_t i = 0; i < KEYS; i++)
		assert_ptr_equal(op_hash_map_find(&map, (uint64_t)i << 54 | i), expected[i]);
	for (size_t i = 0; i < map.n; i++)
		assert_ptr_equal(map.entries[i].value, expected[map.entries[i].key & 0xffff]);
	op_hash_map_free(&map);
	assert_null(op_hash_map_find(&map, 0));
}

TEST(map_is_unchanged_when_out_of_memory)
{
	struct op_hash_map map = {0};
	uint64_t n = 0;
	int value, other;

	memory_fails = true;
	assert_int_equal(op_hash_map_set(&map, 0, &value), -1);
	memory_fails = false;
	assert_int_equal(op_hash_map_set(&map, n++, &value), 0);
	memory_fails = true;
	while (!op_hash_map_set(&map, n, &value))
		n++;
	assert_int_equal(op_hash_map_set(&map, 0, &other), 0); /* known keys need none */
	memory_fails = false;
	assert_int_equal(map.n, n);
	assert_null(op_hash_map_find(&map, n));
	assert_ptr_equal(op_hash_map_find(&map, 0), &other);
	op_hash_map_free(&map);
}

/* ---- secrets ---- */

/* The reference vectors of the paper: key 00 01 .. 0f, messages 00 01 .. */
TEST(siphash_is_that_of_the_paper)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} vectors[] = {
		{0, UINT64_C(0x726fdb47dd0e0e31)},  {1, UINT64_C(0x74f839c593dc67fd)},
		{7, UINT64_C(0xab0200f58b01d137)},  {8, UINT64_C(0x93f5f5799a932462)},
		{15, UINT64_C(0xa129ca6149be45e5)},
	};
	const struct op_siphash_key key = {
		{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)},
	};
	uint8_t message[16];

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)i;
	for (size_t i = 0; i < OP_ARRAY_SIZE(vectors); i++)
		assert_int_equal(op_siphash(&key, message, vectors[i].length), vectors[i].hash);
}

/*
 * Names with equal keys under FNV-1a, whatever follows: with n such pairs in a row there are 2^n
 * names of one key.
 */
#define ONE   "pvvmphrsksvhpkvg"
#define OTHER "kvnnqqjujhsstniu"

TEST(names_prepared_for_one_place_have_keys_of_their_own)
{
	uint64_t one = op_hash_content(0, ONE, strlen(ONE));
	uint64_t other = op_hash_content(0, OTHER, strlen(OTHER));

	assert_int_equal(one, other); /* else the names below prove nothing */
	assert_int_not_equal(op_hash_text(0, ONE), op_hash_text(0, OTHER));
	assert_int_not_equal(op_hash_bytes(0, ONE, strlen(ONE)),
			     op_hash_bytes(0, OTHER, strlen(OTHER)));
}

/* Pairs (a, b) and (c, d) with one key under the factors that mixing had before. */
TEST(numbers_prepared_for_one_place_have_keys_of_their_own)
{
	const uint64_t factor = UINT64_C(0xc4ceb9fe1a85ec53);
	uint64_t inverse = factor, fixed[2], drawn[2];
	const uint64_t first[2] = {1, 2};

	while (inverse * factor != 1) /* Newton: each step doubles the bits that are right */
		inverse *= 2 - factor * inverse;
	for (int i = 0; i < 2; i++) {
		uint64_t key = op_hash_spread(first[i] * factor);
		uint64_t second = (key ^ 99) * inverse;

		fixed[i] = op_hash_spread(key ^ second * factor);
		drawn[i] = op_hash_mix(op_hash_mix(0, first[i]), second);
	}
	assert_int_equal(fixed[0], fixed[1]);
	assert_int_not_equal(drawn[0], drawn[1]);
}

TEST(the_secret_is_drawn_before_main)
{
	const struct op_hash_secret *secret = &op_hash_secret;

	assert_int_not_equal(secret->text.word[0], 0);
	assert_int_not_equal(secret->number, UINT64_C(0xc4ceb9fe1a85ec53));
	assert_int_not_equal(secret->tag, UINT64_C(0x9e3779b97f4a7c15));
	assert_int_equal(secret->number & secret->tag & 1, 1);
}

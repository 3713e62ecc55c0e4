// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bad records of the event stream are counted and passed over; whatever a buffer holds, the one
 * after it is understood.
 */
#include "stream_fixture.h"

#include <string.h>

/* clang-format off */
static const uint64_t good[] = { CPU(0), CTX(501, 500, 0x10), USER, COOKIE(0x10), 1, 0,
				 2, 0, TRACE, 3, 0, 4, 0, KERNEL, STEXT, 0,
				 CPU(1), CTX(502, 500, 0x12), USER, COOKIE(0x12), 5, 0,
				 MODULE_LOADED, 6, 0 };
/* clang-format on */
#define GOOD_WORDS (sizeof(good) / sizeof(good[0]))

static void a_bad_record_is_passed_over(void **state)
{
	/* clang-format off */
	const struct {
		const char *name;
		const uint64_t *words;
		size_t count;
		uint64_t bad_records, bad_words;
		const char *files;
	} bad[] = {
		{ "unknown code", BUFFER(START, USER, COOKIE(0x10), 1, 0, ESC, 99, 2, 0, 3, 0, START,
					 USER, COOKIE(0x10), 4, 0), 1, 6,
		  BASH "{dep}/" BASH ALL " 1:1 4:1\n" },
		{ "nothing is believed behind it",
		  BUFFER(START, USER, COOKIE(0x10), 1, 0, ESC, 99, COOKIE(0x12), 2, 0, USER, 3, 0,
			 COOKIE(0x12), 4, 0), 1, 2,
		  BASH "{dep}/" BASH ALL " 1:1\n" CAT "{dep}/" CAT ALL " 3:1 4:1\n" },
		{ "half a task switch", BUFFER(CPU(0), ESC, 1, 5, 0x10, USER, COOKIE(0x10), 1, 0), 1,
		  4, BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "a task switch whose second half is another record",
		  BUFFER(CPU(0), ESC, 1, 5, 0x10, CPU(7), USER, COOKIE(0x10), 1, 0), 1, 4,
		  BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "a process number that is none",
		  BUFFER(CPU(0), CTX(501, 0x80000000, 0x10), USER, COOKIE(0x10), 1, 0), 2, 7,
		  BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "a CPU number that is none", BUFFER(CPU(ESC - 1), USER, COOKIE(0x10), 1, 0), 1, 3,
		  BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "the second half of a task switch alone",
		  BUFFER(CPU(0), ESC, 7, 500, USER, COOKIE(0x10), 1, 0), 1, 3,
		  BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "an address without a counter",
		  BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, USER, COOKIE(0x10), 3, 0), 1, 1,
		  BASH "{dep}/" BASH ALL " 1:1 3:1\n" },
		{ "an address without a counter at the end",
		  BUFFER(START, USER, COOKIE(0x10), 1, 0, 2), 1, 1,
		  BASH "{dep}/" BASH ALL " 1:1\n" },
		{ "escape codes only", BUFFER(ESC, ESC, ESC, ESC), 4, 4, "" },
		{ "one word", BUFFER(ESC), 1, 1, "" },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct profile_config config = make_config(0);
		struct test_session session;

		print_message("           %s\n", bad[i].name);
		session_open(&session, &config);
		session_feed(&session, bad[i].words, bad[i].count);
		session_expect(&session, bad[i].files);
		assert_int_equal(session_stat(&session, STAT_BAD_RECORDS), bad[i].bad_records);
		assert_int_equal(session_stat(&session, STAT_BAD_WORDS), bad[i].bad_words);
		session_close(&session);
	}
}

/* Feeds @words and then a good buffer, which must be understood whatever came before. */
static void feed_spoilt(struct test_session *session, const uint64_t *words, size_t count)
{
	uint64_t stored;

	session_feed(session, words, count);
	stored = session_stat(session, STAT_STORED);
	session_feed(session, good, GOOD_WORDS);
	assert_int_equal(session_stat(session, STAT_STORED) - stored, 5);
}

static void a_buffer_may_end_anywhere(void **state)
{
	struct profile_config config = make_config(THREAD | CPUS);
	struct test_session session;

	(void)state;
	session_open(&session, &config);
	for (size_t length = 0; length < GOOD_WORDS; length++)
		feed_spoilt(&session, good, length);
	session_check_sums(&session);
	session_close(&session);
}

static void any_word_may_be_missing_or_wrong(void **state)
{
	static const uint64_t wrong[] = {0, 1, 2, 3, 7, 8, 9, 15, ESC, ESC - 1, 0x80000000};
	struct profile_config config = make_config(THREAD | CPUS);
	struct test_session session;
	uint64_t words[GOOD_WORDS];

	(void)state;
	session_open(&session, &config);
	for (size_t at = 0; at < GOOD_WORDS; at++) {
		memcpy(words, good, at * sizeof(*words));
		memcpy(words + at, good + at + 1, (GOOD_WORDS - at - 1) * sizeof(*words));
		feed_spoilt(&session, words, GOOD_WORDS - 1);
		memcpy(words, good, sizeof(words));
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			words[at] = wrong[i];
			feed_spoilt(&session, words, GOOD_WORDS);
		}
	}
	session_check_sums(&session);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_record_is_passed_over),
		cmocka_unit_test(a_buffer_may_end_anywhere),
		cmocka_unit_test(any_word_may_be_missing_or_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A suite of KUnit in one statement:
 *
 *	TEST_SUITE(oprofile_timer, timer_init, timer_exit,
 *		   KUNIT_CASE(timer_ticks),
 *		   KUNIT_CASE_PARAM(timer_takes, takes_gen_params));
 *
 * @init and @exit are called before and after each case; either may be NULL.
 */
#ifndef OPROFILE_KUNIT_SUITE_H
#define OPROFILE_KUNIT_SUITE_H

#include <kunit/test.h>

#define TEST_SUITE(suite, before, after, ...)				\
	TEST_SUITE_AT(suite, init, exit, before, after, __VA_ARGS__)

/* With other times of the calls: suite_init and suite_exit are before and after all cases. */
#define TEST_SUITE_AT(suite, first, last, before, after, ...)		\
	static struct kunit_case suite##_cases[] = { __VA_ARGS__, {} };	\
	static struct kunit_suite suite##_suite = {			\
		.name = #suite,						\
		.first = before,					\
		.last = after,						\
		.test_cases = suite##_cases,				\
	};								\
	kunit_test_suite(suite##_suite)

#endif

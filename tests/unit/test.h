/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit test program: cases that register themselves, and one main() for all programs.
 *
 *	TEST(number_accepts_hexadecimal)
 *	{
 *		assert_int_equal(...);		// cmocka's assertions
 *	}
 *
 * Cases run in the order of the file.  A case is named by the requirement that it checks.  The
 * headers of the C library that most cases use come with this one.
 * "PROGRAM ARGUMENT... [--only=PATTERN]" runs the cases whose names match the shell pattern.
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef assert_uint_in_range /* cmocka has it since 2.0, and deprecates the other name */
#define assert_uint_in_range assert_in_range
#endif

#define TEST_UNUSED	 __attribute__((unused))
#define TEST_CONSTRUCTOR __attribute__((constructor))

/* A function that cmocka calls before or after a case or the whole program; 0: all is well. */
#define TEST_HOOK(name) static int name(TEST_UNUSED void **state)

#define TEST_REGISTER_(id, name, setup, teardown)                                                  \
	TEST_CONSTRUCTOR static void test_register_##id(void)                                      \
	{                                                                                          \
		test_register(#name, name, setup, teardown);                                       \
	}

/* A case with hooks before and after it; either may be NULL. */
#define TEST_WITH(name, setup, teardown)                                                           \
	static void name(void **state);                                                            \
	TEST_REGISTER_(name, name, setup, teardown)                                                \
	static void name(TEST_UNUSED void **state)

/* A case. */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The case @name once more, with other hooks. */
#define TEST_AGAIN(name, setup, teardown) TEST_REGISTER_(name##_##setup, name, setup, teardown)

/* Hooks before the first and after the last case; either may be NULL. */
#define TEST_PROGRAM(setup, teardown)                                                              \
	TEST_CONSTRUCTOR static void test_register_program_(void)                                  \
	{                                                                                          \
		test_register_program(setup, teardown);                                            \
	}

/*
 * What to do with the program's arguments, before the hooks of TEST_PROGRAM; @argc is at least
 * @least + 1, or the program ends with its usage.  A program without TEST_ARGUMENTS takes none.
 */
#define TEST_ARGUMENTS(least, usage)                                                               \
	static void test_arguments_(int argc, char **argv);                                        \
	TEST_CONSTRUCTOR static void test_register_arguments_(void)                                \
	{                                                                                          \
		test_register_arguments(test_arguments_, least, usage);                            \
	}                                                                                          \
	static void test_arguments_(TEST_UNUSED int argc, TEST_UNUSED char **argv)

/*
 * The cases below need what @probe looks for.  Where it returns false, only those above run, and
 * the program counts as skipped, for the reason @why.
 */
#define TEST_NEEDS(probe, why)                                                                     \
	TEST_CONSTRUCTOR static void test_register_needs_(void)                                    \
	{                                                                                          \
		test_register_needs(probe, why);                                                   \
	}

/**
 * test_enter - make a directory for files of the program, and go there
 * @name: what its name begins with, in $TMPDIR or /tmp
 *
 * Return: its path, for test_leave(), or NULL.
 */
char *test_enter(const char *name);

/* Goes to / and removes @dir, whose path is freed.  Return: 0, or -1. */
int test_leave(char *dir);

/* Removes a directory and all that is in it, but not what is mounted there.  Return: 0, or -1. */
int test_remove(const char *dir);

/* For the macros above. */
void test_register(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
		   CMFixtureFunction teardown);
void test_register_program(CMFixtureFunction setup, CMFixtureFunction teardown);
void test_register_arguments(void (*take)(int argc, char **argv), int least, const char *usage);
void test_register_needs(bool (*probe)(void), const char *why);

#endif

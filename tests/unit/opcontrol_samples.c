// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --save and --reset on made-up sessions: what is moved, what is removed, and what must never
 * be touched, whatever symbolic links and names stand in the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/base/file.h"
#include "utils/opcontrol/samples.h"
#include "libop/base/remove_tree.h"

/* Everything happens in a directory of its own, which is the working directory. */
static char top[] = "/tmp/opcontrol-XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	return !mkdtemp(top) || chdir(top);
}

static int leave(void **state)
{
	struct op_error error;

	(void)state;
	return chdir("/") || op_tree_remove(AT_FDCWD, top, &error);
}

static void make_file(const char *path)
{
	struct op_error error;
	int fd;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static bool exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static unsigned int entries(const char *path)
{
	struct stat status;

	/* Directories alone count here: "." and ".." and one for each. */
	assert_int_equal(stat(path, &status), 0);
	return status.st_nlink - 2;
}

static int reset(const char *session, struct op_error *error)
{
	struct samples_waste waste;

	if (samples_reset_begin(session, &waste, error))
		return -1;
	return samples_reset_end(&waste, error);
}

static void save_moves_the_live_samples(void **state)
{
	struct op_error error;
	struct stat status;
	bool saved;

	(void)state;
	make_file("s/samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.0.0.all.all.all");
	assert_int_equal(chmod("s/samples/current", 02750), 0);
	assert_int_equal(samples_save("s", "monday", &saved, &error), 0);
	assert_true(saved);
	assert_true(exists("s/samples/monday/{root}/bin/ls/{dep}/{root}/bin/ls/"
			   "TIMER.0.0.all.all.all"));
	/* The new one is empty and like the old one. */
	assert_int_equal(entries("s/samples/current"), 0);
	assert_int_equal(stat("s/samples/current", &status), 0);
	assert_int_equal(status.st_mode & 07777, 02750);
}

static void save_takes_no_name_twice(void **state)
{
	struct op_error error;
	bool saved;

	(void)state;
	make_file("s/samples/current/new");
	make_file("s/samples/monday/old");
	make_file("s/samples/oprofiled.log");
	assert_int_equal(symlink("/nowhere", "s/samples/link"), 0);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"monday", "oprofiled.log", "link"};

		assert_int_equal(samples_save("s", names[i], &saved, &error), -1);
		assert_int_equal(error.code, EEXIST);
		assert_non_null(strstr(error.text, names[i]));
		assert_false(saved);
	}
	assert_true(exists("s/samples/current/new"));
	assert_true(exists("s/samples/monday/old"));
	assert_false(exists("s/samples/monday/new"));
}

static void save_refuses_hostile_names(void **state)
{
	static const char *const names[] = {"",	  ".",	"..",	    "../x", "/tmp/x", "a/b",
					    "x/", ".x", "current",  "a b",  "a\nb",   "a,b",
					    "*",  "$x", "\xc3\xa4", "-rf/", "a\\b"};
	char longest[NAME_MAX + 2];
	struct op_error error;
	bool saved;

	(void)state;
	make_file("s/samples/current/new");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!samples_save("s", names[i], &saved, &error))
			fail_msg("\"%s\" was taken", names[i]);
	}
	memset(longest, 'a', sizeof(longest));
	longest[NAME_MAX + 1] = '\0';
	assert_int_equal(samples_save("s", longest, &saved, &error), -1);
	assert_true(exists("s/samples/current/new"));
	longest[NAME_MAX] = '\0';
	assert_int_equal(samples_save("s", longest, &saved, &error), 0);
	assert_true(saved);
}

static void nothing_to_save_is_no_error(void **state)
{
	struct op_error error;
	bool saved = true;

	(void)state;
	assert_int_equal(samples_save("none", "x", &saved, &error), 0);
	assert_false(saved);
	assert_int_equal(mkdir("s", 0755), 0);
	assert_int_equal(samples_save("s", "x", &saved, &error), 0);
	assert_int_equal(mkdir("s/samples", 0755), 0);
	assert_int_equal(samples_save("s", "x", &saved, &error), 0);
	assert_false(saved);
	assert_false(exists("s/samples/x"));
	assert_int_equal(reset("none", &error), 0);
	assert_int_equal(reset("s", &error), 0);
	assert_false(exists("s/samples/current"));
}

static void reset_empties_the_live_samples_only(void **state)
{
	struct op_error error;

	(void)state;
	make_file("s/samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.0.0.all.all.all");
	make_file("s/samples/current/{kern}/ext4/{dep}/{kern}/ext4/TIMER.0.0.all.all.all");
	make_file("s/samples/current/stats/cpu0/sample_received");
	make_file("s/samples/current/kallsyms");
	make_file("s/samples/monday/{root}/x");
	make_file("s/samples/oprofiled.log");
	make_file("s/abi");
	assert_int_equal(reset("s", &error), 0);
	assert_int_equal(entries("s/samples/current"), 0);
	assert_false(exists("s/samples/current/kallsyms"));
	assert_int_equal(entries("s/samples"), 2); /* current, monday */
	assert_true(exists("s/samples/monday/{root}/x"));
	assert_true(exists("s/samples/oprofiled.log"));
	assert_true(exists("s/abi"));
}

/* Until the end the old samples are there, but not live: readers see all of them or none. */
static void reset_moves_first_and_removes_later(void **state)
{
	struct samples_waste waste;
	struct op_error error;
	char path[128];

	(void)state;
	make_file("s/samples/current/x");
	/* What a reset that was cut short has left is in the way, and goes with the rest. */
	make_file("s/samples/.reset-0/old");
	assert_int_equal(samples_reset_begin("s", &waste, &error), 0);
	snprintf(path, sizeof(path), "s/samples/%s/x", waste.name);
	assert_true(exists(path));
	assert_false(exists("s/samples/current/x"));
	assert_true(exists("s/samples/current"));
	assert_int_equal(samples_reset_end(&waste, &error), 0);
	assert_false(exists(path));
	assert_int_equal(entries("s/samples"), 1);
}

static void symbolic_links_are_not_followed(void **state)
{
	struct op_error error;
	bool saved;

	(void)state;
	make_file("precious/file");

	/* Inside of the samples: the links go, what they point to stays. */
	make_file("s/samples/current/x");
	assert_int_equal(symlink("../../../precious", "s/samples/current/dir"), 0);
	assert_int_equal(symlink("../../../precious/file", "s/samples/current/file"), 0);
	assert_int_equal(symlink("../../precious", "s/samples/.reset-7"), 0);
	assert_int_equal(reset("s", &error), 0);
	assert_true(exists("precious/file"));
	assert_true(exists("s/samples/.reset-7")); /* no directory, so none of ours */

	/* In the place of samples/current. */
	assert_int_equal(rmdir("s/samples/current"), 0);
	assert_int_equal(symlink("../../precious", "s/samples/current"), 0);
	assert_int_equal(reset("s", &error), -1);
	assert_non_null(strstr(error.text, "symbolic link"));
	assert_int_equal(samples_save("s", "x", &saved, &error), -1);
	assert_non_null(strstr(error.text, "symbolic link"));
	assert_true(exists("precious/file"));

	/* In the place of samples. */
	make_file("elsewhere/current/file");
	assert_int_equal(mkdir("t", 0755), 0);
	assert_int_equal(symlink("../elsewhere", "t/samples"), 0);
	assert_int_equal(reset("t", &error), -1);
	assert_int_equal(samples_save("t", "x", &saved, &error), -1);
	assert_true(exists("elsewhere/current/file"));

	/* A session directory may be reached by a link, as /var often is. */
	make_file("u/samples/current/x");
	assert_int_equal(symlink("u", "to_u"), 0);
	assert_int_equal(reset("to_u", &error), 0);
	assert_false(exists("u/samples/current/x"));
}

static void a_file_in_the_place_of_a_directory(void **state)
{
	struct op_error error;
	bool saved;

	(void)state;
	make_file("s/samples/current");
	assert_int_equal(reset("s", &error), -1);
	assert_non_null(strstr(error.text, "not a directory"));
	assert_int_equal(samples_save("s", "x", &saved, &error), -1);
	assert_true(exists("s/samples/current"));
	make_file("t/samples");
	assert_int_equal(reset("t", &error), -1);
	assert_non_null(strstr(error.text, "not a directory"));
	make_file("f");
	assert_int_equal(reset("f", &error), -1);
}

/* Deeper than PATH_MAX, and than a process may have files open. */
static void deep_and_wide_trees_are_removed(void **state)
{
	struct op_error error;
	int here = open(".", O_PATH | O_DIRECTORY), dir, next;
	char name[64];

	(void)state;
	assert_int_equal(mkdir("tree", 0755), 0);
	dir = open("tree", O_PATH | O_DIRECTORY);
	for (int i = 0; i < 1500; i++) {
		assert_int_equal(mkdirat(dir, "deeper", 0755), 0);
		next = openat(dir, "deeper", O_PATH | O_DIRECTORY);
		assert_true(next >= 0);
		close(dir);
		dir = next;
	}
	close(dir);
	/* Names like those that directories are moved up under. */
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "tree/.flat-%d/%d/file", i, i);
		make_file(name);
	}
	assert_int_equal(op_tree_remove(here, "tree", &error), 0);
	assert_false(exists("tree"));
	assert_int_equal(op_tree_remove(here, "tree", &error), -1);
	make_file("file");
	assert_int_equal(symlink(".", "link"), 0);
	assert_int_equal(op_tree_remove(here, "file", &error), -1);
	assert_int_equal(op_tree_remove(here, "link", &error), -1);
	assert_true(exists("file") && exists("link"));
	close(here);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(save_moves_the_live_samples),
		TEST(save_takes_no_name_twice),
		TEST(save_refuses_hostile_names),
		TEST(nothing_to_save_is_no_error),
		TEST(reset_empties_the_live_samples_only),
		TEST(reset_moves_first_and_removes_later),
		TEST(symbolic_links_are_not_followed),
		TEST(a_file_in_the_place_of_a_directory),
		TEST(deep_and_wide_trees_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

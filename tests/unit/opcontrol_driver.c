// SPDX-License-Identifier: GPL-2.0-or-later
/* The driver's counters as plain files: see opcontrol_driver.h. */
#include "opcontrol_driver.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "opcontrol_catalogue.h"

const char *const entry_names[ENTRIES] = {"enabled", "event", "count", "unit_mask",
					  "kernel",  "user",  "extra"};

static char top[] = "/tmp/opcontrol-XXXXXX";

void put(const char *path, const char *text)
{
	struct op_error error;
	FILE *file;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void put_counter(char number)
{
	char path[64];

	for (size_t i = 0; i < ENTRIES; i++) {
		snprintf(path, sizeof(path), "fs/%c/%s", number, entry_names[i]);
		put(path, "77777\n");
	}
}

void put_driver(const char *cpu_type, const char *counters)
{
	struct op_error error;

	if (!access("fs", F_OK))
		assert_int_equal(op_tree_remove(AT_FDCWD, "fs", &error), 0);
	put("fs/cpu_type", cpu_type);
	for (; *counters; counters++)
		put_counter(*counters);
}

uint64_t get(int counter, const char *name)
{
	char path[64], *text, *end;
	struct op_error error;
	uint64_t value;

	snprintf(path, sizeof(path), "fs/%d/%s", counter, name);
	text = op_file_read(path, 64, NULL, &error);
	if (!text)
		fail_msg("%s", error.text);
	value = strtoull(text, &end, 10);
	assert_int_equal(*end, '\n');
	free(text);
	return value;
}

int enter(void **state)
{
	char path[64];

	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top) || chdir(top))
		return -1;
	snprintf(path, sizeof(path), "%s/fs", top);
	setenv("OPROFILE_FS_DIR", path, 1);
	snprintf(path, sizeof(path), "%s/events", top);
	setenv("OPROFILE_EVENTS_DIR", path, 1);
	put("events/" CATALOGUE_EVENTS_FILE, CATALOGUE_EVENTS);
	put("events/" CATALOGUE_MASKS_FILE, CATALOGUE_MASKS);
	return 0;
}

int leave(void **state)
{
	struct op_error error;

	(void)state;
	return chdir("/") || op_tree_remove(AT_FDCWD, top, &error);
}

void choose(struct settings *settings, const char *specs)
{
	struct op_strings list = {0};
	struct op_error error;

	assert_int_equal(settings_init(settings, &error), 0);
	if (!*specs)
		return;
	assert_int_equal(op_strings_split(&list, specs, ' '), 0);
	for (size_t i = 0; i < list.count; i++) {
		if (settings_add_event(settings, list.item[i], &error))
			fail_msg("%s", error.text);
	}
	op_strings_free(&list);
}

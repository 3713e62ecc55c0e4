// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing what is to be counted into the directories of the counters.
 */
#include "counter.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "libop/base/array.h"
#include "libop/base/number.h"

#define NAME_SIZE 32 /* of "63/unit_mask" */

/* What the driver has fixed counter 0, 1, ... called by: module/x86/counter.c. */
static const struct {
	uint32_t event, unit_mask;
} fixed_events[COUNTER_FIXED_MAX] = {
	{0xc0, 0x00}, /* instructions retired */
	{0x3c, 0x00}, /* core cycles */
	{0x3c, 0x01}, /* reference cycles */
};

/* A file of a counter's directory. */
struct entry {
	const char *name;
	uint64_t value;
};

#define ENTRIES 7

/* The number of a counter; -1 if the name is none. */
static int counter_number(const char *name)
{
	uint64_t number;

	if ((name[0] == '0' && name[1]) || !op_number_all(name, 10, OP_COUNTERS_LIMIT - 1, &number))
		return -1;
	return (int)number;
}

int counters_offered(uint64_t *offered, struct op_error *error)
{
	DIR *dir = opendir(driver_dir());
	struct dirent *entry;

	*offered = 0;
	if (!dir)
		return op_error_errno(error, "cannot open %s", driver_dir());
	while ((entry = readdir(dir))) {
		int number = counter_number(entry->d_name);

		if (number >= 0)
			*offered |= UINT64_C(1) << number;
	}
	closedir(dir);
	return 0;
}

void counters_list(uint64_t bits, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < OP_COUNTERS_LIMIT && used < size; i++) {
		if (bits & UINT64_C(1) << i)
			used += snprintf(text + used, size - used, used ? ", %d" : "%d", i);
	}
}

static void entry_name(unsigned int counter, const char *name, char path[NAME_SIZE])
{
	snprintf(path, NAME_SIZE, "%u/%s", counter, name);
}

static int write_entry(unsigned int counter, const char *name, uint64_t value,
		       struct op_error *error)
{
	char path[NAME_SIZE];

	entry_name(counter, name, path);
	return driver_write(path, value, error);
}

static int read_entry(unsigned int counter, const char *name, uint64_t *value,
		      struct op_error *error)
{
	char path[NAME_SIZE];

	entry_name(counter, name, path);
	return driver_read(path, value, error);
}

static bool has_extra(unsigned int counter)
{
	char path[NAME_SIZE];

	entry_name(counter, "extra", path);
	return driver_has(path);
}

int counter_try_count(unsigned int counter, uint64_t count, const char *spec,
		      struct op_error *error)
{
	struct op_error why;
	uint64_t before;

	if (read_entry(counter, "count", &before, error))
		return -1;
	if (write_entry(counter, "count", count, &why))
		return op_error_set(error, ERANGE,
				    "event \"%s\": the driver does not accept a count of %" PRIu64
				    ": it is more than the CPU's counters hold",
				    spec, count);
	return write_entry(counter, "count", before, error);
}

static int clear(unsigned int counter, struct op_error *error)
{
	if (write_entry(counter, "enabled", 0, error) || write_entry(counter, "event", 0, error) ||
	    write_entry(counter, "count", 0, error))
		return -1;
	return has_extra(counter) ? write_entry(counter, "extra", 0, error) : 0;
}

static int clear_all(uint64_t offered, struct op_error *error)
{
	for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++) {
		if (offered & UINT64_C(1) << i && clear(i, error))
			return -1;
	}
	return 0;
}

/* Fills in the files in the order in which they are written. */
static void fill(const struct op_counters *counters, const struct op_resolved_event *choice,
		 struct entry entries[ENTRIES])
{
	uint32_t event = choice->event_code, unit_mask = choice->unit_mask;

	unsigned int hardware = op_counters_hardware(counters, choice->counter);

	if (hardware >= counters->general) {
		event = fixed_events[hardware - counters->general].event;
		unit_mask = fixed_events[hardware - counters->general].unit_mask;
	}
	entries[0] = (struct entry){"enabled", 1};
	entries[1] = (struct entry){"event", event};
	entries[2] = (struct entry){"count", choice->count};
	entries[3] = (struct entry){"kernel", choice->kernel};
	entries[4] = (struct entry){"user", choice->user};
	entries[5] = (struct entry){"unit_mask", unit_mask};
	entries[6] = (struct entry){"extra", choice->extra};
}

static int program(const struct op_counters *counters, const struct op_resolved_event *choice,
		   struct op_error *error)
{
	struct entry entries[ENTRIES];
	struct op_error why;

	fill(counters, choice, entries);
	for (int i = 0; i < ENTRIES; i++) {
		const struct entry *entry = &entries[i];

		if (!strcmp(entry->name, "extra") && !has_extra(choice->counter)) {
			if (!entry->value)
				continue;
			return op_error_set(error, ENOTSUP,
					    "its unit mask has modifiers (0x%" PRIx64
					    "), but the driver has no file %s/%u/extra",
					    entry->value, driver_dir(), choice->counter);
		}
		if (!write_entry(choice->counter, entry->name, entry->value, &why))
			continue;
		return op_error_set(error, why.code, "%s%s", why.text,
				    why.code != EINVAL ? ""
				    : strcmp(entry->name, "count")
					    ? " (the CPU's counters do not accept it)"
					    : " (it is more than the CPU's counters hold)");
	}
	return 0;
}

static int verify(const struct op_counters *counters, const struct op_resolved_event *choice,
		  struct op_error *error)
{
	struct entry entries[ENTRIES];
	uint64_t value;

	fill(counters, choice, entries);
	for (int i = 0; i < ENTRIES; i++) {
		const struct entry *entry = &entries[i];

		if (!strcmp(entry->name, "extra") && !has_extra(choice->counter))
			continue;
		if (read_entry(choice->counter, entry->name, &value, error))
			return -1;
		if (value != entry->value)
			return op_error_set(
				error, EPROTO,
				"%s/%u/%s holds %" PRIu64 ", though %" PRIu64 " was written",
				driver_dir(), choice->counter, entry->name, value, entry->value);
	}
	return 0;
}

/* Each step for all events, so that verify() sees what a later write may have changed. */
int counters_program(const struct op_counters *counters, uint64_t offered,
		     const struct op_resolved_event *choices, char *const *specs, size_t n,
		     struct op_error *error)
{
	static int (*const steps[])(const struct op_counters *counters,
				    const struct op_resolved_event *choice,
				    struct op_error *error) = {program, verify};
	struct op_error why;

	if (clear_all(offered, error))
		return -1;
	for (size_t step = 0; step < OP_ARRAY_SIZE(steps); step++) {
		for (size_t i = 0; i < n; i++) {
			if (!steps[step](counters, &choices[i], &why))
				continue;
			clear_all(offered, NULL);
			return op_error_set(error, why.code, "event \"%s\": %s", specs[i],
					    why.text);
		}
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's counters as plain files, with what somebody left in them, and a catalogue of events
 * for the CPU that they are of.  Tests are in the directory above "fs" and "events".
 */
#ifndef TEST_OPCONTROL_DRIVER_H
#define TEST_OPCONTROL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "utils/opcontrol/setting.h"

/* Set up and tear down; OPROFILE_FS_DIR and OPROFILE_EVENTS_DIR are set. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
int enter(void **state);
int leave(void **state);

/* Writes a file, and makes the directories above it. */
void put(const char *path, const char *text);

/* The files of a counter. */
#define ENTRIES 7
extern const char *const entry_names[ENTRIES];

/* A counter, each file of which holds 77777; the driver with these counters, such as "023". */
void put_counter(char number);
void put_driver(const char *cpu_type, const char *counters);

/* What a file of a counter holds. */
uint64_t get(int counter, const char *name);

/* Settings with the events of @specs, which are separated by blanks; settings_free() frees. */
void choose(struct settings *settings, const char *specs);

#endif

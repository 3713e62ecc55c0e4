/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of libdb share: a directory of their own, whole files as bytes, sample files
 * of all forms made from literal offsets, and sums by key.
 */
#ifndef LIBDB_FIXTURE_H
#define LIBDB_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"

/* Makes an empty directory, and removes it with all in it; for cmocka. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* The directory, and a path in it (good until the eighth call after). */
const char *fixture_dir(void);
const char *fixture_path(const char *name);

/* A file as bytes; test failure if that does not work. */
uint8_t *fixture_read(const char *path, size_t *length);
void fixture_write(const char *path, const void *bytes, size_t length);

/* Opens for writing; test failure if that does not work. */
struct odb *fixture_create(const char *path);
void fixture_add(struct odb *db, uint64_t key, uint64_t n);

/* The count of a key in a file, read anew. */
uint64_t fixture_count(const char *path, uint64_t key);
/* The sum of all counts in a file, read anew. */
uint64_t fixture_sum(const char *path);

/* Test failure if odb_check() finds anything. */
void fixture_assert_sound(const char *path);

/* Where things lie in one form of the header, from the facts and not from header.c. */
struct fixture_form {
	uint32_t version;
	const char *abi;
	bool big_endian;
	size_t header;
	size_t speed, mtime, mtime_width, cg_kernel, anon, cg_anon;
};
extern const struct fixture_form fixture_forms[];
extern const size_t fixture_form_count;

/* Writes a number of @width bytes. */
void fixture_put(uint8_t *bytes, bool big_endian, size_t width, uint64_t value);

struct fixture_node {
	uint64_t key;
	uint32_t value;
};

/**
 * fixture_image - a sound sample file of 128 slots, in any form
 *
 * Header: cpu_type 4, ctr_event 0x3c, ctr_um 1, ctr_count 100000, is_kernel 1, cpu_speed
 * 2200 MHz, mtime 1600000000, cg_to_is_kernel 1, anon_start 0x7fbb26d42000,
 * cg_to_anon_start 0x1000.
 *
 * Return: bytes that the caller frees.
 */
uint8_t *fixture_image(const struct fixture_form *form, const struct fixture_node *nodes,
		       size_t count, size_t *length);

/* Whether this machine is of that byte order. */
bool fixture_is_native(bool big_endian);

uint64_t fixture_random(uint64_t *state);

/**
 * fixture_each_state - every state of a file that a kill of its writer can leave
 * @path: the file, which is not there yet
 * @write: makes and changes it, in a process of its own
 * @check: is called with a copy after each instruction that has changed the file
 *
 * The test is skipped if this process may not trace its children.  Return: number of states.
 */
unsigned long fixture_each_state(const char *path, void (*write)(const char *path),
				 void (*check)(const char *copy));

#endif

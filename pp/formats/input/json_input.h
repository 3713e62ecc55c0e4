/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading JSON as it comes, by libyajl: no document is kept, so memory is what the reader keeps of
 * it, and objects that it does not know cost nothing.
 *
 * A reader knows the places that it wants as numbers.  A table says which place a key, or an
 * element of an array, leads to from which other; all else is passed over:
 *
 *	enum { TOP = 1, PROFILES, PROFILE };
 *	static const struct json_step steps[] = {
 *		{JSON_TOP, NULL, TOP}, {TOP, "profiles", PROFILES}, {PROFILES, NULL, PROFILE}, {0}};
 */
#ifndef PP_FORMATS_INPUT_JSON_INPUT_H
#define PP_FORMATS_INPUT_JSON_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* Objects and arrays in each other, and bytes of a string or number; more is an error. */
#define JSON_DEPTH_MOST 512
#define JSON_TEXT_MOST	((size_t)16 << 20)

#define JSON_TOP 0 /* where the outermost value is */

struct json_step {
	int from;
	const char *key; /* NULL: an element of an array, or the outermost value */
	int to;		 /* above 0, which ends the table; of trees it may be a place again */
};

struct json_value {
	const char *text; /* of a string or number, ended by NUL; else NULL */
	bool is_string;	  /* false: a number, or NULL of true, false, null */
	bool is_true;
};

struct json_input;

struct json_reader {
	const struct json_step *steps;
	/* A value at @place: in its object as @key, or in its array (NULL).  Return: 0, or -1 with
	 * json_fail(). */
	int (*value)(struct json_input *json, int place, const char *key,
		     const struct json_value *value);
	/* An object or array at @place begins or ends; may be NULL. */
	int (*begin)(struct json_input *json, int place);
	int (*end)(struct json_input *json, int place);
	void *context;
};

/**
 * json_input_read - read all of an input
 *
 * A byte order mark is skipped.
 *
 * Return: 0, or -1 with @error set: the JSON is damaged, or a function returned -1.
 */
int json_input_read(struct input *input, const struct json_reader *reader, struct op_error *error);

/* The reader's context. */
void *json_context(const struct json_input *json);

/* Sets the error "NAME: byte OFFSET: TEXT", of what was read last.  Return: -1. */
int json_fail(struct json_input *json, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Where the error goes, for functions that set it themselves. */
struct op_error *json_error(struct json_input *json);

/* Numbers of 0 and more without a fraction, however they are written: below 2^63, or up to 2^53
 * with a point or exponent.  Return: false if it is none. */
bool json_natural(const struct json_value *value, uint64_t *number);
/* Any number that is finite. */
bool json_real(const struct json_value *value, double *number);

/**
 * json_keys - how many of @keys (up to a NULL) are in the outermost object, as far as it is there
 * @bytes: the beginning of a file
 */
size_t json_keys(const uint8_t *bytes, size_t n, const char *const *keys);

#endif

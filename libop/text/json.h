/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON writer (RFC 8259):
 *
 *	struct op_json json = {.out = stdout, .spaced = true};
 *
 *	op_json_object(&json, NULL);
 *	op_json_number(&json, "version", 1);
 *	op_json_array(&json, "names");
 *	op_json_string(&json, NULL, "a");
 *	op_json_end(&json);
 *	op_json_end(&json);			{"version": 1, "names": ["a"]}
 *
 * The @key of each function names the value in an object, and is NULL in an array and for the
 * outermost value.  Commas and escapes are the writer's matter.  In strings, control characters
 * (C0, DEL, C1) are escaped, and a byte that is not UTF-8 becomes U+FFFD.  Errors are those of
 * @out: see ferror(3).
 */
#ifndef LIBOP_TEXT_JSON_H
#define LIBOP_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define OP_JSON_DEPTH 64 /* objects and arrays in each other, at most */

struct op_json {
	FILE *out;
	bool spaced; /* a blank after ',' and ':' */
	/* for the writer; all zero at first */
	uint64_t arrays;    /* a bit for each open object or array: it is an array */
	unsigned int depth; /* open objects and arrays */
	bool follows;	    /* a value precedes, in the same object or array */
	bool newline;
};

/* Writes @text as a string, for lines that are put together by other means. */
void op_json_quote(FILE *out, const char *text);

/* Begins an object or an array. */
void op_json_object(struct op_json *json, const char *key);
void op_json_array(struct op_json *json, const char *key);
/* Ends the innermost object or array. */
void op_json_end(struct op_json *json);

/* The next value, or the next end, begins a line. */
void op_json_newline(struct op_json *json);

/* Values. @text may be NULL: null. */
void op_json_string(struct op_json *json, const char *key, const char *text);
void op_json_number(struct op_json *json, const char *key, uint64_t value);
void op_json_bool(struct op_json *json, const char *key, bool value);
void op_json_null(struct op_json *json, const char *key);
/* A string: "0x" and hexadecimal digits. */
void op_json_hex(struct op_json *json, const char *key, uint64_t value);

/* A value as printf() makes it, which must be JSON: "%.3f". */
void op_json_raw(struct op_json *json, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a fleet's store, as a file: what a closed session has become to be sent to a server
 * (oppush(1)), and what a server's answers are put together to.
 *
 * The file begins with FLEET_MAGIC.  Then comes a section for each table: its name, as a string;
 * the length of its rows in bytes, as UInt64; the rows.  In what is sent they are in the order of
 * enum fleet_table_id, in what is put together in any.  Strings and rows are as ClickHouse's
 * RowBinary has them, so the rows of a section are the body of an INSERT into the table, and the
 * answer to a SELECT from it:
 *
 *	String		length (LEB128), bytes
 *	UInt8, UInt16, UInt32, UInt64		little-endian
 *	Date		UInt16, days since 1970
 *	DateTime	UInt32, seconds since 1970, UTC
 *	FixedString(16)	16 bytes
 *	Array(T)	number of elements (LEB128), elements
 *
 * Numbers of events, images and frames are hashes of what they are (identity.h), so all machines of
 * a fleet have the same ones, and what one of them sends says what the samples of another mean.  A
 * frame is a line of a function of an image, not an address: names are looked up where the samples
 * were taken.
 */
#ifndef PP_FORMATS_STORE_TABLES_H
#define PP_FORMATS_STORE_TABLES_H

#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "libop/base/reader.h"

#define FLEET_MAGIC "oprofile-fleet 2\n"

/*
 * ROW(ID, name, columns, types).  What refers to rows of another table comes behind it.  Of an
 * image, @kind is one of enum fleet_image_kind.  A stack has frames from the leaf on; @inlined:
 * into the frame that follows.  A session is what a host has closed at a time: its samples are
 * those with its number, and count once it is there itself, which is sent last, with the number of
 * its rows and of their samples.  The number is of all that was sent of it, @origin of what was
 * profiled: a session that was sent twice, with other names, is two of one origin, of which one
 * counts.
 */
#define FLEET_TABLES(ROW)                                                                          \
	ROW(FLEET_EVENTS, "events", "event, name, unit, period, frequency, unit_mask", "qssqqq")   \
	ROW(FLEET_IMAGES, "images", "image, kind, path, build_id", "qbss")                         \
	ROW(FLEET_FRAMES, "frames", "frame, image, function, file, line, inlined", "qqssib")       \
	ROW(FLEET_STACKS, "stacks", "stack, frames", "xQ")                                         \
	ROW(FLEET_LABEL_SETS, "label_sets", "label_set, names, texts", "qSS")                      \
	ROW(FLEET_SAMPLES, "samples",                                                              \
	    "day, time, host, session, label_set, event, app, thread, cgroup, stack, samples, "    \
	    "weight",                                                                              \
	    "hisqqqsssxqq")                                                                        \
	ROW(FLEET_LOSSES, "losses", "day, time, host, session, cause, samples", "hisqsq")          \
	ROW(FLEET_SESSIONS, "sessions",                                                            \
	    "day, time, host, session, label_set, origin, duration, os, arch, cpu, cpu_type, "     \
	    "cpu_mhz, command, rows, samples",                                                     \
	    "hisqqqqssssisqq")

enum fleet_table_id {
#define FLEET_ID(id, name, columns, types) id,
	FLEET_TABLES(FLEET_ID)
#undef FLEET_ID
		FLEET_TABLES_N
};

struct fleet_table {
	const char *name, *columns;
	const char *types; /* of columns: fleet_row_skip() */
};

extern const struct fleet_table fleet_tables[FLEET_TABLES_N];

/* What code is in, as numbers that do not change. */
enum fleet_image_kind {
	FLEET_FILE = 1,
	FLEET_KERNEL,
	FLEET_MODULE,
	FLEET_VDSO,
	FLEET_ANON,
	FLEET_BPF,
	FLEET_UNKNOWN,
	FLEET_UNKNOWN_KERNEL,
};

#define FLEET_STACK_BYTES 16

/* Labels of a host, and how many of them all hosts have. */
#define FLEET_LABELS_MOST 48
#define FLEET_HOST_LABELS 3

/**
 * fleet_label_check - whether a word is a label that a host may have
 * @word: NAME=TEXT; of NAME there are letters, digits, "_", "." and "-"
 *
 * Return: 0, or -1 with @error set: EINVAL.
 */
int fleet_label_check(const char *word, struct op_error *error);

/* The same of a name alone, which may be one that samples or hosts have anyway. */
bool fleet_label_is_name(const char *name, size_t n);

/* A string, as RowBinary has it. */
void fleet_put_string(struct op_buffer *out, const char *text, size_t n);

/**
 * fleet_row_skip - pass over a row
 * @rows: where it begins
 *
 * Types of columns are b, h, i and q: UInt8 to UInt64 (h, i: also Date and DateTime); s: String; x:
 * FixedString(16); Q and S: Array of q and of s.
 *
 * Return: whether all of it is there.
 */
bool fleet_row_skip(enum fleet_table_id table, struct op_reader *rows);

/* What no server knows. */
#define FLEET_NO_TYPE "no_type"

/* What the server calls such a type: of numbers, by their size only. */
const char *fleet_type_name(char type);

/* Passes over a column of such a type. */
void fleet_column_skip(char type, struct op_reader *rows);

/* What a section begins with. */
void fleet_section_begin(struct op_buffer *out, enum fleet_table_id table, uint64_t length);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers of text profiles share: the stacks in their lines, and the names of code.
 *
 *	4: 2000 [    8: 4000] @ 0x55d4c0de1179 0x55d4c0de1279
 */
#ifndef PP_FORMATS_GPERFTOOLS_TEXT_READER_H
#define PP_FORMATS_GPERFTOOLS_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/formats/model/profile.h"
#include "places.h"

#define TEXT_NUMBER_MOST (UINT64_C(1) << 62)
#define TEXT_INLINES_MOST 64 /* functions at one address */

enum text_kind { TEXT_HEAP, TEXT_CONTENTION, TEXT_THREADS, TEXT_COUNTS };

/* What the addresses of a stack's callers are: the leaf is always as it stands but for RETURNS. */
enum text_stack {
	TEXT_RETURNS, /* return addresses, the leaf, too */
	TEXT_EXACT,   /* return addresses, but for the leaf */
	TEXT_NUMBERS, /* of names: Java */
};

struct text_reader {
	struct prof_sink *sink;
	struct op_error *error;
	struct cpuprofile_places places;
	enum text_kind kind;
	bool is_java;		/* addresses are numbers of the names behind the samples */
	uint32_t events[2];	/* of heaps: in use, and all */
	uint64_t rate;		/* of memory that is sampled: bytes; 0: all is counted */
	uint64_t period, hz;	/* of contention; hz 0: it is in nanoseconds */
	uint64_t *addresses;	/* of the frames, as they stand there */
	struct prof_frame *frames;
	size_t depth;
	uint64_t cut; /* frames */

	/* The thread that is read. */
	bool has_thread;
	size_t before; /* frames of the thread before */
	uint32_t comm;
	int64_t tid;

	/* The functions at an address that are read: see text_take_name(). */
	uint64_t named;
	struct text_name {
		char *function, *file;
		int64_t line;
	} names[TEXT_INLINES_MOST];
	size_t n_names;
};

void text_reader_open(struct text_reader *reader);
void text_reader_close(struct text_reader *reader);

/* ---- words of a line; false: it is another one, and @at is anywhere ---- */

void text_skip_blanks(const char **at);
bool text_take_mark(const char **at, char mark);
bool text_take_number(const char **at, uint64_t *number);
/* "4: 2000" */
bool text_take_pair(const char **at, uint64_t *count, uint64_t *bytes);
/* "0x55d4c0de1179" */
bool text_take_address(const char **at, uint64_t *address);

/* Adds a frame to the stack. */
void text_add_frame(struct text_reader *reader, uint64_t address, enum text_stack stack);
/* Adds all addresses that follow, to the end of the line.  Return: false if there is something
 * else. */
bool text_take_stack(struct text_reader *reader, const char *at, enum text_stack stack);

/* Pushes the stack, if there are values.  Return: 0, or -1 with the error set. */
int text_push(struct text_reader *reader, const struct prof_value *values, size_t n);

/* ---- names ---- */

/* What the frame @i is called. */
void text_name_frame(struct text_reader *reader, size_t i, const struct prof_line *lines, size_t n);

/**
 * text_take_name - a line of Go behind a stack: "#	0x43a236	main.work+0x16	/src/a.go:12"
 *
 * Lines with one address are functions inlined in each other, innermost first.  Other comments have
 * no address.
 */
void text_take_name(struct text_reader *reader, const char *line);
/* The stack ends, and so do its names. */
void text_end_names(struct text_reader *reader);

/* ---- kinds: a line.  Return: 1, 0 if it is none of theirs, or -1 with the error set ---- */

int text_take_heap(struct text_reader *reader, const char *line);
int text_take_contention(struct text_reader *reader, const char *line);
int text_take_thread(struct text_reader *reader, const char *line);
int text_take_count(struct text_reader *reader, const char *line);

/* After the last line of threads.  Return: 0, or -1 with the error set. */
int text_end_thread(struct text_reader *reader);

/* "heap profile: 10: 5000 [ 20: 9000] @ heap_v2/524288" */
void text_begin_heap(struct text_reader *reader, const char *line);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stdio stream whose output is kept in memory.  For commands: out of memory ends the program, as
 * with the functions of memory.h.
 */
#ifndef LIBOP_BASE_TEXT_STREAM_H
#define LIBOP_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct op_text_stream {
	FILE *out;
	char *text;    /* after op_text_stream_close() only: ended by NUL; free() frees it */
	size_t length; /* likewise: in bytes, without the NUL */
};

/* Opens an empty stream; @stream must not move until it is closed. */
void op_text_stream_open(struct op_text_stream *stream);

/* Ends the output and sets @text, which is the caller's, and @length. */
void op_text_stream_close(struct op_text_stream *stream);

#endif

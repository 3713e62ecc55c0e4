/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that perf script prints, whichever of its fields were asked for:
 *
 *	busy 3124/3125 [001] 123.456789:     250000 cycles:u:
 *		55d4c0de1179 cmp+0x4 (/tmp/busy)
 */
#ifndef PP_FORMATS_PERF_SCRIPT_LINE_H
#define PP_FORMATS_PERF_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts point into the line, which has a NUL after each of them. */
struct script_head {
	char *comm;
	char *event;	       /* without modifiers; NULL: the line does not say */
	int64_t pid, tid, cpu; /* or -1 */
	uint64_t time;	       /* ns; 0: the line does not say */
	uint64_t period;       /* 0: the line does not say */
	bool is_bare;	       /* neither CPU, time nor event: any text with a number is so */
	char *record;	       /* of another kind than samples: "MMAP2"; NULL: it is a sample */
	char *rest;	       /* what follows: a frame, text of a tracepoint, or "" */
};

struct script_frame {
	uint64_t address;
	char *function; /* "" if it is not known */
	char *image;	/* "" if it is not known */
	bool is_inlined;
};

/* Return: false if the line does not begin a sample; it is unchanged then. */
bool script_head_parse(char *line, struct script_head *head);

/* Whether the line is a frame as perf script aligns it, so that none begins the samples. */
bool script_is_headless(const char *line);

/**
 * script_source_parse - the line of source below a frame: "  busy.c:12", or "  busy[1194]"
 * @file: set to "busy.c", in @text
 * @number: set to the number; 0: perf does not know it
 *
 * Return: false if the line is none; it is unchanged then.
 */
bool script_source_parse(char *text, const char **file, int64_t *number);

/* Return: false if the line is no frame; it is unchanged then. */
bool script_frame_parse(char *line, struct script_frame *frame);

#endif

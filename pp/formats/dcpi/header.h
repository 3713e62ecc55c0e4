/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of DCPI's profiles: lines of text, up to one that says "samples".
 *
 * The text of all lines is kept, for whoever writes a profile again has to preserve lines that it
 * does not know, in their places.
 */
#ifndef PP_FORMATS_DCPI_HEADER_H
#define PP_FORMATS_DCPI_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* Bytes of one line, and of all. */
#define DCPI_LINE_MOST	 ((size_t)64 << 10)
#define DCPI_HEADER_MOST ((size_t)1 << 20)

/* Major versions below this one are known. */
#define DCPI_MAJOR_END 1

struct dcpi_header {
	struct op_strings lines; /* but for the last one */
	size_t size;		 /* bytes of them */
	uint32_t seen;		 /* which of those below there are */
	uint64_t major, minor;
	char *image;	   /* hexadecimal digits */
	char *event;	   /* what was counted */
	char *platform;	   /* or NULL, as the next two */
	char *path;	   /* of the image; the first one */
	uint64_t epoch;	   /* seconds since 1970; 0: not said */
	uint64_t period;   /* events per sample */
	uint64_t tstart;   /* address of the text */
	uint64_t tsize;	   /* its bytes */
	uint64_t cpuspeed; /* MHz; 0: not said, as the next one */
	uint64_t cpucount;
	/* Lines of ours: bytes from one count to the next, 0: not said; and where the text begins
	 * in the file. */
	uint64_t stride;
	uint64_t offset;
};

/**
 * dcpi_header_add - read a line
 * @header: all zero before the first one; dcpi_header_free() frees what it holds
 * @is_last: set to true if it is the last one, "samples"
 *
 * Return: 0, or -1 with @error set (without the name of the file).
 */
int dcpi_header_add(struct dcpi_header *header, const char *line, size_t length, bool *is_last,
		    struct op_error *error);

/* To be called after the last line: sees to it that what must be there is there. */
int dcpi_header_check(const struct dcpi_header *header, struct op_error *error);
/* What to call the image: its path, or if there is none "[image DIGITS]".  The caller frees it. */
char *dcpi_header_image(const struct dcpi_header *header);
void dcpi_header_free(struct dcpi_header *header);

/* True if the first bytes of a file are those of a profile, of whatever version. */
bool dcpi_header_recognise(const char *bytes, size_t n);

/* Seconds since 1970 of "YYMMDDHHMM", "YYYYMMDDHHMM" or "YYYYMMDDHHMMSS" (UTC).  Years of two
 * digits begin with 1970.  Return: false if @text is none. */
bool dcpi_epoch_parse(const char *text, uint64_t *seconds);

#endif

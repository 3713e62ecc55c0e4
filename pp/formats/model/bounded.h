/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of a profile within a number of bytes, for writers of formats with output::most.
 *
 * Any user can have programs with as many stacks as there are samples.  Each program may take a
 * quarter of the bytes.  Samples are written from the greatest counts on, and those that find no
 * room are added up by program, as its function BOUNDED_LEFT_OUT; the last quarter is for that.
 * Programs beyond it are one.  So sums stay what they are, by event and by program.
 */
#ifndef PP_FORMATS_MODEL_BOUNDED_H
#define PP_FORMATS_MODEL_BOUNDED_H

#include <stdint.h>
#include <string.h>

#include "profile.h"

#define BOUNDED_LEFT_OUT "[left out]"

/* What a format has to say and to do. */
struct bounded_writer {
	/* The bytes that are written so far. */
	uint64_t (*used)(void *context);
	/* What a sample takes at most, if nothing that it refers to is there yet. */
	uint64_t (*cost)(void *context, const struct prof_sample *sample);
	void (*add)(void *context, const struct prof_sample *sample);
	/* The same of samples that are left out: only the program and the values are set, and the
	 * caller's one frame is BOUNDED_LEFT_OUT of the program's image, or of none. */
	uint64_t (*left_out_cost)(void *context, const struct prof_sample *sample);
	void (*add_left_out)(void *context, const struct prof_sample *sample);
};

/* Of a path or another text that may be missing. */
static inline uint64_t bounded_text_bytes(const char *text)
{
	return text ? strlen(text) : 0;
}

/* Of the labels of a sample, and @each more for each of them. */
uint64_t bounded_labels_bytes(const struct prof *prof, const struct prof_sample *sample,
			      uint64_t each);

/**
 * bounded_add_samples - add all samples of a profile
 * @most: bytes; 0: no limit, then only bounded_writer::add is called
 */
void bounded_add_samples(const struct prof *prof, uint64_t most,
			 const struct bounded_writer *writer, void *context);

#endif

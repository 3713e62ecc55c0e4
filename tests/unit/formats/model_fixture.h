/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the model, and of what feeds it, share. */
#ifndef TESTS_UNIT_FORMATS_MODEL_FIXTURE_H
#define TESTS_UNIT_FORMATS_MODEL_FIXTURE_H

#include <stdint.h>

#include "pp/formats/model/profile.h"

/* Random numbers that are the same in each run; @state is any but 0 at the beginning. */
static inline uint64_t random_number(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A mapping of a file, of any process. */
static inline struct prof_image file_at(const char *name, uint64_t start, uint64_t end,
					uint64_t offset)
{
	return (struct prof_image){.kind = PROF_FILE,
				   .path = name,
				   .start = start,
				   .end = end,
				   .offset = offset,
				   .pid = PROF_ANY};
}

/* Adds a sample of any process, whose application is the image of its leaf.  Return: as sink. */
static inline int push_sample(struct prof *prof, const struct prof_frame *frames, size_t depth,
			      struct prof_value value, struct op_error *error)
{
	const struct prof_sample sample = {.frames = frames,
					   .depth = depth,
					   .values = &value,
					   .n_values = 1,
					   .app = depth ? frames[0].image : PROF_NO_IMAGE,
					   .pid = PROF_ANY,
					   .tid = PROF_ANY,
					   .cpu = PROF_ANY};

	return prof->sink.sample(&prof->sink, &sample, error);
}

#endif

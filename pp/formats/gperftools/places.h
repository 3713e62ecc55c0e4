/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From addresses of a gperftools profile to images, by the mappings at its end. */
#ifndef PP_FORMATS_GPERFTOOLS_PLACES_H
#define PP_FORMATS_GPERFTOOLS_PLACES_H

#include "maps.h"
#include "pp/formats/model/profile.h"
#include "records.h"

struct cpuprofile_places {
	struct prof_sink *sink;
	struct cpuprofile_maps maps; /* by start */
	uint32_t *images;	     /* of each map; 0: not made yet */
	uint32_t app;		     /* the program, or PROF_NO_IMAGE */
};

/* Reads the mappings, and finds the program; notes it if there are none. */
void cpuprofile_places_read(struct cpuprofile_places *places, struct prof_sink *sink,
			    struct cpuprofile_text text);
void cpuprofile_places_free(struct cpuprofile_places *places);

/* The place of an address, in PROF_NO_IMAGE if no mapping has it. */
struct prof_frame cpuprofile_place(struct cpuprofile_places *places, uint64_t address);

/* The same of a frame; for a caller (@index is not 0), it is the call that is in an image: what is
 * behind it may be not. */
struct prof_frame cpuprofile_frame(struct cpuprofile_places *places, uint64_t address,
				   size_t index);

#endif

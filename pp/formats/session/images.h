/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images of a session that is read: each is passed to the sink once, with what is known of it
 * from the file "origin", from what the daemon saved of the kernel, and from the image itself.
 */
#ifndef PP_FORMATS_SESSION_IMAGES_H
#define PP_FORMATS_SESSION_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/sample_name.h"
#include "libop/base/hash.h"
#include "pp/formats/model/profile.h"
#include "session.h"
#include "pp/symbols/image_path.h"
#include "pp/symbols/kallsyms.h"

struct session_known_image {
	char *name; /* as op_image_name_make() makes it */
	uint32_t id;
};

struct session_images {
	/* Set by the owner: */
	struct prof_sink *sink;
	struct pp_image_search *search; /* for build-ids; may be NULL */
	const struct session_origin *origin;
	const struct pp_kallsyms *kallsyms;

	struct session_known_image *known;
	size_t n, capacity;
	struct op_hash by_name;
};

/**
 * session_images_number - the sink's number of an image, which is passed to it if it is new
 * @is_kernel: what the sample file says
 * @mtime: 0: not known
 *
 * What is said of an image when it is new is believed.
 */
uint32_t session_images_number(struct session_images *images, const struct op_image_name *name,
			       bool is_kernel, uint64_t mtime);

/* Forgets all, so that @images may serve another session. */
void session_images_free(struct session_images *images);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DAEMON_LIVE_IMAGE_FACTS_H
#define DAEMON_LIVE_IMAGE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libop/elf/identity.h"
#include "module/uapi/oprofile.h"

/* struct image_facts - what is known of the file behind a cookie */
struct image_facts {
	struct oprofile_image reported; /* by the source; path ends with NUL */
	bool present;	  /* reported.path names this very file for the daemon, or the host */
	const char *root; /* if @present: what it is below: "", or HOST_ROOT (host.h) */
	uint64_t mtime;	  /* of the file, in seconds, if @present; else 0 */
	bool identified;
	struct op_identity identity; /* of the file, if @identified */
	uint32_t owner;		     /* of the file; UINT32_MAX if not @present */
};

/* Takes the build-id that the source has reported, if it has, for the identity. */
static inline void image_facts_identify(struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;

	facts->identified = reported->flags & OPROFILE_IMAGE_BUILD_ID && reported->build_id_size &&
			    reported->build_id_size <= BUILD_ID_MAX;
	if (!facts->identified)
		return;
	facts->identity = (struct op_identity){.build_id_size = (uint8_t)reported->build_id_size};
	memcpy(facts->identity.build_id, reported->build_id, reported->build_id_size);
}

#endif

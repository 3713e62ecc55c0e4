/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DAEMON_LIVE_IMAGE_FACTS_H
#define DAEMON_LIVE_IMAGE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "module/uapi/oprofile.h"

/* struct image_facts - what is known of the file behind a cookie */
struct image_facts {
	struct oprofile_image reported; /* by the source; path ends with NUL */
	bool present;			/* reported.path names this very file for the daemon, too */
	uint64_t mtime;			/* of the file, in seconds, if @present; else 0 */
};

#endif

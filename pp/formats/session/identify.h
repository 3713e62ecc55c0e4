/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What identifies the images of a profile that is in no session. */
#ifndef PP_FORMATS_SESSION_IDENTIFY_H
#define PP_FORMATS_SESSION_IDENTIFY_H

#include "pp/formats/model/profile.h"
#include "pp/symbols/image_reader.h"

/**
 * session_identify - tell a reader of images the build-ids of a profile's
 * @reader: has its search, which nothing was asked of yet
 *
 * Then only files with these build-ids are found, as for a session that was made of the profile.
 */
void session_identify(const struct prof *prof, struct pp_image_reader *reader);

#endif

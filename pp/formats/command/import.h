/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a foreign profile to a session directory, in one step. */
#ifndef PP_FORMATS_COMMAND_IMPORT_H
#define PP_FORMATS_COMMAND_IMPORT_H

#include "pp/formats/model/profile.h"
#include "pp/formats/session/session.h"

/**
 * import_session - make a profile the live session of a session directory
 * @dir: is made if it is missing; must have no samples in samples/current
 *
 * All is written beside it first, so that an error leaves @dir as it was.
 *
 * Return: 0, or -1 with @error set: EEXIST if there are samples already.
 */
int import_session(const struct prof *prof, const char *dir, const struct session_options *options,
		   struct op_error *error);

/* Whether import_session() would refuse @dir.  Return: 0, or -1 with @error set. */
int import_session_check(const char *dir, struct op_error *error);

#endif

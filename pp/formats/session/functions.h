/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions that only a profile has: the file "functions" (libop/session/functions.h). */
#ifndef PP_FORMATS_SESSION_FUNCTIONS_H
#define PP_FORMATS_SESSION_FUNCTIONS_H

#include "images.h"
#include "names.h"
#include "pp/formats/model/profile.h"

/* Writes it to SESSION/samples/NAME, if the profile has any.  Return: 0, or -1 with @error set. */
int session_functions_write(const struct prof *prof, const struct session_names *names,
			    const char *dir, struct op_error *error);

/* Tells the sink what the file says.  Images have to be known: what is said of them here is less
 * than what sample files say. */
void session_functions_read(struct session_images *images, const char *dir);

#endif

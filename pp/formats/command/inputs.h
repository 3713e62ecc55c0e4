/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of any format that commands are given: read into a struct prof, or as a session that
 * lasts as long as the process (libop/session/temporary.h).
 */
#ifndef PP_FORMATS_COMMAND_INPUTS_H
#define PP_FORMATS_COMMAND_INPUTS_H

#include "pp/formats/model/format.h"
#include "pp/formats/model/profile_input.h"
#include "pp/formats/session/session.h"
#include "pp/tool/inputs.h"

/* For struct pp_tool. */
extern const struct pp_input_readers input_readers;

/**
 * input_read - read an open profile, and warn of what its reader noted
 * @prof: what is read is added to it
 * @by: as of prof_new()
 * @options: bytes and supplier are added to them, for the session that is made of it; may be NULL
 *
 * Return: 0, or -1 with @error set; @prof has what came before an error in the profile.
 */
int input_read(struct prof *prof, struct profile_input *profile, const struct format *format,
	       unsigned int by, struct session_options *options, struct op_error *error);

/* Reads profiles that were read before, and warns of nothing again.  Return: 0, or -1 with @error
 * set. */
int inputs_read_again(const struct op_strings *paths, unsigned int by, struct prof *prof,
		      struct op_error *error);

/* Warns of labels that are lost in what the profile becomes. */
void input_warn_of_labels(const struct prof *prof, const char *name);

/* Refuses what a session has no place for.  Return: 0, or -1 with @error set. */
int input_check_signs(const struct prof *prof, const char *name, struct op_error *error);

#endif

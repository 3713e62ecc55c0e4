/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a specification that match nothing are named. */
#ifndef PP_SELECT_UNMATCHED_H
#define PP_SELECT_UNMATCHED_H

#include "libop/base/error.h"
#include "sample_list.h"
#include "spec.h"

/**
 * pp_refuse_unmatched - say which word leaves nothing of a session
 * @list: what was searched
 *
 * Searches the session once more, for all that it has.
 *
 * Return: -1, with @error set: PP_NO_MATCH.
 */
int pp_refuse_unmatched(const struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, struct op_error *error);

/* Warns of words that nothing of @list is of: those of a list are alternatives, and others have
 * samples. */
void pp_warn_of_unmatched(const struct pp_sample_list *list, const char *session_dir,
			  const struct pp_spec *spec);

#endif

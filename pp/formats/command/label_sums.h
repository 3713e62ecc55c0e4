/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of a profile by the values of a label: pp/select/label_sums.h. */
#ifndef PP_FORMATS_COMMAND_LABEL_SUMS_H
#define PP_FORMATS_COMMAND_LABEL_SUMS_H

#include "pp/formats/session/session.h"
#include "pp/select/label_sums.h"

/**
 * prof_label_sums - what sessions of each value of a label would have, by program
 * @prof: finished, of one event
 * @selection: its label, and the labels that are wanted
 * @sums: empty; pp_label_sums_free() frees what it holds
 */
void prof_label_sums(const struct prof *prof, const struct session_selection *selection,
		     struct pp_label_sums *sums);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selection: the sample files that a command line selects, in classes.
 */
#ifndef PP_SELECT_SELECTION_H
#define PP_SELECT_SELECTION_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "classes.h"
#include "sample_list.h"
#include "spec.h"
#include "libop/base/warnings.h"

/**
 * pp_select - find the sample files and sort them into classes
 * @list: filled in; pp_sample_list_free() frees what it holds, whatever is returned
 * @classes: likewise, with pp_classes_free(); must be zeroed before
 * @session_dir: the session directory
 * @spec: selects sessions and sample files
 * @merge: axes that are merged
 * @exclude_dependent: leave out images other than the application itself
 * @warnings: warns of what was skipped
 *
 * Return: 0, or -1 with @error set: no session, no samples that match (PP_NO_SESSION, PP_NO_MATCH),
 * or classes that differ along more than one axis.
 */
int pp_select(struct pp_sample_list *list, struct pp_classes *classes, const char *session_dir,
	      const struct pp_spec *spec, const struct pp_merge *merge, bool exclude_dependent,
	      struct op_warnings *warnings, struct op_error *error);

/* As pp_select(), but without classes, and without reading any file. */
int pp_select_files(struct pp_sample_list *list, const char *session_dir,
		    const struct pp_spec *spec, bool exclude_dependent,
		    struct op_warnings *warnings, struct op_error *error);

#endif

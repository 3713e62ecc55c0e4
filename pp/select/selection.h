/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selection: the sample files that a command line means, in classes.
 */
#ifndef PP_SELECTION_H
#define PP_SELECTION_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "pp/select/classes.h"
#include "pp/select/sample_list.h"
#include "pp/select/spec.h"
#include "libop/base/warnings.h"

/**
 * pp_select - find the sample files and sort them into classes
 * @list: filled in; pp_sample_list_free() frees what it holds, whatever is returned
 * @classes: likewise, with pp_classes_free(); must be zeroed before
 * @session_dir: the session directory
 * @spec: what is wanted
 * @merge: axes that make no classes
 * @exclude_dependent: leave out images other than the application itself
 * @trouble: told of what was skipped
 *
 * Return: 0, or -1 with @error set: no session, no samples that are meant, or classes that
 * differ along more than one axis.
 */
int pp_select(struct pp_sample_list *list, struct pp_classes *classes, const char *session_dir,
	      const struct pp_spec *spec, const struct pp_merge *merge, bool exclude_dependent,
	      struct pp_warnings *trouble, struct op_error *error);

/* Only finds them: the same without classes, and without reading any file. */
int pp_select_files(struct pp_sample_list *list, const char *session_dir,
		    const struct pp_spec *spec, bool exclude_dependent, struct pp_warnings *trouble,
		    struct op_error *error);

#endif

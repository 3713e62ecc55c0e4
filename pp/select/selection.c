// SPDX-License-Identifier: GPL-2.0-or-later
/* Selects sample files. */
#include "selection.h"

#include <errno.h>

#include "libop/session/temporary.h"
#include "multiplexing.h"
#include "unmatched.h"
#include "weights.h"

int pp_select_files(struct pp_sample_list *list, const char *session_dir,
		    const struct pp_spec *spec, bool exclude_dependent,
		    struct op_warnings *warnings, struct op_error *error)
{
	if (pp_sample_list_find(list, session_dir, spec, exclude_dependent, warnings, error))
		return -1;
	if (list->n && spec->is_alone)
		pp_warn_of_unmatched(list, session_dir, spec);
	if (list->n)
		return 0;
	if (list->n_bad)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	if (list->n_passed_over)
		return pp_refuse_unmatched(list, session_dir, spec, error);
	list->is_empty = true;
	return op_error_set(error, PP_NO_SESSION, "no sample files in %s",
			    op_session_shown(session_dir));
}

int pp_select(struct pp_sample_list *list, struct pp_classes *classes, const char *session_dir,
	      const struct pp_spec *spec, const struct pp_merge *merge, bool exclude_dependent,
	      struct op_warnings *warnings, struct op_error *error)
{
	/* Names become columns, so only the names of valid files are used. */
	list->want_counts = list->want_weights = true;
	if (pp_select_files(list, session_dir, spec, exclude_dependent, warnings, error))
		return -1;
	if (pp_classes_make(classes, list, merge, error))
		return -1;
	pp_weights_find(list, classes);
	pp_weight_units_find(list);
	pp_scales_find(list, classes);
	return 0;
}

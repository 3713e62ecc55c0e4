/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sample files of a pack, as the search of directories finds loose ones. */
#ifndef PP_PACK_SEARCH_H
#define PP_PACK_SEARCH_H

#include "pp/select/sample_search.h"

/**
 * pp_pack_search - add the sample files of a session's pack to a list, if there is one
 * @samples_dir: SESSION/samples/NAME
 * @trouble: told of a pack that can't be read, which is left out
 *
 * Nothing but the directory of the pack is read: it has the totals.  The files come in the order
 * in which they would be found loose.
 */
void pp_pack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		    const char *samples_dir, struct pp_warnings *trouble);

#endif

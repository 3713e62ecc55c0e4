/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sample files of a pack, found as the search of directories finds loose ones. */
#ifndef PP_SELECT_PACK_SEARCH_H
#define PP_SELECT_PACK_SEARCH_H

#include "sample_search.h"

/**
 * pp_pack_search - add the sample files of a session's pack, if any, to a list
 * @samples_dir: SESSION/samples/NAME
 * @warnings: warns of a pack that can't be read, which is left out
 *
 * Reads only the directory of the pack, which has the totals.  The order of the files is that of
 * loose ones.
 */
void pp_pack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		    const char *samples_dir, struct pp_warnings *warnings);

#endif

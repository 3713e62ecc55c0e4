/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sample files of a pack, found as the search of directories finds loose ones. */
#ifndef PP_SELECT_PACK_SEARCH_H
#define PP_SELECT_PACK_SEARCH_H

#include "sample_search.h"

/**
 * pp_pack_open - open the pack of a session for a list, which owns it
 * @samples_dir: SESSION/samples/NAME
 * @is_whole: of the session with its loose files, for one that could not be held
 * @warnings: warns of a pack that can't be read, which is left out
 *
 * Return: the pack; NULL if there is none.
 */
struct op_pack *pp_pack_open(struct pp_sample_list *list, const char *samples_dir, bool is_whole,
			     struct op_warnings *warnings);

/**
 * pp_pack_search - add the sample files of a session's pack to a list
 * @pack: of pp_pack_open(); NULL: nothing is added
 * @tree: what their names begin with, before the image: "", or OP_SAMPLES_WEIGHTS "/"
 *
 * Reads only the directory of the pack, which has the totals.  The order of the files is that of
 * loose ones.
 */
void pp_pack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		    struct op_pack *pack, const char *samples_dir, const char *tree,
		    struct op_warnings *warnings);

#endif

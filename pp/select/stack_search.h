/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of a session for its stack files.
 */
#ifndef PP_SELECT_STACK_SEARCH_H
#define PP_SELECT_STACK_SEARCH_H

#include <stdbool.h>

#include "sample_search.h"

/**
 * pp_stack_search - add the stack files of a session to a list
 * @list: those whose event, process, thread and CPU the search selects are added to its stacks
 * @pack: the session's pack, or NULL
 * @samples_dir: SESSION/samples/NAME
 * @warnings: warns of directories that can't be read
 *
 * Return: whether the session has any.
 */
bool pp_stack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		     struct op_pack *pack, const char *samples_dir, struct op_warnings *warnings);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that take names of symbols, between commas.  A comma inside brackets belongs to the
 * name: "main,add(int, int),Map<int, long>::get" has three.
 */
#ifndef PP_TOOL_SYMBOL_LIST_H
#define PP_TOOL_SYMBOL_LIST_H

#include "libop/base/option.h"

extern const struct op_option_type pp_option_symbol_list;

/* struct op_strings: gets the names, none of which is empty. */
#define PP_SYMBOL_LIST(struct_type, member)                                                        \
	.type = &pp_option_symbol_list, .field = OP_FIELD(struct_type, member, struct op_strings)

#endif

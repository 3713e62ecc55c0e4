/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of options that several report tools have, so that such an option has one name, one help
 * text and one error everywhere:
 *
 *	static const struct op_option options[] = {
 *		{"list-files", 'l', NULL, "only list the files", OP_FLAG(struct job, list_files)},
 *		PP_OPTION_MERGE(struct job, merge),
 *		{0}
 *	};
 */
#ifndef PP_TOOL_SHARED_OPTIONS_H
#define PP_TOOL_SHARED_OPTIONS_H

#include "libop/base/option.h"
#include "pp/select/classes.h"
#include "pp/symbols/demangle.h"
#include "symbol_list.h"

#define PP_OPTION_MERGE(type, field)                                                               \
	{                                                                                          \
		"merge", 'm', "LIST",                                                              \
			"sum up samples separated by: cpu, tid, tgid, unitmask, lib, all",         \
			PP_MERGE(type, field)                                                      \
	}
#define PP_OPTION_EXCLUDE_DEPENDENT(type, field)                                                   \
	{                                                                                          \
		"exclude-dependent", 'x', NULL,                                                    \
			"leave out libraries and kernel images of applications",                   \
			OP_FLAG(type, field)                                                       \
	}
#define PP_OPTION_EXCLUDE_SYMBOLS(type, field)                                                     \
	{                                                                                          \
		"exclude-symbols", 'e', "NAMES", "leave out these symbols (names or patterns)",    \
			PP_SYMBOL_LIST(type, field)                                                \
	}
#define PP_OPTION_INCLUDE_SYMBOLS(type, field)                                                     \
	{                                                                                          \
		"include-symbols", 'i', "NAMES", "show only these symbols (names or patterns)",    \
			PP_SYMBOL_LIST(type, field)                                                \
	}
#define PP_OPTION_UNSCALED(type, field)                                                            \
	{                                                                                          \
		"unscaled", 0, NULL, "do not scale counts of multiplexed events",                  \
			OP_FLAG(type, field)                                                       \
	}
#define PP_OPTION_DEMANGLE(type, field)                                                            \
	{                                                                                          \
		"demangle", 'D', "STYLE",                                                          \
			"names of C++ and Rust: none, normal or smart (default: normal; smart in " \
			"reports on a terminal)",                                                  \
			OP_WORD(type, field, enum pp_demangle, pp_demangle_styles)                 \
	}
#define PP_OPTION_THRESHOLD(type, field)                                                           \
	{                                                                                          \
		"threshold", 't', "PERCENT", "leave out entries below this share of samples",      \
			OP_PERCENT(type, field)                                                    \
	}

#endif

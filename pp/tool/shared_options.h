/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of the report tools: one row an option, which says what it is called and which
 * field of the tool's options it sets.  An option that several tools have is one row here,
 * so that it has one name, one help text and one error everywhere.
 *
 *	static const struct pp_option options[] = {
 *		{"output", 'o', "file", "write to this file", PP_TEXT(struct job, output)},
 *		{"list-files", 'l', NULL, "only list the files", PP_FLAG(struct job, list_files)},
 *		PP_OPTION_MERGE(struct job, merge),
 *		{0}
 *	};
 *
 * What is taken by an option that is given twice is the last; lists grow.  A tool with an
 * argument like no other adds a struct pp_option_type of its own.
 */
#ifndef PP_OPTION_H
#define PP_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "pp/select/classes.h"
#include "pp/symbols/demangle.h"

/* What an option takes, and what becomes of it. */
struct pp_option_type {
	/* @name: of the option, "--merge"; @text: its argument.  Return: 0, or -1 with @error. */
	int (*take)(void *field, const char *name, const char *text, struct op_error *error);
	void (*release)(void *field); /* frees what the field holds; NULL: nothing */
};

struct pp_option {
	const char *name;     /* the long one, without dashes; NULL ends a table */
	char letter;	      /* or '\0' */
	const char *argument; /* what help calls the argument; NULL: there is none */
	const char *help;
	const struct pp_option_type *type;
	size_t field; /* its offset in what the tool's table is about */
};

/* The offset of a field, if it is a @kind. */
#define PP_FIELD(type, field, kind)                                                                \
	(offsetof(type, field) + 0 * sizeof(_Generic(&((type *)0)->field, kind * : 0)))

extern const struct pp_option_type pp_option_flag, pp_option_text, pp_option_list,
	pp_option_percent, pp_option_merge, pp_option_demangle;

/* The ends of rows.  Text: not empty; a list has commas and no empty item. */
#define PP_FLAG(type, field) &pp_option_flag, PP_FIELD(type, field, bool)
#define PP_TEXT(type, field) &pp_option_text, PP_FIELD(type, field, char *)
#define PP_LIST(type, field) &pp_option_list, PP_FIELD(type, field, struct op_strings)
/* A percentage from 0 to 100. */
#define PP_PERCENT(type, field) &pp_option_percent, PP_FIELD(type, field, double)

/* Whole rows, of what several tools have. */
#define PP_OPTION_MERGE(type, field)                                                               \
	{                                                                                          \
		"merge", 'm', "cpu,tid,tgid,unitmask,lib,all",                                     \
			"sum up what was separated by these", &pp_option_merge,                    \
			PP_FIELD(type, field, struct pp_merge)                                     \
	}
#define PP_OPTION_EXCLUDE_DEPENDENT(type, field)                                                   \
	{                                                                                          \
		"exclude-dependent", 'x', NULL,                                                    \
			"leave out libraries and kernel images of applications",                   \
			PP_FLAG(type, field)                                                       \
	}
#define PP_OPTION_EXCLUDE_SYMBOLS(type, field)                                                     \
	{                                                                                          \
		"exclude-symbols", 'e', "names", "leave out these symbols", PP_LIST(type, field)   \
	}
#define PP_OPTION_INCLUDE_SYMBOLS(type, field)                                                     \
	{                                                                                          \
		"include-symbols", 'i', "names", "show only these symbols", PP_LIST(type, field)   \
	}
#define PP_OPTION_UNSCALED(type, field)                                                            \
	{                                                                                          \
		"unscaled", 0, NULL,                                                               \
			"show counts as they are, of events counted a part of the time, too",      \
			PP_FLAG(type, field)                                                       \
	}
#define PP_OPTION_DEMANGLE(type, field)                                                            \
	{                                                                                          \
		"demangle", 'D', "none|normal|smart",                                              \
			"how to show names of C++ and Rust (default: normal)",                     \
			&pp_option_demangle, PP_FIELD(type, field, enum pp_demangle)               \
	}
#define PP_OPTION_THRESHOLD(type, field)                                                           \
	{                                                                                          \
		"threshold", 't', "percent",                                                       \
			"leave out what has less than this part of the samples",                   \
			PP_PERCENT(type, field)                                                    \
	}

/* Rows that are read together, and the struct that their fields lie in. */
struct pp_option_table {
	const struct pp_option *rows;
	void *fields;
	const char *title; /* above them in the help, or NULL */
};

/**
 * pp_options_read - read a command line
 * @tables: of which one without rows is the last; eight at most
 * @synopsis: "[OPTION...] [FILE]...", for the help
 * @words: gets what is no option
 *
 * --help and --usage print and end the program.
 *
 * Return: 0, or -1 with @error set.
 */
int pp_options_read(const struct pp_option_table *tables, const char *synopsis, int argc,
		    const char **argv, struct op_strings *words, struct op_error *error);

/* Frees what the fields hold. */
void pp_options_release(const struct pp_option_table *tables);

#endif

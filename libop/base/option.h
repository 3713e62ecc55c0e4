/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands: a table has one row per option, which names the option and the field of
 * the command's struct that it sets.
 *
 *	struct job {
 *		char *output;
 *		uint64_t frequency;
 *		bool list_files;
 *		struct op_strings events;
 *	};
 *
 *	static const struct op_option options[] = {
 *		{"output", 'o', "FILE", "write to this file", OP_TEXT(struct job, output)},
 *		{"freq", 'F', "HZ", "sample rate", OP_NUMBER(struct job, frequency, 1, 1000)},
 *		{"list-files", 'l', NULL, "only list the files", OP_FLAG(struct job, list_files)},
 *		{"events", 'e', "LIST", "what to count", OP_LIST(struct job, events)},
 *		{"event", 0, "LIST", NULL, OP_LIST(struct job, events)},	// an old name
 *		OP_OPTION_VERSION('v'),
 *		{0}
 *	};
 *
 *	struct job job = {0};
 *	const struct op_option_table tables[] = {{options, &job, NULL}, {0}};
 *	struct op_strings files = {0};
 *	struct op_error error;
 *
 *	if (op_options_read(tables, "[OPTION...] FILE...", argc, argv, &files, &error))
 *		return op_usage_error(&error);
 *	...
 *	op_options_release(tables);
 *
 * If an option is repeated, the last one counts; lists grow.  Two rows may set the same field;
 * a row without help is an alias that --help does not list.  An option with an argument of a
 * special form has a struct op_option_type of its own.  Errors read "--NAME=VALUE: reason".
 */
#ifndef LIBOP_BASE_OPTION_H
#define LIBOP_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "strings.h"

struct op_option;

/* What an option does with its argument. */
struct op_option_type {
	/*
	 * @field: the field of the row; @text: the argument, NULL if there is none.
	 * Return: 0, or -1 with @error set, see op_option_refuse().
	 */
	int (*take)(const struct op_option *option, void *field, const char *text,
		    struct op_error *error);
	void (*release)(void *field); /* frees what the field holds; NULL: nothing */
};

/* A row; one without type ends a table. */
struct op_option {
	const char *name;     /* without dashes; NULL: the option has a letter only */
	char letter;	      /* or '\0' */
	const char *argument; /* its name in help, in upper case; NULL: the option has none */
	const char *help;     /* NULL: help does not list the option */
	const struct op_option_type *type;
	size_t field;		  /* its offset in the struct of the table */
	bool optional;		  /* the argument may be missing */
	uint64_t min, max;	  /* of a number */
	const char *const *words; /* of an enumeration; NULL ends them */
	int value;		  /* of an action */
	const char *hint;	  /* of OP_HINT() */
};

/* Rows, and the struct that their fields are in. */
struct op_option_table {
	const struct op_option *rows;
	void *fields;
	const char *title; /* above them in the help, or NULL */
};

/* Process or thread ids; all zero is an empty list. */
struct op_pids {
	pid_t *item;
	size_t count;
};

/* The offset of a field; does not compile unless the field is a @kind. */
#define OP_FIELD(type, field, kind)                                                                \
	(offsetof(type, field) + 0 * sizeof(_Generic(&((type *)0)->field, kind * : 0)))

extern const struct op_option_type op_option_flag, op_option_text, op_option_list, op_option_pids,
	op_option_number, op_option_percent, op_option_word, op_option_action, op_option_ignored,
	op_option_version, op_option_hint;

/* Ends of rows, by the type of the field. */

/* bool: set to true. */
#define OP_FLAG(struct_type, member)                                                               \
	.type = &op_option_flag, .field = OP_FIELD(struct_type, member, bool)
/* char *: not empty. */
#define OP_TEXT(struct_type, member)                                                               \
	.type = &op_option_text, .field = OP_FIELD(struct_type, member, char *)
/* struct op_strings: gets the items between commas, none of which is empty. */
#define OP_LIST(struct_type, member)                                                               \
	.type = &op_option_list, .field = OP_FIELD(struct_type, member, struct op_strings)
/* struct op_pids: gets the ids between commas. */
#define OP_PIDS(struct_type, member)                                                               \
	.type = &op_option_pids, .field = OP_FIELD(struct_type, member, struct op_pids)
/* uint64_t: a number from @least to @most, decimal or with 0x hexadecimal. */
#define OP_NUMBER(struct_type, member, least, most)                                                \
	.type = &op_option_number, .field = OP_FIELD(struct_type, member, uint64_t), .min = least, \
	.max = most
/* double: a percentage from 0 to 100, with or without "%". */
#define OP_PERCENT(struct_type, member)                                                            \
	.type = &op_option_percent, .field = OP_FIELD(struct_type, member, double)
/* An enumeration @kind: the index of the argument in @table, which NULL ends. */
#define OP_WORD(struct_type, member, kind, table)                                                  \
	.type = &op_option_word, .field = OP_FIELD(struct_type, member, kind), .words = table
/*
 * const struct op_option *: the row itself; its member @value selects the action.  Actions of the
 * same field exclude each other.
 */
#define OP_ACTION(struct_type, member, number)                                                     \
	.type = &op_option_action,                                                                 \
	.field = OP_FIELD(struct_type, member, const struct op_option *), .value = number

/*
 * The end of a row without help: an option that other profilers, or older versions, have in this
 * place.  It is refused with what to type instead: "--input: a profile is a word of its own".
 */
#define OP_HINT(text) .type = &op_option_hint, .hint = text

/* A whole row: prints the version and ends the program. */
#define OP_OPTION_VERSION(letter)                                                                  \
	{                                                                                          \
		"version", letter, NULL, "show the version", .type = &op_option_version            \
	}

/*
 * The only argument that has a command describe its options instead, for what makes completions of
 * shells.  The first line has the synopsis; then each option that the help lists has one: name,
 * letter, argument, "optional" if that may be missing, the words that it may be, help.  Tabs are
 * between them, and what an option has not is empty.
 */
#define OP_OPTION_TABLE "--option-table"

/**
 * op_options_read - read a command line
 * @tables: of which one without rows is the last; eight at most
 * @synopsis: for the help: "[OPTION...] [FILE]..."
 * @argv: the first word is the name of the program
 * @words: gets the words that are not options; NULL: there must be none
 *
 * --help, -?, --usage and OP_OPTION_TABLE print and end the program.
 *
 * Return: 0, or -1 with @error set.  op_options_release() in any case.
 */
int op_options_read(const struct op_option_table *tables, const char *synopsis, int argc,
		    const char **argv, struct op_strings *words, struct op_error *error);

/**
 * op_options_read_command - read a command line that ends with a command to run
 * @command: set to the first word that is not an option and those that follow it, options or
 * not; they are the end of @argv.  NULL if there are none.
 *
 * Otherwise as op_options_read().
 */
int op_options_read_command(const struct op_option_table *tables, const char *synopsis, int argc,
			    const char **argv, char ***command, struct op_error *error);

/* Prints what --help prints. */
void op_options_print_help(const struct op_option_table *tables, const char *synopsis);

/* Frees what the fields hold. */
void op_options_release(const struct op_option_table *tables);

/**
 * op_option_refuse - set the error of an option: "--NAME=VALUE: reason"
 * @text: the value; NULL: "--NAME: reason"
 *
 * Return: -1.
 */
int op_option_refuse(const struct op_option *option, const char *text, struct op_error *error,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Prints an error of the command line and a hint at --help.  Return: OP_EXIT_USAGE. */
int op_usage_error(const struct op_error *error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of perf, and what its options are here: what the table (perf_table.h), the translation of
 * values (perf_values.h) and that of the line (perf_line.h) share.
 */
#ifndef DAEMON_OPERF_PERF_WORDS_H
#define DAEMON_OPERF_PERF_WORDS_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* Subcommands of perf, as bits: a row of the table may be of several. */
enum perf_of {
	OF_RECORD = 1 << 0,
	OF_REPORT = 1 << 1,
	OF_ANNOTATE = 1 << 2,
	OF_STAT = 1 << 3,
	OF_TOP = 1 << 4,
	OF_SCRIPT = 1 << 5,
	OF_DIFF = 1 << 6,
	OF_READERS = OF_REPORT | OF_ANNOTATE | OF_SCRIPT | OF_DIFF,
	OF_COUNTERS = OF_RECORD | OF_STAT | OF_TOP,
	OF_ALL = OF_READERS | OF_COUNTERS,
};

/* What an option of perf has behind it. */
enum perf_takes {
	TAKES_NOTHING,
	TAKES_VALUE,	/* the rest of the word, or the next one */
	TAKES_ATTACHED, /* the rest of the word, or nothing */
	TAKES_WORD,	/* the rest of the word, the next one if that is no option, or nothing */
	TAKES_METHOD,	/* nothing, but a next word fp, dwarf or lbr is meant for it */
};

/* What becomes of an option. */
enum perf_becomes {
	BECOMES_TEXT,	 /* @text, with the value in the place of each "%" */
	BECOMES_NOTHING, /* it is so here, or makes no difference: it is left out */
	BECOMES_NOTE,	 /* it is left out, and @text says why */
	BECOMES_ERROR,	 /* it is refused, and @text says what does it here, or that nothing does */
	BECOMES_VALUE,	 /* what @take makes of the value */
};

/* How calls are shown by a report. */
enum perf_calls { CALLS_UNSAID, CALLS_NONE, CALLS_CHILDREN, CALLS_ANY, CALLS_CALLER, CALLS_CALLEE };

/* Keys of --sort and --fields. */
enum perf_key {
	KEY_COMM = 1 << 0,
	KEY_DSO = 1 << 1,
	KEY_SYMBOL = 1 << 2,
	KEY_LINE = 1 << 3,
	KEY_PROCESS = 1 << 4,
	KEY_THREAD = 1 << 5,
	KEY_CPU = 1 << 6,
	KEY_CGROUP = 1 << 7,
	KEY_NUMBER = 1 << 8, /* overhead, sample, period: what reports have anyway */
};

/* struct perf_line - a line while it is translated; strings are borrowed unless said otherwise */
struct perf_line {
	enum perf_of of;
	struct op_strings front;  /* what stands first */
	struct op_strings out;	  /* options and words for the program here */
	char **command;		  /* what is to be run, and its arguments; or NULL */
	char *events;		  /* of -e, owned; or NULL */
	const char *count;	  /* of -c, or NULL */
	const char *side;	  /* "u" or "k" of --all-user and --all-kernel, or NULL */
	const char *side_word;	  /* which option that was */
	const char *milliseconds; /* of --interval-print, or NULL */
	const char *intervals;	  /* of --interval-count, or NULL */
	unsigned int keys;	  /* enum perf_key */
	enum perf_calls calls;
	bool no_children, no_source, has_process, all_cpus;
	unsigned int words; /* profiles, symbols: what is no option */
};

/* A row of the table. */
struct perf_word {
	unsigned int of; /* enum perf_of */
	enum perf_takes takes;
	const char *name; /* without dashes; NULL: it has a letter only */
	char letter;	  /* or '\0' */
	enum perf_becomes becomes;
	const char *text;
	/* @value: NULL if there is none.  Return: 0, or -1 with @error set. */
	int (*take)(struct perf_line *line, const char *value, struct op_error *error);
};

#endif

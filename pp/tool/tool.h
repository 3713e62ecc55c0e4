/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report tool: the one way from a command line to an exit code.
 *
 * The program is a const struct pp_tool and a struct that begins with struct pp_common:
 *
 *	struct job {
 *		struct pp_common common;
 *		char *output;
 *	};
 *	static const struct op_option options[] = {
 *		{"output", 'o', "FILE", "write to this file", OP_TEXT(struct job, output)}, {0}};
 *	static const struct pp_tool tool = {.synopsis = PP_SYNOPSIS_SPEC, .options = options, ...};
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct job job = {0};
 *
 *		return pp_tool_main(&tool, &job, argc, argv);
 *	}
 *
 * pp_tool_main() reads the tool's options and those that all tools have (shared_options.h
 * has the rows that some have), then the words: a profile specification, or two in braces, or the
 * tool's own.  It writes errors as "PROGRAM error: ..." and returns an enum op_exit; nothing
 * in pp/ but memory.h exits.
 */
#ifndef PP_TOOL_TOOL_H
#define PP_TOOL_TOOL_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "pp/symbols/image_path.h"
#include "shared_options.h"
#include "inputs.h"
#include "output.h"
#include "pp/select/spec.h"
#include "libop/base/warnings.h"

/* What all tools have; the first member of a tool's own struct. */
struct pp_common {
	uint64_t last;	    /* seconds; 0: not given */
	char *session_dir;  /* absolute; --session-dir or what there is */
	bool session_given; /* there was --session-dir */
	bool trust_session; /* --trust-session */
	char *root;	    /* --root, or NULL */
	struct op_strings image_paths;
	char *jit_dir;		 /* --jit-dir, or NULL */
	struct op_strings words; /* what is no option */
	struct pp_spec specs[2]; /* the second one if is_pair: the new one */
	bool is_pair;		 /* there were { } { } */
	char *named[2];		 /* words of an old and a new profile that are taken for sessions */
	char *command_line;	 /* one line: all words, those with blanks in quotes */
	bool stats;		 /* --verbose=stats */
	struct pp_output_options output;
	struct pp_label_sums label_sums; /* of inputs, if only programs are of interest */
	struct op_warnings warnings;	 /* verbose if --verbose says so */
};

enum pp_words {
	PP_WORDS_SPEC, /* a profile specification */
	PP_WORDS_PAIR, /* one, or two in braces */
	PP_WORDS_TWO,  /* those of an old and a new profile, then what is for both; or braces */
	PP_WORDS_OWN,  /* the tool looks at pp_common.words itself */
};

#define PP_SYNOPSIS_SPEC "[OPTION...] [TAG:LIST|IMAGE|PROFILE]..."
#define PP_SYNOPSIS_TWO	 "[OPTION...] OLD NEW [TAG:LIST|IMAGE]..."

/* The functions get the struct that was given to pp_tool_main(). */
struct pp_tool {
	const char *synopsis;		 /* what stands behind the name in the help */
	const struct op_option *options; /* fields of the tool's struct */
	enum pp_words words;
	bool reports;	 /* it writes reports for people, and has options of colours and pagers */
	bool no_session; /* it has no options that say where sessions and images are */
	const struct pp_input_readers *inputs; /* of words that are profiles; NULL: none are */
	/* What samples of an input are to be told apart by; what the specification has is added.
	 * Or NULL. */
	struct pp_separation (*separation)(const void *job);
	/* Looks at words that are profiles before they become sessions: what it takes out of
	 * pp_spec.inputs, @run reads.  Or NULL. */
	void (*take_inputs)(void *job);
	/* Looks at options and words; an error is one of the command line (OP_EXIT_USAGE).  Or
	 * NULL. */
	int (*check)(void *job, struct op_error *error);
	/* Does the work; an error is OP_EXIT_FAILURE. */
	int (*run)(void *job, struct op_error *error);
	/* Judges what @run has found, for the exit code; an error is OP_EXIT_FINDING.  Or NULL. */
	int (*judge)(void *job, struct op_error *error);
	/* Frees what @run left, whatever happened.  Options free themselves.  Or NULL. */
	void (*release)(void *job);
};

/**
 * pp_tool_main - all of main()
 * @job: begins with a struct pp_common, which is zero; the rest are the defaults
 *
 * Return: the exit code, an enum op_exit.
 */
int pp_tool_main(const struct pp_tool *tool, void *job, int argc, char **argv);

/* Where the images of @spec are looked for; pp_image_search_free() frees what it gathers. */
struct pp_image_search pp_common_search(const struct pp_common *common, const struct pp_spec *spec);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of operf: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/sources/perf/unwind.h"
#include "libop/base/option.h"
#include "libop/session/paths.h"
#include "perf_table.h"
#include "session.h"

#define DEFAULT_PAGE "oprofile.html"
#define SYNOPSIS     "[OPTION...] COMMAND [ARGUMENT...] | --pid PID | --system-wide"

static int take_method(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	struct request *request = field;
	struct op_error cause;
	unsigned int method;

	if (perf_unwind_parse(text, &request->unwind, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	if (!request->unwind && !strcmp(text, "none")) {
		request->no_callgraph = true;
		return 0;
	}
	request->callgraph = request->has_method = true;
	return request->unwind ? 0 : op_option_word.take(option, &method, text, error);
}

static int operf_request_take_file(const struct op_option *option, void *field, const char *text,
				   struct op_error *error)
{
	char *path = realpath(text, NULL);

	if (!path)
		return op_option_refuse(option, text, error, "%s", strerror(errno));
	free(*(char **)field);
	*(char **)field = path;
	return 0;
}

static void release_file(void *field)
{
	op_option_text.release(field);
}

static const char *const methods[] = {"auto", "fp", "dwarf", "none", NULL};
static const struct op_option_type method_type = {.take = take_method},
				   file_type = {.take = operf_request_take_file,
						.release = release_file};

static const struct op_option rows[] = {
	{"events", 'e', "LIST",
	 "what to sample: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]],..., or as for perf",
	 OP_LIST(struct request, events)},
	{"freq", 'F', "HZ", "samples per second, instead of counts",
	 OP_NUMBER(struct request, frequency, 1, 100000)},
	{"callgraph", 'g', NULL, "record call chains (the default)",
	 OP_FLAG(struct request, callgraph)},
	{"call-graph", 0, "METHOD",
	 "how to find callers: auto (default), fp: frame pointers, dwarf[,BYTES]: call frame "
	 "information, or none",
	 .type = &method_type, .words = methods},
	{"no-call-graph", 0, NULL, "record no call chains", OP_FLAG(struct request, no_callgraph)},
	{"pid", 'p', "PID,...", "profile running processes, and their children",
	 OP_PIDS(struct request, processes)},
	{"system-wide", 's', NULL, "profile the whole system (root), while a command runs if given",
	 OP_FLAG(struct request, system_wide)},
	{"duration", 0, "SECONDS", "end after this time; a command goes on",
	 OP_NUMBER(struct request, duration, 1, 100000000)},
	{"runs", 'r', "N", "run the command N times, each a session of its own: run-1 to run-N",
	 OP_NUMBER(struct request, runs, 1, SESSION_RUNS_MOST)},
	{"session-dir", 'd', "DIR", "where sample files go (./oprofile_data)",
	 OP_TEXT(struct request, session_dir)},
	{"output", 'o', "DIR", "the same, as perf calls it", OP_TEXT(struct request, session_dir)},
	{"all-cpus", 0, NULL, NULL, OP_FLAG(struct request, system_wide)},
	{"append", 'a', NULL, "add to the samples of the session", OP_FLAG(struct request, append)},
	{"separate-thread", 't', NULL, "count each thread separately",
	 OP_FLAG(struct request, separate_thread)},
	{"separate-cpu", 'c', NULL, "count each CPU separately",
	 OP_FLAG(struct request, separate_cpu)},
	{"vmlinux", 'k', "FILE", "the kernel's ELF file", .type = &file_type,
	 .field = OP_FIELD(struct request, vmlinux, char *)},
	{"lazy-conversion", 'l', NULL, "no effect; accepted for compatibility with OProfile",
	 .type = &op_option_ignored},
	{"no-pack", 0, NULL, "do not pack the session at the end", OP_FLAG(struct request, loose)},
	{"html", 0, "FILE",
	 "at the end, write a page for browsers, as opreport does; without FILE " DEFAULT_PAGE,
	 OP_TEXT(struct request, html), .optional = true},
	{"open", 0, NULL, "show the page of --html in the desktop's browser",
	 OP_FLAG(struct request, open)},
	{"feed", 0, "FD", "send each sample to this socket, as for optop; end with its reader",
	 OP_NUMBER(struct request, feed, 3, INT_MAX)},
	{"feed-only", 0, NULL, "with --feed: do not store the samples",
	 OP_FLAG(struct request, feed_only)},
	{"quiet", 'q', NULL, "on a terminal, too, show no more than one line and warnings",
	 OP_FLAG(struct request, quiet)},
	{"translate", 0, NULL,
	 "as the first word, before a line of perf: print what it is here, and end",
	 OP_FLAG(struct request, translate)},
	{"verbose", 'V', "LIST", "log these topics: all,sfile,arcs,samples,module,misc",
	 OP_TEXT(struct request, topics)},
	OP_OPTION_VERSION('v'),
	{0}};

/* Letters that perf has for something else. */
static int check_habits(const struct request *request, struct op_error *error)
{
	const char *word = request->command ? request->command[0] : "";

	if (!*word || word[strspn(word, "0123456789")])
		return 0;
	if (request->separate_cpu)
		return op_error_set(error, EINVAL,
				    "-c %s: -c separates CPUs; a period stands behind its event: "
				    "-e cpu-clock:%s",
				    word, word);
	return 0;
}

static int check_target(const struct request *request, struct op_error *error)
{
	bool has_target = request->command || request->processes.count || request->system_wide;

	if (request->translate)
		return op_error_set(error, EINVAL,
				    "--translate: a line of perf stands behind it: operf "
				    "--translate record -a");
	if (request->processes.count && request->system_wide)
		return op_error_set(error, EINVAL, "--pid excludes --system-wide");
	if (!has_target)
		return op_error_set(error, EINVAL,
				    "nothing to profile: give a command, --pid PID or "
				    "--system-wide");
	if (request->feed_only && !request->feed)
		return op_error_set(error, EINVAL, "--feed-only needs --feed");
	if (request->feed_only && (request->append || request->html))
		return op_error_set(error, EINVAL,
				    "--feed-only stores nothing: it excludes --append and --html");
	return 0;
}

static int check_callgraph(const struct request *request, struct op_error *error)
{
	if (!request->no_callgraph || (!request->callgraph && !request->html))
		return 0;
	return op_error_set(error, EINVAL,
			    "--no-call-graph excludes --callgraph, --call-graph and --html, whose "
			    "flame graph is made of call chains");
}

static int check_page(const struct request *request, struct op_error *error)
{
	if (request->open && !request->html)
		return op_error_set(error, EINVAL, "--open needs --html");
	if (request->open && !strcmp(request->html, "-"))
		return op_error_set(error, EINVAL, "--open needs --html with the name of a file");
	return 0;
}

static int check_runs(const struct request *request, struct op_error *error)
{
	if (!request->runs)
		return 0;
	if (!request->command)
		return op_error_set(error, EINVAL, "--runs needs a command");
	if (request->processes.count)
		return op_error_set(error, EINVAL, "--runs excludes --pid");
	if (request->append || request->html || request->feed)
		return op_error_set(error, EINVAL, "--runs excludes --append, --html and --feed");
	if (request->duration)
		return op_error_set(error, EINVAL,
				    "--runs excludes --duration, after which the command goes on, "
				    "beside the next run");
	return 0;
}

static int complete_session_dir(struct request *request, struct op_error *error)
{
	char *given = request->session_dir;

	request->session_dir = op_session_dir(given ? given : "oprofile_data");
	free(given);
	return request->session_dir ? 0 : op_error_memory(error);
}

/* "--html" alone stands before the command; a word that names a page is its file. */
static bool is_page(const char *word)
{
	const char *dot = word ? strrchr(word, '.') : NULL;

	return word &&
	       (!strcmp(word, "-") || (dot && (!strcmp(dot, ".html") || !strcmp(dot, ".htm"))));
}

/* ---- options of perf that operf does not have ---- */

static const struct op_option *find_own(const char *name, char letter)
{
	for (const struct op_option *row = rows; row->type; row++)
		if ((name && !strcmp(row->name, name)) || (letter && row->letter == letter))
			return row;
	return NULL;
}

/* What perf has under a name or a letter that is free here is refused as in "operf record". Return:
 * rows that the caller frees, or NULL. */
static struct op_option *make_hints(void)
{
	struct op_option *hints;
	size_t n = 0;

	while (perf_table[n].of)
		n++;
	hints = calloc(n + 1, sizeof(*hints));
	n = 0;
	for (const struct perf_word *word = perf_table; hints && word->of; word++) {
		bool is_free = word->name && !find_own(word->name, 0);

		if (!(word->of & OF_RECORD) || word->becomes != BECOMES_ERROR || !is_free)
			continue;
		hints[n++] = (struct op_option){
			.name = word->name,
			.letter = find_own(NULL, word->letter) ? '\0' : word->letter,
			.argument = word->takes == TAKES_NOTHING ? NULL : "",
			.optional = word->takes == TAKES_ATTACHED,
			OP_HINT(word->text),
		};
	}
	return hints;
}

/* The options, with the file of --html; the command stays as it was given. */
static int read_words(struct request *request, int argc, const char **argv, struct op_error *error)
{
	struct op_option *hints = make_hints();
	const struct op_option_table tables[] = {
		{rows, request, NULL}, {hints, request, NULL}, {0}};
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	int result;

	if (!words || !hints) {
		free(words);
		free(hints);
		return op_error_memory(error);
	}
	for (int i = 0; i < argc; i++)
		words[i] = i && !strcmp(argv[i], "--html") && !is_page(argv[i + 1])
				   ? "--html=" DEFAULT_PAGE
				   : argv[i];
	result = op_options_read_command(tables, SYNOPSIS, argc, words, &request->command, error);
	if (request->command)
		request->command = (char **)argv + (request->command - (char **)words);
	free(words);
	free(hints);
	return result;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	*request = (struct request){.command_line = op_command_line(argc, argv)};
	if (!request->command_line)
		return op_error_memory(error);
	if (read_words(request, argc, argv, error) || check_habits(request, error) ||
	    check_target(request, error) || check_callgraph(request, error) ||
	    check_page(request, error) || check_runs(request, error))
		return -1;
	request->callgraph |= !request->no_callgraph && !request->feed_only;
	if (request->callgraph && !request->has_method)
		request->unwind = PERF_UNWIND_AUTO;
	/* of other machines, the kernel's frame pointers are all there is */
	if (request->unwind == PERF_UNWIND_AUTO && !PERF_UNWIND_REGISTERS)
		request->unwind = 0;
	return complete_session_dir(request, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	free(request->command_line);
	*request = (struct request){0};
}

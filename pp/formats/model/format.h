/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile formats: a table, so that commands know none of them by name.
 */
#ifndef PP_FORMATS_MODEL_FORMAT_H
#define PP_FORMATS_MODEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "pp/formats/input/input.h"
#include "profile.h"

/* Bytes that format::probe is given, if there are as many: keys of JSON may stand behind tables. */
#define FORMAT_PROBE_BYTES 65536

/* Where a writer writes to. */
struct output {
	const char *path;    /* a directory that is there and empty, or the name of the file */
	FILE *file;	     /* NULL if the format is a directory; the caller looks at errors */
	const char *command; /* that makes it, for formats that name their maker */
	struct prof_names *names;	      /* of functions: pp/formats/session/symbolize.h */
	bool want_samples;		      /* not events, of format::has_one_number */
	const struct op_strings *host_labels; /* NAME=TEXT of the host, of format::has_host_labels;
					       * NULL: none */
	uint64_t most;	     /* bytes of the file, of format::is_bounded; 0: no limit */
	const char *service; /* as which it is sent, of format::has_service; NULL: "oprofile" */
};

struct pp_image_search;
struct pp_spec;
struct op_warnings;

/* Samples of sessions, as a command line selects them. */
struct format_sessions {
	const char *dir; /* the session directory */
	const struct pp_spec *spec;
	bool exclude_dependent;
	struct pp_image_search *search; /* where images are */
	struct op_warnings *warnings;
};

struct format {
	const char *name;	 /* of --from and --to */
	const char *description; /* one line of --help */

	/*
	 * Recognises the format by its first bytes; @n may be less than FORMAT_PROBE_BYTES.
	 * Returns 0: no; else how sure it is, up to 100: a magic number is 90, a guess by structure
	 * 50, text that could be anything 10.  NULL: it is never recognised.
	 */
	int (*probe)(const uint8_t *bytes, size_t n);
	/* The same of a directory; NULL: it is none. */
	int (*probe_directory)(const char *path);

	/* Reads all of @input into @sink.  Returns 0, or -1 with @error set: what was before the
	 * fault is in the sink.  NULL: it can't be read. */
	int (*read)(struct input *input, struct prof_sink *sink, struct op_error *error);

	/* Writes a profile, which prof_finish() has put in order.  Returns 0, or -1 with @error
	 * set.  NULL: it can't be written. */
	int (*write)(struct prof *prof, struct output *output, struct op_error *error);
	bool writes_directory; /* output::path is a directory */
	/* Writes samples of sessions that do not go through the model, which would lose something.
	 * Returns as @write.  NULL: they do. */
	int (*write_sessions)(const struct format_sessions *sessions, struct output *output,
			      struct op_error *error);

	bool has_signs;	      /* values may be below 0: prof_event::is_negative */
	bool is_bounded;      /* the writer heeds output::most */
	bool has_host_labels; /* and output::host_labels */
	bool has_service;     /* and output::service */
	/* It has addresses only, of which files here have the names. */
	bool has_no_names;
	/* A stack has one number for an event, which weights.h chooses. */
	bool has_one_number;

	/* What the writer wants samples to be told apart by, and whether it wants their times:
	 * PROF_BY_... and PROF_TIMES... flags. */
	unsigned int by;
};

/* All formats, in the order of --help, and a NULL. */
extern const struct format *const formats[];

/* The format of a name, or NULL. */
const struct format *format_named(const char *name);

/**
 * format_check_read - check the name of a format that is to be read
 * @option: for the message: "--from"
 *
 * Return: 0, or -1 with @error set: none that can be read has this name; one that resembles it is
 * named, or else all.
 */
int format_check_read(const char *option, const char *name, struct op_error *error);

/* The same of one that is to be written. */
int format_check_write(const char *option, const char *name, struct op_error *error);

/**
 * format_of - recognise an input
 *
 * Return: its format, or NULL with @error set.
 */
const struct format *format_of(struct input *input, struct op_error *error);

/* One a format; format.c lists them. */
extern const struct format format_folded;
extern const struct format format_speedscope;
extern const struct format format_firefox;
extern const struct format format_gecko;
extern const struct format format_callgrind;
extern const struct format format_session;
extern const struct format format_sample_file;
extern const struct format format_original_0_9;
extern const struct format format_cpuprofile;
extern const struct format format_dcpi;
extern const struct format format_otlp;
extern const struct format format_pprof;
extern const struct format format_perf;
extern const struct format format_perf_script;
extern const struct format format_heap;
extern const struct format format_v8;
extern const struct format format_v8_heap;
extern const struct format format_chrome_trace;
extern const struct format format_html;
extern const struct format format_fleet;

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* Profile formats: see format.h. */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/similar.h"
#include "libop/base/text_stream.h"
#include "unknown.h"

const struct format *const formats[] = {
	&format_callgrind,
	&format_chrome_trace,
	&format_cpuprofile,
	&format_dcpi,
	&format_firefox,
	&format_fleet,
	&format_folded,
	&format_gecko,
	&format_heap,
	&format_html,
	&format_sample_file,
	&format_original_0_9,
	&format_otlp,
	&format_perf,
	&format_perf_script,
	&format_pprof,
	&format_session,
	&format_speedscope,
	&format_v8,
	&format_v8_heap,
	NULL,
};

const struct format *format_named(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

static bool format_is_read(const struct format *format)
{
	return format->read;
}

static bool format_is_written(const struct format *format)
{
	return format->write;
}

static int check_name(const char *option, const char *name, bool (*is_of)(const struct format *),
		      struct op_error *error)
{
	const struct format *format = format_named(name);
	struct op_similar similar = {.word = name};
	struct op_text_stream names;

	if (format && is_of(format))
		return 0;
	op_text_stream_open(&names);
	for (size_t i = 0; formats[i]; i++) {
		if (!is_of(formats[i]))
			continue;
		op_similar_try(&similar, formats[i]->name);
		fprintf(names.out, "%s%s", ftell(names.out) ? ", " : "", formats[i]->name);
	}
	op_text_stream_close(&names);
	op_error_set(error, EINVAL, "%s=%s: no such format%s%s" OP_SIMILAR_FORMAT, option, name,
		     similar.name ? "" : "; there are ", similar.name ? "" : names.text,
		     OP_SIMILAR_ARGUMENTS(similar, ""));
	free(names.text);
	return -1;
}

int format_check_read(const char *option, const char *name, struct op_error *error)
{
	return check_name(option, name, format_is_read, error);
}

int format_check_write(const char *option, const char *name, struct op_error *error)
{
	return check_name(option, name, format_is_written, error);
}

/* Says what it looks like, and what would be read. */
static void fail_unknown(const struct input *input, const uint8_t *bytes, size_t n,
			 struct op_error *error)
{
	const char *what = bytes ? unknown_content(bytes, n) : "a directory without a profile";
	struct op_text_stream names;

	op_text_stream_open(&names);
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->read)
			fprintf(names.out, "%s%s", ftell(names.out) ? ", " : "", formats[i]->name);
	op_text_stream_close(&names);
	op_error_set(error, EINVAL,
		     "%.400s: unknown format: this looks like %s; what can be read: %s",
		     input_name(input), what, names.text);
	free(names.text);
}

const struct format *format_of(struct input *input, struct op_error *error)
{
	const struct format *best = NULL;
	const uint8_t *bytes = NULL;
	ptrdiff_t n = 0;
	size_t mark;
	int most = 0, sure;

	if (!input_is_directory(input)) {
		n = input_peek(input, FORMAT_PROBE_BYTES, &bytes, error);
		if (n < 0)
			return NULL;
		if (!n) {
			op_error_set(error, ENODATA, "%s: the file is empty", input_name(input));
			return NULL;
		}
		mark = input_mark_length(bytes, (size_t)n);
		bytes += mark;
		n -= (ptrdiff_t)mark;
	}
	for (size_t i = 0; formats[i]; i++) {
		const struct format *format = formats[i];

		sure = 0;
		if (input_is_directory(input) && format->probe_directory)
			sure = format->probe_directory(input_path(input));
		else if (!input_is_directory(input) && format->probe)
			sure = format->probe(bytes, (size_t)n);
		if (sure > most) {
			most = sure;
			best = format;
		}
	}
	if (!best)
		fail_unknown(input, bytes, (size_t)n, error);
	return best;
}

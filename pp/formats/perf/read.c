// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.data: the files, pipes and directories that "perf record" writes.
 *
 * perf_file knows the container, perf_sources and perf_stream find the records in it, and
 * perf_profile makes a profile of them.
 */
#include "pp/formats/model/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "file.h"
#include "sources.h"
#include "write.h"
#include "libop/base/memory.h"

static int perf_read_probe(const uint8_t *bytes, size_t n)
{
	return perf_file_probe(bytes, n) ? 95 : 0;
}

static int probe_directory(const char *path)
{
	char *file = op_format("%s/data", path);
	struct input *input = input_open(file, NULL);
	const uint8_t *bytes = NULL;
	ptrdiff_t n = -1;

	if (input && !input_is_directory(input))
		n = input_peek(input, PERF_MAGIC_SIZE, &bytes, NULL);
	n = n > 0 ? perf_read_probe(bytes, (size_t)n) : 0;
	input_close(input);
	free(file);
	return (int)n;
}

static void tell_container(const struct perf_file *file, const char *mode, struct prof_sink *sink)
{
	prof_sink_fact(sink, "perf.mode", "%s%s", file->is_pipe ? "pipe" : mode,
		       file->is_first_version ? ", version 1" : "");
	prof_sink_fact(sink, "perf.byte-order", "%s-endian",
		       perf_big_endian(file->swap) ? "big" : "little");
}

static void tell_recovered(const struct perf_stream *stream, struct prof_sink *sink)
{
	if (!stream->was_killed)
		return;
	if (stream->cut_off)
		prof_sink_note(sink,
			       "the recorder was killed: records up to byte %" PRIu64 " recovered",
			       stream->cut_off);
	else
		prof_sink_note(sink, "the recorder was killed: all records recovered");
}

/* What stands before the data, or behind them; the input is at the first record afterwards. */
static int read_head(struct perf_file *file, struct input *input, struct perf_profile *profile,
		     uint64_t *end, struct op_error *error)
{
	*end = UINT64_MAX;
	if (file->is_pipe)
		return 0;
	if (perf_file_attrs(file, input, &profile->events, error) < 0 ||
	    perf_file_features(file, input, &profile->features, error) < 0)
		return -1;
	if (!file->was_killed)
		*end = file->data.offset + file->data.size;
	if (*end < file->data.offset || file->data.offset > input_size(input))
		return input_fail(input, error, EINVAL, 40,
				  "the data begin at byte %" PRIu64 ", beyond the end of the file",
				  file->data.offset);
	return input_seek(input, file->data.offset, error);
}

/* Of a long file, what comes too late in it is looked for in a pass of its own. */
static int foresee(const struct perf_file *file, struct input *input, struct perf_profile *profile,
		   uint64_t end, struct op_error *error)
{
	struct perf_stream stream = {
		.input = input,
		.swap = file->swap,
		.end = end,
		.was_killed = file->was_killed,
		.window = PERF_WINDOW_MOST,
	};
	bool is_packed = file->features[PERF_FEATURE_COMPRESSED / 64] >>
				 PERF_FEATURE_COMPRESSED % 64 & 1;
	uint64_t least = is_packed ? PERF_LATE_LEAST / 16 : PERF_LATE_LEAST;
	int result;

	if (file->is_pipe || input_size(input) < least)
		return 0;
	result = perf_profile_foresee(profile, &stream, error);
	perf_stream_free(&stream);
	return result ? result : input_seek(input, file->data.offset, error);
}

static int read_data(struct input *input, const char *directory, struct perf_profile *profile,
		     struct op_error *error)
{
	struct perf_sources sources = {0};
	struct perf_file file;
	uint64_t end;
	int result;

	if (perf_file_read(&file, input, error) < 0)
		return -1;
	profile->swap = file.swap;
	tell_container(&file, directory ? "directory" : "file", profile->sink);
	if (read_head(&file, input, profile, &end, error) < 0)
		return -1;
	if (!directory && foresee(&file, input, profile, end, error) < 0)
		return -1;
	perf_sources_add(&sources, input, false, file.swap, end, file.was_killed);
	result = directory ? perf_sources_add_directory(&sources, directory, file.swap, error) : 0;
	if (!result)
		result = perf_sources_read(&sources, profile, error);
	tell_recovered(&sources.list[0].stream, profile->sink);
	perf_sources_free(&sources);
	return result;
}

static int read_perf(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct perf_profile *profile;
	struct input *data;
	char *path;
	int result = -1;

	profile = perf_profile_new(sink);
	if (input_is_directory(input)) {
		path = op_format("%s/data", input_path(input));
		data = input_open(path, error);
		if (data)
			result = read_data(data, input_path(input), profile, error);
		input_close(data);
		free(path);
	} else {
		result = read_data(input, NULL, profile, error);
	}
	perf_profile_free(profile);
	return result;
}

const struct format format_perf = {
	.name = "perf",
	.description = "perf.data, from perf record: a file, a pipe or a directory",
	.probe = perf_read_probe,
	.probe_directory = probe_directory,
	.read = read_perf,
	.write = perf_write,
	.has_no_names = true,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU | PROF_BY_LABELS | PROF_TIMES,
};

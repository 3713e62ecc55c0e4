// SPDX-License-Identifier: GPL-2.0-or-later
/* See sources.h. */
#include "sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

void perf_sources_add(struct perf_sources *sources, struct input *input, bool is_owned, bool swap,
		      uint64_t end, bool was_killed)
{
	sources->list =
		op_grow(sources->list, &sources->capacity, sources->n + 1, sizeof(*sources->list));
	sources->list[sources->n++] = (struct perf_source){
		.stream = {.input = input, .swap = swap, .end = end, .was_killed = was_killed},
		.is_owned = is_owned,
	};
}

static int is_data(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "data.", 5) && entry->d_name[5];
}

int perf_sources_add_directory(struct perf_sources *sources, const char *path, bool swap,
			       struct op_error *error)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_data, versionsort), result = 0;
	struct input *input;
	char *file;

	if (n < 0)
		return op_error_errno(error, "%s", path);
	if (n >= PERF_SOURCES_MOST)
		result = op_error_set(error, EFBIG, "%s: %d files, of which %d can be read", path,
				      n, PERF_SOURCES_MOST - 1);
	for (int i = 0; i < n && !result; i++) {
		file = op_format("%s/%s", path, entries[i]->d_name);
		input = input_open(file, error);
		if (input)
			perf_sources_add(sources, input, true, swap, UINT64_MAX, false);
		else
			result = -1;
		free(file);
	}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return result;
}

void perf_sources_free(struct perf_sources *sources)
{
	for (size_t i = 0; i < sources->n; i++) {
		perf_stream_free(&sources->list[i].stream);
		if (sources->list[i].is_owned)
			input_close(sources->list[i].stream.input);
	}
	free(sources->list);
	*sources = (struct perf_sources){0};
}

/* What each stream may remember, so that all together need no more than the most of one. */
static unsigned int window_of(size_t sources)
{
	unsigned int window = PERF_WINDOW_MOST;

	for (; sources > 1 && window > PERF_WINDOW_LEAST; sources = (sources + 1) / 2)
		window--;
	return window;
}

/* Reads the next record; the first fault of all is kept. */
static void advance(struct perf_source *source, struct perf_profile *profile)
{
	struct op_error error;
	int result = perf_stream_next(&source->stream, &source->next, &error);

	source->has_next = result > 0;
	if (result < 0 && !profile->has_fault) {
		profile->has_fault = true;
		profile->fault = error;
	}
	if (result > 0)
		source->time = source->next.type < PERF_TYPE_FIRST_USER
				       ? perf_profile_time(profile, &source->next)
				       : 0;
}

static struct perf_source *oldest(const struct perf_sources *sources)
{
	struct perf_source *found = NULL;

	for (size_t i = 0; i < sources->n; i++)
		if (sources->list[i].has_next && (!found || sources->list[i].time < found->time))
			found = &sources->list[i];
	return found;
}

static int read_merged(struct perf_sources *sources, struct perf_profile *profile,
		       struct op_error *error)
{
	struct perf_source *source;

	for (size_t i = 0; i < sources->n; i++)
		advance(&sources->list[i], profile);
	while ((source = oldest(sources))) {
		/* A round of one file means nothing for the others. */
		if (source->next.type == PERF_TYPE_FINISHED_ROUND)
			profile->census.records[PERF_TYPE_FINISHED_ROUND]++;
		else if (perf_profile_add(profile, &source->next, error) < 0)
			return -1;
		advance(source, profile);
	}
	return 0;
}

static int read_one(struct perf_source *source, struct perf_profile *profile,
		    struct op_error *error)
{
	while (!profile->has_fault) {
		int result = perf_stream_next(&source->stream, &source->next, &profile->fault);

		profile->has_fault = result < 0;
		if (result <= 0)
			break;
		if (perf_profile_add(profile, &source->next, error) < 0)
			return -1;
	}
	return 0;
}

int perf_sources_read(struct perf_sources *sources, struct perf_profile *profile,
		      struct op_error *error)
{
	int result;

	for (size_t i = 0; i < sources->n; i++)
		sources->list[i].stream.window = window_of(sources->n);
	if (sources->n == 1)
		result = read_one(sources->list, profile, error);
	else
		result = read_merged(sources, profile, error);
	if (!result)
		result = perf_profile_end(profile, error);
	if (!result && profile->has_fault) {
		if (error)
			*error = profile->fault;
		result = -1;
	}
	return result;
}

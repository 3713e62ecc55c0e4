// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows what a reader makes of a profile, with nothing of a session between.
 *
 *	show_profile [-mv] [-w FORMAT=PATH] FORMAT PATH
 *
 * -m: samples in the order of time, "TIME PID/TID EVENT EVENTS DEPTH IMAGE+OFFSET", and no others.
 * -v: events, images, facts and notes, too, and the application of each sample.
 * -w: writes the profile in this format.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/formats/model/timeline.h"
#include "pp/formats/session/symbolize.h"
#include "tests/unit/formats/describe.h"

static const struct format *find_format(const char *name)
{
	const struct format *format = format_named(name);

	if (!format) {
		fprintf(stderr, "show_profile: error: no format %s\n", name);
		exit(2);
	}
	return format;
}

/* Whether the format is recognised by the profile's first bytes. */
static bool is_recognised(const struct format *format, const char *path)
{
	struct op_error error;
	struct input *input = input_open(path, &error);
	bool is_same = input && format_of(input, &error) == format;

	input_close(input);
	return is_same;
}

static void show_applications(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(prof, &cursor, &sample))
		printf("app %s\n", prof->images[sample.app].path);
	prof_cursor_free(&cursor);
}

static void show_moments(struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	prof_sort_moments(prof, PROF_IN_TIME);
	while (prof_next_moment(prof, &cursor, &sample)) {
		printf("%lu %ld/%ld %s %lu %zu", (unsigned long)sample.time, (long)sample.pid,
		       (long)sample.tid, prof->events[sample.values->event].name,
		       (unsigned long)sample.values->events, sample.depth);
		if (sample.depth)
			printf(" %s+%lx", prof->images[sample.frames->image].path,
			       (unsigned long)sample.frames->offset);
		putchar('\n');
	}
	prof_cursor_free(&cursor);
}

static const char *text(const char *text_or_null)
{
	return text_or_null ? text_or_null : "-";
}

static void show_head(const struct prof *prof)
{
	const struct prof_host *host = &prof->host;
	char *head = describe_head(prof);

	fputs(head, stdout);
	free(head);
	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++)
		printf("kind %u%s: %s\n", (unsigned int)prof->images[i].kind,
		       prof->images[i].is_kernel ? ", of the kernel" : "", prof->images[i].path);
	for (size_t i = 0; i < prof->n_losses; i++)
		printf("lost %lu: %s\n", (unsigned long)prof->losses[i].count,
		       prof->losses[i].cause);
	for (size_t i = 0; i < prof->n_branches; i++)
		printf("branch %lx > %lx: %lu, %lu mispredicted, %lu cycles\n",
		       (unsigned long)prof->branches[i].from.offset,
		       (unsigned long)prof->branches[i].to.offset,
		       (unsigned long)prof->branches[i].count,
		       (unsigned long)prof->branches[i].mispredicted,
		       (unsigned long)prof->branches[i].cycles);
	printf("host %s (%s, %s, %s), %lu/%lu CPUs of %g MHz, \"%s\", %lu bytes\n",
	       text(host->hostname), text(host->os_release), text(host->arch), text(host->cpu_id),
	       (unsigned long)host->cpus_online, (unsigned long)host->cpus_available, host->cpu_mhz,
	       text(host->cpu_description), (unsigned long)host->memory);
	printf("made by %s, \"%s\", start %lu\n", text(host->tool), text(host->command_line),
	       (unsigned long)host->start_time);
	for (size_t i = 0; i < prof->n_events; i++)
		if (prof->events[i].frequency)
			printf("frequency %lu: %s\n", (unsigned long)prof->events[i].frequency,
			       prof->events[i].name);
	printf("times %lu-%lu\n", (unsigned long)prof->first_time, (unsigned long)prof->last_time);
	show_applications(prof);
}

static void write_as(struct prof *prof, char *to)
{
	const struct format *format = find_format(strsep(&to, "="));
	struct pp_image_search search = {0};
	struct pp_image_reader reader = {.search = &search};
	struct output output = {.path = to, .command = "the command"};
	struct op_error error;

	output.names = names_new(prof, &reader, PP_DEMANGLE_NORMAL);
	if (!format->writes_directory)
		output.file = fopen(to, "w");
	if (format->write(prof, &output, &error))
		printf("cannot write: %s\n", error.text);
	if (output.file)
		fclose(output.file);
	names_free(output.names);
	pp_image_reader_free(&reader);
	pp_image_search_free(&search);
}

int main(int argc, char **argv)
{
	char *to = NULL, *samples;
	bool is_verbose = false, has_moments = false;
	const struct format *format;
	struct op_error error;
	struct prof *prof;
	int option;

	while ((option = getopt(argc, argv, "mvw:")) != -1) {
		is_verbose |= option == 'v';
		has_moments |= option == 'm';
		to = option == 'w' ? optarg : to;
	}
	if (argc - optind != 2)
		return 2;
	format = find_format(argv[optind]);
	if (!is_recognised(format, argv[optind + 1]))
		puts("not recognised");
	prof = read_path(format, argv[optind + 1], &error);
	if (*error.text)
		printf("error: %s\n", error.text);
	if (is_verbose)
		show_head(prof);
	samples = has_moments ? NULL : describe_samples(prof);
	if (samples)
		fputs(samples, stdout);
	else
		show_moments(prof);
	free(samples);
	if (to)
		write_as(prof, to);
	prof_free(prof);
	return 0;
}

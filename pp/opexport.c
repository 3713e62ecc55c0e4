// SPDX-License-Identifier: GPL-2.0-or-later
/* opexport: samples of a session, or of another profiler's file, in other profilers' formats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/pinned_path.h"
#include "libop/foreign/output.h"
#include "libop/session/paths.h"
#include "pp/formats/command/inputs.h"
#include "pp/formats/model/format.h"
#include "pp/formats/model/profile_input.h"
#include "pp/formats/model/weights.h"
#include "pp/formats/session/identify.h"
#include "pp/formats/session/symbolize.h"
#include "pp/formats/session/session.h"
#include "pp/formats/store/tables.h"
#include "pp/profile/loss.h"
#include "pp/symbols/image_reader.h"
#include "libop/base/memory.h"
#include "pp/select/selection.h"
#include "pp/tool/tool.h"
#include "pp/tool/whole_file.h"

struct job {
	struct pp_common common;
	char *from, *from_format, *to, *output, *value, *service;
	struct op_strings inputs; /* of --from and of words: they are read as they are */
	enum pp_demangle demangle;
	bool exclude_dependent, list_formats;
	uint64_t output_mib;
	struct op_strings host_labels;
};

static const struct op_option options[] = {
	{"from", 0, "FILE",
	 "convert this file or directory of another profiler, as a word does; - is standard input",
	 OP_TEXT(struct job, from)},
	{"input", 'i', "FILE", NULL, OP_TEXT(struct job, from)},
	{"from-format", 0, "NAME", "the format of --from (default: by its content)",
	 OP_TEXT(struct job, from_format)},
	{"to", 't', "FORMAT", "the format: see --list-formats", OP_TEXT(struct job, to)},
	{"output", 'o', "PATH", "write to this file or new directory (default: standard output)",
	 OP_TEXT(struct job, output)},
	{"value", 0, "NUMBER",
	 "of callgrind, firefox, folded and speedscope: events (where samples stand for different "
	 "numbers of them, the default), or samples",
	 OP_TEXT(struct job, value)},
	{"output-size", 0, "MIB",
	 "of fleet, pprof and otlp: write at most so much; what has fewest samples is added up by "
	 "program",
	 OP_NUMBER(struct job, output_mib, 1, UINT64_C(1) << 20)},
	{"host-label", 0, "NAME=TEXT,...",
	 "of fleet and otlp: what the host is called, as role=web,release=7",
	 OP_LIST(struct job, host_labels)},
	{"service-name", 0, "NAME", "of otlp: as which service it is stored (oprofile)",
	 OP_TEXT(struct job, service)},
	{"list-formats", 0, NULL, "list the formats that can be written",
	 OP_FLAG(struct job, list_formats)},
	PP_OPTION_DEMANGLE(struct job, demangle),
	PP_OPTION_EXCLUDE_DEPENDENT(struct job, exclude_dependent),
	{0}};

static const struct format *chosen(const struct job *job)
{
	return job->to ? format_named(job->to) : NULL;
}

static int check_input(const struct job *job, struct op_error *error)
{
	if (job->from_format && !job->from)
		return op_error_set(error, EINVAL, "--from-format is for --from only");
	if (job->from_format && format_check_read("--from-format", job->from_format, error))
		return -1;
	if (job->from && job->common.words.count)
		return op_error_set(error, EINVAL,
				    "--from takes no specification: '%s' selects from sessions",
				    job->common.words.item[0]);
	return 0;
}

static int check_host_labels(const struct job *job, const struct format *format,
			     struct op_error *error)
{
	struct op_error why;

	if (!format->has_host_labels)
		return op_error_set(error, EINVAL,
				    "--host-label is for fleet and otlp, not for --to=%s", job->to);
	if (job->host_labels.count > FLEET_LABELS_MOST - FLEET_HOST_LABELS)
		return op_error_set(error, EINVAL, "--host-label: at most %u",
				    FLEET_LABELS_MOST - FLEET_HOST_LABELS);
	for (size_t i = 0; i < job->host_labels.count; i++)
		if (fleet_label_check(job->host_labels.item[i], &why))
			return op_error_set(error, EINVAL, "--host-label=%.300s: %s",
					    job->host_labels.item[i], why.text);
	return 0;
}

static bool is_standard_output(const struct job *job)
{
	return !job->output || !strcmp(job->output, "-");
}

static int opexport_check(void *context, struct op_error *error)
{
	const struct job *job = context;
	const struct format *format = chosen(job);

	if (job->list_formats)
		return 0;
	if (!job->to)
		return op_error_set(error, EINVAL,
				    "--to=FORMAT is required; --list-formats lists formats");
	if (format_check_write("--to", job->to, error))
		return -1;
	if (format->writes_directory && is_standard_output(job))
		return op_error_set(error, EINVAL, "--to=%s is a directory: --output is needed",
				    job->to);
	if (job->value && !format->has_one_number)
		return op_error_set(error, EINVAL,
				    "--value is for callgrind, firefox, folded and "
				    "speedscope, not for --to=%s",
				    job->to);
	if (job->value && strcmp(job->value, "events") != 0 && strcmp(job->value, "samples") != 0)
		return op_error_set(error, EINVAL, "--value=%s: it is events or samples",
				    job->value);
	if (job->output_mib && !format->is_bounded)
		return op_error_set(error, EINVAL,
				    "--output-size is for fleet, pprof and otlp, not for --to=%s",
				    job->to);
	if (job->host_labels.count && check_host_labels(job, format, error))
		return -1;
	if (job->service && !format->has_service)
		return op_error_set(error, EINVAL, "--service-name is for otlp, not for --to=%s",
				    job->to);
	return check_input(job, error);
}

static void list_formats(void)
{
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->write)
			printf("%-14s %s\n", formats[i]->name, formats[i]->description);
}

/* ---- output ---- */

/* Makes the directory, and writes @prof or, if that is NULL, @sessions. */
static int write_directory(const struct format *format, struct prof *prof,
			   const struct format_sessions *sessions, struct output *output,
			   struct op_error *error)
{
	const char *path = output->path;
	int fd = foreign_make_own_directory(path, 0755, error), result;
	char *pinned = fd < 0 ? NULL : op_pinned_path(fd, path);

	if (!pinned)
		return fd < 0 ? -1 : op_error_memory(error);
	output->path = pinned;
	result = prof ? format->write(prof, output, error)
		      : format->write_sessions(sessions, output, error);
	output->path = path;
	/* keep partial output, but not an empty directory */
	if (result)
		foreign_remove_directory(path);
	op_pinned_close(pinned);
	return result;
}

static int write_profile(const struct job *job, struct prof *prof, struct prof_names *names,
			 struct op_error *error)
{
	const struct format *format = chosen(job);
	struct output output = {
		.path = job->output,
		.command = job->common.command_line,
		.names = names,
		.most = job->output_mib << 20,
		.host_labels = &job->host_labels,
		.service = job->service,
		.want_samples = job->value && !strcmp(job->value, "samples"),
	};
	struct pp_whole_file whole;

	if (format->writes_directory)
		return write_directory(format, prof, NULL, &output, error);
	if (pp_whole_file_open(&whole, job->output, error))
		return -1;
	output.path = whole.path;
	output.file = whole.file;
	return pp_whole_file_close(&whole, format->write(prof, &output, error), error);
}

/* ---- input of another profiler ---- */

/* What is not selected from is converted as it is, without becoming a session in between, which has
 * no place for times and labels. */
static void take_inputs(void *context)
{
	struct job *job = context;
	struct pp_spec *spec = &job->common.specs[0];

	if (job->from && op_strings_add(&job->inputs, job->from))
		op_out_of_memory();
	if (job->from || pp_spec_is_selective(spec) || job->exclude_dependent)
		return;
	job->inputs = spec->inputs;
	spec->inputs = (struct op_strings){0};
}

static struct pp_separation separation(const void *job)
{
	unsigned int by = chosen(job)->by;

	return (struct pp_separation){.process = by & PROF_BY_PID,
				      .thread = by & (PROF_BY_TID | PROF_TIMES_BY_TID),
				      .cpu = by & PROF_BY_CPU};
}

static const struct format *input_format(const struct job *job, const struct profile_input *input,
					 struct op_error *error)
{
	const struct format *format = job->from_format ? format_named(job->from_format)
						       : profile_input_format(input, error);

	if (!format || (format->read && format != &format_session))
		return format;
	op_error_set(error, EINVAL, "%s: a session is exported with --session-dir",
		     profile_input_name(input));
	return NULL;
}

/* Of a damaged input, @prof has what precedes the damage.  Return: 0, or -1 with @error set. */
static int read_input(const struct job *job, const char *path, struct prof *prof,
		      struct op_error *error)
{
	struct profile_input input;
	const struct format *format;
	int result;

	if (profile_input_open(&input, path, NULL, error))
		return -1;
	format = input_format(job, &input, error);
	result = format ? input_read(prof, &input, format, chosen(job)->by, NULL, error) : -1;
	if (!result && !prof->n_events)
		result = op_error_set(error, ENODATA, "%s: no samples", profile_input_name(&input));
	input_warn_of_labels(prof, profile_input_name(&input));
	profile_input_close(&input);
	return result;
}

/* Adds all of them up, to the first that is damaged. */
static int read_inputs(const struct job *job, struct prof *prof, struct op_error *error)
{
	for (size_t i = 0; i < job->inputs.count; i++)
		if (read_input(job, job->inputs.item[i], prof, error))
			return -1;
	return 0;
}

/* ---- export ---- */

/* A format without signs would have what was taken off as if it were more. */
static int check_signs(const struct job *job, const struct prof *prof, struct op_error *error)
{
	if (chosen(job)->has_signs || !prof_is_signed(prof))
		return 0;
	return op_error_set(error, EINVAL,
			    "%s: values below 0, as of a difference of profiles, have no place in "
			    "--to=%s; firefox, folded and pprof have one",
			    job->inputs.item[0], job->to);
}

/* What can't be told later is told now. */
static void warn_of_names(const struct job *job, const struct prof *prof)
{
	size_t n_images, n = chosen(job)->has_no_names ? prof_names_alone(prof, &n_images) : 0;

	if (n)
		op_warn("--to=%s has addresses and no names: those of %zu function%s, in %zu "
			"image%s that %s no file here, are left out; pprof and folded keep them",
			job->to, n, n == 1 ? "" : "s", n_images, n_images == 1 ? "" : "s",
			n_images == 1 ? "is" : "are");
}

static int write_named(const struct job *job, struct prof *prof, struct pp_image_reader *reader,
		       struct op_error *error)
{
	struct prof_names *names;
	int result;

	prof_finish(prof);
	if (job->inputs.count)
		session_identify(prof, reader);
	names = names_new(prof, reader, job->demangle);
	result = write_profile(job, prof, names, error);
	names_free(names);
	if (!result)
		warn_of_names(job, prof);
	return result;
}

static int export_input(struct job *job, struct prof *prof, struct pp_image_reader *reader,
			struct op_error *error)
{
	struct op_error cause;
	int result = read_inputs(job, prof, error);

	if (!prof->n_events)
		return -1;
	if (check_signs(job, prof, &cause) || write_named(job, prof, reader, &cause)) {
		if (!result)
			*error = cause;
		else
			op_warn("%s", cause.text);
		return -1;
	}
	if (result)
		op_warn("%s: only the samples before the error were written", job->inputs.item[0]);
	return result;
}

static int export_session(struct job *job, struct prof *prof, struct pp_image_reader *reader,
			  struct op_error *error)
{
	const struct pp_spec *spec = &job->common.specs[0];
	struct pp_sample_list list = {.want_weights = true, .want_arcs = true};
	int result = pp_select_files(&list, job->common.session_dir, spec, job->exclude_dependent,
				     &job->common.warnings, error);

	if (result)
		pp_loss_explain(&list, error);
	if (!result)
		result = session_read(&list, reader->search, &prof->sink, &job->common.warnings,
				      error);
	if (!result && !prof->n_events)
		result = op_error_set(error, EINVAL, "none of the sample files could be read");
	reader->samples_dirs = list.samples_dirs;
	reader->n_dirs = list.n_dirs;
	if (!result)
		result = write_named(job, prof, reader, error);
	pp_sample_list_free(&list);
	return result;
}

static int export_sessions(struct job *job, struct op_error *error)
{
	struct pp_image_search search = pp_common_search(&job->common, &job->common.specs[0]);
	const struct format_sessions sessions = {
		.dir = job->common.session_dir,
		.spec = &job->common.specs[0],
		.exclude_dependent = job->exclude_dependent,
		.search = &search,
		.warnings = &job->common.warnings,
	};
	struct output output = {.path = job->output, .command = job->common.command_line};
	int result = write_directory(chosen(job), NULL, &sessions, &output, error);

	op_warnings_summarize(&job->common.warnings);
	pp_image_search_free(&search);
	return result;
}

static int opexport_run(void *context, struct op_error *error)
{
	struct job *job = context;
	struct pp_image_search search;
	struct pp_image_reader reader = {.search = &search, .warnings = &job->common.warnings};
	struct prof *prof;
	int result;

	if (job->list_formats) {
		list_formats();
		return 0;
	}
	if (chosen(job)->write_sessions && !job->inputs.count)
		return export_sessions(job, error);
	search = pp_common_search(&job->common, &job->common.specs[0]);
	prof = prof_new(chosen(job)->by, 0);
	result = job->inputs.count ? export_input(job, prof, &reader, error)
				   : export_session(job, prof, &reader, error);
	op_warnings_summarize(&job->common.warnings);
	pp_image_reader_free(&reader);
	pp_image_search_free(&search);
	prof_free(prof);
	return result;
}

static void opexport_release(void *job)
{
	op_strings_free(&((struct job *)job)->inputs);
}

static const struct pp_tool tool = {
	.synopsis = "--to=FORMAT [OPTION...] [TAG:LIST|IMAGE|PROFILE]...",
	.options = options,
	.words = PP_WORDS_SPEC,
	.inputs = &input_readers,
	.separation = separation,
	.take_inputs = take_inputs,
	.check = opexport_check,
	.run = opexport_run,
	.release = opexport_release,
};

int main(int argc, char **argv)
{
	struct job job = {.demangle = PP_DEMANGLE_NORMAL};

	return pp_tool_main(&tool, &job, argc, argv);
}

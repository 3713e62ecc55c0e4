// SPDX-License-Identifier: GPL-2.0-or-later
/* opexport: samples in the formats of other profilers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/paths.h"
#include "pp/formats/model/format.h"
#include "pp/formats/session/symbolize.h"
#include "pp/formats/session/session.h"
#include "pp/symbols/image_reader.h"
#include "libop/base/memory.h"
#include "pp/select/selection.h"
#include "pp/tool/tool.h"

struct job {
	struct pp_common common;
	char *to, *output;
	enum pp_demangle demangle;
	bool exclude_dependent, list_formats;
};

static const struct pp_option options[] = {
	{"to", 't', "format", "the format: see --list-formats", PP_TEXT(struct job, to)},
	{"output", 'o', "path", "write to this file or new directory (default: standard output)",
	 PP_TEXT(struct job, output)},
	{"list-formats", 0, NULL, "list the formats that can be written",
	 PP_FLAG(struct job, list_formats)},
	PP_OPTION_DEMANGLE(struct job, demangle),
	PP_OPTION_EXCLUDE_DEPENDENT(struct job, exclude_dependent),
	{0}};

static const struct format *chosen(const struct job *job)
{
	return job->to ? format_named(job->to) : NULL;
}

static bool is_standard_output(const struct job *job)
{
	return !job->output || !strcmp(job->output, "-");
}

static int check(void *context, struct op_error *error)
{
	const struct job *job = context;
	const struct format *format = chosen(job);

	if (job->list_formats)
		return 0;
	if (!job->to)
		return op_error_set(error, EINVAL, "which format? --to is needed");
	if (!format || !format->write)
		return op_error_set(error, EINVAL,
				    "--to=%s: no such format; --list-formats lists them", job->to);
	if (format->writes_directory && is_standard_output(job))
		return op_error_set(error, EINVAL, "--to=%s is a directory: --output is needed",
				    job->to);
	return 0;
}

static void list_formats(void)
{
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->write)
			printf("%-12s %s\n", formats[i]->name, formats[i]->description);
}

/* ---- where it goes ---- */

static int write_directory(const struct format *format, struct prof *prof, struct output *output,
			   struct op_error *error)
{
	if (mkdir(output->path, 0777))
		return op_error_set(error, errno, "%s: %s", output->path, strerror(errno));
	if (!format->write(prof, output, error))
		return 0;
	/* what was written of it is left to look at; an empty one is not */
	rmdir(output->path);
	return -1;
}

static int finish(FILE *file, const char *name, int result, struct op_error *error)
{
	bool failed = ferror(file);
	int code = errno;

	if (fflush(file)) {
		code = errno;
		failed = true;
	}
	if (result || !failed)
		return result;
	return op_error_set(error, code ? code : EIO, "%s can't be written: %s", name,
			    strerror(code ? code : EIO));
}

/* A file is written under another name first, so that an error leaves what was there. */
static int write_file(const struct format *format, struct prof *prof, struct output *output,
		      struct op_error *error)
{
	char *fresh = pp_format("%s.XXXXXX", output->path);
	int fd = mkstemp(fresh), result;
	mode_t mask = umask(0);

	umask(mask);
	output->file = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (!output->file) {
		result = op_error_set(error, errno, "%s: %s", output->path, strerror(errno));
		free(fresh);
		return result;
	}
	result = finish(output->file, output->path, format->write(prof, output, error), error);
	/* profiles tell what a machine does: for the user and the group */
	if (!result && fchmod(fd, 0640 & ~mask))
		result = op_error_set(error, errno, "%s: %s", output->path, strerror(errno));
	if (fclose(output->file) && !result)
		result = op_error_set(error, errno, "%s can't be written: %s", output->path,
				      strerror(errno));
	if (!result && rename(fresh, output->path))
		result = op_error_set(error, errno, "%s: %s", output->path, strerror(errno));
	if (result)
		unlink(fresh);
	free(fresh);
	return result;
}

/* A device, a pipe or the like is written to, not replaced. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int write_special(const struct format *format, struct prof *prof, struct output *output,
			 struct op_error *error)
{
	int result;

	output->file = fopen(output->path, "w");
	if (!output->file)
		return op_error_set(error, errno, "%s: %s", output->path, strerror(errno));
	result = finish(output->file, output->path, format->write(prof, output, error), error);
	fclose(output->file);
	return result;
}

static int write_profile(const struct job *job, struct prof *prof, struct prof_names *names,
			 struct op_error *error)
{
	const struct format *format = chosen(job);
	struct output output = {
		.path = is_standard_output(job) ? "standard output" : job->output,
		.command = job->common.command_line,
		.names = names,
	};

	if (format->writes_directory)
		return write_directory(format, prof, &output, error);
	if (!is_standard_output(job))
		return is_special(job->output) ? write_special(format, prof, &output, error)
					       : write_file(format, prof, &output, error);
	output.file = stdout;
	return finish(stdout, output.path, format->write(prof, &output, error), error);
}

/* ---- what is exported ---- */

static int run(void *context, struct op_error *error)
{
	struct job *job = context;
	const struct pp_spec *spec = &job->common.specs[0];
	struct pp_image_search search;
	struct pp_sample_list list = {0};
	struct pp_image_reader reader = {0};
	struct prof_names *names;
	struct prof *prof;
	int result;

	if (job->list_formats) {
		list_formats();
		return 0;
	}
	search = pp_common_search(&job->common, spec);
	prof = prof_new(chosen(job)->by, 0);
	result = pp_select_files(&list, job->common.session_dir, spec, job->exclude_dependent,
				 &job->common.trouble, error);
	if (!result)
		result = session_read(&list, &search, &prof->sink, &job->common.trouble, error);
	if (!result && !prof->n_events)
		result = op_error_set(error, EINVAL, "none of the sample files could be read");
	if (!result) {
		prof_finish(prof);
		reader.search = &search;
		reader.samples_dirs = list.samples_dirs;
		reader.n_dirs = list.n_dirs;
		reader.warnings = &job->common.trouble;
		names = names_new(prof, &reader, job->demangle);
		result = write_profile(job, prof, names, error);
		names_free(names);
	}
	pp_warnings_summarize(&job->common.trouble);
	pp_image_reader_free(&reader);
	pp_sample_list_free(&list);
	pp_image_search_free(&search);
	prof_free(prof);
	return result;
}

static const struct pp_tool tool = {
	.synopsis = "--to=FORMAT [OPTION...] [TAG:LIST|IMAGE]...",
	.options = options,
	.words = PP_WORDS_SPEC,
	.check = check,
	.run = run,
};

int main(int argc, char **argv)
{
	struct job job = {.demangle = PP_DEMANGLE_NORMAL};

	return pp_tool_main(&tool, &job, argc, argv);
}

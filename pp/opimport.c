// SPDX-License-Identifier: GPL-2.0-or-later
/* opimport: samples of other machines, versions and profilers as native sample files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/cpu/type_names.h"
#include "libop/foreign/door.h"
#include "pp/formats/model/format.h"
#include "pp/formats/command/import.h"
#include "pp/formats/command/inputs.h"
#include "pp/formats/model/info.h"
#include "pp/formats/model/profile_input.h"
#include "pp/archive/import.h"
#include "libop/base/memory.h"
#include "libop/base/similar.h"
#include "pp/tool/tool.h"

#define DEFAULT_OUTPUT "oprofile_data"

struct job {
	struct pp_common common;
	char *from, *abi, *type, *output, *separate;
	bool force, info;
	bool merge_libs;
	unsigned int by; /* separation of samples */
};

static const struct op_option options[] = {
	{"from", 0, "FORMAT", "the format of the input (default: by its content)",
	 OP_TEXT(struct job, from)},
	{"output", 'o', "PATH",
	 "write to this directory; of sample files, a file or directory that is new "
	 "(default: " DEFAULT_OUTPUT ")",
	 OP_TEXT(struct job, output)},
	{"info", 'i', NULL, "only show the contents of the input", OP_FLAG(struct job, info)},
	{"separate", 's', "LIST",
	 "count separately: lib (by program, the default), thread, cpu, none",
	 OP_TEXT(struct job, separate)},
	{"abi", 'a', "FILE", "of sample files: compare the input with this description of its ABI",
	 OP_TEXT(struct job, abi)},
	{"cpu-type", 0, "TYPE", "the CPU type that was profiled, such as i386/core_2",
	 OP_TEXT(struct job, type)},
	{"force", 'f', NULL,
	 "import a file even if it has this machine's ABI, or not that of --abi",
	 OP_FLAG(struct job, force)},
	{0}};

static int parse_separation(struct job *job, struct op_error *error)
{
	static const char *const words[] = {"lib", "kernel", "thread", "cpu", "none", NULL};
	char *copy = op_copy(job->separate ? job->separate : "lib"), *rest = copy, *word;
	struct op_similar similar;
	int result = 0;

	job->merge_libs = true;
	while (!result && (word = strsep(&rest, ","))) {
		similar = op_similar_of(word, words);
		/* kernel images belong to applications as well; there is no option for them alone
		 */
		if (!strcmp(word, "lib") || !strcmp(word, "library") || !strcmp(word, "kernel"))
			job->merge_libs = false;
		else if (!strcmp(word, "thread"))
			job->by |= PROF_BY_TID;
		else if (!strcmp(word, "cpu"))
			job->by |= PROF_BY_CPU;
		else if (strcmp(word, "none"))
			result = op_error_set(error, EINVAL,
					      "--separate=%s: '%s' is not one of lib, kernel, "
					      "thread, cpu, none" OP_SIMILAR_FORMAT,
					      job->separate, word,
					      OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	free(copy);
	return result;
}

/* ---- what is imported ---- */

/* True if there is no default output for this input. */
static bool needs_output(const struct job *job)
{
	const char *path = job->common.words.item[0];
	const struct format *format;
	struct profile_input profile;
	struct op_error ignored;
	struct stat status;

	/* input that can be opened twice */
	if (stat(path, &status) || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
		return false;
	format = profile_input_open(&profile, path, NULL, &ignored)
			 ? NULL
			 : profile_input_format(&profile, &ignored);
	profile_input_close(&profile);
	return format == &format_sample_file || format == &format_session;
}

static int opimport_check(void *context, struct op_error *error)
{
	struct job *job = context;
	struct op_similar similar;

	if (job->from && format_check_read("--from", job->from, error))
		return -1;
	if (job->type && op_cpu_type_number(job->type) == OP_CPU_NONE) {
		similar = op_cpu_type_similar(job->type);
		return op_error_set(error, EINVAL,
				    "--cpu-type=%s: no such CPU type" OP_SIMILAR_FORMAT, job->type,
				    OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	if (job->common.words.count != 1)
		return op_error_set(error, EINVAL, "one file or directory is needed, not %zu",
				    job->common.words.count);
	if (!job->output && !job->info && strcmp(job->common.words.item[0], "-") &&
	    needs_output(job))
		return op_error_set(error, EINVAL, "--output is required");
	return parse_separation(job, error);
}

/* Maps of JIT code are not sample files; OProfile skips them, too. */
static bool is_jit_code(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && !strcmp(path + n - 3, ".jo");
}

/* ---- sample files of other machines ---- */

static int import_sample_files(struct job *job, const struct profile_input *profile,
			       struct op_error *error)
{
	const struct pp_import import = {
		.abi = job->abi,
		.type = job->type,
		.force = job->force,
		.is_supplied = profile->supplier != FOREIGN_OURSELVES,
		.supplier = profile->supplier,
	};
	const char *path = profile->path;
	struct pp_import_result result;
	struct stat status;

	if (!job->output)
		return op_error_set(error, EINVAL, "--output is required");
	if (stat(path, &status))
		return op_error_errno(error, "%s", path);
	if (!S_ISDIR(status.st_mode))
		return is_jit_code(path) ? 0 : pp_import_file(&import, path, job->output, error);
	if (pp_import_tree(&import, path, job->output, &result, &job->common.warnings, error))
		return -1;
	op_warnings_summarize(&job->common.warnings);
	if (result.failed)
		return op_error_set(error, EINVAL, "%zu of %zu sample files were not imported",
				    result.failed, result.failed + result.imported);
	return result.imported ? 0 : op_error_set(error, ENOENT, "no sample files below %s", path);
}

/* ---- foreign formats ---- */

static int show_info(const struct format *format, struct profile_input *profile,
		     struct op_error *error)
{
	struct prof *prof = prof_new(PROF_COUNTS_ONLY, 0);
	int result =
		profile_input_read(profile, format, PROF_COUNTS_ONLY, &prof->sink, NULL, error);

	prof_finish(prof);
	info_write(prof, format, profile->path, stdout);
	prof_free(prof);
	if (fflush(stdout) || ferror(stdout))
		return op_error_errno(error, "standard output");
	return result;
}

static int import_profile(struct job *job, const struct format *format,
			  struct profile_input *profile, struct op_error *error)
{
	const char *dir = job->output ? job->output : DEFAULT_OUTPUT;
	struct session_options session = {.merge_libs = job->merge_libs};
	const struct prof_host host = {.cpu_type = job->type};
	struct op_error cause;
	struct prof *prof;
	int result;

	/* before reading, which may take long */
	if (import_session_check(dir, error))
		return -1;
	prof = prof_new(job->by, 0);
	result = input_read(prof, profile, format, job->by, &session, error);
	prof_finish(prof);
	prof->sink.host(&prof->sink, &host);
	input_warn_of_labels(prof, profile_input_name(profile));
	/* of a damaged file, what is before the damage */
	if (input_check_signs(prof, profile_input_name(profile), &cause)) {
		result = op_error_set(error, cause.code, "%s", cause.text);
	} else if (prof_is_empty(prof)) {
		if (!result)
			result = op_error_set(error, ENODATA, "%s: no samples",
					      profile_input_name(profile));
	} else if (import_session(prof, dir, &session, &cause)) {
		result = op_error_set(error, cause.code, "%s", cause.text);
	} else if (result) {
		op_warn("%s: only the samples before the error were imported, to %s",
			profile_input_name(profile), dir);
	}
	prof_free(prof);
	return result;
}

/* ---- choice of format ---- */

/* Sample files, and directories of no other format, are converted, not read. */
static bool are_sample_files(const struct job *job, const struct format *format,
			     const struct profile_input *profile)
{
	if (job->from)
		return format == &format_sample_file ||
		       (format == &format_session && profile->is_directory);
	return format == &format_sample_file || format == &format_session ||
	       (!format && (profile->is_directory || is_jit_code(profile->path) || job->abi));
}

static int opimport_run(void *context, struct op_error *error)
{
	struct job *job = context;
	const char *path = job->common.words.item[0];
	const struct format *format;
	struct profile_input profile;
	int result;

	if (profile_input_open(&profile, path, NULL, error))
		return -1;
	format = job->from ? format_named(job->from) : profile_input_format(&profile, error);
	if (job->info)
		result = format ? show_info(format, &profile, error) : -1;
	else if (are_sample_files(job, format, &profile))
		result = import_sample_files(job, &profile, error);
	else
		result = format ? import_profile(job, format, &profile, error) : -1;
	profile_input_close(&profile);
	return result;
}

static const struct pp_tool tool = {
	.synopsis = "[OPTION...] FILE|DIRECTORY",
	.options = options,
	.words = PP_WORDS_OWN,
	.no_session = true,
	.check = opimport_check,
	.run = opimport_run,
};

int main(int argc, char **argv)
{
	struct job job = {0};

	return pp_tool_main(&tool, &job, argc, argv);
}

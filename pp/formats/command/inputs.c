// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that commands are given: see inputs.h. */
#include "inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/session/paths.h"
#include "libop/session/temporary.h"
#include "libop/tables/name_index.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/weights.h"
#include "pp/formats/session/room.h"
#include "pp/formats/store/fetch.h"
#include "pp/formats/store/url.h"
#include "pp/report/options.h"
#include "archive_file.h"
#include "label_sums.h"

/* ---- reading ---- */

static void take_supplier(struct session_options *options, uid_t supplier)
{
	if (supplier == FOREIGN_OURSELVES)
		return;
	options->supplier =
		!options->is_supplied || options->supplier == supplier ? supplier : FOREIGN_NOBODY;
	options->is_supplied = true;
}

int input_read(struct prof *prof, struct profile_input *profile, const struct format *format,
	       unsigned int by, struct session_options *options, struct op_error *error)
{
	size_t n_notes = prof->n_notes;
	uint64_t stored;
	int result = profile_input_read(profile, format, by, &prof->sink, &stored, error);

	for (size_t i = n_notes; i < prof->n_notes; i++)
		op_warn("%s: %s", profile_input_name(profile), prof->notes[i]);
	if (options) {
		options->input += stored;
		take_supplier(options, profile->supplier);
	}
	return result;
}

int inputs_read_again(const struct op_strings *paths, unsigned int by, struct prof *prof,
		      struct op_error *error)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct format *format;
		struct profile_input profile;
		struct op_error damage;

		if (profile_input_open(&profile, paths->item[i], NULL, error))
			return -1;
		format = profile_input_format(&profile, error);
		if (format)
			profile_input_read(&profile, format, by, &prof->sink, NULL, &damage);
		profile_input_close(&profile);
		if (!format)
			return -1;
	}
	return 0;
}

void input_warn_of_labels(const struct prof *prof, const char *name)
{
	for (size_t i = 0; i < prof->n_lost_labels; i++)
		op_warn("%s: labels \"%.100s\" of samples are not kept", name,
			prof->strings[prof->lost_labels[i]]);
}

int input_check_signs(const struct prof *prof, const char *name, struct op_error *error)
{
	if (!prof_is_signed(prof))
		return 0;
	return op_error_set(error, EINVAL,
			    "%s: values below 0, as of a difference of profiles, have no place in "
			    "a session; import both profiles and compare them, or convert the "
			    "file with opexport",
			    name);
}

/* ---- words ---- */

/* The format of a profile that is no session; NULL with @error set. */
static const struct format *format_of_word(const char *path, struct op_error *error)
{
	const struct format *format = NULL;
	struct profile_input profile;

	if (profile_input_open(&profile, path, NULL, error))
		return NULL;
	format = profile_input_format(&profile, error);
	profile_input_close(&profile);
	if (!format || (format->read && format != &format_session))
		return format;
	op_error_set(error, EINVAL, "%s: a session, or a part of one: name its directory", path);
	return NULL;
}

/* Files of a directory that a word may name: a larger one is looked at only by opimport, or else
 * the name of an image that is one of a system's directories, too, would take minutes. */
#define DIRECTORY_MOST 4096

static int count_file(const char *path, const struct stat *status, void *context)
{
	size_t *n = context;

	(void)path;
	(void)status;
	return ++*n > DIRECTORY_MOST;
}

static bool is_file_or_directory(const char *path)
{
	struct op_error ignored;
	struct stat status;
	size_t n = 0;

	if (stat(path, &status))
		return false;
	return S_ISREG(status.st_mode) ||
	       (S_ISDIR(status.st_mode) && !op_walk(path, count_file, &n, &ignored));
}

static bool is_input(const char *word)
{
	struct op_error ignored;

	return !strcmp(word, "-") || store_url_is(word) ||
	       (is_file_or_directory(word) && format_of_word(word, &ignored));
}

/* Which names an image, whatever else there is of it. */
static bool is_object_file(const char *path)
{
	char magic[4] = "";
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		  !memcmp(magic, "\177ELF", sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

static void explain(const char *path, struct op_error *error)
{
	error->code = 0;
	if (is_file_or_directory(path) && !is_object_file(path))
		format_of_word(path, error);
}

/* ---- sessions ---- */

/* Names of labels that are shown or selected. */
static struct op_strings labels_of(const struct session_selection *selection)
{
	struct op_strings labels = {0};

	if (selection->label && op_strings_add(&labels, selection->label))
		op_out_of_memory();
	for (size_t i = 0; selection->wanted && i < selection->wanted->count; i++) {
		const char *word = selection->wanted->item[i];
		char *name = op_format("%.*s", (int)strcspn(word, "="), word);

		if (op_strings_add(&labels, name))
			op_out_of_memory();
		free(name);
	}
	return labels;
}

static int read_word(struct prof *prof, const char *path, const struct pp_separation *separation,
		     unsigned int by, struct session_options *options, struct op_error *error)
{
	struct op_strings labels = labels_of(&options->selection);
	const struct store_wanted wanted = {.labels = &labels,
					    .programs_only = separation->programs_only};
	const struct format *format;
	struct profile_input profile;
	int result = profile_input_open(&profile, path, &wanted, error);

	op_strings_free(&labels);
	if (result)
		return -1;
	format = profile_input_format(&profile, error);
	result = format ? input_read(prof, &profile, format, by, options, error) : -1;
	profile_input_close(&profile);
	return result;
}

/* Reads all; of what is damaged, what is before the damage. */
static int read_words(struct prof *prof, const struct op_strings *paths,
		      const struct pp_separation *separation, unsigned int by,
		      struct session_options *options, struct op_error *damage,
		      struct op_error *error)
{
	const char *damaged = NULL;

	for (size_t i = 0; i < paths->count; i++) {
		if (!read_word(prof, paths->item[i], separation, by, options, error))
			continue;
		if (!prof->n_events)
			return -1;
		if (damaged)
			op_warn("%s", damage->text);
		*damage = *error;
		damaged = paths->item[i];
	}
	prof_finish(prof);
	if (prof_is_empty(prof)) {
		if (!damaged)
			return op_error_set(error, ENODATA, "%s: no samples", paths->item[0]);
		*error = *damage;
		return -1;
	}
	if (damaged)
		op_warn("%s: only the samples before the error are reported", damaged);
	return input_check_signs(prof, paths->item[0], error);
}

static char *shown_of(const struct op_strings *paths)
{
	return paths->count < 2 ? op_copy(paths->item[0])
				: op_format("%s and %zu more", paths->item[0], paths->count - 1);
}

/* Sessions that the values of a label may become: label_sums.h has no such limit. */
#define LABEL_VALUES_MOST 1000

/* The values of a label; op_names_free_kept() frees them.  Return: whether some samples have
 * none. */
static bool find_values(const struct prof *prof, const char *label, struct op_names *values)
{
	bool has_others = false;

	for (size_t i = 0; values->n <= LABEL_VALUES_MOST && i < prof->n_contexts; i++) {
		const struct prof_label *found = NULL;
		bool has = false;

		while ((found = prof_context_label(prof, &prof->contexts[i], label, found))) {
			char *text = prof_label_text(prof, found);

			op_names_keep(values, text);
			has = true;
			free(text);
		}
		has_others |= !has;
	}
	return has_others;
}

/* Writes the samples that are selected as session number @number of those of a label. */
static int write_part(const struct prof *prof, const char *dir, struct session_options *options,
		      const char *value, size_t number, struct op_error *error)
{
	char *from = op_format("%s/" OP_SESSION_CURRENT, dir);
	char *to = op_format("%s/" OP_SESSION_SAMPLES "/label.%zu", dir, number);
	int result;

	options->selection.value = value;
	options->selection.no_losses = number;
	result = session_write(prof, dir, options, error);
	if (!result && rename(from, to))
		result = op_error_errno(error, "%s can't be renamed to %s", from, to);
	free(from);
	free(to);
	return result;
}

static int fail_without_label(const char *label, const char *shown, struct op_error *error)
{
	struct op_similar similar = pp_by_similar(label);

	return op_error_set(error, EINVAL, "%s: no sample has a label %s" OP_SIMILAR_FORMAT, shown,
			    label, OP_SIMILAR_ARGUMENTS(similar, ""));
}

/* A session for each value of the label. */
static int write_parts(const struct prof *prof, const char *dir, struct session_options *options,
		       const char *shown, struct op_error *error)
{
	struct op_names values = {0};
	bool has_others = find_values(prof, options->selection.label, &values);
	int result = 0;

	if (!values.n)
		result = fail_without_label(options->selection.label, shown, error);
	else if (values.n > LABEL_VALUES_MOST)
		result = op_error_set(
			error, E2BIG,
			"%s: label %s has more than %u values; opreport --by=%s, of one "
			"event and without a selection of images, shows them",
			shown, options->selection.label, LABEL_VALUES_MOST,
			options->selection.label);
	for (size_t i = 0; !result && i < values.n; i++)
		result = write_part(prof, dir, options, values.names[i], i, error);
	if (!result && has_others)
		result = write_part(prof, dir, options, NULL, values.n, error);
	op_names_free_kept(&values);
	return result;
}

/* One session, and sums of each value of the label. */
static int write_sums(const struct prof *prof, const char *dir, struct session_options *options,
		      struct pp_label_sums *sums, const char *shown, struct op_error *error)
{
	prof_label_sums(prof, &options->selection, sums);
	/* those without the label are the last ones */
	if (sums->n && !sums->items[0].value)
		return fail_without_label(options->selection.label, shown, error);
	options->selection.label = NULL;
	return session_write(prof, dir, options, error);
}

static bool has_several(const struct prof *prof, const struct prof_sample *sample,
			const char *label)
{
	const struct prof_label *first = prof_label_next(prof, sample, label, NULL);

	return first && prof_label_next(prof, sample, label, first);
}

static void warn_of_several(const struct prof *prof, const char *label, const char *shown)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t n = 0;

	while (prof_next_values(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values && has_several(prof, &sample, label); i++)
			n += sample.values[i].count;
	prof_cursor_free(&cursor);
	if (n)
		op_warn("%s: %" PRIu64 " samples have several values of %s, and count with each "
			"of them",
			shown, n, label);
}

static int write_session(const struct prof *prof, const char *dir, struct session_options *options,
			 const struct pp_separation *separation, const char *shown,
			 struct op_error *error)
{
	if (!separation->label)
		return session_write(prof, dir, options, error);
	warn_of_several(prof, separation->label, shown);
	if (separation->sums && prof->n_events == 1)
		return write_sums(prof, dir, options, separation->sums, shown, error);
	return write_parts(prof, dir, options, shown, error);
}

static const char *make_session(const struct op_strings *paths,
				const struct pp_separation *separation, struct op_error *damage,
				struct op_error *error)
{
	unsigned int by = (separation->process ? PROF_BY_PID : 0) |
			  (separation->thread ? PROF_BY_TID : 0) |
			  (separation->cpu ? PROF_BY_CPU : 0) |
			  (separation->label || separation->wanted->count ? PROF_BY_LABELS : 0);
	struct session_options options = {
		.selection = {.label = separation->label, .wanted = separation->wanted}};
	struct prof *prof = prof_new(by, 0);
	char *shown = shown_of(paths);
	const char *dir = NULL;

	if (!read_words(prof, paths, separation, by, &options, damage, error))
		dir = op_temporary_session_make(shown, error);
	if (dir && write_session(prof, dir, &options, separation, shown, error))
		dir = NULL;
	if (dir && session_room_check(dir, options.input, error))
		dir = NULL;
	free(shown);
	prof_free(prof);
	return dir;
}

const struct pp_input_readers input_readers = {
	.is_input = is_input,
	.of_last = store_url_last,
	.explain = explain,
	.is_archive = archive_file_is,
	.unpack_archive = archive_file_unpack,
	.make_session = make_session,
};

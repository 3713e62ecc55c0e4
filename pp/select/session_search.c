// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the sessions that a specification selects, and searches each for sample files. */
#include "sample_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libop/closed/times.h"
#include "libop/session/paths.h"
#include "libop/session/supplier.h"
#include "libop/session/trusted_dir.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/foreign/door.h"
#include "libop/pack/hold.h"
#include "pack_search.h"
#include "sample_search.h"
#include "stack_search.h"

/* Maximum number of searches of a session that is packed or unpacked meanwhile. */
#define SEARCHES_MOST 4

/* Searches the trees of images below @tree ("", or a name and a slash) of a session. */
static void search_tree(struct pp_sample_list *list, const struct pp_sample_search *search,
			struct op_pack *pack, const char *samples_dir, const char *tree,
			struct op_warnings *warnings)
{
	static const char *const below[] = {"{root}", "{kern}"};
	struct stat status;

	pp_pack_search(list, search, pack, samples_dir, tree, warnings);
	for (size_t i = 0; !search->is_whole && i < OP_ARRAY_SIZE(below); i++) {
		char *path = op_format("%s/%s%s", samples_dir, tree, below[i]);

		if (strlen(path) < PATH_MAX && !lstat(path, &status))
			pp_sample_search(list, search, path, warnings);
		free(path);
	}
}

static void mark_weights(struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		files[i].is_weight = true;
}

static void search_once(struct pp_sample_list *list, const struct pp_sample_search *search,
			const char *samples_dir, struct op_warnings *warnings)
{
	struct op_pack *pack = pp_pack_open(list, samples_dir, search->is_whole, warnings);
	bool has_stacks =
		list->want_stacks && pp_stack_search(list, search, pack, samples_dir, warnings);
	bool want_arcs = list->want_arcs, skip_arcs = has_stacks && !list->keep_arcs;
	struct pp_sample_list weights = {
		.want_arcs = want_arcs && !skip_arcs,
		.want_counts = list->want_counts,
		.want_entries = list->want_entries,
		.files = list->weights,
		.n = list->n_weights,
		.capacity = list->n_weights,
		.arcs = list->weight_arcs,
		.n_arcs = list->n_weight_arcs,
		.arcs_capacity = list->n_weight_arcs,
	};

	list->want_arcs = want_arcs && !skip_arcs;
	search_tree(list, search, pack, samples_dir, "", warnings);
	list->want_arcs = want_arcs;
	if (!list->want_weights)
		return;
	search_tree(&weights, search, pack, samples_dir, OP_SAMPLES_WEIGHTS "/", warnings);
	mark_weights(weights.files, weights.n);
	mark_weights(weights.arcs, weights.n_arcs);
	list->weights = weights.files;
	list->n_weights = weights.n;
	list->weight_arcs = weights.arcs;
	list->n_weight_arcs = weights.n_arcs;
}

/* Removes the files that were added to the list since @before. */
static void forget(struct pp_sample_list *list, const struct pp_sample_list *before)
{
	while (list->n > before->n)
		pp_sample_file_free(&list->files[--list->n]);
	while (list->n_arcs > before->n_arcs)
		pp_sample_file_free(&list->arcs[--list->n_arcs]);
	while (list->n_weights > before->n_weights)
		pp_sample_file_free(&list->weights[--list->n_weights]);
	while (list->n_weight_arcs > before->n_weight_arcs)
		pp_sample_file_free(&list->weight_arcs[--list->n_weight_arcs]);
	while (list->n_stacks > before->n_stacks)
		pp_sample_file_free(&list->stacks[--list->n_stacks]);
	list->n_passed_over = before->n_passed_over;
	list->n_bad = before->n_bad;
}

/* Packing a session replaces its directory: search again, instead of mixing the two. */
static void search_session(struct pp_sample_list *list, const struct pp_sample_search *search,
			   const char *samples_dir, struct op_warnings *warnings)
{
	const struct pp_sample_list before = *list;

	for (int attempt = 0; attempt < SEARCHES_MOST; attempt++) {
		struct stat status, after;

		if (stat(samples_dir, &status))
			return;
		search_once(list, search, samples_dir, warnings);
		if (stat(samples_dir, &after) || status.st_ino == after.st_ino)
			return;
		forget(list, &before);
	}
	search_once(list, search, samples_dir, warnings);
}

/* Until the list is freed: its files are read later.  Return: whether it is held. */
static bool hold_session(struct pp_sample_list *list, const char *samples_dir)
{
	list->holds = op_grow(list->holds, &list->holds_capacity, list->n_holds + 1,
			      sizeof(*list->holds));
	list->holds[list->n_holds++] = op_hold_to_read(samples_dir);
	return list->holds[list->n_holds - 1] >= 0;
}

/* Names that an error lists, and entries that are looked at for them. */
#define NAMES_MOST   4
#define ENTRIES_MOST 65536

/* Puts @name where it belongs among the first NAMES_MOST by name. */
static void names_insert(char **names, const char *name)
{
	char *last = op_copy(name);

	for (size_t i = 0; last && i < NAMES_MOST; i++) {
		char *there = names[i];

		if (there && strcmp(there, last) < 0)
			continue;
		names[i] = last;
		last = there;
	}
	free(last);
}

/* "a, b, c, d, ...": sessions beside the one that is missing; the caller frees it.  NULL: there are
 * none. */
static char *list_sessions(const char *samples_root)
{
	DIR *dir = opendir(samples_root);
	char *names[NAMES_MOST] = {0}, *list = NULL;
	const struct dirent *entry;
	size_t found = 0;

	for (size_t i = 0; dir && i < ENTRIES_MOST && (entry = readdir(dir)); i++)
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR) {
			names_insert(names, entry->d_name);
			found++;
		}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < NAMES_MOST && names[i]; i++) {
		char *longer =
			op_format("%s%s%.60s%s", list ? list : "", list ? ", " : "", names[i],
				  i + 1 == NAMES_MOST && found > NAMES_MOST ? ", ..." : "");

		free(list);
		list = longer;
		free(names[i]);
	}
	return list;
}

/* What to do about it; the caller frees it. */
static char *say_cure(const char *samples_root)
{
	char *names = list_sessions(samples_root), *cure;
	int dir = (int)strlen(samples_root) - (int)strlen("/" OP_SESSION_SAMPLES);

	if (names)
		cure = op_format("; sessions there: %s", names);
	else if (!strcmp(samples_root, OP_SESSION_DEFAULT_DIR "/" OP_SESSION_SAMPLES))
		cure = op_copy("; \"operf COMMAND\" makes one in ./oprofile_data, \"opcontrol "
			       "--start\" one of the whole system");
	else
		cure = op_format("; \"operf --session-dir=%.*s COMMAND\" makes one", dir,
				 samples_root);
	free(names);
	return cure;
}

/* @in: where sessions are looked for by name; NULL: the session has a path of its own. */
static int no_session(const char *samples_dir, const char *in, int code, struct op_error *error)
{
	char *found = code == ENOENT ? op_similar_entry(samples_dir, true) : NULL, *cure = NULL;
	int result = op_error_code(error, code, "no session at %s", samples_dir);
	size_t length = strlen(error->text);

	error->code = PP_NO_SESSION;
	if (found)
		cure = op_format("; did you mean session:%s?", found);
	else if (code == ENOENT && in)
		cure = say_cure(in);
	snprintf(error->text + length, sizeof(error->text) - length, "%s", cure ? cure : "");
	free(cure);
	free(found);
	return result;
}

/* @in: as of no_session(). */
static int add_session(struct pp_sample_list *list, char *samples_dir, const char *in,
		       struct op_error *error)
{
	struct stat status;
	int code = 0;

	list->samples_dirs =
		op_grow(list->samples_dirs, &list->dirs_capacity, list->n_dirs + 1, sizeof(char *));
	list->samples_dirs[list->n_dirs++] = samples_dir;
	if (stat(samples_dir, &status))
		code = errno;
	else if (!S_ISDIR(status.st_mode))
		code = ENOTDIR;
	return code ? no_session(samples_dir, in, code, error) : 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sessions whose names match @glob, in the order of their names. */
static int add_globbed(struct pp_sample_list *list, const char *samples_root, const char *glob,
		       const struct pp_spec *spec, struct op_error *error)
{
	struct op_strings globs = {(char *[]){(char *)glob}, 1};
	size_t first = list->n_dirs;
	struct dirent *entry;
	DIR *dir = opendir(samples_root);

	if (!dir)
		return op_error_errno(error, "cannot read %s", samples_root);
	while ((entry = readdir(dir)) != NULL) {
		struct op_error ignored;

		if (entry->d_name[0] == '.' || entry->d_type == DT_REG ||
		    !pp_globs_match(&globs, entry->d_name) ||
		    pp_globs_match(&spec->session_excludes, entry->d_name))
			continue;
		if (add_session(list, op_format("%s/%s", samples_root, entry->d_name), NULL,
				&ignored))
			free(list->samples_dirs[--list->n_dirs]);
	}
	closedir(dir);
	qsort(list->samples_dirs + first, list->n_dirs - first, sizeof(char *), compare_texts);
	return 0;
}

#define NS_PER_S UINT64_C(1000000000)

/* Return: seconds since 1970; 0: there is no such file. */
static uint64_t changed_at(const char *samples_dir, const char *name)
{
	char *path = op_format("%s/%s", samples_dir, name);
	struct stat status;
	bool is = !lstat(path, &status);

	free(path);
	return is ? (uint64_t)status.st_mtime : 0;
}

/* Whether a daemon or operf took samples of the session after @since, ns since 1970.  Profiles that
 * were imported may be of the same time. */
static bool is_of_time(const char *samples_dir, bool is_current, uint64_t since)
{
	struct session_times times;

	if (!changed_at(samples_dir, OP_SAMPLES_SOURCE) || !session_times_read(samples_dir, &times))
		return false;
	/* a daemon that works writes the account now and then; an end is one that did not come to
	 * be */
	if (is_current && changed_at(samples_dir, OP_SAMPLES_ALIVE))
		return true;
	if (!times.end)
		times.end = changed_at(samples_dir, OP_SAMPLES_ACCOUNT) * NS_PER_S;
	return times.end > since;
}

/* The sessions of the last time, in the order of their names, which is that of their times. */
static int add_last(struct pp_sample_list *list, const char *samples_root, uint64_t seconds,
		    struct op_error *error)
{
	uint64_t now = (uint64_t)time(NULL);
	uint64_t since = now > seconds ? (now - seconds) * NS_PER_S : 0;
	DIR *dir = opendir(samples_root);
	char text[OP_DURATION_TEXT];
	const struct dirent *entry;

	if (!dir)
		return op_error_errno(error, "cannot read %s", samples_root);
	while ((entry = readdir(dir))) {
		char *path = op_format("%s/%s", samples_root, entry->d_name);
		struct op_error ignored;

		if (entry->d_name[0] == '.' || entry->d_type == DT_REG ||
		    !is_of_time(path, !strcmp(entry->d_name, "current"), since))
			free(path);
		else if (add_session(list, path, NULL, &ignored))
			free(list->samples_dirs[--list->n_dirs]);
	}
	closedir(dir);
	op_duration_text(seconds, text);
	if (!list->n_dirs)
		return op_error_set(error, PP_NO_SESSION, "no session of the last %s in %s", text,
				    samples_root);
	qsort(list->samples_dirs, list->n_dirs, sizeof(char *), compare_texts);
	return 0;
}

static int find_sessions(struct pp_sample_list *list, const char *archive, const char *samples_root,
			 const struct pp_spec *spec, struct op_error *error)
{
	if (spec->last)
		return add_last(list, samples_root, spec->last, error);
	if (!spec->sessions.count && !pp_globs_match(&spec->session_excludes, "current"))
		return add_session(list, op_format("%s/current", samples_root),
				   *archive ? NULL : samples_root, error);
	for (size_t i = 0; i < spec->sessions.count; i++) {
		const char *session = spec->sessions.item[i];

		if (strpbrk(session, "*?[")) {
			if (add_globbed(list, samples_root, session, spec, error))
				return -1;
			continue;
		}
		if (pp_globs_match(&spec->session_excludes, session))
			continue;
		if (add_session(list,
				*session == '/'	  ? op_format("%s%s", archive, session)
				: *session == '.' ? op_copy(session)
						  : op_format("%s/%s", samples_root, session),
				strchr("/.", *session) || *archive ? NULL : samples_root, error))
			return -1;
	}
	return 0;
}

/* Whether all of a session's directories are one's own, or root's; else it is refused, or what it
 * names is read with its owner's rights. */
static int check_owner(const struct pp_spec *spec, const char *path, struct op_error *error)
{
	struct op_error why;
	uid_t owner;

	if (!trusted_dir_check_read(path, &owner, &why))
		return 0;
	if (!spec->trust)
		return op_error_set(error, why.code, "%s", why.text);
	foreign_restrict(owner);
	return 0;
}

/* What an imported profile names is not read with more rights than whose profile it was. */
static void respect_supplier(struct pp_sample_list *list, const char *dir)
{
	uid_t supplier;

	if (!op_supplier_read(dir, &supplier))
		return;
	foreign_restrict(supplier);
	list->supplier =
		!list->is_supplied || list->supplier == supplier ? supplier : FOREIGN_NOBODY;
	list->is_supplied = true;
}

/* The session's own files, and those of its archive, are still this user's to read. */
static void respect_suppliers(struct pp_sample_list *list, const struct pp_spec *spec,
			      const char *session, const char *samples_root)
{
	respect_supplier(list, session);
	respect_supplier(list, samples_root);
	for (size_t i = 0; i < list->n_dirs; i++)
		respect_supplier(list, list->samples_dirs[i]);
	if (!list->is_supplied)
		return;
	foreign_restrict_except(samples_root);
	for (size_t i = 0; i < list->n_dirs; i++)
		foreign_restrict_except(list->samples_dirs[i]);
	if (spec->archive)
		foreign_restrict_except(spec->archive);
}

static int check_owners(struct pp_sample_list *list, const struct pp_spec *spec,
			const char *samples_root, struct op_error *error)
{
	char *session = op_format("%s/..", samples_root);
	int result = check_owner(spec, session, error);

	if (!result)
		result = check_owner(spec, samples_root, error);
	for (size_t i = 0; !result && i < list->n_dirs; i++)
		result = check_owner(spec, list->samples_dirs[i], error);
	if (!result)
		respect_suppliers(list, spec, session, samples_root);
	free(session);
	return result;
}

char *pp_session_dir_in(const char *archive, const char *session_dir)
{
	char *path = op_format("%s%s/" OP_SESSION_SAMPLES, archive, session_dir), *named = NULL;
	struct stat status;
	bool there = !stat(path, &status);

	free(path);
	if (!*archive || there)
		return op_copy(session_dir);
	path = op_format("%s/" PP_ARCHIVE_SESSION, archive);
	named = foreign_read(path, PATH_MAX, NULL, NULL);
	free(path);
	if (named)
		named[strcspn(named, "\n")] = '\0';
	if (named && *named == '/' && !strstr(named, "/.."))
		return named;
	free(named);
	return op_copy(session_dir);
}

int pp_sample_list_find(struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, bool exclude_dependent,
			struct op_warnings *warnings, struct op_error *error)
{
	const char *archive = spec->archive ? spec->archive : "";
	char *dir = pp_session_dir_in(archive, session_dir);
	char *samples_root = op_format("%s%s/" OP_SESSION_SAMPLES, archive, dir);
	struct pp_sample_search search = {
		.spec = spec, .samples_root = samples_root, .exclude_dependent = exclude_dependent};
	int result;

	list->own_only = exclude_dependent;
	list->by_image = exclude_dependent || pp_spec_is_by_image(spec);
	result = find_sessions(list, archive, samples_root, spec, error);
	if (!result)
		result = check_owners(list, spec, samples_root, error);
	for (size_t i = 0; !result && i < list->n_dirs; i++) {
		search.is_whole = !hold_session(list, list->samples_dirs[i]);
		search_session(list, &search, list->samples_dirs[i], warnings);
	}
	free(samples_root);
	free(dir);
	return result;
}

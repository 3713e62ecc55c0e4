// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking for sample files. */
#include "pp/sample_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/odb.h"
#include "libop/file.h"
#include "libop/progress.h"
#include "libop/session.h"
#include "pp/memory.h"

struct search {
	struct pp_sample_list *list;
	const struct pp_spec *spec;
	struct pp_trouble *trouble;
	bool exclude_dependent;
	const char *samples_root; /* SESSION/samples */
	char path[PATH_MAX];	  /* where the search is */
	size_t length;
};

bool pp_same_image(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) &&
	       (a->kind != OP_IMAGE_ANON ||
		(a->tgid == b->tgid && a->start == b->start && a->end == b->end));
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* Does all of it lie in the application itself? */
static bool is_own(const struct op_sample_name *name)
{
	return pp_same_image(&name->app, &name->dep) &&
	       (!name->is_arc || pp_same_image(&name->app, &name->callee));
}

static void keep_file(struct pp_sample_list *list, const struct pp_sample_file *file)
{
	if (file->name.is_arc) {
		list->arcs =
			pp_grow(list->arcs, &list->arcs_capacity, list->n_arcs + 1, sizeof(*file));
		list->arcs[list->n_arcs++] = *file;
	} else {
		list->files = pp_grow(list->files, &list->capacity, list->n + 1, sizeof(*file));
		list->files[list->n++] = *file;
	}
}

static void add_file(struct search *search)
{
	struct pp_sample_list *list = search->list;
	struct pp_sample_file file = {0};
	struct op_error error;

	/* Code of a JIT compiler, and what a daemon that was killed left unfinished. */
	if (ends_with(search->path, ".jo") ||
	    !strncmp(strrchr(search->path, '/') + 1, ODB_TEMPORARY, strlen(ODB_TEMPORARY)))
		return;
	if (op_sample_name_parse(search->path, &file.name, &error)) {
		pp_trouble_add(search->trouble, PP_BAD_NAME, "skipped: %s", error.text);
		return;
	}
	if ((file.name.is_arc && !list->want_arcs) || !pp_spec_matches(search->spec, &file.name) ||
	    (search->exclude_dependent && !is_own(&file.name))) {
		list->n_passed_over += !file.name.is_arc;
		op_sample_name_free(&file.name);
		return;
	}
	file.path = pp_copy(search->path);
	keep_file(list, &file);
	op_progress("sample files found", list->n + list->n_arcs, 0);
}

static void search_directory(struct search *search);

static void search_entry(struct search *search, const struct dirent *entry)
{
	size_t length = search->length, n = strlen(entry->d_name);
	unsigned char type = entry->d_type;
	struct stat status;

	if (length + 1 + n >= sizeof(search->path)) {
		pp_trouble_add(search->trouble, PP_BAD_NAME, "skipped: a path longer than %d in %s",
			       PATH_MAX, search->path);
		return;
	}
	search->path[length] = '/';
	memcpy(search->path + length + 1, entry->d_name, n + 1);
	search->length += 1 + n;
	if (type == DT_UNKNOWN && !lstat(search->path, &status))
		type = S_ISDIR(status.st_mode)	 ? DT_DIR
		       : S_ISREG(status.st_mode) ? DT_REG
						 : DT_UNKNOWN;
	if (type == DT_REG)
		add_file(search);
	else if (type != DT_DIR)
		pp_trouble_add(search->trouble, PP_BAD_NAME, "skipped: %s is no regular file",
			       search->path);
	else if (search->list->want_arcs || strcmp(entry->d_name, "{cg}"))
		search_directory(search);
	search->length = length;
	search->path[length] = '\0';
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void search_directory(struct search *search)
{
	struct dirent **entries;
	int n;

	/* A profiler that profiled its own session put samples of sample files there. */
	if (strstr(search->path + strlen(search->samples_root), search->samples_root)) {
		pp_trouble_add(search->trouble, PP_BAD_NAME,
			       "skipped: samples of a sample file, %s", search->path);
		return;
	}
	/* In the order of their names, so that every run says the same. */
	n = scandir(search->path, &entries, NULL, compare_entries);
	if (n < 0) {
		pp_trouble_add(search->trouble, PP_BAD_DIRECTORY, "skipped: cannot read %s: %s",
			       search->path, strerror(errno));
		return;
	}
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		if (strcmp(name, ".") && strcmp(name, ".."))
			search_entry(search, entries[i]);
		free(entries[i]);
	}
	free(entries);
}

static void search_session(struct search *search, const char *samples_dir)
{
	static const char *const below[] = {"{root}", "{kern}"};
	struct stat status;

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		int n = snprintf(search->path, sizeof(search->path), "%s/%s", samples_dir,
				 below[i]);

		if (n < 0 || (size_t)n >= sizeof(search->path))
			continue;
		search->length = n;
		if (!lstat(search->path, &status))
			search_directory(search);
	}
}

static int add_session(struct pp_sample_list *list, char *samples_dir, struct op_error *error)
{
	struct stat status;
	int code = 0;

	list->samples_dirs =
		pp_grow(list->samples_dirs, &list->dirs_capacity, list->n_dirs + 1, sizeof(char *));
	list->samples_dirs[list->n_dirs++] = samples_dir;
	if (stat(samples_dir, &status))
		code = errno;
	else if (!S_ISDIR(status.st_mode))
		code = ENOTDIR;
	return code ? op_error_set(error, code, "no session at %s: %s", samples_dir, strerror(code))
		    : 0;
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
		return op_error_set(error, errno, "cannot read %s: %s", samples_root,
				    strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		struct op_error ignored;

		if (entry->d_name[0] == '.' || entry->d_type == DT_REG ||
		    !pp_globs_match(&globs, entry->d_name) ||
		    pp_globs_match(&spec->session_excludes, entry->d_name))
			continue;
		if (add_session(list, pp_format("%s/%s", samples_root, entry->d_name), &ignored))
			free(list->samples_dirs[--list->n_dirs]);
	}
	closedir(dir);
	qsort(list->samples_dirs + first, list->n_dirs - first, sizeof(char *), compare_texts);
	return 0;
}

static int find_sessions(struct pp_sample_list *list, const char *archive, const char *samples_root,
			 const struct pp_spec *spec, struct op_error *error)
{
	if (!spec->sessions.count && !pp_globs_match(&spec->session_excludes, "current"))
		return add_session(list, pp_format("%s/current", samples_root), error);
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
				*session == '/'	  ? pp_format("%s%s", archive, session)
				: *session == '.' ? pp_copy(session)
						  : pp_format("%s/%s", samples_root, session),
				error))
			return -1;
	}
	return 0;
}

char *pp_session_dir_in(const char *archive, const char *session_dir)
{
	char *path = pp_format("%s%s/" OP_SESSION_SAMPLES, archive, session_dir), *named = NULL;
	struct stat status;
	bool there = !stat(path, &status);

	free(path);
	if (!*archive || there)
		return pp_copy(session_dir);
	path = pp_format("%s/" PP_ARCHIVE_SESSION, archive);
	named = op_file_read(path, PATH_MAX, NULL, NULL);
	free(path);
	if (named)
		named[strcspn(named, "\n")] = '\0';
	if (named && *named == '/' && !strstr(named, "/.."))
		return named;
	free(named);
	return pp_copy(session_dir);
}

int pp_sample_list_find(struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, bool exclude_dependent,
			struct pp_trouble *trouble, struct op_error *error)
{
	const char *archive = spec->archive ? spec->archive : "";
	char *dir = pp_session_dir_in(archive, session_dir);
	char *samples_root = pp_format("%s%s/" OP_SESSION_SAMPLES, archive, dir);
	struct search search = {.list = list,
				.spec = spec,
				.trouble = trouble,
				.exclude_dependent = exclude_dependent,
				.samples_root = samples_root};
	int result;

	result = find_sessions(list, archive, samples_root, spec, error);
	for (size_t i = 0; !result && i < list->n_dirs; i++)
		search_session(&search, list->samples_dirs[i]);
	free(samples_root);
	free(dir);
	return result;
}

static void free_file(struct pp_sample_file *file)
{
	op_sample_name_free(&file->name);
	free(file->path);
}

static size_t check_files(struct pp_sample_file *files, size_t n, struct pp_trouble *trouble)
{
	struct odb_error error;
	struct odb *db;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		op_progress("sample files checked", i, n);
		if (odb_open(&db, files[i].path, ODB_READ, NULL, &error)) {
			pp_trouble_add(trouble, PP_BAD_FILE, "skipped: %s", error.text);
			free_file(&files[i]);
			continue;
		}
		odb_close(db);
		files[kept++] = files[i];
	}
	return kept;
}

void pp_sample_list_check(struct pp_sample_list *list, struct pp_trouble *trouble)
{
	list->n = check_files(list->files, list->n, trouble);
	list->n_arcs = check_files(list->arcs, list->n_arcs, trouble);
}

void pp_sample_list_free(struct pp_sample_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free_file(&list->files[i]);
	for (size_t i = 0; i < list->n_arcs; i++)
		free_file(&list->arcs[i]);
	for (size_t i = 0; i < list->n_dirs; i++)
		free(list->samples_dirs[i]);
	for (size_t i = 0; i < list->n_scales; i++)
		free(list->scales[i]);
	free(list->scales);
	free(list->files);
	free(list->arcs);
	free(list->samples_dirs);
	memset(list, 0, sizeof(*list));
}

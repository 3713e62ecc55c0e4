// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the files of an archive. */
#include "files.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "pp/symbols/debug_link.h"
#include "pp/symbols/elf_file.h"
#include "pp/select/selection.h"

struct gathering {
	struct pp_archive_files *files;
	struct pp_image_search *search;
	struct pp_warnings *warnings;
	const char *prefix; /* of the paths: the archive that is read, or ""; not stored */
	const struct op_image_name **images;
	size_t n_images, images_capacity;
	const struct op_image_name **memory; /* images of kind OP_IMAGE_ANON */
	size_t n_memory, memory_capacity;
	const char *samples_dir; /* being walked */
};

void pp_archive_files_add(struct pp_archive_files *files, char *path, char *name)
{
	files->items = pp_grow(files->items, &files->capacity, files->n + 1, sizeof(*files->items));
	files->items[files->n++] = (struct pp_archive_file){.path = path, .name = name};
}

/* The path of a session's file in the archive. */
static char *session_name(const struct gathering *gathering, const char *path)
{
	size_t n = strlen(gathering->prefix);
	char *real = NULL, *name;

	if (n && !strncmp(path, gathering->prefix, n))
		path += n;
	else if (*path != '/')
		path = real = realpath(path, NULL);
	name = pp_copy(path ? path : "");
	free(real);
	return name;
}

static void add_session_file(struct gathering *gathering, const char *path)
{
	pp_archive_files_add(gathering->files, pp_copy(path), session_name(gathering, path));
}

static void add_if_there(struct gathering *gathering, char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode))
		add_session_file(gathering, path);
	free(path);
}

/* ---- images ---- */

static void add_image(struct gathering *gathering, const struct op_image_name *image)
{
	if (image->kind == OP_IMAGE_ANON) {
		gathering->memory = pp_grow(gathering->memory, &gathering->memory_capacity,
					    gathering->n_memory + 1, sizeof(*gathering->memory));
		gathering->memory[gathering->n_memory++] = image;
	}
	if (image->kind != OP_IMAGE_FILE)
		return;
	gathering->images = pp_grow(gathering->images, &gathering->images_capacity,
				    gathering->n_images + 1, sizeof(*gathering->images));
	gathering->images[gathering->n_images++] = image;
}

static int compare_images(const void *a, const void *b)
{
	return strcmp((*(const struct op_image_name *const *)a)->name,
		      (*(const struct op_image_name *const *)b)->name);
}

/*
 * A debug file named by .gnu_debuglink goes to .debug beside the image; one found by build-id only
 * goes to the path of that build-id.
 */
static char *debug_name(const struct pp_elf_file *object, const char *debug_path,
			const char *image_name)
{
	const char *slash = strrchr(debug_path, '/'), *end = strrchr(image_name, '/'), *link;
	GElf_Word crc;

	link = dwelf_elf_gnu_debuglink(object->elf, &crc);
	if (link && slash && end && !strcmp(link, slash + 1))
		return pp_format("%.*s/.debug/%s", (int)(end - image_name), image_name, link);
	return pp_debug_link_build_id_path(object);
}

static void add_debug_file(struct gathering *gathering, const char *path, const char *name)
{
	struct pp_elf_file object;
	char *debug_path, *debug;

	if (pp_elf_open(&object, path))
		return;
	debug_path = pp_debug_link_find(&object, path, pp_image_root(gathering->search));
	debug = debug_path ? debug_name(&object, debug_path, name) : NULL;
	if (debug)
		pp_archive_files_add(gathering->files, debug_path, debug);
	else
		free(debug_path);
	pp_elf_close(&object);
}

static void add_images(struct gathering *gathering)
{
	if (gathering->n_images)
		qsort(gathering->images, gathering->n_images, sizeof(*gathering->images),
		      compare_images);
	for (size_t i = 0; i < gathering->n_images; i++) {
		const char *name = gathering->images[i]->name, *why = NULL;
		char *path;

		if (i && !strcmp(name, gathering->images[i - 1]->name))
			continue;
		path = pp_image_find(gathering->search, name, &why);
		if (!path) {
			pp_warnings_add(gathering->warnings, PP_NO_IMAGE,
					"%s is not in the archive: %s", name, why);
			continue;
		}
		pp_archive_files_add(gathering->files, path, pp_copy(name));
		add_debug_file(gathering, path, name);
	}
}

/* ---- the session ---- */

/* A user that owns nothing: for what anybody can change. */
#define NO_USER 65534

static void judge_directory(struct gathering *gathering, const char *path)
{
	struct pp_archive_files *files = gathering->files;
	struct stat status;

	if (files->is_foreign || stat(path, &status))
		return;
	if (status.st_uid && status.st_uid != geteuid()) {
		files->is_foreign = true;
		files->owner = status.st_uid;
	} else if (status.st_mode & S_IWOTH) {
		files->is_foreign = true;
		files->owner = NO_USER;
	}
}

/* Looks for a directory on the way to the samples that belongs to another user. */
static void find_owner(struct gathering *gathering)
{
	char *dir = pp_format("%s%s", gathering->prefix, gathering->files->session_dir);
	char *samples = pp_format("%s/" OP_SESSION_SAMPLES, dir);

	if (*gathering->prefix)
		judge_directory(gathering, gathering->prefix);
	judge_directory(gathering, dir);
	judge_directory(gathering, samples);
	free(samples);
	free(dir);
}

/* Files of the session other than sample files: all outside {root} and {kern}, and maps of JIT
 * code. */
static int visit(const char *path, const struct stat *status, void *context)
{
	struct gathering *gathering = context;
	const char *below = path + strlen(gathering->samples_dir), *dot = strrchr(path, '.');

	if (!S_ISREG(status->st_mode))
		return 0;
	if ((strncmp(below, "/{root}/", 8) && strncmp(below, "/{kern}/", 8)) ||
	    (dot && !strcmp(dot, ".jo")))
		add_session_file(gathering, path);
	return 0;
}

static void add_samples(struct gathering *gathering, const struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pp_sample_file *file = &files[i];

		/* a pack is one of the session's other files */
		if (!file->pack)
			add_session_file(gathering, file->path);
		add_image(gathering, &file->name.app);
		add_image(gathering, &file->name.dep);
		if (file->name.is_arc)
			add_image(gathering, &file->name.callee);
	}
}

static int add_rest(struct gathering *gathering, const struct pp_sample_list *list,
		    const char *session_dir, struct op_error *error)
{
	static const char *const names[] = {OP_SESSION_ABI, OP_SESSION_LOG, "samples/operf.log"};

	for (size_t i = 0; i < list->n_dirs; i++) {
		gathering->samples_dir = list->samples_dirs[i];
		if (op_walk(list->samples_dirs[i], visit, gathering, error))
			return -1;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_if_there(gathering,
			     pp_format("%s%s/%s", gathering->prefix, session_dir, names[i]));
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct pp_archive_file *left = a, *right = b;

	return strcmp(left->name, right->name);
}

static void free_file(struct pp_archive_file *file)
{
	free(file->path);
	free(file->name);
}

static void tidy(struct pp_archive_files *files)
{
	size_t n = 0;

	if (files->n)
		qsort(files->items, files->n, sizeof(*files->items), compare_names);
	for (size_t i = 0; i < files->n; i++) {
		if (n && !strcmp(files->items[n - 1].name, files->items[i].name))
			free_file(&files->items[i]);
		else
			files->items[n++] = files->items[i];
	}
	files->n = n;
}

int pp_archive_files_find(struct pp_archive_files *files, const char *session_dir,
			  const struct pp_spec *spec, bool exclude_dependent,
			  struct pp_image_search *search, struct pp_warnings *warnings,
			  struct op_error *error)
{
	struct gathering gathering = {.files = files,
				      .search = search,
				      .warnings = warnings,
				      .prefix = spec->archive ? spec->archive : ""};
	struct pp_sample_list list = {.want_arcs = true};
	int result;

	memset(files, 0, sizeof(*files));
	files->session_dir = pp_session_dir_in(gathering.prefix, session_dir);
	find_owner(&gathering);
	result = pp_select_files(&list, session_dir, spec, exclude_dependent, warnings, error);
	if (!result)
		result = add_rest(&gathering, &list, files->session_dir, error);
	for (size_t i = 0; i < list.n_dirs; i++)
		judge_directory(&gathering, list.samples_dirs[i]);
	if (!result) {
		add_samples(&gathering, list.files, list.n);
		add_samples(&gathering, list.arcs, list.n_arcs);
		add_images(&gathering);
		pp_archive_files_add_memory(files, search, gathering.memory, gathering.n_memory,
					    list.samples_dirs, list.n_dirs);
		tidy(files);
	}
	free(gathering.images);
	free(gathering.memory);
	pp_sample_list_free(&list);
	return result;
}

void pp_archive_files_free(struct pp_archive_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free_file(&files->items[i]);
	free(files->items);
	free(files->session_dir);
	pp_kernel_files_free(&files->kernel);
	memset(files, 0, sizeof(*files));
}

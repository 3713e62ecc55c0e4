// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the files of an archive. */
#include "files.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/saved/kernel_symbols.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "stack_images.h"
#include "pp/debug/info.h"
#include "pp/symbols/debug_link.h"
#include "pp/symbols/elf_file.h"
#include "pp/symbols/image_name.h"
#include "pp/select/selection.h"

#define BUILD_ID_DIR "/.build-id/"

/* Who owns files of root in containers. */
#define NO_USER 65534

struct gathering {
	struct pp_archive_files *files;
	struct pp_image_search *search;
	struct op_warnings *warnings;
	const char *prefix; /* of the paths: the archive that is read, or ""; not stored */
	const struct op_image_name **images;
	size_t n_images, images_capacity;
	const struct op_image_name **memory; /* images of kind OP_IMAGE_ANON */
	size_t n_memory, memory_capacity;
	const char *samples_dir; /* being walked */
};

void pp_archive_files_add_of(struct pp_archive_files *files, char *path, char *name, uid_t user)
{
	files->items = op_grow(files->items, &files->capacity, files->n + 1, sizeof(*files->items));
	files->items[files->n++] = (struct pp_archive_file){path, name, user};
}

void pp_archive_files_add(struct pp_archive_files *files, char *path, char *name)
{
	pp_archive_files_add_of(files, path, name, FOREIGN_OURSELVES);
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
	name = op_copy(path ? path : "");
	free(real);
	return name;
}

static void add_session_file(struct gathering *gathering, const char *path)
{
	pp_archive_files_add(gathering->files, op_copy(path), session_name(gathering, path));
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
		gathering->memory = op_grow(gathering->memory, &gathering->memory_capacity,
					    gathering->n_memory + 1, sizeof(*gathering->memory));
		gathering->memory[gathering->n_memory++] = image;
	}
	if (image->kind != OP_IMAGE_FILE)
		return;
	gathering->images = op_grow(gathering->images, &gathering->images_capacity,
				    gathering->n_images + 1, sizeof(*gathering->images));
	gathering->images[gathering->n_images++] = image;
}

static int compare_images(const void *a, const void *b)
{
	return strcmp((*(const struct op_image_name *const *)a)->name,
		      (*(const struct op_image_name *const *)b)->name);
}

/* ---- debug files, which a process apart may look for ---- */

/* struct question - what comes before the path and the root, each with its NUL.  The answer is
 * whether .gnu_debuglink names the debug file, its path, and that of its supplementary file or "";
 * or nothing. */
struct question {
	uint32_t path_size, root_size;
};

static bool is_linked(const struct pp_elf_file *object, const char *debug_path)
{
	const char *slash = strrchr(debug_path, '/'), *link;
	GElf_Word crc;

	link = dwelf_elf_gnu_debuglink(object->elf, &crc);
	return link && slash && !strcmp(link, slash + 1);
}

/* The path of the supplementary file, without links and "..", with its NUL. */
static void put_supplement(const char *debug_path, struct op_buffer *answer)
{
	int fd = foreign_open(debug_path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	char *path = fd < 0 ? NULL : pp_debug_supplement_path(fd, debug_path);
	char *real = path ? realpath(path, NULL) : NULL;

	op_buffer_put(answer, real ? real : "", real ? strlen(real) + 1 : 1);
	free(real);
	free(path);
	if (fd >= 0)
		close(fd);
}

static void archive_files_work(int fd, struct op_reader *reader, struct op_buffer *answer)
{
	const char *path, *root;
	struct pp_elf_file object;
	struct question question;
	char *found;

	if (!op_reader_copy(reader, &question, sizeof(question)))
		return;
	path = op_reader_text(reader, question.path_size);
	root = op_reader_text(reader, question.root_size);
	foreign_lend(path, fd);
	if (!pp_elf_open(&object, path)) {
		found = pp_debug_link_find(&object, path, root);
		if (found) {
			op_buffer_u8(answer, is_linked(&object, found));
			op_buffer_put(answer, found, strlen(found) + 1);
			put_supplement(found, answer);
		}
		free(found);
		pp_elf_close(&object);
	}
	foreign_lend(NULL, -1);
}

/* Whether the owner of @fd may read what the process said: it may say anything. */
static bool is_allowed(int fd, const char *path, const char *debug_path)
{
	struct stat status;
	int debug;

	if (*debug_path != '/')
		return false;
	if (!apart_is_needed(fd, path))
		return true;
	debug = fstat(fd, &status) ? -1
				   : foreign_open_for(status.st_uid ? status.st_uid : NO_USER,
						      debug_path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (debug >= 0)
		close(debug);
	return debug >= 0;
}

/*
 * A debug file named by .gnu_debuglink goes to .debug beside the image; one found by build-id goes
 * to the path of that build-id, from which its supplementary file is found.
 */
static char *debug_name(bool is_link, const char *path, const char *debug_path,
			const char *image_name)
{
	const char *slash = strrchr(debug_path, '/'), *end = strrchr(image_name, '/');
	char *id, *name;

	if (is_link && slash && end && !strstr(debug_path, BUILD_ID_DIR))
		return op_format("%.*s/.debug/%s", (int)(end - image_name), image_name, slash + 1);
	id = pp_elf_build_id_at(path);
	name = id ? pp_debug_link_build_id_path(id) : NULL;
	free(id);
	return name;
}

/* Return: the answer, which the caller frees, or NULL. */
static void *look_for(struct gathering *gathering, int fd, const char *path, size_t *length)
{
	const char *root = pp_image_root(gathering->search);
	const struct question head = {(uint32_t)strlen(path) + 1, (uint32_t)strlen(root) + 1};
	struct apart_question question = {.work = archive_files_work,
					  .fd = fd,
					  .path = path,
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = 2 * PATH_MAX + 1};
	struct op_buffer bytes = {0};
	struct op_error error;
	void *answer;

	op_buffer_put(&bytes, &head, sizeof(head));
	op_buffer_put(&bytes, path, head.path_size);
	op_buffer_put(&bytes, root, head.root_size);
	op_buffer_check(&bytes);
	question.bytes = bytes.bytes;
	question.length = bytes.used;
	answer = apart_or_here(&question, length, &error);
	if (!answer)
		op_warnings_add(gathering->warnings, OP_NO_LINES,
				"%s: its debug file is not archived: %s", path, error.text);
	op_buffer_free(&bytes);
	return answer;
}

/* Adds the supplementary file of a debug file, which has its name below the root. */
static void add_supplement(struct gathering *gathering, const char *path)
{
	char *root = realpath(pp_image_root(gathering->search), NULL);
	size_t n = root ? strlen(root) : 0;

	if (!n || !strncmp(path, root, n))
		pp_archive_files_add(gathering->files, op_copy(path), op_copy(path + n));
	free(root);
}

/* The next text of an answer, which may say anything; "" behind the end. */
static const char *take_text(struct op_reader *reader)
{
	size_t left = op_reader_left(reader);

	return op_reader_text(reader, left ? strnlen((const char *)reader->at, left) + 1 : 0);
}

static void add_debug_file(struct gathering *gathering, const char *path, const char *name)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	struct op_reader reader;
	size_t length = 0;
	const char *debug_path, *supplement;
	char *debug = NULL;
	void *answer;
	bool is_link;

	if (fd < 0)
		return;
	answer = look_for(gathering, fd, path, &length);
	reader = op_reader_of(answer, length, false);
	is_link = op_reader_u8(&reader);
	debug_path = take_text(&reader);
	supplement = take_text(&reader);
	if (is_allowed(fd, path, debug_path))
		debug = debug_name(is_link, path, debug_path, name);
	if (debug)
		pp_archive_files_add(gathering->files, op_copy(debug_path), debug);
	if (debug && is_allowed(fd, path, supplement))
		add_supplement(gathering, supplement);
	free(answer);
	close(fd);
}

/* A file that sessions share, as the session's own. */
static void add_shared(struct gathering *gathering, const char *samples_dir, char *path, char *name)
{
	char *dir = session_name(gathering, samples_dir);

	pp_archive_files_add(gathering->files, path,
			     op_format("%s/" OP_SAMPLES_SYMBOLS "/%s", dir, name));
	free(dir);
	free(name);
}

/* Adds the symbols of an image whose file is not found.  Return: whether they are saved. */
static bool add_saved(struct gathering *gathering, const char *image)
{
	char *name = NULL, *path = pp_image_saved_path(gathering->search, image, &name);

	if (path)
		add_shared(gathering, gathering->search->samples_dirs[0], path, name);
	return path;
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
		/* that is no file */
		if (pp_image_is_named(name))
			continue;
		path = pp_image_find(gathering->search, name, &why);
		if (!path && add_saved(gathering, name))
			continue;
		if (!path) {
			op_warnings_add(gathering->warnings, OP_NO_IMAGE,
					"%s is not in the archive: %s", name, why);
			continue;
		}
		pp_archive_files_add(gathering->files, path, op_copy(name));
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
	char *dir = op_format("%s%s", gathering->prefix, gathering->files->session_dir);
	char *samples = op_format("%s/" OP_SESSION_SAMPLES, dir);

	if (*gathering->prefix)
		judge_directory(gathering, gathering->prefix);
	judge_directory(gathering, dir);
	judge_directory(gathering, samples);
	free(samples);
	free(dir);
}

/* Files of the session other than sample files: all outside {root} and {kern}, and maps of JIT
 * code. */
static int archive_files_visit(const char *path, const struct stat *status, void *context)
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

static void add_samples(struct gathering *gathering, const struct pp_sample_list *list,
			const struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pp_sample_file *file = &files[i];

		/* a pack is one of the session's other files, but one that was made in memory */
		if (!file->pack)
			add_session_file(gathering, file->path);
		else if (!pp_sample_session_is_held(list, pp_sample_session(list, file->path)))
			add_if_there(gathering, op_copy(file->path));
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
		char *name, *shared = saved_kallsyms_shared(list->samples_dirs[i], &name);

		if (shared)
			add_shared(gathering, list->samples_dirs[i], shared, name);
		gathering->samples_dir = list->samples_dirs[i];
		if (op_walk(list->samples_dirs[i], archive_files_visit, gathering, error))
			return -1;
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++)
		add_if_there(gathering,
			     op_format("%s%s/%s", gathering->prefix, session_dir, names[i]));
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
			  struct pp_image_search *search, struct op_warnings *warnings,
			  struct op_error *error)
{
	struct gathering gathering = {.files = files,
				      .search = search,
				      .warnings = warnings,
				      .prefix = spec->archive ? spec->archive : ""};
	struct pp_sample_list list = {.want_arcs = true, .want_stacks = true, .keep_arcs = true};
	struct pp_stack_images of_stacks = {0};
	int result;

	memset(files, 0, sizeof(*files));
	files->session_dir = pp_session_dir_in(gathering.prefix, session_dir);
	find_owner(&gathering);
	result = pp_select_files(&list, session_dir, spec, exclude_dependent, warnings, error);
	search->samples_dirs = list.samples_dirs;
	search->n_dirs = list.n_dirs;
	if (!result)
		result = add_rest(&gathering, &list, files->session_dir, error);
	for (size_t i = 0; i < list.n_dirs; i++)
		judge_directory(&gathering, list.samples_dirs[i]);
	files->is_supplied = files->is_foreign || list.is_supplied;
	files->supplier = files->is_foreign ? files->owner : list.supplier;
	if (!result) {
		add_samples(&gathering, &list, list.files, list.n);
		add_samples(&gathering, &list, list.arcs, list.n_arcs);
		pp_stack_images_find(&of_stacks, &list, warnings);
		for (size_t i = 0; i < of_stacks.n; i++)
			add_image(&gathering, &of_stacks.items[i]);
		add_images(&gathering);
		pp_archive_files_add_memory(files, search, gathering.memory, gathering.n_memory,
					    list.samples_dirs, list.n_dirs);
		tidy(files);
	}
	search->n_dirs = 0;
	free(gathering.images);
	free(gathering.memory);
	pp_stack_images_free(&of_stacks);
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

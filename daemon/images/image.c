// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images and the cookies that stand for them: see image.h.
 */
#include "image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "image_name.h"
#include "libop/base/file.h"
#include "libop/session/log.h"

/* How often jitdumps are looked for in the maps of processes in ten seconds: of one account, and of
 * all. */
#define DUMPS_EACH    64
#define DUMPS_ALL     256
#define DUMPS_SECONDS 10

/* Images whose symbols are saved in one go while samples wait: 30 ms. */
#define SAVED_AT_REST 64

/* In the table of cookies: the source does not know this one. */
static struct image unknown;

static uint64_t hash_name(const struct op_image_name *name)
{
	uint64_t hash = op_hash_mix(op_hash_text(0, name->name), name->kind);

	return op_hash_mix(op_hash_mix(op_hash_mix(hash, name->tgid), name->start), name->end);
}

static bool same_name(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && a->tgid == b->tgid && a->start == b->start &&
	       a->end == b->end && !strcmp(a->name, b->name);
}

static struct image *hash_map_find(const struct op_hash_map *map, const struct op_image_name *name,
				   uint64_t hash)
{
	struct image *image = op_hash_map_find(map, hash);

	while (image && !same_name(&image->id, name))
		image = image->next;
	return image;
}

static void free_image(struct image *image)
{
	if (!image)
		return;
	free(image->id.name);
	free(image->changed_name);
	free(image);
}

static bool images_is_wanted(const struct images *images, const struct op_image_name *name)
{
	/* anonymous memory is wanted where its application is */
	return !images->filter->count || op_strings_contain(images->filter, name->name);
}

static struct image *make(struct images *images, const struct op_image_name *name, uint64_t hash,
			  bool is_kernel)
{
	struct op_hash_map *map = is_kernel ? &images->kernel : &images->others;
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->id = *name;
	image->id.name = strdup(name->name);
	image->is_kernel = is_kernel;
	image->wanted = images_is_wanted(images, name);
	image->next = op_hash_map_find(map, hash);
	if (!image->id.name || op_hash_map_set(map, hash, image)) {
		free_image(image);
		return NULL;
	}
	return image;
}

struct image *image_of_name(struct images *images, const struct op_image_name *name, bool is_kernel)
{
	uint64_t hash = hash_name(name);
	/* kernel first: a program may map its file, and a name has one image */
	struct image *image = hash_map_find(&images->kernel, name, hash);

	if (!image)
		image = hash_map_find(&images->others, name, hash);
	return image ? image : make(images, name, hash, is_kernel);
}

/* Takes @name, which is freed.  Return: as of image_of_name(). */
static struct image *image_of_file(struct images *images, char *name)
{
	struct op_image_name id = {.kind = OP_IMAGE_FILE, .name = name};
	struct image *image = name ? image_of_name(images, &id, false) : NULL;

	free(name);
	return image;
}

static void set_version(struct image *image, const struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;

	image->mtime = facts->mtime;
	image->build_id_size =
		reported->flags & OPROFILE_IMAGE_BUILD_ID ? reported->build_id_size : 0;
	memcpy(image->build_id, reported->build_id, image->build_id_size);
}

/* ---- symbols that are saved ---- */

/* Those of the first @end images of the list; the others stay open. */
static void save_kept(struct images *images, size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < images->n_kept; i++) {
		const struct kept_image *kept = &images->kept[i];

		if (kept->index >= end) {
			images->kept[n++] = *kept;
			continue;
		}
		saved_symbols_save_open(kept->fd, &images->known.items[kept->index].identity,
					&images->turns, images->samples_dir);
		close(kept->fd);
	}
	images->n_kept = n;
}

static void close_kept(struct images *images)
{
	for (size_t i = 0; i < images->n_kept; i++)
		close(images->kept[i].fd);
	images->n_kept = 0;
}

static void save_symbols(struct images *images, size_t most)
{
	uint64_t refused = images->turns.refused;

	images->n_saved = saved_symbols_save_some(&images->known, images->n_saved, most,
						  &images->turns, images->samples_dir);
	save_kept(images, images->n_saved);
	refused = images->turns.refused - refused;
	if (refused)
		log_limited(&images->log_refused,
			    "the symbols of %" PRIu64 " new images are not saved: there were too "
			    "many",
			    refused);
}

/* ---- identities ---- */

static struct op_image_known *find_known(const struct images *images, const char *name, char **full)
{
	*full = op_path("{root}%s", name);
	return *full ? op_image_list_find(&images->known, *full) : NULL;
}

/* Whether the session has samples of another file under this name. */
static bool is_another_file(const struct images *images, const struct image_facts *facts)
{
	char *full;
	const struct op_image_known *known = find_known(images, facts->reported.path, &full);
	bool differs = known && facts->present && facts->identified &&
		       !identity_fits(&known->identity, &facts->identity, false);

	free(full);
	return differs;
}

/* Whether an open file may keep somebody from unmounting what it is on. */
static bool holds_mount(int fd)
{
	struct stat file, root;

	return fstat(fd, &file) || stat("/", &root) || file.st_dev != root.st_dev;
}

/* A compiler's test program is removed, a program that is built again replaced, before it is its
 * turn: so it stays open until then, or has it now. */
static void keep_file(struct images *images, const struct image_facts *facts)
{
	struct image_facts copy = *facts;
	int fd;

	if (!facts->present || !facts->identity.has_file || images->source->is_past)
		return;
	if (images->n_kept == IMAGES_KEPT_MOST)
		save_symbols(images, SAVED_AT_REST);
	if (images->n_kept == IMAGES_KEPT_MOST)
		return;
	fd = machine_open_image(&copy, images->tgid);
	if (fd >= 0 && holds_mount(fd)) {
		saved_symbols_save_open(fd, &facts->identity, &images->turns, images->samples_dir);
		close(fd);
	} else if (fd >= 0) {
		images->kept[images->n_kept++] = (struct kept_image){images->known.n - 1, fd};
	}
}

static void know(struct images *images, const char *name, const struct image_facts *facts)
{
	char *full;
	struct op_image_known *known = find_known(images, name, &full);

	if (facts->identified && full && !known &&
	    !op_image_list_add(&images->known, full, &facts->identity)) {
		images->learned = true;
		keep_file(images, facts);
	}
	/* the file itself says more than its build-id */
	if (known && facts->identified && !known->identity.has_file && facts->identity.has_file &&
	    identity_fits(&known->identity, &facts->identity, false)) {
		known->identity = facts->identity;
		images->learned = true;
	}
	free(full);
}

/* Only through a process that maps it can such a file be read, so it is read at once. */
static void save_symbols_now(const struct images *images, struct image_facts *facts)
{
	struct op_error ignored;
	int fd;

	if (facts->present || images->source->is_past)
		return;
	fd = machine_open_image(facts, images->tgid);
	if (fd < 0)
		return;
	saved_symbols_save(fd, &facts->identity, images->samples_dir, &ignored);
	close(fd);
}

/* Compilers may begin to write one later; each new range of memory is a reason to look again. */
static void look_for_dump(struct images *images, const struct op_process *process)
{
	uint64_t account = foreign_account(process->owner);
	char *dump;

	if (foreign_limit_left(&images->dumps, account) < 1)
		return;
	foreign_limit_use(&images->dumps, account, 1);
	dump = machine_jit_dump(process->tgid, process->inner);
	if (dump)
		op_process_list_set_dump(&images->processes, process->tgid, dump);
	images->processes_learned |= dump != NULL;
	free(dump);
}

uint32_t images_know_process(struct images *images, uint32_t tgid)
{
	struct op_process process, known;

	if (images->source->is_past || op_process_of(tgid, &process))
		return UINT32_MAX;
	images->processes_learned |= op_process_list_add(&images->processes, &process) > 0;
	if (op_process_list_find(&images->processes, tgid, &known) && !known.dump)
		look_for_dump(images, &process);
	return process.owner;
}

/* Its name, or that it has samples and no name yet. */
static void set_thread_name(struct images *images, uint32_t tgid, uint32_t tid)
{
	char *name = source_thread_name(images->source, tgid, tid);

	if (name)
		images->threads_learned |=
			op_thread_names_set(&images->threads, tgid, tid, name) > 0;
	else if (!op_thread_names_find(&images->threads, tgid, tid))
		op_thread_names_set(&images->threads, tgid, tid, "");
	free(name);
}

void images_know_thread(struct images *images, uint32_t tgid, uint32_t tid)
{
	if (!images->source->is_past)
		set_thread_name(images, tgid, tid);
}

void images_begin(struct images *images, const char *samples_dir)
{
	close_kept(images);
	op_image_list_free(&images->known);
	op_image_list_read(&images->known, samples_dir);
	op_process_list_free(&images->processes);
	op_process_list_read(&images->processes, samples_dir);
	images->processes_learned = false;
	op_thread_names_free(&images->threads);
	op_thread_names_read(&images->threads, samples_dir);
	images->threads_learned = false;
	images->samples_dir = samples_dir;
	images->learned = false;
	images->n_saved = 0;
	saved_turns_begin(&images->turns);
	foreign_limit_reset(&images->dumps);
	images->dumps.each = DUMPS_EACH;
	images->dumps.all = DUMPS_ALL;
	images->dumps.seconds = DUMPS_SECONDS;
}

static void save_processes(struct images *images)
{
	struct op_error error;

	if (!images->processes_learned)
		return;
	if (op_process_list_save(&images->processes, images->samples_dir, &error))
		log_line("the session's list of processes is not up to date: %s", error.text);
	else
		images->processes_learned = false;
}

/* Threads are named after they have begun. */
static void save_thread_names(struct images *images)
{
	struct op_error error;

	for (size_t i = 0; i < images->threads.n && !images->source->is_past; i++)
		set_thread_name(images, images->threads.items[i].tgid,
				images->threads.items[i].tid);
	if (!images->threads_learned)
		return;
	if (op_thread_names_save(&images->threads, images->samples_dir, &error))
		log_line("the session's names of threads are not up to date: %s", error.text);
	else
		images->threads_learned = false;
}

void images_save(struct images *images)
{
	struct op_error error;

	save_processes(images);
	save_thread_names(images);
	if (!images->learned)
		return;
	if (op_image_list_save(&images->known, images->samples_dir, &error))
		log_line("the session's list of images is not up to date: %s", error.text);
	else
		images->learned = false;
}

void images_save_symbols(struct images *images)
{
	save_symbols(images, SIZE_MAX);
}

void images_rest(struct images *images)
{
	save_symbols(images, SAVED_AT_REST);
}

/* Whether the path named another file at an earlier lookup. */
static bool is_another_version(const struct image *image, const struct image_facts *facts)
{
	const struct oprofile_image *reported = &facts->reported;

	if (!image->changed_name)
		return false;
	if (image->build_id_size && reported->flags & OPROFILE_IMAGE_BUILD_ID)
		return image->build_id_size != reported->build_id_size ||
		       memcmp(image->build_id, reported->build_id, image->build_id_size) != 0;
	return image->mtime != facts->mtime;
}

static struct image *image_of_facts(struct images *images, const struct image_facts *facts)
{
	bool differs = is_another_file(images, facts);
	struct image *image =
		image_of_file(images, differs ? image_name_changed(facts) : image_name(facts));

	if (image && differs)
		set_version(image, facts);
	else if (image && facts->present && is_another_version(image, facts)) {
		image = image_of_file(images, image_name_changed(facts));
		if (image)
			set_version(image, facts);
	} else if (image && facts->present && !image->changed_name) {
		set_version(image, facts);
		image->changed_name = image_name_changed(facts);
	}
	if (!image)
		return NULL;
	know(images, image->id.name, facts);
	image->owner = facts->owner;
	/* the filter has plain paths, without the markers of image_name.h */
	if (!image->wanted)
		image->wanted = op_strings_contain(images->filter, facts->reported.path);
	return image;
}

/* @reported: OPROFILE_IMAGE_ANON.  Return: NULL when out of memory. */
static struct image *image_of_area(struct images *images, const struct oprofile_image *reported)
{
	struct op_image_name name = {
		.kind = OP_IMAGE_ANON,
		.start = reported->inode,
		.end = reported->device,
		.name = image_name_anon(reported->path, strlen(reported->path)),
	};
	struct image *image = name.name ? image_of_name(images, &name, false) : NULL;

	free(name.name);
	return image;
}

static struct image *images_look_up(struct images *images, uint64_t cookie)
{
	struct image_facts facts = {0};
	struct image *image = NULL;

	if (cookie == OPROFILE_NO_COOKIE || cookie == OPROFILE_INVALID_COOKIE)
		return &unknown;
	if (source_image(images->source, cookie, &facts)) {
		log_verbose(LOG_MISC, "no image has the cookie %#llx", (unsigned long long)cookie);
		image = &unknown;
	} else if (facts.reported.flags & OPROFILE_IMAGE_ANON) {
		image = image_of_area(images, &facts.reported);
	} else {
		save_symbols_now(images, &facts);
		image = image_of_facts(images, &facts);
	}
	if (image && image != &unknown)
		log_verbose(LOG_MISC, "cookie %#llx is %s", (unsigned long long)cookie,
			    image->id.name);
	if (!image || op_hash_map_set(&images->by_cookie, cookie, image))
		return NULL;
	return image;
}

struct image *image_of_cookie(struct images *images, uint64_t cookie)
{
	struct image *image = op_hash_map_find(&images->by_cookie, cookie);

	if (!image)
		image = images_look_up(images, cookie);
	if (!image || image == &unknown)
		return NULL;
	return image->successor ? image->successor : image;
}

/* What is known under the name of @image is known of its successor instead. */
static void rename_known(struct images *images, const struct image *image)
{
	char *full, *next = op_path("{root}%s", image->changed_name);
	struct op_image_known *known = find_known(images, image->id.name, &full);

	if (known && next && !op_image_list_add(&images->known, next, &known->identity)) {
		/* adding may have moved it */
		known = op_image_list_find(&images->known, full);
		known->identity = (struct op_identity){0};
		images->learned = true;
	}
	free(full);
	free(next);
}

struct image *image_superseded(struct images *images, struct image *image)
{
	struct op_image_name name = {.kind = image->id.kind, .name = image->changed_name};

	if (!image->changed_name)
		return NULL;
	if (!image->successor) {
		log_line("%s has changed since samples in it were counted in this session; its "
			 "new samples go to %s",
			 image->id.name, image->changed_name);
		image->successor = image_of_name(images, &name, image->is_kernel);
		rename_known(images, image);
		if (image->successor) {
			image->successor->mtime = image->mtime;
			image->successor->owner = image->owner;
			image->successor->wanted = image->wanted;
		}
	}
	return image->successor;
}

static void free_all(struct op_hash_map *map)
{
	for (size_t i = 0; i < map->n; i++) {
		struct image *image = map->entries[i].value, *next;

		for (; image; image = next) {
			next = image->next;
			free_image(image);
		}
	}
	op_hash_map_free(map);
}

void images_forget(struct images *images)
{
	op_hash_map_free(&images->by_cookie);
	free_all(&images->others);
}

void images_free(struct images *images)
{
	images_forget(images);
	free_all(&images->kernel);
	close_kept(images);
	op_image_list_free(&images->known);
	op_process_list_free(&images->processes);
	op_thread_names_free(&images->threads);
	saved_turns_free(&images->turns);
	foreign_limit_reset(&images->dumps);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds files of the kernel. */
#include "kernel_files.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/base/memory.h"
#include "libop/elf/build_id.h"
#include "elf_file.h"
#include "libop/text/cells.h"
#include "decompress.h"

/* A file *.ko, compressed or not. */
struct pp_module_file {
	char *path;
	char *name; /* of the module, with '_' for '-' */
};

/* ---- descriptors ---- */

/* A path that opens the file in memory; @fd belongs to @files from now on. */
static char *path_of(struct pp_kernel_files *files, int fd)
{
	files->unpacked = op_grow(files->unpacked, &files->unpacked_capacity, files->n_unpacked + 1,
				  sizeof(*files->unpacked));
	files->unpacked[files->n_unpacked++] = fd;
	return op_format("/proc/self/fd/%d", fd);
}

static void drop_last(struct pp_kernel_files *files)
{
	close(files->unpacked[--files->n_unpacked]);
}

/* ---- modules ---- */

/* "nf-tables.ko.xz" is the file of nf_tables.  Return: NULL if it is not a module's file. */
static char *module_name(const char *base)
{
	const char *end = strstr(base, ".ko");
	char *name;

	if (!end || end == base || (end[3] && (end[3] != '.' || !pp_is_compressed(base))) ||
	    strchr(end + 3, '/'))
		return NULL;
	name = op_format("%.*s", (int)(end - base), base);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static void gather_modules(struct pp_kernel_files *files, const char *dir)
{
	char *roots[] = {(char *)dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *entry;

	while (walk && (entry = fts_read(walk)) != NULL) {
		char *name;

		if (entry->fts_info == FTS_D && entry->fts_level > 1 &&
		    !strcmp(entry->fts_name, "build"))
			fts_set(walk, entry, FTS_SKIP);
		if (entry->fts_info != FTS_F && entry->fts_info != FTS_NSOK)
			continue;
		name = module_name(entry->fts_name);
		if (!name)
			continue;
		files->modules = op_grow(files->modules, &files->modules_capacity,
					 files->n_modules + 1, sizeof(*files->modules));
		files->modules[files->n_modules++] =
			(struct pp_module_file){.path = op_copy(entry->fts_path), .name = name};
	}
	if (walk)
		fts_close(walk);
}

static int compare_modules(const void *a, const void *b)
{
	const struct pp_module_file *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : strcmp(left->path, right->path);
}

static void search_modules(struct pp_kernel_files *files)
{
	const struct op_strings *paths = files->search->paths;
	char *dir = op_format("%s/lib/modules", pp_image_root(files->search));

	files->searched = true;
	for (size_t i = 0; paths && i < paths->count; i++)
		gather_modules(files, paths->item[i]);
	gather_modules(files, dir);
	free(dir);
	if (files->n_modules)
		qsort(files->modules, files->n_modules, sizeof(*files->modules), compare_modules);
}

static bool has_build_id(const char *path, const char *build_id)
{
	char *own = pp_elf_build_id_at(path);
	bool same = own && !strcmp(own, build_id);

	free(own);
	return same;
}

/* Opens the file of a module, if the build-id matches. */
static char *open_module(struct pp_kernel_files *files, const char *path, const char *build_id,
			 const char **reason)
{
	char *opened;
	int fd;

	if (!pp_is_compressed(path)) {
		if (!build_id || has_build_id(path, build_id))
			return op_copy(path);
		*reason = "only other versions of the module were found";
		return NULL;
	}
	fd = pp_decompress(path, reason);
	if (fd < 0)
		return NULL;
	opened = path_of(files, fd);
	if (!build_id || has_build_id(opened, build_id))
		return opened;
	*reason = "only other versions of the module were found";
	free(opened);
	drop_last(files);
	return NULL;
}

/* Without a build-id: is this a file that the running kernel, or the only one there, loads? */
static bool is_likely(const struct pp_kernel_files *files, const char *path)
{
	char *dir = op_format("%s/lib/modules/", pp_image_root(files->search));
	struct utsname name;
	size_t n = strlen(dir);
	bool likely = strncmp(path, dir, n) != 0 || *pp_image_root(files->search) ||
		      (!uname(&name) && !strncmp(path + n, name.release, strlen(name.release)) &&
		       path[n + strlen(name.release)] == '/');

	free(dir);
	return likely;
}

char *pp_kernel_files_module(struct pp_kernel_files *files, const char *name, const char *build_id,
			     const char **reason)
{
	char *wanted = op_copy(name), *found = NULL;
	size_t first = 0, n_likely = 0;

	for (char *c = wanted; *c; c++)
		if (*c == '-')
			*c = '_';
	if (!files->searched)
		search_modules(files);
	*reason = "no file of this module was found";
	while (first < files->n_modules && strcmp(files->modules[first].name, wanted) < 0)
		first++;
	for (size_t i = first;
	     i < files->n_modules && !strcmp(files->modules[i].name, wanted) && !build_id; i++)
		n_likely += is_likely(files, files->modules[i].path);
	if (n_likely > 1)
		*reason = "several files of this module were found, and no build-id selects one";
	for (size_t i = first; i < files->n_modules && !found && n_likely <= 1 &&
			       !strcmp(files->modules[i].name, wanted);
	     i++)
		if (build_id || is_likely(files, files->modules[i].path))
			found = open_module(files, files->modules[i].path, build_id, reason);
	free(wanted);
	return found;
}

/* ---- vmlinux ---- */

static char *if_vmlinux(char *path, const char *build_id)
{
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode) && has_build_id(path, build_id))
		return path;
	free(path);
	return NULL;
}

/* Paths that contain a release. */
static char *find_vmlinux(const char *root, const char *build_id)
{
	static const struct {
		const char *before, *after; /* the release */
	} places[] = {
		{"/lib/modules/", "/vmlinux"},
		{"/lib/modules/", "/build/vmlinux"},
		{"/usr/lib/debug/lib/modules/", "/vmlinux"},
		{"/usr/lib/debug/boot/vmlinux-", ""},
		{"/boot/vmlinux-", ""},
	};
	char *dir = op_format("%s/lib/modules", root), *found = NULL;
	DIR *releases = opendir(dir);
	struct dirent *entry;

	while (releases && !found && (entry = readdir(releases)) != NULL)
		for (size_t i = 0; !found && *entry->d_name != '.' && i < OP_ARRAY_SIZE(places);
		     i++)
			found = if_vmlinux(op_format("%s%s%s%s", root, places[i].before,
						     entry->d_name, places[i].after),
					   build_id);
	if (releases)
		closedir(releases);
	free(dir);
	return found;
}

char *pp_kernel_files_vmlinux(struct pp_kernel_files *files, const char *build_id,
			      const char **reason)
{
	const char *root = pp_image_root(files->search);
	const struct pp_found_file *given;
	char *found = NULL;
	size_t n;

	*reason = "the session has no build-id that selects a vmlinux";
	if (!build_id || strlen(build_id) < 4)
		return NULL;
	given = pp_image_search_base(files->search, "vmlinux", &n);
	for (size_t i = 0; !found && i < n; i++)
		found = if_vmlinux(op_copy(given[i].path), build_id);
	for (size_t i = 0; !found && i < files->search->n_found; i++)
		if (!strncmp(files->search->found[i].base, "vmlinux-", 8))
			found = if_vmlinux(op_copy(files->search->found[i].path), build_id);
	if (!found)
		found = if_vmlinux(op_format("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root,
					     build_id, build_id + 2),
				   build_id);
	if (!found)
		found = find_vmlinux(root, build_id);
	if (!found)
		*reason = "no vmlinux of this kernel was found";
	return found;
}

/* ---- vdso ---- */

/* The build-id of the running kernel, hexadecimal, or NULL. */
static char *running_build_id(void)
{
	uint8_t id[BUILD_ID_MAX];
	size_t length = build_id_of_notes_file("/sys/kernel/notes", id);

	return length ? op_hex(id, length) : NULL;
}

bool pp_kernel_runs(const char *build_id)
{
	char *running = running_build_id();
	bool same = running && !strcmp(running, build_id);

	free(running);
	return same;
}

/* Its size: up to the end of the section table, which is last. */
static size_t vdso_size(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/* Mappings are whole pages. */
static bool has_size(uint64_t bytes, uint64_t mapping)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	return !mapping || (bytes + page - 1) / page * page == mapping;
}

static char *own_vdso(struct pp_kernel_files *files, const char *build_id, uint64_t size)
{
	const ElfW(Ehdr) *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (!pp_kernel_runs(build_id) || !vdso || !has_size(vdso_size(vdso), size))
		return NULL;
	fd = foreign_memory("vdso");
	if (fd < 0)
		return NULL;
	if (write(fd, vdso, vdso_size(vdso)) == (ssize_t)vdso_size(vdso))
		return path_of(files, fd);
	close(fd);
	return NULL;
}

char *pp_kernel_files_vdso(struct pp_kernel_files *files, const char *build_id, uint64_t size,
			   const char **reason)
{
	struct stat status;
	char *path;

	*reason = "the kernel that was profiled is unknown";
	if (!build_id)
		return NULL;
	*reason = "the kernel that was profiled is not the running one";
	if (!files->search->archive)
		return own_vdso(files, build_id, size);
	path = op_format("%s" PP_ARCHIVE_VDSO " %s", files->search->archive, build_id);
	if (!stat(path, &status) && S_ISREG(status.st_mode) && has_size(status.st_size, size))
		return path;
	*reason = "it is not in the archive";
	free(path);
	return NULL;
}

void pp_kernel_files_free(struct pp_kernel_files *files)
{
	for (size_t i = 0; i < files->n_modules; i++) {
		free(files->modules[i].path);
		free(files->modules[i].name);
	}
	free(files->modules);
	while (files->n_unpacked)
		drop_last(files);
	free(files->unpacked);
	*files = (struct pp_kernel_files){.search = files->search};
}

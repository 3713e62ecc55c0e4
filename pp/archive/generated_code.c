// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds the files for generated code to an archive: the vdso, and maps of JIT code. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "pp/symbols/jit.h"
#include "pp/symbols/kallsyms.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"

static int compare_tgids(const void *a, const void *b)
{
	const struct op_image_name *left = *(const struct op_image_name *const *)a;
	const struct op_image_name *right = *(const struct op_image_name *const *)b;

	return op_compare_u64(left->tgid, right->tgid);
}

static void add_mapped_dump(struct pp_archive_files *files, const char *path,
			    const struct op_process_list *processes, uint32_t tgid)
{
	const char *slash = strrchr(path, '/');
	char *dir = op_format("%.*s", slash ? (int)(slash - path) : 0, path);
	uid_t user;

	if (strcmp(dir, PP_JIT_DIR) != 0 && pp_jit_is_believed(path, dir, tgid, processes, &user))
		pp_archive_files_add_of(files, op_copy(path), pp_jit_dump_path(PP_JIT_DIR, tgid),
					user);
	free(dir);
}

static void add_jit(struct pp_archive_files *files, const struct pp_image_search *search,
		    const struct op_process_list *processes, uint32_t tgid)
{
	char *(*const paths[])(const char *dir, uint32_t tgid) = {pp_jit_map_path,
								  pp_jit_dump_path};
	char *dir = pp_jit_dir(search->jit_dir, search->archive);
	struct op_process process;
	uid_t user;

	for (size_t i = 0; i < OP_ARRAY_SIZE(paths); i++) {
		char *path = paths[i](dir, tgid);

		if (pp_jit_is_believed(path, dir, tgid, processes, &user))
			pp_archive_files_add_of(files, path, paths[i](PP_JIT_DIR, tgid), user);
		else
			free(path);
	}
	if (!search->archive && op_process_list_find(processes, tgid, &process) == 1 &&
	    process.dump)
		add_mapped_dump(files, process.dump, processes, tgid);
	free(dir);
}

/* All processes have the same vdso. */
static void add_vdso(struct pp_archive_files *files, const char *samples_dir,
		     const struct op_image_name *image)
{
	struct pp_kallsyms kallsyms;
	struct op_error ignored;
	const char *reason;
	char *path = NULL;

	if (!pp_kallsyms_read(&kallsyms, samples_dir, &ignored))
		path = pp_kernel_files_vdso(&files->kernel, kallsyms.build_id,
					    image->end - image->start, &reason);
	if (path)
		pp_archive_files_add(files, path,
				     op_format(PP_ARCHIVE_VDSO " %s", kallsyms.build_id));
	pp_kallsyms_free(&kallsyms);
}

void pp_archive_files_add_memory(struct pp_archive_files *files, struct pp_image_search *search,
				 const struct op_image_name **images, size_t n,
				 char *const *samples_dirs, size_t n_dirs)
{
	const struct op_image_name *vdso = NULL;
	struct op_process_list processes = {0};

	for (size_t i = 0; i < n_dirs; i++)
		op_process_list_read(&processes, samples_dirs[i]);
	files->kernel.search = search;
	if (n)
		qsort(images, n, sizeof(*images), compare_tgids);
	for (size_t i = 0; i < n; i++) {
		if (!i || images[i]->tgid != images[i - 1]->tgid)
			add_jit(files, search, &processes, images[i]->tgid);
		if (!strcmp(images[i]->name, "[vdso]") && images[i]->start > UINT32_MAX)
			vdso = images[i];
	}
	for (size_t i = 0; vdso && i < n_dirs; i++)
		add_vdso(files, samples_dirs[i], vdso);
	op_process_list_free(&processes);
}

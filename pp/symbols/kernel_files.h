/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the kernel that was profiled: vmlinux, modules, the vdso.  The session names them as
 * the kernel does, without a path, and has their build-ids if the daemon could read them.
 */
#ifndef PP_SYMBOLS_KERNEL_FILES_H
#define PP_SYMBOLS_KERNEL_FILES_H

#include <stdint.h>

#include "image_path.h"

struct pp_kernel_files {
	struct pp_image_search *search;
	struct pp_module_file *modules; /* by name; made on first use */
	size_t n_modules, modules_capacity;
	bool searched;
	int *unpacked; /* descriptors of files in memory */
	size_t n_unpacked, unpacked_capacity;
};

/* True if the kernel with this build-id is the one that runs. */
bool pp_kernel_runs(const char *build_id);

/* For all functions below: @build_id is hexadecimal, or NULL if the session has none.  The path can
 * be opened as long as @files lives; the caller frees it.  NULL, with @reason set to a literal, if
 * no file matches. */

/**
 * pp_kernel_files_module - the file of a module
 * @name: where '-' and '_' are the same, as they are for the kernel
 *
 * Tries NAME.ko, also with .xz, .zst or .gz, below --image-path and below lib/modules in the
 * archive or root: of all releases if there is a build-id to choose by; else, if neither archive
 * nor root is given, of the running kernel.
 */
char *pp_kernel_files_module(struct pp_kernel_files *files, const char *name, const char *build_id,
			     const char **reason);

/**
 * pp_kernel_files_vmlinux - the kernel itself, not compressed
 *
 * Tries vmlinux and vmlinux-RELEASE below --image-path, and the paths that distributions use.
 * Without a build-id, none is used.
 */
char *pp_kernel_files_vmlinux(struct pp_kernel_files *files, const char *build_id,
			      const char **reason);

/* What oparchive calls the vdso in an archive, before a blank and the kernel's build-id. */
#define PP_ARCHIVE_VDSO "/[vdso]"

/**
 * pp_kernel_files_vdso - the vdso, which the kernel maps into each process
 * @build_id: of the kernel
 * @size: bytes of the mapping, or 0: any
 *
 * It is the vdso of this process, if the profiled kernel is running; or one in the archive.
 */
char *pp_kernel_files_vdso(struct pp_kernel_files *files, const char *build_id, uint64_t size,
			   const char **reason);

/* Closes and frees all files found. */
void pp_kernel_files_free(struct pp_kernel_files *files);

#endif

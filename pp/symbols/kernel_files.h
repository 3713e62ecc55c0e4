/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the kernel that was profiled: vmlinux, modules, the vdso.  The session names them as
 * the kernel does, without a path, and has their build-ids if the daemon could read them.
 */
#ifndef PP_KERNEL_FILES_H
#define PP_KERNEL_FILES_H

#include <stdint.h>

#include "pp/symbols/image_path.h"

struct pp_kernel_files {
	struct pp_image_search *search;
	struct pp_module_file *modules; /* by name; made at the first need */
	size_t n_modules, modules_capacity;
	bool searched;
	int *unpacked; /* descriptors of files in memory */
	size_t n_unpacked, unpacked_capacity;
};

/* True if the kernel with this build-id is the one that runs. */
bool pp_kernel_runs(const char *build_id);

/* All that follow: @build_id is hexadecimal, or NULL if the session has none.  What is found can
 * be opened as long as @files lives; the caller frees the path.  NULL with @trouble set, a
 * literal, if nothing fits. */

/**
 * pp_kernel_files_module - the file of a module
 * @name: where '-' and '_' are the same, as they are for the kernel
 *
 * Tried are NAME.ko, also with .xz, .zst or .gz, below --image-path and below lib/modules in the
 * archive or root: of all releases if there is a build-id to choose by; else, if neither archive
 * nor root is given, of the running kernel.
 */
char *pp_kernel_files_module(struct pp_kernel_files *files, const char *name, const char *build_id,
			     const char **trouble);

/**
 * pp_kernel_files_vmlinux - the kernel itself, not compressed
 *
 * Tried are vmlinux and vmlinux-RELEASE below --image-path, and the places where distributions
 * have it.  Without a build-id, none is good.
 */
char *pp_kernel_files_vmlinux(struct pp_kernel_files *files, const char *build_id,
			      const char **trouble);

/* What oparchive calls the vdso in an archive, before a blank and the kernel's build-id. */
#define PP_ARCHIVE_VDSO "/[vdso]"

/**
 * pp_kernel_files_vdso - what the kernel maps into each program
 * @build_id: of the kernel
 * @size: bytes of the mapping, or 0: any
 *
 * It is that of this process, if the kernel that was profiled runs; or in the archive.
 */
char *pp_kernel_files_vdso(struct pp_kernel_files *files, const char *build_id, uint64_t size,
			   const char **trouble);

/* Closes and frees what was gathered. */
void pp_kernel_files_free(struct pp_kernel_files *files);

#endif

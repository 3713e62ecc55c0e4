/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file as libelf sees it: what says which separate debug file belongs to it, and what
 * libbfd does not tell (sizes of symbols, segments).
 */
#ifndef PP_OBJECT_H
#define PP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libelf.h>

struct pp_object {
	int fd;
	Elf *elf;
};

/* Return: 0, or -1: no regular file, or no ELF file.  pp_object_close() after 0 only. */
int pp_object_open(struct pp_object *object, const char *path);
void pp_object_close(struct pp_object *object);

bool pp_object_has_section(const struct pp_object *object, const char *name);

/**
 * pp_object_debug_file - look for the separate debug file
 * @path: of the object
 * @root: put before /usr/lib/debug; "" for none
 *
 * Tried are ROOT/usr/lib/debug/.build-id/XX/YYY.debug, which must have the same build-id, and
 * the name in .gnu_debuglink in DIR/.debug, ROOT/usr/lib/debug/DIR and DIR, which must have
 * the same CRC; and servers, if the user has named any (pp/debuginfod.h).
 *
 * Return: a path that the caller frees, or NULL.
 */
char *pp_object_debug_file(const struct pp_object *object, const char *path, const char *root);

/* The build-id, hexadecimal, which the caller frees; NULL if there is none, or none of usual
 * length (2 to 64 bytes). */
char *pp_object_build_id(const struct pp_object *object);

/* Where a debug file is looked for by build-id, without a root:
 * /usr/lib/debug/.build-id/XX/YYY.debug. The caller frees it; NULL if the object has no build-id.
 */
char *pp_object_build_id_path(const struct pp_object *object);

/**
 * pp_object_mini_debug - unpack the symbols that are packed into the object itself
 *
 * Distributions strip programs but put a small object file, packed with xz, into the section
 * .gnu_debugdata: it has the symbols that .dynsym has not.
 *
 * Return: a descriptor at the start of a file in memory, which the caller closes; -1 if there is
 * none or it is damaged.
 */
int pp_object_mini_debug(const struct pp_object *object);

struct pp_symbol_size {
	uint64_t address, size;
};

/* Sizes of the symbols in .dynsym, by address; *out is freed by the caller. */
size_t pp_object_dynamic_sizes(const struct pp_object *object, struct pp_symbol_size **out);

struct pp_segment {
	uint64_t offset, size, address; /* in the file; in memory */
};

/* Executable segments, by offset; *out is freed by the caller. */
size_t pp_object_code_segments(const struct pp_object *object, struct pp_segment **out);

#endif

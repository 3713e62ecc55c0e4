/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file, read through libelf: sections, build-id, and what libbfd does not tell (sizes of
 * symbols, where functions begin, executable segments).
 */
#ifndef PP_SYMBOLS_ELF_FILE_H
#define PP_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gelf.h>

struct pp_elf_file {
	int fd;
	Elf *elf;
};

/* Return: 0, or -1: no regular file, or no ELF file.  pp_elf_close() after 0 only. */
int pp_elf_open(struct pp_elf_file *object, const char *path);
void pp_elf_close(struct pp_elf_file *object);

bool pp_elf_has_section(const struct pp_elf_file *object, const char *name);

/* The build-id, hexadecimal, which the caller frees; NULL if there is none, or its length is not 2
 * to BUILD_ID_MAX bytes. */
char *pp_elf_build_id(const struct pp_elf_file *object);

/* The same of a file that is not open. */
char *pp_elf_build_id_at(const char *path);

/**
 * pp_elf_mini_debug - decompress the symbols in .gnu_debugdata
 *
 * Distributions strip programs but add a small object file, compressed with xz, as the section
 * .gnu_debugdata: it has the symbols that .dynsym lacks.
 *
 * Return: a descriptor at the start of a file in memory, which the caller closes; -1 if there is
 * none or it is damaged.
 */
int pp_elf_mini_debug(const struct pp_elf_file *object);

/**
 * pp_elf_debug_fits - whether the debug sections of a file are within the limits (limits.h)
 * @fd: an ELF file, of foreign_open()
 * @bytes: set to their bytes in memory, unpacked; may be NULL
 *
 * libdw reads and unpacks all of them at once, whatever they say of their size.
 */
bool pp_elf_debug_fits(int fd, uint64_t *bytes);

struct pp_symbol_size {
	uint64_t address, size;
};

/**
 * pp_elf_symbol_sizes - the sizes of functions in a table of symbols
 * @elf: no relocatable file
 * @type: SHT_SYMTAB or SHT_DYNSYM
 * @out: set to those that have one, by address; the caller frees them
 *
 * Return: how many.
 */
size_t pp_elf_symbol_sizes(Elf *elf, GElf_Word type, struct pp_symbol_size **out);

/**
 * pp_elf_function_starts - where functions begin, as .eh_frame_hdr says
 * @out: set to offsets in the file, in order; the caller frees them
 *
 * Return: how many; 0 also if it is in a form that linkers do not write.
 */
size_t pp_elf_function_starts(const struct pp_elf_file *object, uint64_t **out);

struct pp_segment {
	uint64_t offset, size, address; /* in the file; in memory */
};

struct pp_segments {
	struct pp_segment *items; /* executable ones, by offset; the caller frees them */
	size_t n;
	bool is_fixed; /* it can only be where it was linked to */
};

/**
 * pp_segments_read - the executable segments of a file
 *
 * For root, a process apart reads a file of others (libop/foreign/apart.h).
 *
 * Return: false, and nothing is to be freed, if it is no ELF file, or can't be read.
 */
bool pp_segments_read(struct pp_segments *segments, const char *path);

/* The same of a file that is open here.  Return: how many; the caller frees *@out. */
size_t pp_segments_of(Elf *elf, struct pp_segment **out);

#endif

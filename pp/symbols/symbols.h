/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of one image: read once into an array sorted by the keys that sample files use
 * (offsets in the file; for the kernel and its modules, distance from their start).
 */
#ifndef PP_SYMBOLS_SYMBOLS_H
#define PP_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libop/base/error.h"
#include "libop/foreign/kept.h"
#include "kallsyms.h"

/* Before the name of a section: the name of its code before the first symbol. */
#define PP_ANONYMOUS "anonymous symbol from section "

struct pp_symbol {
	uint64_t start, end; /* keys, without end */
	uint64_t vma;	     /* the address that start has in memory, or in the object file */
	uint64_t skipped;    /* bytes of the function before start, if one is nested in it */
	const char *name;    /* not demangled; lives as long as the table */
};

/* Whether the file names the code. */
static inline bool pp_symbol_is_of_file(const struct pp_symbol *symbol)
{
	return strncmp(symbol->name, PP_ANONYMOUS, sizeof(PP_ANONYMOUS) - 1) != 0;
}

/* Another name of the symbol at @start. */
struct pp_alias {
	uint64_t start;
	const char *name; /* lives as long as the table */
};

/* An address range of code, with or without symbols. */
struct pp_code {
	uint64_t start, end; /* keys, without end */
	uint64_t vma;	     /* of start, as it is shown */
	uint64_t offset;     /* of start in the file; without a file, 0 */
	uint64_t link;	     /* the address that debug information has for start */
	const char *name;    /* of the section, or NULL; lives as long as the table */
};

/* Code from @link up to the next entry belongs to this line. */
struct pp_line_entry {
	uint64_t link;
	const char *file; /* NULL ends a sequence; lives as long as the table */
	int line;
	uint32_t order; /* of entries at one address the last one is used */
};

/* A function that an imported profile says is at a key. */
struct pp_given_line {
	uint64_t key;
	const char *function, *file; /* file: NULL if it is not known */
	int line;		     /* 0: not known */
};

/* The machine that the code of an object file is for. */
struct pp_machine {
	bool known;
	bool big_endian;
	unsigned int address_bits; /* 32 or 64 */
	int arch;		   /* enum bfd_architecture */
	unsigned long mach;	   /* libbfd's number of the variant */
};

struct pp_symbols {
	struct pp_symbol *items; /* by start; they do not overlap */
	size_t n;
	struct pp_alias *aliases; /* by start */
	size_t n_aliases;
	struct pp_code *code; /* by start */
	size_t n_code;
	struct pp_line_entry *lines; /* by link: those that a JIT compiler has told */
	size_t n_lines;
	/* By key; of one key the innermost function comes first, the symbol's last.  Texts live as
	 * long as the reader of images. */
	struct pp_given_line *given;
	size_t n_given;
	bool is_relocatable; /* links are those that pp_debug_info_open() sets */
	uint64_t text;	     /* key of the start of .text; keys of a vmlinux count from there */
	char *debug_path;    /* of the separate debug file, or NULL */
	struct pp_machine machine;
	struct foreign_kept kept; /* of a file of others */
	void *owner;		  /* of the names */
	void (*release)(void *owner);
};

enum pp_symbols_status {
	PP_SYMBOLS_OK,	    /* perhaps without any symbol */
	PP_SYMBOLS_DAMAGED, /* not everything could be read; the error says why */
};

/**
 * pp_symbols_read_file - read the symbols of an object file
 * @symbols: filled in; pp_symbols_free() frees what it holds, whatever is returned
 * @path: the image
 * @root: put before /usr/lib/debug, where separate debug files are; "" for none
 * @want_lines: look for the debug file even if the image has symbols, because lines are wanted
 *
 * The symbols are those of .symtab, of the separate debug file, or else of .gnu_debugdata and
 * .dynsym together, or of .dynsym alone.  Each covers its size, and no more: what is between them
 * has lost its name.  One without a size, as of assembly, reaches up to the next symbol, or the
 * next function that .eh_frame_hdr knows; inside of one that has a size it is only a label.
 *
 * Kernel files have every symbol, and labels count as in kallsyms: each reaches up to the next one.
 *
 * Return: see enum pp_symbols_status; @error is set if the image is damaged.
 */
enum pp_symbols_status pp_symbols_read_file(struct pp_symbols *symbols, const char *path,
					    const char *root, bool want_lines,
					    struct op_error *error);

/* Kernel files: their keys are not offsets in the file. */
struct pp_kernel_place {
	bool is_module;	  /* keys are relative to its first code section; else to _stext */
	uint64_t address; /* of key 0 in the kernel that was profiled */
};

/* As pp_symbols_read_file(), of a vmlinux or the file of a module. */
enum pp_symbols_status pp_symbols_read_kernel_file(struct pp_symbols *symbols, const char *path,
						   const char *root, bool want_lines,
						   const struct pp_kernel_place *place,
						   struct op_error *error);

/**
 * pp_symbols_read_kernel - the symbols of the kernel or a module, from a saved kallsyms
 * @symbols: as above
 * @kallsyms: must live as long as @symbols
 * @name: of the image: OP_KERNEL_IMAGE, OP_NO_VMLINUX, that of a module, or "[NAME]", whose keys
 *	are addresses
 *
 * Return: 0, or -1 with @error set: there are no symbols of this image.
 */
int pp_symbols_read_kernel(struct pp_symbols *symbols, const struct pp_kallsyms *kallsyms,
			   const char *name, struct op_error *error);

void pp_symbols_free(struct pp_symbols *symbols);

/* The index of the symbol that @key is in; @symbols->n if in none. */
size_t pp_symbols_find(const struct pp_symbols *symbols, uint64_t key);

/**
 * pp_symbols_is_before_entry - whether a caller's address is where a function begins
 * @key: the byte before the address
 *
 * A return address is behind a call, which is looked up by the byte before.  A trampoline of
 * signals and the first function of a coroutine (makecontext(3)) are never called: their address in
 * a chain is that of their first byte, and the byte before is in no function.
 */
bool pp_symbols_is_before_entry(const struct pp_symbols *symbols, uint64_t key);

/* The other names of the symbol at @start: *@n of them; they live as long as the table. */
const struct pp_alias *pp_symbols_aliases(const struct pp_symbols *symbols, uint64_t start,
					  size_t *n);

/* The address of @key; @key itself if it is in no code. */
uint64_t pp_symbols_vma(const struct pp_symbols *symbols, uint64_t key);

/* The code that @key is in, or NULL. */
const struct pp_code *pp_symbols_code(const struct pp_symbols *symbols, uint64_t key);

/* The address in debug information of an address that is shown. */
uint64_t pp_symbols_link(const struct pp_symbols *symbols, uint64_t vma);

/* The key of an address, in *@key; false if no code is there. */
bool pp_symbols_key(const struct pp_symbols *symbols, uint64_t vma, uint64_t *key);

/* For readers: a symbol as it is read, before pp_symbols_tidy(). */
struct pp_raw_symbol {
	uint64_t start; /* key */
	uint64_t size;	/* 0: up to the next symbol, the next start, or the end of the code */
	uint32_t rank;	/* of symbols at one address the one with the lowest rank stays */
	const char *name;
};

/* Keys where functions begin, whether or not they have symbols; in order. */
struct pp_starts {
	uint64_t *keys;
	size_t n;
};

/**
 * pp_symbols_tidy - make @symbols->items out of raw symbols
 * @starts: where symbols without a size end at the latest
 * @name_gaps: name the code before the first symbol of a section, and sections without symbols,
 * "anonymous symbol from section X"
 *
 * Sorts @raw.
 */
void pp_symbols_tidy(struct pp_symbols *symbols, struct pp_raw_symbol *raw, size_t n,
		     const struct pp_starts *starts, bool name_gaps);

#endif

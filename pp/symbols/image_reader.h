/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file and the symbols of an image of any kind.
 *
 *	/usr/bin/ls		its file, or that of an archive
 *	kallsyms, ext4		the kernel symbols of the session; if code is wanted, or
 *				the session has none: vmlinux, the file of the module
 *	[vdso]			the vdso
 *	other memory		the object of JIT code in the session, or the map that the
 *				process wrote
 *	/proc/kallsyms		what OProfile calls the kernel without vmlinux: as kallsyms
 */
#ifndef PP_SYMBOLS_IMAGE_READER_H
#define PP_SYMBOLS_IMAGE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/session/functions.h"
#include "libop/session/sample_name.h"
#include "image_path.h"
#include "jit.h"
#include "kallsyms.h"
#include "kernel_files.h"
#include "symbols.h"
#include "libop/base/warnings.h"

/* Why code has no name: an image has one reason for what no symbol covers. */
enum pp_unnamed {
	PP_UNNAMED_GAP,		/* there are symbols, none of which covers it */
	PP_UNNAMED_STRIPPED,	/* the file has no symbols */
	PP_UNNAMED_NO_FILE,	/* the file was not found, or is another one now */
	PP_UNNAMED_BAD_FILE,	/* symbols of the file could not be read */
	PP_UNNAMED_KERNEL,	/* the session has no symbols of the kernel */
	PP_UNNAMED_RUN_TIME,	/* made at run time, without a map */
	PP_UNNAMED_MAP_GAP,	/* likewise, and not in its map */
	PP_UNNAMED_MAP_REFUSED, /* likewise, and its map cannot be believed or read */
	PP_UNNAMED_IN_PROFILE,	/* functions are those that the profile names: image_name.h */
	PP_UNNAMED_NO_IMAGE,	/* no file or memory is known there */
	PP_UNNAMED_OTHER,	/* of an image beyond the limit of their number */
	PP_UNNAMED_REASONS
};

struct pp_image_reader {
	/* Set by the caller: */
	struct pp_image_search *search;
	char *const *samples_dirs; /* SESSION/samples/NAME */
	size_t n_dirs;
	struct op_warnings *warnings; /* warns of missing files; NULL: no warnings */
	bool want_code;		      /* the file, for lines or instructions */
	bool want_lines;	      /* also the separate debug file */
	bool keeps_troubles;	      /* of files: in their contents, instead of warnings */
	/* Read on first use: */
	struct pp_kallsyms kallsyms;
	enum {
		PP_KALLSYMS_UNREAD,
		PP_KALLSYMS_READ,
		PP_KALLSYMS_MODULES, /* there is the list of modules only */
		PP_KALLSYMS_NONE,
	} kallsyms_state;
	struct op_error kallsyms_error;
	struct pp_kernel_files kernel_files;
	struct op_functions *functions; /* of each of samples_dirs */
	struct pp_jit jit;		/* of the process looked up last */
	bool jit_read;
	enum pp_jit_result jit_result;
	struct op_process_list processes; /* of all of samples_dirs; read with the first jit */
	bool processes_read;
	struct op_strings jit_objects;
	bool jit_objects_found;
};

struct pp_image_content {
	char *path;	     /* of the file; NULL if there is none */
	const char *no_file; /* of a kernel image without a file: why; a literal */
	struct pp_symbols symbols;
	bool may_have_changed;	 /* only the path identifies the file */
	char *trouble;		 /* why the file was not found; NULL: it was, or nothing needs it */
	bool is_saved;		 /* then the symbols are those that were saved */
	enum pp_unnamed unnamed; /* why code has no name that no symbol covers */
};

/**
 * pp_image_reader_read - read an image
 * @content: filled in; pp_image_content_free() frees what it holds
 *
 * Without a file or symbols the image has none.  @content is valid as long as @reader.
 */
void pp_image_reader_read(struct pp_image_reader *reader, const struct op_image_name *id,
			  struct pp_image_content *content);
void pp_image_content_free(struct pp_image_content *content);
void pp_image_reader_free(struct pp_image_reader *reader);

#endif

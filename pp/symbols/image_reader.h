/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of an image: its file and its symbols, whatever kind of image it is.
 *
 *	/usr/bin/ls		its file, or that of an archive
 *	kallsyms, ext4		the kernel symbols that the session has; where code is wanted, or
 *				the session has none: vmlinux, the file of the module
 *	[vdso]			the vdso
 *	other memory		what the process wrote down about its JIT code
 */
#ifndef PP_IMAGE_READER_H
#define PP_IMAGE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/session/sample_name.h"
#include "pp/symbols/image_path.h"
#include "pp/symbols/jit.h"
#include "pp/symbols/kallsyms.h"
#include "pp/symbols/kernel_files.h"
#include "pp/symbols/symbols.h"
#include "libop/base/warnings.h"

struct pp_image_reader {
	/* Set by the caller: */
	struct pp_image_search *search;
	char *const *samples_dirs; /* SESSION/samples/NAME */
	size_t n_dirs;
	struct pp_warnings *trouble; /* told of what is missing; NULL: nobody */
	bool want_code;		    /* the file, for lines or instructions */
	bool want_lines;	    /* also the separate debug file */
	/* Read at the first need: */
	struct pp_kallsyms kallsyms;
	enum { PP_KALLSYMS_UNREAD, PP_KALLSYMS_READ, PP_KALLSYMS_NONE } kallsyms_state;
	struct op_error kallsyms_error;
	struct pp_kernel_files kernel_files;
	struct pp_jit jit; /* of the process that was asked for last */
	bool jit_read;
};

struct pp_image_content {
	char *path;	     /* of the file; NULL if there is none */
	const char *no_file; /* of a kernel image without a file: why; a literal */
	struct pp_symbols symbols;
	bool may_have_changed; /* nothing but the path says that it is the file that was profiled */
};

/**
 * pp_image_reader_read - read an image
 * @content: filled in; pp_image_content_free() frees what it holds
 *
 * What can't be found leaves the image without symbols.  @content is good as long as @reader.
 */
void pp_image_reader_read(struct pp_image_reader *reader, const struct op_image_name *id,
			  struct pp_image_content *content);
void pp_image_content_free(struct pp_image_content *content);
void pp_image_reader_free(struct pp_image_reader *reader);

#endif

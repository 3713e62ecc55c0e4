// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads images. */
#include "image_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/paths.h"
#include "image_identity.h"
#include "image_name.h"
#include "libop/base/memory.h"

/* Warns about @id, if the caller wants warnings. */
#define WARN(reader, id, kind, format, ...)                                                        \
	do {                                                                                       \
		char *shown_ = (reader)->warnings ? pp_image_full_name(id) : NULL;                 \
		if (shown_)                                                                        \
			pp_warnings_add((reader)->warnings, kind, "%s " format, shown_,            \
					__VA_ARGS__);                                              \
		free(shown_);                                                                      \
	} while (0)

/* ---- files ---- */

static void read_file(struct pp_image_reader *reader, const struct op_image_name *id,
		      struct pp_image_content *content)
{
	const char *reason = NULL;
	struct pp_image_identity identity;
	struct op_error error;

	content->path = pp_image_find(reader->search, id->name, &reason);
	if (!content->path) {
		WARN(reader, id, PP_NO_IMAGE, "has no symbols: %s", reason);
		return;
	}
	pp_image_identity_parse(&identity, id->name);
	content->may_have_changed = identity.state == PP_IMAGE_IN_PLACE;
	if (pp_symbols_read_file(&content->symbols, content->path, pp_image_root(reader->search),
				 reader->want_lines, &error) &&
	    reader->warnings)
		pp_warnings_add(reader->warnings, PP_BAD_IMAGE, "%s: symbols may be missing: %s",
				content->path, error.text);
}

/* ---- the kernel ---- */

static const struct pp_kallsyms *get_kallsyms(struct pp_image_reader *reader)
{
	/* Another reader may have warned already. */
	bool warned = !reader->warnings || reader->warnings->n[PP_BAD_KALLSYMS];

	for (size_t i = 0; reader->kallsyms_state == PP_KALLSYMS_UNREAD; i++) {
		if (i == reader->n_dirs) {
			reader->kallsyms_state = PP_KALLSYMS_NONE;
		} else if (!pp_kallsyms_read(&reader->kallsyms, reader->samples_dirs[i],
					     &reader->kallsyms_error)) {
			reader->kallsyms_state = PP_KALLSYMS_READ;
		} else {
			pp_kallsyms_free(&reader->kallsyms);
			if (!warned)
				pp_kallsyms_warn(reader->warnings, &reader->kallsyms_error);
		}
	}
	return reader->kallsyms_state == PP_KALLSYMS_READ ? &reader->kallsyms : NULL;
}

/*
 * True if the kernel loaded the file with this layout: then functions of both tables start at the
 * same keys, but for the few that only one table has.
 */
static bool tables_agree(const struct pp_symbols *file, const struct pp_symbols *kernel)
{
	size_t same = 0;

	for (size_t i = 0; i < kernel->n; i++) {
		size_t at = pp_symbols_find(file, kernel->items[i].start);

		same += at < file->n && file->items[at].start == kernel->items[i].start;
	}
	return same + kernel->n / 10 + 1 >= kernel->n;
}

/* Reads the file of the kernel or a module into @content; its symbols replace those there. */
static bool read_kernel_file(struct pp_image_reader *reader, const struct op_image_name *id,
			     struct pp_image_content *content, const char **reason)
{
	const struct pp_kallsyms *kallsyms = get_kallsyms(reader);
	const struct pp_kernel_module *module =
		kallsyms ? pp_kallsyms_module(kallsyms, id->name) : NULL;
	struct pp_kernel_place place = {.is_module = strcmp(id->name, OP_KERNEL_IMAGE) != 0,
					.address = module ? module->address : 0};
	const char *build_id = module ? module->build_id : NULL;
	struct pp_symbols symbols;
	struct op_error error;
	char *path;

	reader->kernel_files.search = reader->search;
	if (*id->name == '[' || !strcmp(id->name, OP_NO_VMLINUX)) {
		*reason = "this code is in no file";
		return false;
	}
	if (place.is_module && !build_id && !*pp_image_root(reader->search) && kallsyms &&
	    kallsyms->build_id && !pp_kernel_runs(kallsyms->build_id)) {
		*reason = "the kernel that was profiled is not the running one, and the session "
			  "has no build-id of the module";
		return false;
	}
	if (place.is_module) {
		path = pp_kernel_files_module(&reader->kernel_files, id->name, build_id, reason);
	} else {
		path = pp_kernel_files_vmlinux(&reader->kernel_files, build_id, reason);
		place.address = kallsyms ? kallsyms->start : 0;
	}
	if (!path)
		return false;
	*reason = "its file is damaged";
	if (!pp_symbols_read_kernel_file(&symbols, path, pp_image_root(reader->search),
					 reader->want_lines, &place, &error)) {
		*reason = "the symbols in its file are not those of the kernel that was profiled";
		if (tables_agree(&symbols, &content->symbols)) {
			pp_symbols_free(&content->symbols);
			content->symbols = symbols;
			content->path = path;
			return true;
		}
	}
	pp_symbols_free(&symbols);
	free(path);
	return false;
}

static void read_kernel(struct pp_image_reader *reader, const struct op_image_name *id,
			struct pp_image_content *content)
{
	const struct pp_kallsyms *kallsyms = get_kallsyms(reader);
	struct op_error error = reader->kallsyms_error;
	bool known =
		kallsyms && !pp_symbols_read_kernel(&content->symbols, kallsyms, id->name, &error);
	const char *reason;

	if (known && content->symbols.n && !reader->want_code)
		return;
	if (read_kernel_file(reader, id, content, &reason))
		return;
	content->no_file = reason;
	/* The name says that the session has no kernel symbols on purpose. */
	if (content->symbols.n || (!kallsyms && !strcmp(id->name, OP_NO_VMLINUX)))
		return;
	/* get_kallsyms() has warned once for all images. */
	if (!kallsyms && error.code != ENOENT)
		return;
	WARN(reader, id, PP_NO_SYMBOLS, "has no symbols: %s", known ? reason : error.text);
}

/* ---- memory ---- */

/* Keys are relative to the start of the mapping, which is the start of the file; addresses are
 * those of the mapping. */
static bool read_vdso(struct pp_image_reader *reader, const struct op_image_name *id,
		      struct pp_image_content *content)
{
	const struct pp_kallsyms *kallsyms = get_kallsyms(reader);
	struct pp_symbols *symbols = &content->symbols;
	const char *reason = "it is of a 32-bit program";
	struct op_error error;

	reader->kernel_files.search = reader->search;
	if (id->start > UINT32_MAX)
		content->path = pp_kernel_files_vdso(&reader->kernel_files,
						     kallsyms ? kallsyms->build_id : NULL,
						     id->end - id->start, &reason);
	if (!content->path) {
		/* Every process has a vdso: warn only in verbose mode. */
		if (reader->warnings && reader->warnings->verbose)
			WARN(reader, id, PP_NO_IMAGE, "has no symbols: %s", reason);
		return false;
	}
	if (pp_symbols_read_file(symbols, content->path, pp_image_root(reader->search),
				 reader->want_lines, &error))
		WARN(reader, id, PP_BAD_IMAGE, "may lack symbols: %s", error.text);
	for (size_t i = 0; i < symbols->n; i++)
		symbols->items[i].vma = id->start + symbols->items[i].start;
	for (size_t i = 0; i < symbols->n_code; i++)
		symbols->code[i].vma = id->start + symbols->code[i].start;
	return true;
}

static const struct pp_jit *get_jit(struct pp_image_reader *reader, const struct op_image_name *id)
{
	struct op_error error;
	char *dir;

	if (reader->jit_read && reader->jit.tgid == id->tgid)
		return &reader->jit;
	pp_jit_free(&reader->jit);
	dir = pp_jit_dir(reader->search->jit_dir, reader->search->archive);
	reader->jit_read = true;
	if (pp_jit_read(&reader->jit, dir, id->tgid, &error) == PP_JIT_REFUSED)
		WARN(reader, id, PP_NO_SYMBOLS, "may lack symbols: %s", error.text);
	free(dir);
	return &reader->jit;
}

static void read_memory(struct pp_image_reader *reader, const struct op_image_name *id,
			struct pp_image_content *content)
{
	struct pp_symbols *symbols = &content->symbols;

	if (id->end <= id->start)
		return;
	if (!strcmp(id->name, "[vdso]") && read_vdso(reader, id, content))
		return;
	symbols->code = pp_alloc(1, sizeof(*symbols->code));
	symbols->n_code = 1;
	symbols->code->end = id->end - id->start;
	symbols->code->vma = symbols->code->link = id->start;
	pp_jit_symbols(get_jit(reader, id), id->start, id->end, symbols);
}

/* ---- dispatch ---- */

void pp_image_reader_read(struct pp_image_reader *reader, const struct op_image_name *id,
			  struct pp_image_content *content)
{
	memset(content, 0, sizeof(*content));
	switch (id->kind) {
	case OP_IMAGE_FILE:
		read_file(reader, id, content);
		break;
	case OP_IMAGE_KERNEL:
		read_kernel(reader, id, content);
		break;
	case OP_IMAGE_ANON:
		read_memory(reader, id, content);
		break;
	}
}

void pp_image_content_free(struct pp_image_content *content)
{
	pp_symbols_free(&content->symbols);
	free(content->path);
	memset(content, 0, sizeof(*content));
}

void pp_image_reader_free(struct pp_image_reader *reader)
{
	pp_kallsyms_free(&reader->kallsyms);
	pp_kernel_files_free(&reader->kernel_files);
	pp_jit_free(&reader->jit);
	reader->jit_read = false;
	reader->kallsyms_state = PP_KALLSYMS_UNREAD;
}

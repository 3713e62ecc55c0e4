// SPDX-License-Identifier: GPL-2.0-or-later
/* Images of sessions: see image.h. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "pp/symbols/image_name.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

/* ---- names that can stand in a path ---- */

/* @text as one component; that of "//anon" is "anon". */
static char *component(const char *text)
{
	char *copy;

	text += strspn(text, "/");
	copy = op_copy(*text ? text : "_");

	for (char *p = copy; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ')
			*p = '_';
	if (!strcmp(copy, ".") || !strcmp(copy, ".."))
		*copy = '_';
	return copy;
}

/* An absolute path without components that mean nothing. */
static char *absolute(const char *text)
{
	struct op_line line = {0};
	char *path;

	if (*text != '/')
		op_line_puts(&line, "/[no path]");
	while (*text) {
		size_t n = strcspn(text, "/");

		if (n && !(n == 1 && *text == '.') && !(n == 2 && !memcmp(text, "..", 2))) {
			op_line_puts(&line, "/");
			op_line_add(&line, text, n);
		}
		text += n + (text[n] == '/');
	}
	if (!line.n)
		op_line_puts(&line, "/_");
	op_line_add(&line, "", 1);
	path = op_copy(line.text);
	op_line_free(&line);
	return path;
}

/* "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" is ext4; names have no dashes. */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = component(slash ? slash + 1 : path), *end = strstr(name, ".ko");
	size_t n;

	if (end && (!end[3] || end[3] == '.'))
		*end = '\0';
	n = strlen(name);
	if (n > 2 && *name == '[' && name[n - 1] == ']') {
		memmove(name, name + 1, n - 2);
		name[n - 2] = '\0';
	}
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static struct op_image_name kernel_name(const struct prof_image *image)
{
	if (*image->path == '/')
		return (struct op_image_name){.kind = OP_IMAGE_FILE, .name = absolute(image->path)};
	return (struct op_image_name){
		.kind = OP_IMAGE_KERNEL,
		.name = op_copy(strcmp(image->path, OP_NO_VMLINUX) ? OP_KERNEL_IMAGE
								   : OP_NO_VMLINUX),
	};
}

static struct op_image_name unknown_name(const struct prof_image *image)
{
	return (struct op_image_name){
		.kind = image->is_kernel ? OP_IMAGE_KERNEL : OP_IMAGE_ANON,
		.name = image->is_kernel ? op_copy(OP_NO_VMLINUX) : component(image->path),
	};
}

struct op_image_name session_image_name(const struct prof_image *image)
{
	struct op_image_name name = {.kind = OP_IMAGE_KERNEL};

	switch (image->kind) {
	case PROF_FILE:
		name.kind = OP_IMAGE_FILE;
		name.name = absolute(image->path);
		break;
	case PROF_KERNEL:
		return kernel_name(image);
	case PROF_MODULE:
		name.name = module_name(image->path);
		break;
	case PROF_BPF:
		name.name = op_copy("[bpf]");
		break;
	case PROF_VDSO:
	case PROF_ANON:
		name.kind = OP_IMAGE_ANON;
		name.name = component(image->path);
		name.tgid = image->pid > 0 && image->pid <= UINT32_MAX ? (uint32_t)image->pid : 0;
		name.start = image->start;
		name.end = image->end;
		break;
	case PROF_UNKNOWN:
		return unknown_name(image);
	}
	return name;
}

struct op_image_name session_app_name(const struct prof_image *image)
{
	struct op_image_name name = session_image_name(image);

	if (name.kind != OP_IMAGE_ANON)
		return name;
	free(name.name);
	return (struct op_image_name){.kind = OP_IMAGE_FILE, .name = op_copy("/" OP_UNKNOWN_IMAGE)};
}

/* ---- keys ---- */

uint64_t session_key(const struct prof_image *image, uint64_t offset)
{
	bool are_addresses = image->kind == PROF_BPF || (image->kind == PROF_KERNEL &&
							 !strcmp(image->path, OP_NO_VMLINUX));

	return are_addresses && image->end ? image->start + (offset - image->offset) : offset;
}

bool session_keys_are_addresses(const struct op_image_name *name)
{
	return (name->kind == OP_IMAGE_KERNEL &&
		(*name->name == '[' || !strcmp(name->name, OP_NO_VMLINUX))) ||
	       (name->kind == OP_IMAGE_ANON && !name->end);
}

/* ---- and back ---- */

static enum prof_image_kind kind_of(const struct op_image_name *name, bool is_kernel)
{
	switch (name->kind) {
	case OP_IMAGE_FILE:
		return is_kernel && !pp_image_is_named(name->name) ? PROF_KERNEL : PROF_FILE;
	case OP_IMAGE_ANON:
		if (!name->end)
			return PROF_UNKNOWN;
		return strcmp(name->name, "[vdso]") ? PROF_ANON : PROF_VDSO;
	case OP_IMAGE_KERNEL:
		break;
	}
	if (!strcmp(name->name, OP_KERNEL_IMAGE))
		return PROF_KERNEL;
	if (!strcmp(name->name, OP_NO_VMLINUX) || !strcmp(name->name, OP_UNKNOWN_IMAGE))
		return PROF_UNKNOWN;
	return *name->name == '[' ? PROF_BPF : PROF_MODULE;
}

struct prof_image session_prof_image(const struct op_image_name *name, bool is_kernel)
{
	struct prof_image image = {
		.kind = kind_of(name, is_kernel),
		.is_kernel = is_kernel || name->kind == OP_IMAGE_KERNEL,
		.path = name->name,
		.pid = PROF_ANY,
	};

	if (name->kind == OP_IMAGE_ANON && image.kind != PROF_UNKNOWN) {
		image.start = name->start;
		image.end = name->end;
		if (image.kind == PROF_ANON)
			image.pid = name->tgid;
	}
	return image;
}

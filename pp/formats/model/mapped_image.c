// SPDX-License-Identifier: GPL-2.0-or-later
/* Images by the names of their mappings. */
#include "mapped_image.h"

#include <ctype.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"

/* Where the kernel's half of the addresses begins, on all that have such halves. */
#define KERNEL_HALF UINT64_C(0xffff000000000000)
/* It is there, but programs run it. */
#define VSYSCALL "[vsyscall]"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
	size_t length = strlen(text), suffix = strlen(with);

	return length >= suffix && !strcmp(text + length - suffix, with);
}

static bool is_module_file(const char *name)
{
	return ends(name, ".ko") || strstr(name, ".ko.") != NULL;
}

static enum prof_image_kind kernel_kind(const char *name)
{
	if (begins(name, "[bpf") || begins(name, "bpf_prog_"))
		return PROF_BPF;
	if (begins(name, "[kernel") || begins(name, "[guest.kernel") || !*name)
		return PROF_KERNEL;
	return *name == '[' || is_module_file(name) ? PROF_MODULE : PROF_KERNEL;
}

static enum prof_image_kind kind_of(const char *name, uint64_t start)
{
	if (begins(name, "[kernel") || begins(name, "[guest.kernel") || is_module_file(name) ||
	    (start >= KERNEL_HALF && strcmp(name, VSYSCALL)))
		return kernel_kind(name);
	if (begins(name, "[vdso") || ends(name, "[vdso]"))
		return PROF_VDSO;
	if (!*name || *name == '[' || begins(name, "//anon") || begins(name, "/anon_hugepage"))
		return PROF_ANON;
	return PROF_FILE;
}

struct prof_image mapped_image(const char *name, uint64_t start, uint64_t end, uint64_t offset)
{
	struct prof_image image = {
		.kind = kind_of(name, start),
		.path = *name ? name : "anon",
		.pid = PROF_ANY,
		.start = start,
		.end = end,
	};

	image.is_kernel =
		image.kind == PROF_KERNEL || image.kind == PROF_MODULE || image.kind == PROF_BPF;
	if (image.kind == PROF_FILE)
		image.offset = offset;
	return image;
}

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void mapped_image_build_id(struct prof_image *image, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	image->build_id_length = 0;
	if (length % 2 || length / 2 > PROF_BUILD_ID_MOST)
		return;
	for (size_t i = 0; i < length; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);

		if (high < 0 || low < 0)
			return;
		image->build_id[i / 2] = (uint8_t)(high << 4 | low);
	}
	image->build_id_length = (unsigned int)(length / 2);
}

static char *image_name_of(const struct prof_image *image)
{
	switch (image->kind) {
	case PROF_KERNEL:
		return op_copy(*image->path == '/' ? image->path : PP_RECORDED_KERNEL);
	case PROF_MODULE:
		if (*image->path != '/' && *image->path != '[')
			return op_format("[%s]", image->path);
		break;
	case PROF_ANON:
		if (*image->path != '[' && *image->path != '/')
			return op_format("//%s", image->path);
		break;
	default:
		break;
	}
	return op_copy(image->path);
}

struct mapping mapping_of(const struct prof_image *image)
{
	struct mapping mapping = {image_name_of(image), image->start, image->end, image->offset};

	if (image->kind != PROF_FILE && image->offset <= image->start) {
		mapping.start -= image->offset;
		mapping.offset = 0;
	}
	return mapping;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool mapped_image_is_library(const char *name)
{
	const char *at = base_of(name);

	while ((at = strstr(at, ".so")) != NULL) {
		at += 3;
		/* the kernel says "libx.so (deleted)" */
		if (!*at || *at == '.' || *at == ' ')
			return true;
	}
	return false;
}

bool mapped_image_may_be_program(const char *path)
{
	static const char *const places[] = {"/dev/", "/memfd:", "/SYSV", "/anon_hugepage"};
	static const char *const loaders[] = {"linker", "linker64"};
	static const char *const kinds[] = {".oat", ".odex", ".vdex", ".dex",
					    ".art", ".jar",  ".apk"};
	const char *base = base_of(path);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (begins(path, places[i]))
			return false;
	for (size_t i = 0; i < sizeof(loaders) / sizeof(*loaders); i++)
		if (!strcmp(base, loaders[i]))
			return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (ends(base, kinds[i]))
			return false;
	return *path == '/' && !mapped_image_is_library(path);
}

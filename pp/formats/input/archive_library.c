// SPDX-License-Identifier: GPL-2.0-or-later
/* libarchive, loaded when it is needed: see archive_library.h. */
#include "archive_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "libop/base/array.h"

static struct archive_library library;

static bool archive_library_load(void)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {
#define ARCHIVE_ROW(name) {"archive_" #name, &library.name},
		ARCHIVE_FUNCTIONS(ARCHIVE_ROW)
#undef ARCHIVE_ROW
	};
	void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < OP_ARRAY_SIZE(functions); i++) {
		*(void **)functions[i].function = dlsym(handle, functions[i].name);
		if (!*(void **)functions[i].function)
			return false;
	}
	return handle;
}

const struct archive_library *archive_library(struct op_error *error)
{
	static enum { NOT_YET, WORKS, FAILED } state;

	if (state == NOT_YET)
		state = archive_library_load() ? WORKS : FAILED;
	if (state == WORKS)
		return &library;
	op_error_set(error, ENOSYS, "libarchive (libarchive.so.13) can't be loaded");
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Fetching debug files. */
#include "debuginfod.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The functions in use; see debuginfod_find_debuginfo(3). */
static struct {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int size, char **path);
	void (*end)(void *client);
} library;

static bool load(void)
{
	static bool tried;
	void *handle;

	if (tried)
		return library.find != NULL;
	tried = true;
	/* Never closed: its HTTP client has threads and atexit() handlers. */
	handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return false;
	*(void **)&library.begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library.end = dlsym(handle, "debuginfod_end");
	if (library.begin && library.end)
		*(void **)&library.find = dlsym(handle, "debuginfod_find_debuginfo");
	return library.find != NULL;
}

char *pp_debuginfod_find(const unsigned char *id, size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;
	void *client;
	int fd;

	if (!urls || !*urls || !load())
		return NULL;
	client = library.begin();
	if (!client)
		return NULL;
	fd = library.find(client, id, (int)size, &path);
	library.end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Fetching debug files. */
#include "debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/error.h"

/* In which a server has to begin to answer, and for each 100 kB: DEBUGINFOD_TIMEOUT. */
#define SECONDS_TO_WAIT "5"

typedef int find_by_id(void *client, const unsigned char *id, int size, char **path);

/* The functions in use; see debuginfod_find_debuginfo(3). */
static struct {
	void *(*begin)(void);
	find_by_id *find, *find_executable;
	void (*end)(void *client);
} library;

static bool debuginfod_load(void)
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
	if (library.find)
		*(void **)&library.find_executable = dlsym(handle, "debuginfod_find_executable");
	return library.find != NULL;
}

static bool debuginfod_is_wanted(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && debuginfod_load();
}

/* A server that has failed is not asked any more: a report has hundreds of files. */
static bool has_failed;

static void give_up(int code)
{
	has_failed = true;
	op_warn("no more debug information is fetched: the debuginfod servers in DEBUGINFOD_URLS "
		"(%s) failed: %s",
		getenv("DEBUGINFOD_URLS"),
		code == ETIME || code == ETIMEDOUT || code == EAGAIN
			? "no answer within " SECONDS_TO_WAIT " s"
			: strerror(code));
}

/* The library waits for 90 s, three times, unless the user says something else. */
static void limit_waiting(void)
{
	setenv("DEBUGINFOD_TIMEOUT", SECONDS_TO_WAIT, 0);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
}

static char *debuginfod_ask(find_by_id *find, const unsigned char *id, size_t size)
{
	char *path = NULL;
	void *client;
	int fd;

	limit_waiting();
	client = find && !has_failed ? library.begin() : NULL;
	if (!client)
		return NULL;
	fd = find(client, id, (int)size, &path);
	library.end(client);
	if (fd == -ENOENT)
		return NULL;
	if (fd < 0) {
		give_up(-fd);
		return NULL;
	}
	close(fd);
	return path;
}

char *pp_debuginfod_find(const unsigned char *id, size_t size)
{
	return debuginfod_is_wanted() ? debuginfod_ask(library.find, id, size) : NULL;
}

char *pp_debuginfod_executable(const unsigned char *id, size_t size)
{
	return debuginfod_is_wanted() ? debuginfod_ask(library.find_executable, id, size) : NULL;
}

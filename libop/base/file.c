// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small files and directories: see file.h.
 */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed(struct op_error *error, const char *doing, const char *path)
{
	return op_error_errno(error, "cannot %s %s", doing, path);
}

char *op_path(const char *format, ...)
{
	va_list args;
	char *path;
	int length;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	return length < 0 ? NULL : path;
}

char *op_file_read_open(int fd, size_t limit, size_t *length)
{
	size_t used = 0, size = 4096;
	char *text = malloc(size);

	while (text) {
		ssize_t n = read(fd, text + used, size - used - 1);
		char *larger;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		used += (size_t)n;
		if (used > limit) {
			errno = EFBIG;
			break;
		}
		if (!n) {
			text[used] = '\0';
			*length = used;
			return text;
		}
		if (size - used > 1)
			continue;
		larger = realloc(text, size * 2);
		if (!larger)
			break;
		text = larger;
		size *= 2;
	}
	free(text);
	return NULL;
}

char *op_file_read(const char *path, size_t limit, size_t *length, struct op_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t ignored;
	char *text;

	if (fd < 0) {
		failed(error, "open", path);
		return NULL;
	}
	text = op_file_read_open(fd, limit, length ? length : &ignored);
	if (!text)
		failed(error, "read", path);
	close(fd);
	return text;
}

int op_file_write(const char *path, const char *text, struct op_error *error)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return failed(error, "open", path);
	n = write(fd, text, length);
	if (n >= 0 && (size_t)n != length) {
		errno = EIO;
		n = -1;
	}
	if (n < 0)
		failed(error, "write", path);
	close(fd);
	return n < 0 ? -1 : 0;
}

int op_file_write_all(int fd, const void *bytes, size_t length)
{
	for (const char *at = bytes; length;) {
		ssize_t n = write(fd, at, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		length -= (size_t)n;
	}
	return 0;
}

int op_file_replace(const char *path, const void *bytes, size_t length, mode_t mode,
		    struct op_error *error)
{
	char *fresh = op_path("%s.new", path);
	int fd, result = -1;

	if (!fresh)
		return op_error_memory(error);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		failed(error, "create", fresh);
		free(fresh);
		return -1;
	}
	if (op_file_write_all(fd, bytes, length))
		failed(error, "write", fresh);
	else if (rename(fresh, path))
		failed(error, "replace", path);
	else
		result = 0;
	close(fd);
	if (result)
		unlink(fresh);
	free(fresh);
	return result;
}

bool op_directory_is_empty(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	bool empty = dir;

	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
	return empty;
}

int op_mkdir_parents(const char *path, mode_t mode, struct op_error *error)
{
	char *part = strdup(path);
	int result = 0;

	if (!part)
		return op_error_memory(error);
	for (char *slash = part; !result && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(part, mode) && errno != EEXIST)
			result = failed(error, "create directory", part);
		*slash = '/';
	}
	free(part);
	return result;
}

static int walk_below(const char *dir, bool is_top,
		      int (*visit)(const char *path, const struct stat *status, void *context),
		      void *context, struct op_error *error);

static int visit_entry(const char *path,
		       int (*visit)(const char *path, const struct stat *status, void *context),
		       void *context, struct op_error *error)
{
	struct stat status;

	if (lstat(path, &status)) {
		if (errno == ENOENT)
			return 0; /* removed since its directory was read */
		return failed(error, "examine", path);
	}
	if (S_ISDIR(status.st_mode))
		return walk_below(path, false, visit, context, error);
	return visit(path, &status, context);
}

static int walk_below(const char *dir, bool is_top,
		      int (*visit)(const char *path, const struct stat *status, void *context),
		      void *context, struct op_error *error)
{
	struct dirent **entry;
	int count = scandir(dir, &entry, NULL, alphasort);
	int result = 0;

	if (count < 0 && errno == ENOENT && !is_top)
		return 0; /* removed since it was examined */
	if (count < 0)
		return failed(error, "read directory", dir);
	for (int i = 0; i < count; i++) {
		const char *name = entry[i]->d_name;

		if (!result && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			char *path = op_path("%s/%s", dir, name);

			result = path ? visit_entry(path, visit, context, error)
				      : op_error_memory(error);
			free(path);
		}
		free(entry[i]);
	}
	free(entry);
	return result;
}

int op_walk(const char *dir,
	    int (*visit)(const char *path, const struct stat *status, void *context), void *context,
	    struct op_error *error)
{
	return walk_below(dir, true, visit, context, error);
}

char *op_program_beside(const char *name)
{
	char own[PATH_MAX], *path = NULL, *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n > 0) {
		own[n] = '\0';
		slash = strrchr(own, '/');
		if (slash)
			path = op_path("%.*s/%s", (int)(slash - own), own, name);
	}
	if (path && !access(path, X_OK))
		return path;
	free(path);
	return strdup(name);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading and writing daemonrc.  Errors in it are reported with their line, and nothing of a
 * file with an error is used: half of the settings would be other settings.
 */
#include "daemonrc.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/output.h"

#define SIZE_LIMIT (1 << 20) /* all settings fit many times */
#define EVENTS_MAX 64

#define EVENT_KEY "CHOSEN_EVENTS_"

/* Where the reader is, and what it has seen. */
struct reader {
	const char *name;
	unsigned int line;
	unsigned int seen; /* keys, by settings_key_index() */
	int nr_chosen;	   /* -1 until seen */
	char *events[EVENTS_MAX];
	struct settings *settings;
	struct op_error *error;
};

static int complain(const struct reader *reader, int code, const char *key, const char *text)
{
	return op_error_set(reader->error, code, "%s:%u: %s%s%s", reader->name, reader->line, key,
			    *key ? ": " : "", text);
}

/* The number after CHOSEN_EVENTS_, or the value of NR_CHOSEN; -1 if not below @limit. */
static int small_number(const char *text, int limit)
{
	uint64_t number;

	return op_number_all(text, 10, (uint64_t)limit - 1, &number) ? (int)number : -1;
}

static int read_event(struct reader *reader, const char *key, const char *value)
{
	int number = small_number(key + strlen(EVENT_KEY), EVENTS_MAX);

	if (number < 0)
		return complain(reader, EINVAL, key, "not the number of an event");
	if (reader->events[number])
		return complain(reader, EINVAL, key, "the key is given twice");
	reader->events[number] = strdup(value);
	if (!reader->events[number])
		return complain(reader, ENOMEM, key, "out of memory");
	return 0;
}

static int read_nr_chosen(struct reader *reader, const char *key, const char *value)
{
	if (reader->nr_chosen >= 0)
		return complain(reader, EINVAL, key, "the key is given twice");
	reader->nr_chosen = small_number(value, EVENTS_MAX + 1);
	if (reader->nr_chosen < 0)
		return complain(reader, EINVAL, key, "not a number of events");
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	char *equals = strchr(line, '=');
	const char *key = line, *value;
	struct op_error why;
	int index;

	if (!equals)
		return complain(reader, EINVAL, "", "the line is not KEY=value");
	*equals = '\0';
	value = equals + 1;

	if (!strncmp(key, EVENT_KEY, strlen(EVENT_KEY)))
		return read_event(reader, key, value);
	if (!strcmp(key, "NR_CHOSEN"))
		return read_nr_chosen(reader, key, value);

	index = settings_key_index(key);
	if (index < 0)
		return op_error_set(reader->error, EINVAL, "%s:%u: unknown setting \"%.64s\"",
				    reader->name, reader->line, key);
	if (reader->seen & (1U << index))
		return complain(reader, EINVAL, key, "the key is given twice");
	reader->seen |= 1U << index;
	if (settings_set(reader->settings, key, value, &why))
		return complain(reader, why.code, key, why.text);
	return 0;
}

/* The events may be in any order, but none may be missing. */
static int read_events_end(struct reader *reader)
{
	int nr = reader->nr_chosen > 0 ? reader->nr_chosen : 0;
	struct op_error why;
	char key[32];

	for (int i = 0; i < EVENTS_MAX; i++) {
		snprintf(key, sizeof(key), EVENT_KEY "%d", i);
		if (!reader->events[i] != (i >= nr))
			return op_error_set(reader->error, EINVAL,
					    i < nr ? "%s: %s is missing: NR_CHOSEN is %d"
						   : "%s: %s is one too many: NR_CHOSEN is %d",
					    reader->name, key, nr);
		if (i < nr && settings_add_event(reader->settings, reader->events[i], &why))
			return op_error_set(reader->error, why.code, "%s: %s: %s", reader->name,
					    key, why.text);
	}
	return 0;
}

static int daemonrc_read_lines(struct reader *reader, char *text)
{
	char *line, *next = text;

	while ((line = next)) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		reader->line++;
		if (*line && read_line(reader, line))
			return -1;
	}
	if (read_events_end(reader))
		return -1;
	reader->line = 0;
	return 0;
}

int daemonrc_parse(const char *name, const char *text, size_t size, struct settings *settings,
		   struct op_error *error)
{
	struct reader reader = {
		.name = name, .nr_chosen = -1, .settings = settings, .error = error};
	struct op_error why;
	char *copy;
	int ret;

	if (memchr(text, '\0', size))
		return op_error_set(error, EINVAL, "%s: the file contains a NUL byte", name);
	if (settings_init(settings, error))
		return -1;
	copy = strndup(text, size);
	if (!copy) {
		settings_free(settings);
		return op_error_set(error, ENOMEM, "%s: out of memory", name);
	}
	ret = daemonrc_read_lines(&reader, copy);
	for (int i = 0; i < EVENTS_MAX; i++)
		free(reader.events[i]);
	free(copy);
	if (!ret && settings_check(settings, &why))
		ret = op_error_set(error, why.code, "%s: %s", name, why.text);
	if (ret)
		settings_free(settings);
	return ret;
}

static bool is_own(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Under "sudo -E", $HOME is another user's, who could put anything there. */
static const char *home(void)
{
	const char *dir = getenv("HOME");
	const struct passwd *user;
	struct stat status;

	if (dir && *dir == '/' &&
	    (geteuid() || (!stat(dir, &status) && is_own(&status) && foreign_is_own_way(dir))))
		return dir;
	user = getpwuid(geteuid());
	return user ? user->pw_dir : NULL;
}

int daemonrc_open_dir(char **path, struct op_error *error)
{
	const char *parent = home();
	struct stat status;
	int dir;

	if (!parent)
		return op_error_set(error, ENOENT, "no home directory for the settings: set HOME");
	*path = op_path("%s/.oprofile", parent);
	if (!*path)
		return op_error_memory(error);
	if (mkdir(*path, 0700) && errno != EEXIST) {
		op_error_errno(error, "%s: cannot create the directory of the settings", *path);
		goto fail;
	}
	dir = open(*path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &status)) {
		op_error_errno(error, "%s", *path);
		goto fail;
	}
	if (!is_own(&status)) {
		op_error_set(error, EPERM,
			     "%s: the directory of the settings is not of user %u alone", *path,
			     (unsigned int)geteuid());
		close(dir);
		goto fail;
	}
	if (flock(dir, LOCK_EX)) {
		op_error_errno(error, "cannot lock %s", *path);
		close(dir);
		goto fail;
	}
	return dir;
fail:
	free(*path);
	*path = NULL;
	return -1;
}

int daemonrc_load(const char *dir, const char *name, struct settings *settings, bool *found,
		  struct op_error *error)
{
	char *path = op_path("%s/%s", dir, name), *text;
	struct op_error why;
	size_t size;
	int ret;

	if (!path)
		return op_error_memory(error);
	text = op_file_read(path, SIZE_LIMIT, &size, &why);
	*found = text != NULL;
	if (text)
		ret = daemonrc_parse(path, text, size, settings, error);
	else if (why.code == ENOENT)
		ret = settings_init(settings, error);
	else
		ret = op_error_set(error, why.code, "%s", why.text);
	free(text);
	free(path);
	return ret;
}

int daemonrc_save(const char *dir, const char *name, const struct settings *settings,
		  struct op_error *error)
{
	char *path = op_path("%s/%s", dir, name), *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int ret = -1;

	if (path && file) {
		settings_print(settings, file);
		if (!fclose(file))
			ret = 0;
	}
	if (ret)
		op_error_memory(error);
	else
		ret = op_file_replace(path, text, size, 0600, error);
	free(text);
	free(path);
	return ret;
}

int daemonrc_adopt_new(const char *dir, struct op_error *error)
{
	char *from = op_path("%s/%s", dir, DAEMONRC_NEW);
	char *to = op_path("%s/%s", dir, DAEMONRC);
	int ret = 0;

	if (!from || !to)
		ret = op_error_memory(error);
	else if (rename(from, to) && errno != ENOENT)
		ret = op_error_errno(error, "cannot move %s to %s", from, to);
	free(from);
	free(to);
	return ret;
}

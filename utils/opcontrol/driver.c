// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mounting oprofilefs, and its files that opcontrol reads and writes.
 */
#include "driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "holder.h"
#include "libop/base/file.h"
#include "libop/base/number.h"

#define OPROFILEFS_MAGIC 0x6f70726f

const char *driver_dir(void)
{
	const char *dir = getenv(DRIVER_ENVIRONMENT);

	return dir && *dir ? dir : DRIVER_DEFAULT_DIR;
}

bool driver_is_given(void)
{
	const char *dir = getenv(DRIVER_ENVIRONMENT);

	return dir && *dir;
}

bool driver_is_mounted(void)
{
	struct statfs status;

	if (driver_is_given())
		return true;
	return !statfs(driver_dir(), &status) && status.f_type == OPROFILEFS_MAGIC;
}

int driver_mount(struct op_error *error)
{
	const char *dir = driver_dir();

	if (driver_is_mounted())
		return 0;
	if (mkdir(dir, 0700) && errno != EEXIST)
		return op_error_errno(error, "cannot create the directory %s", dir);
	if (!mount("oprofilefs", dir, "oprofilefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return 0;
	if (errno == ENODEV)
		return op_error_set(
			error, ENODEV,
			"cannot mount oprofilefs on %s: the loaded module does not provide it",
			dir);
	return op_error_errno(error, "cannot mount oprofilefs on %s", dir);
}

int driver_unmount(struct op_error *error)
{
	const char *dir = driver_dir();
	char name[HOLDER_NAME_SIZE];
	pid_t pid;

	if (driver_is_given())
		return 0;
	/* It may have been mounted more than once. */
	while (driver_is_mounted()) {
		if (!umount2(dir, UMOUNT_NOFOLLOW))
			continue;
		if (errno != EBUSY)
			return op_error_errno(error, "cannot unmount %s", dir);
		pid = holder_find(dir, name);
		if (!pid)
			return op_error_set(error, EBUSY,
					    "cannot unmount %s: it is in use; \"fuser -vm %s\" may "
					    "list the processes",
					    dir, dir);
		return op_error_set(error, EBUSY,
				    "cannot unmount %s: process %d (%s) uses it; end that process "
				    "and try again",
				    dir, pid, name);
	}
	return 0;
}

int driver_remount(struct op_error *error)
{
	if (driver_is_given() || driver_unmount(NULL))
		return 0;
	return driver_mount(error);
}

static char *path_of(const char *name, struct op_error *error)
{
	char *path = op_path("%s/%s", driver_dir(), name);

	if (!path)
		op_error_memory(error);
	return path;
}

/* The first line of a file, which is @what. */
static int read_line(const char *name, const char *what, char *line, size_t size,
		     struct op_error *error)
{
	char *path, *text = NULL;
	size_t length;
	int ret = -1;

	path = path_of(name, error);
	if (path)
		text = op_file_read(path, size, NULL, error);
	if (text) {
		length = strcspn(text, "\n");
		if (length && length < size) {
			snprintf(line, size, "%.*s", (int)length, text);
			ret = 0;
		} else {
			op_error_set(error, EPROTO, "%s does not hold %s", path, what);
		}
	}
	free(text);
	free(path);
	return ret;
}

int driver_cpu_type(char type[DRIVER_CPU_TYPE_MAX], struct op_error *error)
{
	return read_line("cpu_type", "a CPU type", type, DRIVER_CPU_TYPE_MAX, error);
}

int driver_backend(char backend[DRIVER_BACKEND_MAX], struct op_error *error)
{
	return read_line("backend", "a backend", backend, DRIVER_BACKEND_MAX, error);
}

bool driver_is_timer(const char *cpu_type)
{
	return !strcmp(cpu_type, "timer") || !strcmp(cpu_type, "nmi_timer");
}

int driver_read(const char *name, uint64_t *value, struct op_error *error)
{
	struct op_error why;
	char *path, *text;
	int ret = -1;

	path = path_of(name, error);
	if (!path)
		return -1;
	text = op_file_read(path, 64, NULL, error);
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		ret = op_number_parse(text, name, 0, UINT64_MAX, value, &why);
		if (ret)
			op_error_set(error, EPROTO, "%s: %s", path, why.text);
	}
	free(text);
	free(path);
	return ret;
}

int driver_write(const char *name, uint64_t value, struct op_error *error)
{
	struct op_error why;
	char text[32], *path;
	int ret;

	path = path_of(name, error);
	if (!path)
		return -1;
	snprintf(text, sizeof(text), "%" PRIu64 "\n", value);
	ret = op_file_write(path, text, &why);
	if (ret)
		op_error_set(error, why.code, "%s%s", why.text,
			     why.code != EBUSY		? ""
			     : !strcmp(name, "enable") ? " (counters are in use; see dmesg)"
						       : " (profiling is on: opcontrol --stop)");
	free(path);
	return ret;
}

bool driver_has(const char *name)
{
	char *path = path_of(name, NULL);
	bool there = path && !access(path, F_OK);

	free(path);
	return there;
}

int driver_check(const struct settings *settings, struct op_error *error)
{
	char type[DRIVER_CPU_TYPE_MAX];

	if (driver_cpu_type(type, error))
		return -1;
	if (settings->frequency && !driver_has("frequency"))
		return op_error_set(error, EINVAL,
				    "the backend of CPU type %s has no frequency: each event has "
				    "its count; drop the setting with --frequency=0",
				    type);
	if (settings->time_slice && !driver_has("time_slice"))
		return op_error_set(error, EINVAL,
				    "the backend of CPU type %s has no time slice: it does not "
				    "multiplex events, or perf does so; drop the setting with "
				    "--time-slice=0",
				    type);
	return 0;
}

int driver_configure(const struct settings *settings, struct op_error *error)
{
	if (driver_check(settings, error) ||
	    driver_write("buffer_size", settings_buffer_size(settings), error) ||
	    driver_write("buffer_watershed", settings_buffer_watershed(settings), error) ||
	    driver_write("cpu_buffer_size", settings_cpu_buffer_size(settings), error) ||
	    driver_write("backtrace_depth", settings->callgraph, error))
		return -1;
	if (driver_has("frequency") &&
	    driver_write("frequency", settings_frequency(settings), error))
		return -1;
	if (driver_has("time_slice"))
		return driver_write("time_slice", settings_time_slice(settings), error);
	return 0;
}

int driver_check_free(struct op_error *error)
{
	char name[HOLDER_NAME_SIZE], *path = path_of("buffer", error), *real;
	pid_t pid = 0;

	if (!path)
		return -1;
	real = realpath(path, NULL);
	if (real)
		pid = holder_find(real, name);
	free(real);
	free(path);
	if (pid)
		return op_error_set(
			error, EBUSY,
			"process %d (%s) holds the event buffer, which only one process "
			"can read; end it first",
			pid, name);
	return 0;
}

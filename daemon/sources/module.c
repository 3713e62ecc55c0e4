// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel module as a source: oprofilefs, /proc and /sys.
 */
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/cpu/detect.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/statistics.h"
#include "libop/session/thread_names.h"
#include "daemon/live/machine.h"
#include "unwind_tables.h"

/* The largest file of oprofilefs that is read. */
#define SMALL_SIZE_MOST (1 << 20)

#define BUFFER_WORDS_MOST (1 << 27)

struct kernel_source {
	struct source source;
	char *dir; /* oprofilefs */
	uint64_t *words;
	struct machine machine;
};

static struct kernel_source *kernel_of(struct source *source)
{
	return (struct kernel_source *)source; /* its first member */
}

/* Reads a small file whose path is given in two parts.  NULL if there is none. */
static char *read_below(const char *dir, const char *name, struct op_error *error)
{
	char *path = op_path("%s/%s", dir, name);
	char *text = path ? op_file_read(path, SMALL_SIZE_MOST, NULL, error) : NULL;

	if (!path)
		op_error_memory(error);
	free(path);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static int kernel_read(struct source *source, const uint64_t **words, size_t *count,
		       struct op_error *error)
{
	struct kernel_source *kernel = kernel_of(source);
	ssize_t n;

	do {
		n = read(source->fd, kernel->words, source->buffer_words * sizeof(uint64_t));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		return op_error_errno(error, "cannot read %s/buffer", kernel->dir);
	*words = kernel->words;
	*count = n < 0 ? 0 : (size_t)n / sizeof(uint64_t);
	if (*count)
		unwind_tables_give(source);
	return 0;
}

static int kernel_sync(struct source *source, struct op_error *error)
{
	char *path = op_path("%s/dump", kernel_of(source)->dir);
	int result;

	if (!path)
		return op_error_memory(error);
	result = op_file_write(path, "1", error);
	free(path);
	return result;
}

static bool kernel_running(struct source *source)
{
	char *enable = read_below(kernel_of(source)->dir, "enable", NULL);
	bool running = enable && *enable != '0';

	free(enable);
	return running;
}

static int kernel_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	struct oprofile_image *reported = &facts->reported;
	int result;

	reported->cookie = cookie;
	do {
		result = ioctl(source->fd, OPROFILE_IOC_IMAGE, reported);
	} while (result && errno == EINTR);
	if (result)
		return -1;
	reported->path[OPROFILE_PATH_MAX - 1] = '\0';
	machine_find_image(facts);
	return 0;
}

static char *kernel_maps(struct source *source, uint32_t tgid)
{
	(void)source;
	return machine_maps(tgid);
}

/*
 * A pid that is reused gets a new inode.  So does a process whose inode the kernel has dropped; its
 * maps are then read once more than needed.
 */
static uint64_t kernel_process(struct source *source, uint32_t tgid)
{
	struct stat status;
	char path[64];

	(void)source;
	snprintf(path, sizeof(path), "/proc/%" PRIu32, tgid);
	if (stat(path, &status))
		return 0;
	return (uint64_t)status.st_ino | UINT64_C(1) << 63;
}

static char *kernel_kallsyms(struct source *source)
{
	return machine_kallsyms(&kernel_of(source)->machine);
}

static char *kernel_modules(struct source *source)
{
	return machine_modules(&kernel_of(source)->machine);
}

struct stats_walk {
	FILE *out;
	size_t prefix; /* of paths: the directory and a slash */
};

/* Of the session's statistics, or of a counter, for daemon/count/multiplexed_times.c. */
static bool is_known_stat(const char *name)
{
	unsigned int cpu;

	return op_stat_find_reported(name, strlen(name), &cpu) != STAT_COUNT ||
	       !strncmp(name, "counter", strlen("counter"));
}

static int print_stat(const char *path, const struct stat *status, void *context)
{
	struct stats_walk *walk = context;
	const char *name = path + walk->prefix;
	uint64_t value;
	char *text;

	(void)status;
	if (!is_known_stat(name))
		return 0;
	text = op_file_read(path, SMALL_SIZE_MOST, NULL, NULL);
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		if (!op_number_parse(text, path, 0, UINT64_MAX, &value, NULL))
			fprintf(walk->out, "%s %" PRIu64 "\n", name, value);
	}
	free(text);
	return 0;
}

static char *kernel_stats(struct source *source)
{
	char *dir = op_path("%s/stats", kernel_of(source)->dir), *text = NULL;
	struct stats_walk walk = {.prefix = dir ? strlen(dir) + 1 : 0};
	size_t length;

	walk.out = dir ? open_memstream(&text, &length) : NULL;
	if (walk.out) {
		op_walk(dir, print_stat, &walk, NULL);
		if (fclose(walk.out)) {
			free(text);
			text = NULL;
		}
	}
	free(dir);
	return text;
}

static void kernel_close(struct source *source)
{
	struct kernel_source *kernel = kernel_of(source);

	if (source->fd >= 0)
		close(source->fd);
	free(kernel->words);
	free(kernel->dir);
	free(kernel);
}

static char *kernel_backend(struct source *source)
{
	return read_below(kernel_of(source)->dir, "backend", NULL);
}

static char *kernel_thread_name(struct source *source, uint32_t tgid, uint32_t tid)
{
	(void)source;
	return op_thread_name_of(tgid, tid);
}

static const struct source_ops kernel_ops = {
	.read = kernel_read,
	.sync = kernel_sync,
	.running = kernel_running,
	.image = kernel_image,
	.maps = kernel_maps,
	.process = kernel_process,
	.thread_name = kernel_thread_name,
	.modules = kernel_modules,
	.kallsyms = kernel_kallsyms,
	.stats = kernel_stats,
	.backend = kernel_backend,
	.close = kernel_close,
};

static int read_number(const char *dir, const char *name, uint64_t min, uint64_t max,
		       uint64_t *value, struct op_error *error)
{
	char *text = read_below(dir, name, error);
	struct op_error cause;
	int result = text ? op_number_parse(text, name, min, max, value, &cause) : -1;

	if (text && result)
		op_error_set(error, cause.code, "%s/%s", dir, cause.text);
	free(text);
	return result;
}

/*
 * The CPU type of the driver.  A generic one is replaced by the type of this CPU, as opcontrol
 * does, so that reports find the events.  An unknown type is kept.
 */
static int read_cpu_type(struct kernel_source *kernel, struct op_error *error)
{
	struct source *source = &kernel->source;
	char *said = read_below(kernel->dir, "cpu_type", error);
	struct op_cpu_id cpu;
	int type;

	if (!said)
		return -1;
	op_cpu_id_read(&cpu);
	type = op_cpu_type_detect(kernel->dir, &cpu, NULL);
	snprintf(source->cpu_type, sizeof(source->cpu_type), "%s",
		 type == OP_CPU_NONE || type == OP_CPU_TIMER ? said : op_cpu_type_name(type));
	free(said);
	return 0;
}

static int read_settings(struct kernel_source *kernel, struct op_error *error)
{
	struct source *source = &kernel->source;
	uint64_t words, pointer_size;

	if (read_number(kernel->dir, "pointer_size", 1, 16, &pointer_size, error) ||
	    read_number(kernel->dir, "buffer_size", 1, BUFFER_WORDS_MOST, &words, error))
		return -1;
	if (pointer_size != sizeof(uint64_t))
		return op_error_set(error, EINVAL, "%s/pointer_size is %" PRIu64 ", not 8",
				    kernel->dir, pointer_size);
	if (read_cpu_type(kernel, error))
		return -1;
	source->cpu_mhz = machine_cpu_mhz();
	source->is_live = true;
	source->buffer_words = (size_t)words;
	kernel->words = malloc((size_t)words * sizeof(uint64_t));
	return kernel->words ? 0 : op_error_memory(error);
}

static int open_buffer(struct kernel_source *kernel, struct op_error *error)
{
	const char *hint = NULL;
	char *path = op_path("%s/buffer", kernel->dir);
	int code;

	if (!path)
		return op_error_memory(error);
	kernel->source.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	code = errno;
	free(path);
	if (kernel->source.fd >= 0)
		return 0;
	if (code == EBUSY)
		hint = "another program has it open (opcontrol --shutdown ends a daemon), or perf "
		       "or the NMI watchdog uses a counter (see the kernel log)";
	else if (code == EPERM || code == EACCES)
		hint = "only root may profile the system";
	else if (code == EINVAL)
		hint = "buffer_watershed must be less than buffer_size; see also the kernel log";
	return hint ? op_error_set(error, code, "cannot open %s/buffer: %s", kernel->dir, hint)
		    : op_error_code(error, code, "cannot open %s/buffer", kernel->dir);
}

struct source *source_kernel_open(const char *oprofilefs, struct op_error *error)
{
	struct kernel_source *kernel = calloc(1, sizeof(*kernel));

	if (!kernel || !(kernel->dir = strdup(oprofilefs))) {
		free(kernel);
		op_error_memory(error);
		return NULL;
	}
	kernel->source.ops = &kernel_ops;
	kernel->source.name = "module";
	kernel->source.fd = -1;
	if (access(oprofilefs, X_OK) && errno == ENOENT)
		op_error_set(error, ENOENT, "%s does not exist: opcontrol --init loads the module",
			     oprofilefs);
	else if (!read_settings(kernel, error) && !open_buffer(kernel, error))
		return &kernel->source;
	source_close(&kernel->source);
	return NULL;
}

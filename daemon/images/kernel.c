// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel code: see kernel.h.
 */
#include "kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/live/kernel_lists.h"
#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/elf/kallsyms.h"
#include "libop/base/file.h"
#include "libop/base/search.h"
#include "libop/foreign/door.h"
#include "libop/saved/kernel_symbols.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"
#include "daemon/live/vmlinux.h"

/* Buffers between two refreshes because of unknown addresses; about a minute. */
#define ASK_AGAIN 256
/* Symbols have no size; this bounds one that no other symbol follows. */
#define SYMBOL_SIZE_MOST 0x10000

/* ---- the kernel itself ---- */

static int find_self(struct kernel *kernel, const char *kallsyms, struct op_error *error)
{
	struct kernel_range *self = &kernel->self;
	const struct kernel_config *config = &kernel->config;

	switch (config->mode) {
	case KERNEL_NO_VMLINUX:
		*self = (struct kernel_range){.start = 0, .end = UINT64_MAX};
		return 0;
	case KERNEL_VMLINUX:
		if (!config->end &&
		    vmlinux_range(config->vmlinux, kallsyms, &self->start, &self->end, error))
			return -1;
		break;
	case KERNEL_KALLSYMS:
		if (!config->end &&
		    (!kallsyms || !op_kallsyms_address(kallsyms, "_stext", &self->start) ||
		     !op_kallsyms_address(kallsyms, "_etext", &self->end)))
			return op_error_set(
				error, ENOENT,
				"the addresses of the kernel's code are unknown: /proc/kallsyms "
				"shows none; run as root, or use --vmlinux or --no-vmlinux");
		break;
	}
	if (config->end) {
		self->start = config->start;
		self->end = config->end;
	}
	self->base = self->start;
	if (self->start >= self->end)
		return op_error_set(error, EINVAL,
				    "the kernel's address range is empty: %#" PRIx64
				    " to %#" PRIx64,
				    self->start, self->end);
	return 0;
}

static int name_self(struct kernel *kernel, struct op_error *error)
{
	struct op_image_name name = {.kind = OP_IMAGE_KERNEL};
	struct stat status;

	switch (kernel->config.mode) {
	case KERNEL_NO_VMLINUX:
		name.name = (char *)OP_NO_VMLINUX;
		break;
	case KERNEL_KALLSYMS:
		name.name = (char *)OP_KERNEL_IMAGE;
		break;
	case KERNEL_VMLINUX:
		name.kind = OP_IMAGE_FILE;
		name.name = (char *)kernel->config.vmlinux;
		break;
	}
	kernel->self.image = image_of_name(kernel->images, &name, true);
	if (!kernel->self.image)
		return op_error_memory(error);
	if (kernel->config.mode == KERNEL_VMLINUX && !stat(name.name, &status))
		kernel->self.image->mtime = (uint64_t)status.st_mtime;
	return 0;
}

static void forget_lists(struct kernel *kernel)
{
	free(kernel->lists.modules);
	free(kernel->lists.reference);
	kernel->lists = (struct kernel_lists){0};
}

void kernel_free(struct kernel *kernel)
{
	free(kernel->range);
	kernel->range = NULL;
	kernel->count = 0;
	forget_lists(kernel);
}

/* ---- modules and other code ---- */

static int add_range(struct kernel *kernel, uint64_t start, uint64_t end, uint64_t base,
		     const char *image)
{
	struct op_image_name name = {.kind = OP_IMAGE_KERNEL, .name = (char *)image};
	struct kernel_range *range;

	if (op_array_extend(kernel->range, kernel->count))
		return -1;
	range = &kernel->range[kernel->count];
	*range = (struct kernel_range){.start = start, .end = end, .base = base};
	range->image = image_of_name(kernel->images, &name, true);
	if (!range->image)
		return -1;
	kernel->count++;
	log_verbose(LOG_MODULE, "%s at %#" PRIx64 " to %#" PRIx64, image, start, end);
	return 0;
}

static bool add_modules(struct kernel *kernel, const char *modules, struct op_strings *names)
{
	struct op_kernel_module module;

	while (op_modules_next(&modules, &module)) {
		if (op_strings_add(names, module.name))
			return false;
		if (!strcmp(module.name, OP_KERNEL_IMAGE) || !module.size ||
		    module.size > UINT64_MAX - module.address)
			continue;
		if (add_range(kernel, module.address, module.address + module.size, module.address,
			      module.name))
			return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct op_kernel_symbol *x = a, *y = b;

	return op_compare_u64(x->address, y->address);
}

/* The symbols outside the kernel itself, sorted; the caller frees the array. */
static struct op_kernel_symbol *list_others(const char *kallsyms, size_t *count)
{
	struct op_kernel_symbol symbol, *list = NULL;
	size_t n = 0;

	while (op_kallsyms_next_of_module(&kallsyms, &symbol)) {
		if (op_array_extend(list, n))
			break;
		list[n++] = symbol;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_address);
	*count = n;
	return list;
}

/* Code of no module: each symbol up to the next one. */
static bool add_others(struct kernel *kernel, const char *kallsyms, const struct op_strings *names)
{
	size_t count;
	struct op_kernel_symbol *list = list_others(kallsyms, &count);
	char module[128], image[sizeof(module) + 2];
	bool good = true;

	for (size_t i = 0; good && i < count; i++) {
		uint64_t start = list[i].address, end = start + SYMBOL_SIZE_MOST;

		if (list[i].module_length >= sizeof(module))
			continue;
		memcpy(module, list[i].module, list[i].module_length);
		module[list[i].module_length] = '\0';
		if (op_strings_contain(names, module) || strchr(module, '/') || end < start)
			continue;
		if (i + 1 < count && list[i + 1].address < end)
			end = list[i + 1].address;
		sprintf(image, "[%s]", module);
		if (end <= start)
			continue;
		good = !add_range(kernel, start, end, 0, image);
		/* pages of kprobes and ftrace have names of their kind, and keep them */
		if (good)
			kernel->range[kernel->count - 1].fleeting = !strcmp(module, "bpf");
	}
	free(list);
	return good;
}

static int by_start(const void *a, const void *b)
{
	const struct kernel_range *x = a, *y = b;

	return op_compare_u64(x->start, y->start);
}

static void find_others(struct kernel *kernel, const char *modules, const char *kallsyms)
{
	struct op_strings names = {0};

	kernel->count = 0;
	if (!add_modules(kernel, modules, &names) || !add_others(kernel, kallsyms, &names))
		log_line("out of memory: samples in kernel modules may be lost");
	op_strings_free(&names);
	if (kernel->count)
		qsort(kernel->range, kernel->count, sizeof(kernel->range[0]), by_start);
	/*
	 * Since Linux 6.4, the size of a module includes parts that are elsewhere, so that its
	 * range may overlap the next one.
	 */
	for (size_t i = 0; i + 1 < kernel->count; i++) {
		if (kernel->range[i].end > kernel->range[i + 1].start)
			kernel->range[i].end = kernel->range[i + 1].start;
	}
}

/* A list of the session, and how it is kept. */
struct list {
	const char *name;
	char *(*join)(const char *now, const char *before);
	char *(*read)(const char *samples_dir, struct op_error *error);
	int (*write)(const char *samples_dir, const char *text, struct op_error *error);
};

static char *read_modules(const char *samples_dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SAMPLES_MODULES, samples_dir), *text = NULL;

	if (path)
		text = foreign_read(path, OP_KALLSYMS_MOST, NULL, error);
	else
		op_error_memory(error);
	free(path);
	return text;
}

static int write_modules(const char *samples_dir, const char *text, struct op_error *error)
{
	char *path = op_path("%s/" OP_SAMPLES_MODULES, samples_dir);
	int result = path ? op_file_replace(path, text, strlen(text), OP_SESSION_FILE_MODE, error)
			  : op_error_memory(error);

	free(path);
	return result;
}

static const struct list modules_list = {OP_SAMPLES_MODULES, modules_join, read_modules,
					 write_modules};
static const struct list kallsyms_list = {OP_SAMPLES_KALLSYMS, kallsyms_join, saved_kallsyms_read,
					  saved_kallsyms_write};

/*
 * Writes @now and the lines of unloaded modules in the session.
 * Return: whether the session has no others than @now.
 */
static bool save(const struct kernel *kernel, const struct list *list, const char *now)
{
	struct op_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	char *before = list->read(kernel->dir, &error), *text;
	bool same;

	if (!before && error.code != ENOENT)
		log_line("the session's list of %s is written again: %s", list->name, error.text);
	text = list->join(now, before);
	if (!text)
		log_line("the session's list of %s is not up to date: out of memory", list->name);
	else if ((!before || strcmp(before, text) != 0) && list->write(kernel->dir, text, &error))
		log_line("the session's list of %s is not up to date: %s", list->name, error.text);
	same = text && !strcmp(text, now);
	free(text);
	free(before);
	return same;
}

/* Takes @modules; @kallsyms: as of now; may be NULL */
static void refresh(struct kernel *kernel, char *modules, const char *kallsyms)
{
	kernel->code = kernel->source->kernel_code;
	forget_lists(kernel);
	find_others(kernel, modules ? modules : "", kallsyms ? kallsyms : "");
	if (modules)
		save(kernel, &modules_list, modules);
	if (kallsyms && save(kernel, &kallsyms_list, kallsyms))
		kernel->lists.reference = saved_kallsyms_reference(kernel->dir);
	kernel->lists.modules = modules;
}

void kernel_refresh(struct kernel *kernel)
{
	char *kallsyms;

	if (kernel->config.mode == KERNEL_NO_VMLINUX) {
		if (kernel->source->needs_all_images) {
			free(source_modules(kernel->source));
			free(source_kallsyms(kernel->source));
		}
		return;
	}
	kallsyms = source_kallsyms(kernel->source);
	refresh(kernel, source_modules(kernel->source), kallsyms);
	free(kallsyms);
}

/* Return: whether the session has the lists of the last refresh, which are those of now. */
static bool keep_lists(const struct kernel *kernel)
{
	const struct kernel_lists *lists = &kernel->lists;
	char *modules;
	bool same;

	if (lists->stale || !lists->modules || !lists->reference)
		return false;
	modules = source_modules(kernel->source);
	same = modules && !strcmp(modules, lists->modules);
	free(modules);
	if (!same || saved_kallsyms_refer(kernel->dir, lists->reference, NULL))
		return false;
	save(kernel, &modules_list, lists->modules);
	return true;
}

void kernel_enter(struct kernel *kernel)
{
	if (!keep_lists(kernel))
		kernel_refresh(kernel);
}

int kernel_init(struct kernel *kernel, struct op_error *error)
{
	bool with_symbols = kernel->config.mode != KERNEL_NO_VMLINUX;
	char *kallsyms = with_symbols ? source_kallsyms(kernel->source) : NULL;

	if (find_self(kernel, kallsyms, error) || name_self(kernel, error)) {
		free(kallsyms);
		return -1;
	}
	log_verbose(LOG_MODULE, "kernel code at %#" PRIx64 " to %#" PRIx64, kernel->self.start,
		    kernel->self.end);
	if (with_symbols)
		refresh(kernel, source_modules(kernel->source), kallsyms);
	else
		kernel_refresh(kernel);
	free(kallsyms);
	return 0;
}

static const struct kernel_range *find(const struct kernel *kernel, uint64_t address)
{
	size_t behind = op_first_above(kernel->range, kernel->count, start, address);

	if (address >= kernel->self.start && address < kernel->self.end)
		return &kernel->self;
	return behind && address < kernel->range[behind - 1].end ? &kernel->range[behind - 1]
								 : NULL;
}

const struct kernel_range *kernel_find(struct kernel *kernel, uint64_t address, uint64_t buffer)
{
	const struct kernel_range *range = find(kernel, address);

	if (!range || range->fleeting)
		kernel->lists.stale = true;
	if (range ||
	    (buffer < kernel->ask_from && kernel->code == kernel->source->kernel_code))
		return range;
	log_verbose(LOG_MODULE, "no kernel image is mapped at %#" PRIx64, address);
	kernel->ask_from = buffer + ASK_AGAIN;
	kernel_refresh(kernel);
	return find(kernel, address);
}

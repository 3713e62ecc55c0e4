// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel symbols for a session that is made of a recording of this machine: recordings have the
 * addresses, /proc/kallsyms has the names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "libop/base/file.h"
#include "libop/elf/build_id.h"
#include "libop/elf/kallsyms.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"
#include "session.h"
#include "image.h"
#include "pp/formats/model/tree.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"

#define KALLSYMS_MOST (256u << 20)

/* The kernel's image; if there are several, one whose place is known. */
static const struct prof_image *find_kernel(const struct prof *prof)
{
	const struct prof_image *found = NULL;

	for (size_t i = 0; i < prof->n_images; i++)
		if (prof->images[i].kind == PROF_KERNEL && *prof->images[i].path != '/' &&
		    (!found || !found->end))
			found = &prof->images[i];
	return found;
}

/* The build-id in a file of notes, if a profile can hold it.  Return: its length, or 0. */
static size_t running_build_id(const char *path, uint8_t id[PROF_BUILD_ID_MOST])
{
	uint8_t found[BUILD_ID_MAX];
	size_t length = build_id_of_notes_file(path, found);

	if (length > PROF_BUILD_ID_MOST)
		return 0;
	memcpy(id, found, length);
	return length;
}

/* ---- is it this kernel? ---- */

static bool is_running(const struct prof *prof, const struct prof_image *kernel, uint64_t start)
{
	uint8_t id[PROF_BUILD_ID_MOST];
	size_t length = running_build_id("/sys/kernel/notes", id);
	struct utsname name;

	if (length && kernel->build_id_length)
		return length == kernel->build_id_length && !memcmp(id, kernel->build_id, length);
	return prof->host.os_release && !uname(&name) &&
	       !strcmp(prof->host.os_release, name.release) && kernel->end &&
	       kernel->start - kernel->offset == start;
}

/* ---- what is written ---- */

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The addresses of kernel code that are in the profile, sorted; the caller frees them. */
static uint64_t *sampled_addresses(const struct prof *prof, size_t *n)
{
	const struct prof_tree *tree = prof->tree;
	uint64_t *addresses = op_alloc(tree->n_nodes, sizeof(*addresses));

	*n = 0;
	for (size_t i = 1; i < tree->n_nodes; i++) {
		const struct prof_image *image = &prof->images[tree->nodes[i].image];

		if (image->is_kernel)
			addresses[(*n)++] = image->start - image->offset + tree->nodes[i].offset;
	}
	if (*n)
		qsort(addresses, *n, sizeof(*addresses), compare_addresses);
	return addresses;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct op_kernel_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Symbols of code, by address; the caller frees them. */
static struct op_kernel_symbol *read_symbols(const char *kallsyms, size_t *n)
{
	struct op_kernel_symbol *symbols = NULL, symbol;
	size_t capacity = 0;

	*n = 0;
	while (op_kallsyms_next(&kallsyms, &symbol)) {
		if (!op_kallsyms_is_text(&symbol))
			continue;
		symbols = op_grow(symbols, &capacity, *n + 1, sizeof(*symbols));
		symbols[(*n)++] = symbol;
	}
	if (*n)
		qsort(symbols, *n, sizeof(*symbols), compare_symbols);
	return symbols;
}

static bool is_landmark(const struct op_kernel_symbol *symbol)
{
	static const char *const names[] = {"_text", "_stext", "_etext"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (symbol->name_length == strlen(names[i]) &&
		    !memcmp(symbol->name, names[i], symbol->name_length))
			return true;
	return false;
}

/* Only the symbols that have samples, and those at which they end: all would be megabytes. */
static void kernel_put_symbols(const struct prof *prof, const char *kallsyms, FILE *out)
{
	size_t n_symbols, n_addresses, at = 0;
	struct op_kernel_symbol *symbols = read_symbols(kallsyms, &n_symbols);
	uint64_t *addresses = sampled_addresses(prof, &n_addresses);

	for (size_t i = 0, end; i < n_symbols; i = end) {
		uint64_t from = i ? symbols[i - 1].address : symbols[i].address, to;
		bool keep;

		for (end = i + 1; end < n_symbols && symbols[end].address == symbols[i].address;)
			end++;
		to = end < n_symbols ? symbols[end].address : UINT64_MAX;
		/* samples in the symbol before or in this; a return address may be at its end */
		while (at < n_addresses && addresses[at] < from)
			at++;
		keep = at < n_addresses && addresses[at] <= to;
		for (size_t k = i; k < end; k++)
			if (keep || is_landmark(&symbols[k]))
				fprintf(out, "%.*s\n", (int)symbols[k].line_length,
					symbols[k].line);
	}
	free(symbols);
	free(addresses);
}

static int write_symbols(const struct prof *prof, const char *dir, const char *kallsyms,
			 struct op_error *error)
{
	char *path = op_format("%s/" OP_SAMPLES_KALLSYMS, dir);
	struct op_text_stream stream;
	int result;

	op_text_stream_open(&stream);
	kernel_put_symbols(prof, kallsyms, stream.out);
	op_text_stream_close(&stream);
	result = op_packed_replace(path, stream.text, stream.length, OP_SESSION_FILE_MODE, error);
	free(stream.text);
	free(path);
	return result;
}

static void put_module(FILE *out, const char *name, uint64_t address, uint64_t size,
		       const uint8_t *id, size_t length)
{
	fprintf(out, "%s %" PRIx64 " %" PRIx64 " ", name, address, size);
	for (size_t i = 0; i < length; i++)
		fprintf(out, "%02x", id[i]);
	fputs(length ? "\n" : "-\n", out);
}

static void put_running_modules(FILE *out)
{
	char *text = op_file_read("/proc/modules", KALLSYMS_MOST, NULL, NULL);
	const char *rest = text;
	struct op_kernel_module module;

	while (rest && op_proc_modules_next(&rest, &module)) {
		uint8_t id[PROF_BUILD_ID_MOST] = {0};
		char *path = op_format("/sys/module/%s/notes/.note.gnu.build-id", module.name);
		size_t length = running_build_id(path, id);

		put_module(out, module.name, module.address, module.size, id, length);
		free(path);
	}
	free(text);
}

static void put_recorded_modules(FILE *out, const struct prof *prof)
{
	for (size_t i = 0; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];
		struct op_image_name name;

		if (image->kind != PROF_MODULE || !image->end)
			continue;
		name = session_image_name(image);
		put_module(out, name.name, image->start - image->offset, image->end - image->start,
			   image->build_id, image->build_id_length);
		free(name.name);
	}
}

/* The list of modules, and the kernel itself, as a text. */
static char *list_modules(const struct prof *prof, const struct prof_image *kernel,
			  bool is_this_one)
{
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	if (kernel->end)
		put_module(stream.out, OP_KERNEL_IMAGE, kernel->start - kernel->offset,
			   kernel->end - kernel->start, kernel->build_id, kernel->build_id_length);
	if (is_this_one)
		put_running_modules(stream.out);
	else
		put_recorded_modules(stream.out, prof);
	op_text_stream_close(&stream);
	return stream.text;
}

/* ---- BPF programs ---- */

static bool is_named_program(const struct prof_image *image)
{
	return image->kind == PROF_BPF && image->end > image->start && *image->path != '[';
}

/* Whether the recording has a name for what this kernel has at an address now. */
static bool is_recorded(const struct prof *prof, uint64_t address)
{
	for (size_t i = 0; i < prof->n_images; i++)
		if (is_named_program(&prof->images[i]) && address >= prof->images[i].start &&
		    address < prof->images[i].end)
			return true;
	return false;
}

static void put_program(FILE *out, const struct prof_image *image)
{
	fprintf(out, "%016" PRIx64 " t ", image->start);
	for (const char *at = image->path; *at; at++)
		fputc(*at > ' ' && *at <= '~' ? *at : '_', out);
	fputs("\t[bpf]\n", out);
}

/* What a recording says of BPF programs is known of any kernel, and of those that have gone. */
static char *with_programs(const struct prof *prof, char *kallsyms)
{
	const char *rest = kallsyms;
	struct op_kernel_symbol symbol;
	struct op_text_stream stream;
	size_t n = 0;

	for (size_t i = 0; i < prof->n_images; i++)
		n += is_named_program(&prof->images[i]);
	if (!n)
		return kallsyms;
	op_text_stream_open(&stream);
	while (rest && op_kallsyms_next(&rest, &symbol))
		if (symbol.module_length != strlen("bpf") || memcmp(symbol.module, "bpf", 3) != 0 ||
		    !is_recorded(prof, symbol.address))
			fprintf(stream.out, "%.*s\n", (int)symbol.line_length, symbol.line);
	for (size_t i = 0; i < prof->n_images; i++)
		if (is_named_program(&prof->images[i]))
			put_program(stream.out, &prof->images[i]);
	op_text_stream_close(&stream);
	free(kallsyms);
	return stream.text;
}

/* ---- all ---- */

bool session_kernel_find(const struct prof *prof, struct session_kernel *found)
{
	const struct prof_image *kernel = find_kernel(prof);
	struct op_error ignored;
	uint64_t start;

	*found = (struct session_kernel){0};
	if (!kernel)
		return false;
	found->kallsyms = op_file_read("/proc/kallsyms", KALLSYMS_MOST, NULL, &ignored);
	if (found->kallsyms && (!op_kallsyms_address(found->kallsyms, "_stext", &start) ||
				!is_running(prof, kernel, start))) {
		free(found->kallsyms);
		found->kallsyms = NULL;
	}
	found->modules = list_modules(prof, kernel, found->kallsyms);
	found->kallsyms = with_programs(prof, found->kallsyms);
	return true;
}

void session_kernel_free(struct session_kernel *kernel)
{
	free(kernel->kallsyms);
	free(kernel->modules);
	*kernel = (struct session_kernel){0};
}

static int write_modules(const char *modules, const char *dir, struct op_error *error)
{
	char *path = op_format("%s/" OP_SAMPLES_MODULES, dir);
	int result = op_file_replace(path, modules, strlen(modules), OP_SESSION_FILE_MODE, error);

	free(path);
	return result;
}

int session_kernel_write(const struct prof *prof, const char *dir, struct op_error *error)
{
	struct session_kernel kernel;
	int result = 0;

	if (!session_kernel_find(prof, &kernel))
		return 0;
	if (kernel.kallsyms)
		result = write_symbols(prof, dir, kernel.kallsyms, error);
	if (!result)
		result = write_modules(kernel.modules, dir, error);
	session_kernel_free(&kernel);
	return result;
}

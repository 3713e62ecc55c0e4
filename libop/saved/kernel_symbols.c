// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel symbols that sessions share: see kernel_symbols.h. */
#include "kernel_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "libop/elf/kallsyms.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"
#include "store.h"

#define SHARED	  "shared "
#define NAME_ROOM 80

/* Fewer bytes are not shared, or not packed where others are. */
#define SHARED_LEAST 65536
#define PACKED_LEAST 4096

/* The name of lines: what they are. */
static void kernel_symbols_name_of(const void *text, size_t length, char name[static NAME_ROOM])
{
	snprintf(name, NAME_ROOM, "kallsyms-%016" PRIx64 "-%08lx-%zx",
		 op_hash_content(length, text, length), crc32_z(crc32_z(0, NULL, 0), text, length),
		 length);
}

/* ---- reading ---- */

/* Takes the name in the first line of @text; returns what follows it, or NULL if there is none. */
static const char *kernel_symbols_take_name(const char *text, char name[static NAME_ROOM])
{
	size_t n;

	if (strncmp(text, SHARED, strlen(SHARED)) != 0)
		return NULL;
	text += strlen(SHARED);
	n = strcspn(text, "\n");
	if (!n || n >= NAME_ROOM || memchr(text, '/', n))
		return NULL;
	memcpy(name, text, n);
	name[n] = '\0';
	return text + n + (text[n] == '\n');
}

static char *kernel_symbols_join(char *shared, const char *own, struct op_error *error)
{
	size_t length = strlen(shared), more = strlen(own);
	char *text = realloc(shared, length + more + 1);

	if (!text) {
		free(shared);
		op_error_memory(error);
		return NULL;
	}
	memcpy(text + length, own, more + 1);
	return text;
}

static char *kernel_symbols_read_file(const char *path, const char *name, struct op_error *error)
{
	char actual[NAME_ROOM], *text;
	size_t length;

	text = op_packed_read(path, OP_KALLSYMS_MOST, &length, error);
	if (!text)
		return NULL;
	kernel_symbols_name_of(text, length, actual);
	if (!strcmp(actual, name))
		return text;
	op_error_set(error, EBADMSG, "%s: it is damaged: it has other symbols than those saved",
		     path);
	free(text);
	return NULL;
}

/* Return: -1, with @error set. */
static int no_shared(const char *samples_dir, const char *name, struct op_error *error)
{
	return op_error_set(error, ENODATA,
			    "%s: its symbols, which sessions share, are not there (any more): %s",
			    samples_dir, name);
}

static char *read_shared(const char *samples_dir, const char *name, struct op_error *error)
{
	char *path = saved_path(samples_dir, name, NULL), *text;

	if (!path) {
		no_shared(samples_dir, name, error);
		return NULL;
	}
	text = kernel_symbols_read_file(path, name, error);
	free(path);
	return text;
}

static char *read_own(const char *samples_dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SAMPLES_KALLSYMS, samples_dir), *text = NULL;

	if (path)
		text = op_packed_read(path, OP_KALLSYMS_MOST, NULL, error);
	else
		op_error_memory(error);
	free(path);
	return text;
}

char *saved_kallsyms_read(const char *samples_dir, struct op_error *error)
{
	char *own = read_own(samples_dir, error), *text, name[NAME_ROOM];
	const char *rest = own ? kernel_symbols_take_name(own, name) : NULL;

	if (!rest)
		return own;
	text = read_shared(samples_dir, name, error);
	if (text)
		text = kernel_symbols_join(text, rest, error);
	free(own);
	return text;
}

char *saved_kallsyms_reference(const char *samples_dir)
{
	char *own = read_own(samples_dir, NULL), name[NAME_ROOM];

	if (own && kernel_symbols_take_name(own, name))
		return own;
	free(own);
	return NULL;
}

char *saved_kallsyms_shared(const char *samples_dir, char **name)
{
	char *own = read_own(samples_dir, NULL), taken[NAME_ROOM], *path = NULL;

	if (own && kernel_symbols_take_name(own, taken))
		path = saved_path(samples_dir, taken, NULL);
	*name = path ? strdup(taken) : NULL;
	free(own);
	return path;
}

/* ---- writing ---- */

/* Whether code comes and goes without a module being loaded. */
static bool is_fleeting(const struct op_kernel_symbol *symbol)
{
	static const char builtin[] = "__builtin__";
	size_t n = sizeof(builtin) - 1;

	return (symbol->module_length == 3 && !memcmp(symbol->module, "bpf", 3)) ||
	       (symbol->module_length >= n && !memcmp(symbol->module, builtin, n));
}

static void divide(const char *text, struct op_buffer *shared, struct op_buffer *own)
{
	struct op_kernel_symbol symbol;
	const char *from = text;

	/* only symbols of modules may be fleeting */
	while (op_kallsyms_next_of_module(&text, &symbol)) {
		if (!is_fleeting(&symbol))
			continue;
		op_buffer_put(shared, from, (size_t)(symbol.line - from));
		op_buffer_put(own, symbol.line, (size_t)(text - symbol.line));
		from = text;
	}
	op_buffer_put(shared, from, strlen(from));
	/* the last line may lack its end */
	if (*from && from[strlen(from) - 1] != '\n')
		op_buffer_u8(shared, '\n');
}

/* Return: whether the lines are where all sessions find them. */
static bool share(const char *samples_dir, const struct op_buffer *shared,
		  char name[static NAME_ROOM])
{
	struct op_error ignored;

	if (shared->failed || shared->used < SHARED_LEAST)
		return false;
	kernel_symbols_name_of(shared->bytes, shared->used, name);
	return saved_has(samples_dir, name) ||
	       !saved_put(NULL, name, shared->bytes, shared->used, &ignored);
}

static int write_own(const char *samples_dir, const void *text, size_t length, bool packed,
		     struct op_error *error)
{
	char *path = op_path("%s/" OP_SAMPLES_KALLSYMS, samples_dir);
	int result;

	if (!path)
		return op_error_memory(error);
	result = packed ? op_packed_replace(path, text, length, OP_SESSION_FILE_MODE, error)
			: op_file_replace(path, text, length, OP_SESSION_FILE_MODE, error);
	free(path);
	return result;
}

int saved_kallsyms_refer(const char *samples_dir, const char *reference, struct op_error *error)
{
	const size_t length = strlen(reference);
	char name[NAME_ROOM];

	if (!kernel_symbols_take_name(reference, name))
		return op_error_set(error, EINVAL, "%s: not a reference to symbols", samples_dir);
	if (!saved_has(samples_dir, name))
		return no_shared(samples_dir, name, error);
	return write_own(samples_dir, reference, length, length >= PACKED_LEAST, error);
}

static int write_shared(const char *samples_dir, const char *name, const struct op_buffer *own,
			struct op_error *error)
{
	struct op_buffer text = {0};
	int result;

	op_buffer_put(&text, SHARED, strlen(SHARED));
	op_buffer_put(&text, name, strlen(name));
	op_buffer_u8(&text, '\n');
	if (own->used)
		op_buffer_put(&text, own->bytes, own->used);
	result = text.failed ? op_error_memory(error)
			     : write_own(samples_dir, text.bytes, text.used,
					 own->used >= PACKED_LEAST, error);
	op_buffer_free(&text);
	return result;
}

int saved_kallsyms_write(const char *samples_dir, const char *text, struct op_error *error)
{
	struct op_buffer shared = {0}, own = {0};
	char name[NAME_ROOM];
	int result;

	divide(text, &shared, &own);
	if (!own.failed && share(samples_dir, &shared, name))
		result = write_shared(samples_dir, name, &own, error);
	else
		result = write_own(samples_dir, text, strlen(text), true, error);
	op_buffer_free(&shared);
	op_buffer_free(&own);
	return result;
}

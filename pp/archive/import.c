// SPDX-License-Identifier: GPL-2.0-or-later
/* Converts foreign sample files to native ones. */
#include "import.h"

#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/odb.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/pinned_path.h"
#include "libop/session/supplier.h"
#include "libop/session/trusted_dir.h"
#include "libop/base/progress.h"
#include "libop/session/sample_name.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/strings.h"
#include "libop/foreign/door.h"
#include "libop/foreign/output.h"
#include "libop/pack/parts.h"
#include "import_packs.h"
#include "question.h"

#define ABI_LIMIT  65536
#define COPY_LIMIT (256 << 20)

/* ---- CPU types ---- */

static uint32_t translate_type(const struct odb_header *header, const char *path)
{
	int type = op_cpu_type_of_file(header->version, header->cpu_type);

	/* A number of the native version is kept, known or not. */
	if (header->version >= ODB_VERSION)
		return header->cpu_type;
	if (type == OP_CPU_NONE)
		op_warn("%s: unknown CPU type %u of version 0x%x; give it with --cpu-type=NAME",
			path, header->cpu_type, header->version);
	return (uint32_t)type;
}

/* ---- the ABI of a file ---- */

/* struct samples - what is in a sample file; of malloc(), with @n entries at its end */
struct samples {
	struct odb_header header;
	uint32_t is_x86_64, big_endian, header_length; /* its form */
	uint64_t n;
	struct odb_entry entries[];
};

static bool is_native(const struct samples *samples)
{
	uint32_t big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return samples->header.version == ODB_VERSION && samples->big_endian == big_endian &&
	       samples->is_x86_64;
}

/* The number after @key on a line "key value"; -1 if there is none. */
static long abi_value(const char *text, const char *key)
{
	size_t n = strlen(key);
	uint64_t value;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ' ') {
			line += n + strspn(line + n, " ");
			return op_number_take(&line, 10, INT32_MAX, &value) ? (long)value : -1;
		}
		if (!*line)
			break;
	}
	return -1;
}

/* Two values in the file "abi" must match the ABI detected from the sample file. */
static int check_abi(const struct pp_import *import, const char *path,
		     const struct samples *samples, struct op_error *error)
{
	char *text = foreign_read(import->abi, ABI_LIMIT, NULL, error);
	long little, length;

	if (!text)
		return -1;
	little = abi_value(text, "little_endian");
	length = abi_value(text, "sizeof_struct_opd_header");
	free(text);
	if (little < 0 || length < 0)
		return op_error_set(error, EINVAL, "%s does not describe an ABI", import->abi);
	if (!import->force &&
	    (little == samples->big_endian || length != (long)samples->header_length))
		return op_error_set(error, EINVAL,
				    "%s is not of the ABI in %s: its header has %u bytes, its byte "
				    "order is %s-endian",
				    path, import->abi, samples->header_length,
				    samples->big_endian ? "big" : "little");
	return 0;
}

static int check_form(const struct pp_import *import, const char *path,
		      const struct samples *samples, struct op_error *error)
{
	if (import->abi && check_abi(import, path, samples, error))
		return -1;
	if (!import->force && is_native(samples))
		return op_error_set(error, EALREADY,
				    "%s has the ABI of this machine already; --force copies it",
				    path);
	return 0;
}

/* ---- files ---- */

static int write_file(const char *out, const struct odb_header *header,
		      const struct odb_entry *entries, size_t n, struct op_error *error)
{
	struct odb_error problem;
	struct stat status;
	struct odb *db;
	int result = 0;

	if (!lstat(out, &status))
		return op_error_set(error, EEXIST, "%s exists already", out);
	if (odb_open(&db, out, ODB_CREATE, header, &problem))
		return op_error_set(error, problem.code, "%s", problem.text);
	for (size_t i = 0; !result && i < n; i++)
		result = odb_add(db, entries[i].key, entries[i].count, &problem);
	if (!result)
		result = odb_sync(db, &problem);
	odb_close(db);
	if (!result)
		return 0;
	unlink(out);
	return op_error_set(error, problem.code, "%s", problem.text);
}

/* Puts a struct samples into @answer. */
static int archive_import_put_samples(const char *path, struct op_buffer *answer,
				      struct odb_error *problem)
{
	struct samples samples = {0};
	struct odb_format format;
	struct odb_entry *entries = NULL;
	struct odb *db;
	ptrdiff_t n;

	if (odb_open(&db, path, ODB_READ, NULL, problem))
		return -1;
	samples.header = *odb_header(db);
	format = odb_format(db);
	samples.is_x86_64 = !strcmp(format.abi, "x86-64");
	samples.big_endian = format.big_endian;
	samples.header_length = format.header_length;
	n = odb_entries(db, &entries, problem);
	odb_close(db);
	if (n < 0)
		return -1;
	samples.n = (uint64_t)n;
	op_buffer_put(answer, &samples, sizeof(samples));
	op_buffer_put(answer, entries, (size_t)n * sizeof(*entries));
	free(entries);
	return 0;
}

static void archive_import_read_file(int fd, struct op_reader *question, struct op_buffer *answer)
{
	struct op_buffer samples = {0};
	struct odb_error problem;

	(void)fd;
	if (archive_import_put_samples(question_path(question), &samples, &problem)) {
		question_fail(answer, problem.code, problem.text);
	} else {
		op_buffer_u32(answer, 0);
		op_buffer_put(answer, samples.bytes, samples.used);
		answer->failed |= samples.failed;
	}
	op_buffer_free(&samples);
}

/* Return: what is in an answer, a copy, or NULL with @error set. */
static struct samples *take_samples(const char *path, struct op_reader *answer,
				    struct op_error *error)
{
	size_t length = op_reader_left(answer);
	struct samples *samples = op_alloc(1, length + sizeof(*samples));

	op_reader_copy(answer, samples, length);
	if (length >= sizeof(*samples) &&
	    samples->n == (length - sizeof(*samples)) / sizeof(*samples->entries))
		return samples;
	free(samples);
	op_error_set(error, EBADMSG, "%s: what was read of it is damaged", path);
	return NULL;
}

static struct samples *read_samples(const char *path, struct op_error *error)
{
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	struct samples *samples = NULL;
	struct op_reader reader;
	void *answer;

	if (fd < 0) {
		op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
		return NULL;
	}
	answer = question_ask(fd, path, archive_import_read_file, &reader, error);
	if (answer)
		samples = take_samples(path, &reader, error);
	free(answer);
	return samples;
}

int pp_import_file(const struct pp_import *import, const char *path, const char *out,
		   struct op_error *error)
{
	struct samples *samples = read_samples(path, error);
	int result;

	if (!samples)
		return -1;
	result = check_form(import, path, samples, error);
	samples->header.cpu_type = import->type ? (uint32_t)op_cpu_type_number(import->type)
						: translate_type(&samples->header, path);
	if (!result)
		result = write_file(out, &samples->header, samples->entries, samples->n, error);
	free(samples);
	return result;
}

/* ---- trees ---- */

struct tree {
	struct pp_import inner; /* how each file is imported */
	const char *dir, *out;
	struct op_strings packed; /* directories whose packs are imported */
	struct pp_import_result *result;
	struct op_warnings *warnings;
	struct op_error *error;
};

/* Files that describe the former daemon or the former ABI. */
static bool is_of_daemon(const char *below)
{
	const char *slash = strrchr(below, '/'), *base = slash ? slash + 1 : below;

	return !strcmp(base, OP_SESSION_LOCK) || !strcmp(base, OP_SESSION_ABI) ||
	       !strcmp(base, OP_SESSION_CONTROL) ||
	       !strncmp(base, ODB_TEMPORARY, strlen(ODB_TEMPORARY));
}

static bool is_sample_file(const char *path)
{
	struct op_sample_name name;
	struct op_error ignored;

	if (op_sample_name_parse(path, &name, &ignored))
		return false;
	op_sample_name_free(&name);
	return true;
}

static void read_bytes(int fd, struct op_reader *question, struct op_buffer *answer)
{
	size_t length;
	struct op_error error;
	char *bytes = foreign_read(question_path(question), COPY_LIMIT, &length, &error);

	(void)fd;
	if (bytes) {
		op_buffer_u32(answer, 0);
		op_buffer_put(answer, bytes, length);
	} else {
		question_fail(answer, error.code, error.text);
	}
	free(bytes);
}

static int copy_file(const char *path, const char *out, mode_t mode, struct op_error *error)
{
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW), result;
	struct op_reader reader;
	void *answer;

	if (fd < 0)
		return op_error_set(error, errno, "cannot read %s: %s", path,
				    foreign_reason(errno));
	answer = question_ask(fd, path, read_bytes, &reader, error);
	if (!answer)
		return -1;
	result =
		op_file_replace(out, (const char *)reader.at, op_reader_left(&reader), mode, error);
	free(answer);
	return result;
}

/* The session's samples/NAME that a part of what is packed is in, which the caller frees, or NULL:
 * it is no part. */
static char *dir_of_part(const char *path)
{
	const char *slash = strrchr(path, '/'), *above = slash;

	if (!op_pack_is_part(slash + 1)) {
		while (above > path && above[-1] != '/')
			above--;
		slash = above > path ? above - 1 : path;
	}
	return op_pack_is_part(slash + 1) ? op_format("%.*s", (int)(slash - path), path) : NULL;
}

/* All parts of a session at once, at the first that is found. */
static int import_packs(struct tree *tree, const char *dir)
{
	struct pp_import_packs import = {.type = tree->inner.type, .warnings = tree->warnings};
	char *out;
	int result;

	if (op_strings_contain(&tree->packed, dir))
		return 0;
	if (op_strings_add(&tree->packed, dir))
		return op_error_memory(tree->error);
	out = op_format("%s%s/" OP_PACK_NAME, tree->out, dir + strlen(tree->dir));
	result = op_mkdir_parents(out, OP_SESSION_DIR_MODE, tree->error);
	if (!result)
		result = pp_import_packs(&import, dir, out, tree->error);
	tree->result->imported += import.imported;
	tree->result->failed += import.failed;
	free(out);
	return result;
}

static int archive_import_visit(const char *path, const struct stat *status, void *context)
{
	struct tree *tree = context;
	const char *below = path + strlen(tree->dir);
	struct op_error error;
	char *out, *packed;
	int result;

	if (!S_ISREG(status->st_mode) || is_of_daemon(below))
		return 0;
	packed = dir_of_part(path);
	if (packed) {
		result = import_packs(tree, packed);
		free(packed);
		return result;
	}
	out = op_format("%s/%s", tree->out, below + (*below == '/'));
	result = op_mkdir_parents(out, OP_SESSION_DIR_MODE, tree->error);
	if (!result && is_sample_file(path)) {
		if (pp_import_file(&tree->inner, path, out, &error)) {
			op_warnings_add(tree->warnings, OP_BAD_FILE, "not imported: %s",
					error.text);
			tree->result->failed++;
		} else {
			tree->result->imported++;
		}
		op_progress("sample files imported", tree->result->imported, 0);
	} else if (!result) {
		result = copy_file(path, out, status->st_mode & 0777, tree->error);
		tree->result->copied += !result;
	}
	free(out);
	return result;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	return where->level ? remove(path) : 0;
}

/* Removes a tree that was made: @pinned is @out, whose name others may have exchanged. */
static void remove_made(const char *pinned, const char *out)
{
	char *inside = op_format("%s/.", pinned);

	nftw(inside, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(inside);
	foreign_remove_directory(out);
}

int pp_import_tree(const struct pp_import *import, const char *dir, const char *out,
		   struct pp_import_result *result, struct op_warnings *warnings,
		   struct op_error *error)
{
	struct tree tree = {
		.inner = *import,
		.dir = dir,
		.result = result,
		.warnings = warnings,
		.error = error,
	};

	char *pinned;
	int fd, failed;

	memset(result, 0, sizeof(*result));
	tree.inner.force = true;
	fd = foreign_make_own_directory(out, OP_SESSION_DIR_MODE, error);
	pinned = fd < 0 ? NULL : trusted_dir_pin(fd, out, error);
	if (!pinned)
		return -1;
	tree.out = pinned;
	failed = op_walk(dir, archive_import_visit, &tree, error);
	if (!failed && import->is_supplied)
		failed = op_supplier_write(pinned, import->supplier, error);
	op_strings_free(&tree.packed);
	/* what holds no samples is of no use, and in the way of the next try */
	if (failed || !result->imported)
		remove_made(pinned, out);
	op_pinned_close(pinned);
	return failed;
}

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
#include "libop/session/trusted_dir.h"
#include "libop/base/progress.h"
#include "libop/session/sample_name.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "libop/pack/pack.h"

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

static bool is_native(const struct odb_header *header, const struct odb_format *format)
{
	bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return header->version == ODB_VERSION && format->big_endian == big_endian &&
	       !strcmp(format->abi, "x86-64");
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
		     const struct odb_format *format, struct op_error *error)
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
	if (!import->force && (little == format->big_endian || length != format->header_length))
		return op_error_set(error, EINVAL,
				    "%s is not of the ABI in %s: its header has %u bytes, its byte "
				    "order is %s-endian",
				    path, import->abi, format->header_length,
				    format->big_endian ? "big" : "little");
	return 0;
}

static int check_form(const struct pp_import *import, const char *path, const struct odb *db,
		      struct op_error *error)
{
	const struct odb_format format = odb_format(db);

	if (import->abi && check_abi(import, path, &format, error))
		return -1;
	if (!import->force && is_native(odb_header(db), &format))
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

int pp_import_file(const struct pp_import *import, const char *path, const char *out,
		   struct op_error *error)
{
	struct odb_error problem;
	struct odb_header header;
	struct odb_entry *entries;
	struct odb *db;
	ptrdiff_t n;
	int result;

	if (odb_open(&db, path, ODB_READ, NULL, &problem))
		return op_error_set(error, problem.code, "%s", problem.text);
	if (check_form(import, path, db, error)) {
		odb_close(db);
		return -1;
	}
	header = *odb_header(db);
	n = odb_entries(db, &entries, &problem);
	odb_close(db);
	if (n < 0)
		return op_error_set(error, problem.code, "%s", problem.text);
	header.cpu_type = import->type ? (uint32_t)op_cpu_type_number(import->type)
				       : translate_type(&header, path);
	result = write_file(out, &header, entries, n, error);
	free(entries);
	return result;
}

/* ---- trees ---- */

struct tree {
	struct pp_import inner; /* how each file is imported */
	const char *dir, *out;
	struct pp_import_result *result;
	struct pp_warnings *warnings;
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

static int copy_file(const char *path, const char *out, mode_t mode, struct op_error *error)
{
	size_t length;
	char *bytes = foreign_read(path, COPY_LIMIT, &length, error);
	int result;

	if (!bytes)
		return -1;
	result = op_file_replace(out, bytes, length, mode, error);
	free(bytes);
	return result;
}

/* ---- packs ---- */

/* A file of a pack is as good in the new one; its counts need no nodes there. */
static int copy_packed(struct op_pack *pack, struct op_pack_file *file,
		       struct op_pack_writer *writer, struct op_error *error)
{
	struct stacks_content content;
	struct odb_entry *entries;
	int result;

	if (file->kind == OP_PACK_STACKS) {
		if (op_pack_stacks(pack, file, &content, error))
			return -1;
		result = op_pack_add_stacks(writer, file, &content, 1, error);
		stacks_content_free(&content);
		return result;
	}
	if (op_pack_samples(pack, &file->place, file->name, &entries, error))
		return -1;
	result = op_pack_add_samples(writer, file, entries, file->n, error);
	free(entries);
	return result;
}

static void copy_pack_files(struct tree *tree, struct op_pack *pack, struct op_pack_writer *writer)
{
	const char *type = tree->inner.type;
	struct op_pack_walk *walk = pp_alloc(1, sizeof(*walk));
	struct op_pack_file file;
	struct op_error error;

	walk->pack = pack;
	while (op_pack_next(walk, &file)) {
		if (type && file.kind == OP_PACK_SAMPLES)
			file.header.cpu_type = (uint32_t)op_cpu_type_number(type);
		if (copy_packed(pack, &file, writer, &error)) {
			pp_warnings_add(tree->warnings, PP_BAD_FILE, "not imported: %s",
					error.text);
			tree->result->failed++;
		} else {
			tree->result->imported++;
		}
	}
	free(walk);
}

static int import_pack(struct tree *tree, const char *path, const char *out)
{
	struct op_pack_writer *writer;
	struct op_pack *pack;
	struct op_error error;
	int result;

	if (op_pack_open(&pack, path, &error)) {
		pp_warnings_add(tree->warnings, PP_BAD_FILE, "not imported: %s", error.text);
		tree->result->failed++;
		return 0;
	}
	result = op_pack_create(&writer, out, tree->error);
	if (!result) {
		copy_pack_files(tree, pack, writer);
		result = op_pack_finish(writer, tree->error);
		op_pack_writer_free(writer);
	}
	op_pack_close(pack);
	return result;
}

static bool is_pack(const char *path)
{
	return !strcmp(strrchr(path, '/') + 1, OP_PACK_NAME) && op_pack_is_file(path);
}

static int visit(const char *path, const struct stat *status, void *context)
{
	struct tree *tree = context;
	const char *below = path + strlen(tree->dir);
	struct op_error error;
	char *out;
	int result;

	if (!S_ISREG(status->st_mode) || is_of_daemon(below))
		return 0;
	out = pp_format("%s/%s", tree->out, below + (*below == '/'));
	result = op_mkdir_parents(out, OP_SESSION_DIR_MODE, tree->error);
	if (!result && is_sample_file(path)) {
		if (pp_import_file(&tree->inner, path, out, &error)) {
			pp_warnings_add(tree->warnings, PP_BAD_FILE, "not imported: %s",
					error.text);
			tree->result->failed++;
		} else {
			tree->result->imported++;
		}
		op_progress("sample files imported", tree->result->imported, 0);
	} else if (!result && is_pack(path)) {
		result = import_pack(tree, path, out);
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
	char *inside = pp_format("%s/.", pinned);

	nftw(inside, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(inside);
	rmdir(out);
}

int pp_import_tree(const struct pp_import *import, const char *dir, const char *out,
		   struct pp_import_result *result, struct pp_warnings *warnings,
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
	if (mkdir(out, OP_SESSION_DIR_MODE))
		return op_error_errno(error, "cannot make %s", out);
	fd = trusted_dir_open(out, TRUSTED_DIR_FIND, error);
	pinned = fd < 0 ? NULL : trusted_dir_pin(fd, out, error);
	if (!pinned)
		return -1;
	tree.out = pinned;
	failed = op_walk(dir, visit, &tree, error);
	/* what holds no samples is of no use, and in the way of the next try */
	if (failed || !result->imported)
		remove_made(pinned, out);
	op_pinned_close(pinned);
	return failed;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Imports what is packed: see import_packs.h. */
#include "import_packs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/cpu/type_names.h"
#include "libop/foreign/door.h"
#include "libop/pack/parts.h"
#include "pack_parcel.h"
#include "question.h"

/* ---- whose they are ---- */

/*
 * Opens the first file in a directory that root does not own, or if all are root's, the directory.
 * @depth: of the directories in it that are looked through
 */
static int open_foreign(const char *dir, unsigned int depth)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), found = -1;
	const struct dirent *entry;
	struct stat status;
	DIR *list = NULL;

	if (fd >= 0 && !fstat(fd, &status) && !status.st_uid)
		list = opendir(dir);
	while (list && found < 0 && (entry = readdir(list))) {
		char *path = op_format("%s/%s", dir, entry->d_name);

		if (entry->d_name[0] == '.' || lstat(path, &status))
			;
		else if (status.st_uid && !S_ISDIR(status.st_mode))
			found = foreign_open(path, FOREIGN_ANY, 0);
		else if (S_ISDIR(status.st_mode) && depth)
			found = open_foreign(path, depth - 1);
		if (found >= 0 && !fstat(found, &status) && !status.st_uid) {
			close(found);
			found = -1;
		}
		free(path);
	}
	if (list)
		closedir(list);
	if (found >= 0)
		close(fd);
	return found >= 0 ? found : fd;
}

/* ---- packs ---- */

static void read_packs(int fd, struct op_reader *question, struct op_buffer *answer)
{
	const char *dir = question_path(question);
	struct op_pack *pack;
	struct op_error error;

	(void)fd;
	if (op_pack_open_session(&pack, dir, &error)) {
		question_fail(answer, error.code, error.text);
		return;
	}
	op_buffer_u32(answer, 0);
	pack_parcel_put(answer, pack);
	op_pack_close(pack);
}

static int write_file(struct op_pack_writer *writer, struct pack_parcel_file *file,
		      struct op_error *error)
{
	if (file->wrong)
		return op_error_set(error, EINVAL, "%s", file->wrong);
	if (file->file.kind == OP_PACK_STACKS)
		return op_pack_add_stacks(writer, &file->file, &file->content, 1, error);
	return op_pack_add_samples(writer, &file->file, file->entries, file->file.n, error);
}

static void import_packs_fail(struct pp_import_packs *import, const struct op_error *why)
{
	op_warnings_add(import->warnings, OP_BAD_FILE, "not imported: %s", why->text);
	import->failed++;
}

static void write_files(struct pp_import_packs *import, struct op_pack_writer *writer,
			struct op_reader *reader)
{
	struct pack_parcel_file file;
	struct op_error error;
	int taken;

	while ((taken = pack_parcel_take(reader, &file, &error)) > 0) {
		if (import->type && file.file.kind == OP_PACK_SAMPLES)
			file.file.header.cpu_type = (uint32_t)op_cpu_type_number(import->type);
		if (write_file(writer, &file, &error))
			import_packs_fail(import, &error);
		else
			import->imported++;
		pack_parcel_free(&file);
	}
	if (taken < 0)
		import_packs_fail(import, &error);
}

int pp_import_packs(struct pp_import_packs *import, const char *dir, const char *out,
		    struct op_error *error)
{
	int fd = open_foreign(dir, 1), result;
	struct op_pack_writer *writer;
	struct op_reader reader;
	struct op_error why;
	void *answer = NULL;

	if (fd < 0)
		op_error_errno(&why, "cannot read %s", dir);
	else
		answer = question_ask(fd, dir, read_packs, &reader, &why);
	if (!answer) {
		import_packs_fail(import, &why);
		return 0;
	}
	result = op_pack_create(&writer, out, error);
	if (!result) {
		write_files(import, writer, &reader);
		result = op_pack_finish(writer, error);
		op_pack_writer_free(writer);
	}
	free(answer);
	return result;
}

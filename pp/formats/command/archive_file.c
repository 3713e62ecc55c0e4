// SPDX-License-Identifier: GPL-2.0-or-later
/* Archives in one file: see archive_file.h. */
#include "archive_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"
#include "libop/foreign/output.h"
#include "libop/session/temporary.h"
#include "pp/formats/input/archive_library.h"
#include "pp/formats/input/input.h"
#include "pp/select/sample_list.h"

#define BLOCK_BYTES (64u << 10)
/* What an entry takes at least, whatever is in it: a file's inode and block. */
#define ENTRY_BYTES 4096

struct archive_file {
	const struct archive_library *library;
	struct archive *archive;
	const char *path; /* for messages */
	const char *dir;  /* where it is unpacked */
	int fd;
	uint64_t left; /* bytes that may still come of it */
	uint8_t *block;
};

static void archive_file_close(struct archive_file *file)
{
	if (file->archive)
		file->library->read_free(file->archive);
	if (file->fd >= 0)
		close(file->fd);
	free(file->block);
}

static int fail_of_archive(const struct archive_file *file, struct op_error *error)
{
	const char *cause = file->library->error_string(file->archive);

	return op_error_set(error, EINVAL, "%s: %s", file->path,
			    cause ? cause : "the archive is damaged");
}

/* How many bytes it may unpack to. */
static uint64_t most_of(const struct stat *status)
{
	return FOREIGN_RATIO_FREE + INPUT_GATHERED_RATIO * (uint64_t)status->st_size;
}

/* Return: 0, or -1 with @error set; archive_file_close() is called in either case. */
static int archive_file_open(struct archive_file *file, const char *path, struct op_error *error)
{
	struct stat status;

	*file = (struct archive_file){.path = path, .fd = -1};
	file->library = archive_library(error);
	if (!file->library)
		return -1;
	file->fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	if (file->fd < 0 || fstat(file->fd, &status))
		return op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
	if (!geteuid() && foreign_owner(&status))
		return op_error_set(error, EPERM,
				    "%s: an archive of user %u, which root does not unpack",
				    path, (unsigned int)foreign_owner(&status));
	file->left = most_of(&status);
	file->archive = file->library->read_new();
	if (!file->archive || file->library->read_support_filter_gzip(file->archive) ||
	    file->library->read_support_filter_xz(file->archive) ||
	    file->library->read_support_filter_zstd(file->archive) ||
	    file->library->read_support_format_tar(file->archive))
		op_out_of_memory();
	if (file->library->read_open_fd(file->archive, file->fd, BLOCK_BYTES))
		return fail_of_archive(file, error);
	return 0;
}

/* The name of an entry below the directory; NULL: it would lead out of it. */
static const char *archive_file_name_of(const struct archive_file *file,
					struct archive_entry *entry)
{
	const char *name = file->library->entry_pathname(entry), *at = name ? name : "";

	if (!strncmp(at, "./", 2))
		at += 2;
	name = at;
	if (*at == '/')
		return NULL;
	for (; *at; at += strcspn(at, "/"), at += *at == '/')
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return NULL;
	return *name ? name : NULL;
}

/* Whether a file may be one, before the library is loaded: most words name programs. */
static bool looks_like_one(const char *path)
{
	static const struct {
		size_t at;
		const char *bytes;
	} magics[] = {{257, "ustar"}, {0, "\x1f\x8b"}, {0, "\xfd\x37zXZ"}, {0, "\x28\xb5\x2f\xfd"}};
	char bytes[512] = "";
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	bool looks = false;

	if (fd < 0)
		return false;
	if (pread(fd, bytes, sizeof(bytes), 0) > 0)
		for (size_t i = 0; i < OP_ARRAY_SIZE(magics); i++)
			looks |= !memcmp(bytes + magics[i].at, magics[i].bytes,
					 strlen(magics[i].bytes));
	close(fd);
	return looks;
}

static bool is_directory_of_archive(const char *path)
{
	char *named = op_format("%s/" PP_ARCHIVE_SESSION, path);
	struct stat status;
	bool is = !lstat(named, &status) && S_ISREG(status.st_mode);

	free(named);
	return is;
}

bool archive_file_is(const char *path)
{
	struct archive_entry *entry;
	struct archive_file file;
	struct op_error ignored;
	const char *name = NULL;

	if (is_directory_of_archive(path))
		return true;
	if (!looks_like_one(path))
		return false;
	if (!archive_file_open(&file, path, &ignored) &&
	    !file.library->read_next_header(file.archive, &entry))
		name = archive_file_name_of(&file, entry);
	name = name && !strcmp(name, PP_ARCHIVE_SESSION) ? name : NULL;
	archive_file_close(&file);
	return name;
}

/* ---- unpacking ---- */

static int fail_to_write(const struct archive_file *file, const char *name, struct op_error *error)
{
	return op_error_errno(error, "%s: %s can't be unpacked", file->path, name);
}

/* Takes bytes of what it may unpack to. */
static int take_room(struct archive_file *file, uint64_t bytes, struct op_error *error)
{
	if (bytes > file->left)
		return op_error_set(error, EFBIG,
				    "%s: it unpacks to more than %u times its size, or than half "
				    "of the free space",
				    file->path, INPUT_GATHERED_RATIO);
	file->left -= bytes;
	return 0;
}

static int unpack_content(struct archive_file *file, const char *name, int fd,
			  struct op_error *error)
{
	la_ssize_t n;

	while ((n = file->library->read_data(file->archive, file->block, BLOCK_BYTES)) > 0) {
		if (take_room(file, (uint64_t)n, error))
			return -1;
		if (op_file_write_all(fd, file->block, (size_t)n))
			return fail_to_write(file, name, error);
	}
	return n < 0 ? fail_of_archive(file, error) : 0;
}

/* Reports compare times of images, so files keep them. */
static int unpack_file(struct archive_file *file, struct archive_entry *entry, const char *name,
		       struct op_error *error)
{
	const struct timespec times[] = {
		{.tv_nsec = UTIME_NOW},
		{.tv_sec = file->library->entry_mtime(entry),
		 .tv_nsec = file->library->entry_mtime_nsec(entry)},
	};
	mode_t mode = file->library->entry_perm(entry) & 0777;
	char *path = op_format("%s/%s", file->dir, name);
	int fd = foreign_create(path, FOREIGN_PARENTS_MAKE, FOREIGN_REFUSE, mode | 0600, error);
	int result = fd < 0 ? -1 : unpack_content(file, name, fd, error);

	if (!result && futimens(fd, times))
		result = fail_to_write(file, name, error);
	if (fd >= 0 && close(fd) && !result)
		result = fail_to_write(file, name, error);
	free(path);
	return result;
}

static int unpack_entry(struct archive_file *file, struct archive_entry *entry,
			struct op_error *error)
{
	const char *name = archive_file_name_of(file, entry);

	if (take_room(file, ENTRY_BYTES, error))
		return -1;
	if (file->library->entry_filetype(entry) == AE_IFDIR)
		return 0;
	if (!name || file->library->entry_filetype(entry) != AE_IFREG)
		return op_error_set(error, EINVAL,
				    "%s: no archive of oparchive: it has a link, a device or a "
				    "name that leads out of it",
				    file->path);
	return unpack_file(file, entry, name, error);
}

static int unpack_all(struct archive_file *file, struct op_error *error)
{
	struct archive_entry *entry;
	struct statvfs room;
	int result = 0, next;

	if (statvfs(file->dir, &room))
		return op_error_errno(error, "%s", file->dir);
	if ((uint64_t)room.f_bavail * room.f_frsize / 2 < file->left)
		file->left = (uint64_t)room.f_bavail * room.f_frsize / 2;
	file->block = op_alloc(BLOCK_BYTES, 1);
	while (!result && !(next = file->library->read_next_header(file->archive, &entry)))
		result = unpack_entry(file, entry, error);
	if (!result && next != ARCHIVE_EOF)
		result = fail_of_archive(file, error);
	return result;
}

const char *archive_file_unpack(const char *path, struct op_error *error)
{
	struct archive_file file;
	const char *dir = NULL;

	if (!archive_file_open(&file, path, error))
		dir = file.dir = op_temporary_session_make(path, error);
	if (dir && unpack_all(&file, error))
		dir = NULL;
	archive_file_close(&file);
	return dir;
}

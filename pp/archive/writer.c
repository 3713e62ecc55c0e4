// SPDX-License-Identifier: GPL-2.0-or-later
/* Archives: tar files by libarchive, and files below a directory. */
#include "writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/progress.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/foreign/output.h"
#include "pp/select/sample_list.h"

#define BUFFER_SIZE (256 << 10)

struct writer {
	struct archive *archive; /* the tar file, or NULL */
	int file;		 /* in a directory: the file that is written */
	struct timespec mtime;	 /* of that one */
	const char *prefix;	 /* prefix of names: the directory, or "." in a tar file */
	const char *where;	 /* for messages */
	struct op_warnings *warnings;
	char *buffer;
};

static int archive_writer_fail(const struct writer *writer, struct op_error *error)
{
	const char *text =
		writer->archive ? archive_error_string(writer->archive) : strerror(errno);

	return op_error_set(error, EIO, "cannot write %s: %s", writer->where,
			    text ? text : "unknown error");
}

static int put_entry(struct writer *writer, const char *path, uint64_t size, mode_t mode,
		     struct op_error *error)
{
	struct archive_entry *entry = archive_entry_new();
	int result;

	if (!entry)
		op_out_of_memory();
	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, mode);
	archive_entry_set_size(entry, (int64_t)size);
	archive_entry_set_mtime(entry, writer->mtime.tv_sec, writer->mtime.tv_nsec);
	result = archive_write_header(writer->archive, entry);
	archive_entry_free(entry);
	return result < ARCHIVE_WARN ? archive_writer_fail(writer, error) : 0;
}

static int archive_writer_put_head(struct writer *writer, const char *name, uint64_t size,
				   mode_t mode, struct timespec mtime, struct op_error *error)
{
	char *path = op_format("%s%s", writer->prefix, name);
	int result = 0;

	writer->mtime = mtime;
	if (writer->archive) {
		result = put_entry(writer, path, size, mode & 0777, error);
	} else {
		writer->file = foreign_create(path, FOREIGN_PARENTS_MAKE, FOREIGN_REPLACE,
					      mode & 0777, error);
		if (writer->file < 0)
			result = -1;
		else if (fchmod(writer->file, mode & 0777))
			result = archive_writer_fail(writer, error);
	}
	free(path);
	return result;
}

static int put_bytes(struct writer *writer, const char *bytes, size_t n, struct op_error *error)
{
	if (writer->archive)
		return archive_write_data(writer->archive, bytes, n) != (la_ssize_t)n
			       ? archive_writer_fail(writer, error)
			       : 0;
	return op_file_write_all(writer->file, bytes, n) ? archive_writer_fail(writer, error) : 0;
}

/* Ends what archive_writer_put_head() began. */
static int put_end(struct writer *writer, struct op_error *error)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_NOW}, writer->mtime};
	int fd = writer->file, result = 0;

	if (fd < 0)
		return 0;
	writer->file = -1;
	if (futimens(fd, times))
		result = archive_writer_fail(writer, error);
	if (close(fd) && !result)
		result = archive_writer_fail(writer, error);
	return result;
}

/*
 * A file that shrinks meanwhile is padded with zeros, as its size is already written; one that
 * grows is truncated.
 */
static int put_content(struct writer *writer, int fd, const char *path, uint64_t size,
		       struct op_error *error)
{
	bool cut = false;

	while (size) {
		size_t want = size < BUFFER_SIZE ? size : BUFFER_SIZE;
		ssize_t n = cut ? 0 : read(fd, writer->buffer, want);

		if (n <= 0 && !cut) {
			op_warnings_add(writer->warnings, OP_BAD_FILE,
					"%s is truncated in the archive: %s", path,
					n ? strerror(errno) : "it was truncated meanwhile");
			cut = true;
		}
		if (cut) {
			memset(writer->buffer, 0, want);
			n = (ssize_t)want;
		}
		if (put_bytes(writer, writer->buffer, n, error))
			return -1;
		size -= n;
	}
	return 0;
}

/* What another user names must not be more than that user could read. */
static int archive_files_open_file(const struct pp_archive_files *files,
				   const struct pp_archive_file *file)
{
	uid_t user = files->is_foreign ? files->owner : file->user;

	return user == FOREIGN_OURSELVES
		       ? foreign_open(file->path, FOREIGN_OBJECT, FOREIGN_FOLLOW)
		       : foreign_open_for(user, file->path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
}

static void note_refused(struct writer *writer, const struct pp_archive_files *files,
			 const struct pp_archive_file *file, int code)
{
	if (files->is_foreign && code == EACCES)
		op_warnings_add(writer->warnings, OP_BAD_FILE,
				"%s is not in the archive: user %u, who can change the session, "
				"may not read it",
				file->path, (unsigned int)files->owner);
	else
		op_warnings_add(writer->warnings, OP_BAD_FILE, "%s is not in the archive: %s",
				file->path, foreign_reason(code));
}

static int put_file(struct writer *writer, const struct pp_archive_files *files,
		    const struct pp_archive_file *file, struct op_error *error)
{
	int fd = archive_files_open_file(files, file), result;
	struct stat status;

	if (fd < 0 || fstat(fd, &status)) {
		note_refused(writer, files, file, errno);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	result = archive_writer_put_head(writer, file->name, status.st_size, status.st_mode,
					 status.st_mtim, error);
	if (!result)
		result = put_content(writer, fd, file->path, status.st_size, error);
	if (!result)
		result = put_end(writer, error);
	close(fd);
	return result;
}

/* A file that is made for the archive; frees @name and @text. */
static int archive_writer_put_text(struct writer *writer, char *name, char *text,
				   struct op_error *error)
{
	struct timespec now = {.tv_sec = time(NULL)};
	size_t n = strlen(text);
	int result = archive_writer_put_head(writer, name, n, OP_SESSION_FILE_MODE, now, error);

	if (!result)
		result = put_bytes(writer, text, n, error);
	if (!result)
		result = put_end(writer, error);
	free(name);
	free(text);
	return result;
}

/* The archive is this user's, but what its session names is still the choice of another. */
static int put_supplier(struct writer *writer, const struct pp_archive_files *files,
			struct op_error *error)
{
	if (!files->is_supplied)
		return 0;
	return archive_writer_put_text(writer,
				       op_format("%s/" OP_SAMPLES_SUPPLIER, files->session_dir),
				       op_format("%u\n", (unsigned int)files->supplier), error);
}

static int archive_writer_put_all(struct writer *writer, const struct pp_archive_files *files,
				  struct op_error *error)
{
	int result = archive_writer_put_text(writer, op_copy("/" PP_ARCHIVE_SESSION),
					     op_format("%s\n", files->session_dir), error);

	if (!result)
		result = put_supplier(writer, files, error);
	for (size_t i = 0; !result && i < files->n; i++) {
		op_progress("files archived", i, files->n);
		result = put_file(writer, files, &files->items[i], error);
	}
	return result;
}

static int write_all(struct writer *writer, const struct pp_archive_files *files,
		     struct op_error *error)
{
	int result;

	writer->buffer = op_alloc(BUFFER_SIZE, 1);
	result = archive_writer_put_all(writer, files, error);
	if (writer->file >= 0)
		close(writer->file);
	if (writer->archive && archive_write_close(writer->archive) < ARCHIVE_WARN && !result)
		result = archive_writer_fail(writer, error);
	archive_write_free(writer->archive);
	free(writer->buffer);
	return result;
}

/* Return: -1 with @error set if @dir is not empty or cannot be made. */
static int claim_directory(const char *dir, struct op_error *error)
{
	int fd = foreign_make_directory(dir, FOREIGN_PARENTS_FIND, 0755, error);
	bool empty;

	if (fd < 0)
		return -1;
	empty = op_directory_is_empty(fd);
	close(fd);
	return empty ? 0
		     : op_error_set(error, ENOTEMPTY,
				    "%s is not empty; an archive needs a directory of its own",
				    dir);
}

int pp_archive_write_directory(const char *dir, const struct pp_archive_files *files,
			       struct op_warnings *warnings, struct op_error *error)
{
	struct writer writer = {.prefix = dir, .where = dir, .warnings = warnings, .file = -1};

	return claim_directory(dir, error) ? -1 : write_all(&writer, files, error);
}

/* How tar files are compressed, by the end of their names. */
static const struct suffix {
	const char *text;
	int (*add_filter)(struct archive *archive); /* NULL: not at all */
} suffixes[] = {
	{".tar", NULL},
	{".tar.gz", archive_write_add_filter_gzip},
	{".tgz", archive_write_add_filter_gzip},
	{".tar.xz", archive_write_add_filter_xz},
	{".tar.zst", archive_write_add_filter_zstd},
	{".tzst", archive_write_add_filter_zstd},
};

static const struct suffix *find_suffix(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < OP_ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i].text);

		if (length > n && !strcmp(path + length - n, suffixes[i].text))
			return &suffixes[i];
	}
	return NULL;
}

int pp_archive_check_name(const char *path, struct op_error *error)
{
	if (find_suffix(path))
		return 0;
	return op_error_set(error, EINVAL,
			    "--output=%s: the name does not end with .tar, .tar.gz, .tgz, .tar.xz, "
			    ".tar.zst or .tzst",
			    path);
}

/* The time of writing is not part of the file. */
static int compress(struct archive *archive, const struct suffix *suffix)
{
	if (!suffix || !suffix->add_filter)
		return ARCHIVE_OK;
	if (suffix->add_filter(archive) < ARCHIVE_WARN)
		return ARCHIVE_FATAL;
	if (suffix->add_filter == archive_write_add_filter_gzip)
		return archive_write_set_options(archive, "gzip:!timestamp");
	return ARCHIVE_OK;
}

static int write_tar(const char *path, int fd, const struct pp_archive_files *files,
		     struct op_warnings *warnings, struct op_error *error)
{
	struct writer writer = {.prefix = ".", .where = path, .warnings = warnings, .file = -1};
	int result;

	writer.archive = archive_write_new();
	if (!writer.archive)
		op_out_of_memory();
	if (compress(writer.archive, find_suffix(path)) != ARCHIVE_OK ||
	    archive_write_set_format_pax_restricted(writer.archive) != ARCHIVE_OK ||
	    archive_write_open_fd(writer.archive, fd) != ARCHIVE_OK) {
		result = archive_writer_fail(&writer, error);
		archive_write_free(writer.archive);
		return result;
	}
	return write_all(&writer, files, error);
}

int pp_archive_write_tar(const char *path, const struct pp_archive_files *files,
			 struct op_warnings *warnings, struct op_error *error)
{
	struct foreign_place place;
	int fd = foreign_place_find(&place, path, FOREIGN_PARENTS_FIND, FOREIGN_REFUSE, error);
	int result = -1;

	if (!fd)
		fd = foreign_place_open(&place, OP_SESSION_FILE_MODE, error);
	if (fd >= 0) {
		result = write_tar(path, fd, files, warnings, error);
		if (close(fd) && !result)
			result = op_error_errno(error, "cannot write %s", path);
		if (result)
			foreign_place_remove(&place, place.name);
	}
	foreign_place_leave(&place);
	return result;
}

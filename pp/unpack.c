// SPDX-License-Identifier: GPL-2.0-or-later
/* Unpacking through libarchive, which knows all formats that matter. */
#include "pp/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool pp_is_packed(const char *path)
{
	static const char *const ends[] = {".xz", ".zst", ".gz"};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n > strlen(ends[i]) && !strcmp(path + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static int copy_out(struct archive *archive, int fd, const char **trouble)
{
	char buffer[65536];
	long long total = 0;
	ssize_t n;

	while ((n = archive_read_data(archive, buffer, sizeof(buffer))) > 0) {
		total += n;
		if (total > PP_UNPACK_LIMIT) {
			*trouble = "too large when unpacked";
			return -1;
		}
		if (write(fd, buffer, n) != n) {
			*trouble = "no memory to unpack it";
			return -1;
		}
	}
	if (!n && total)
		return 0;
	*trouble = "cannot be unpacked";
	return -1;
}

int pp_unpack(const char *path, const char **trouble)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	int fd = -1;

	*trouble = "cannot be unpacked";
	if (!archive)
		return -1;
	/* Those that libarchive would start a program for are refused with a warning. */
	if (archive_read_support_filter_gzip(archive) == ARCHIVE_OK &&
	    archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
	    archive_read_support_filter_zstd(archive) == ARCHIVE_OK &&
	    archive_read_support_format_raw(archive) == ARCHIVE_OK &&
	    archive_read_open_filename(archive, path, 65536) == ARCHIVE_OK &&
	    archive_read_next_header(archive, &entry) == ARCHIVE_OK)
		fd = memfd_create("unpacked", MFD_CLOEXEC);
	if (fd >= 0 && copy_out(archive, fd, trouble)) {
		close(fd);
		fd = -1;
	}
	archive_read_free(archive);
	return fd;
}

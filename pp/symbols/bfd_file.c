// SPDX-License-Identifier: GPL-2.0-or-later
/* Object files through libbfd. */
#include "bfd_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"

/* libbfd's message handler has no context argument: keep the first message of an image here. */
static char first_message[256];

const char *pp_bfd_message(void)
{
	return first_message;
}

/* libbfd's formats have non-standard conversions (%pA, %pB): keep the text without the values. */
static void keep_message(const char *format, va_list args)
{
	size_t n = 0;

	(void)args;
	if (*first_message)
		return;
	if (!strncmp(format, "%pB: ", 5))
		format += 5;
	while (*format && n + 1 < sizeof(first_message)) {
		if (*format == '%') {
			format += 1 + strspn(format + 1, "#0123456789.*$lhzjt");
			format += format[0] == 'p' && (format[1] == 'A' || format[1] == 'B')
					  ? 2
					  : !!*format;
			first_message[n++] = '?';
		} else {
			first_message[n++] = *format++;
		}
	}
	first_message[n] = '\0';
}

void pp_bfd_start(void)
{
	static bool started;

	*first_message = '\0';
	if (started)
		return;
	bfd_init();
	bfd_set_error_handler(keep_message);
	started = true;
}

/*
 * bfd_check_format() writes its warnings to stderr, bypassing the handler. While it runs, stderr is
 * redirected to a memory file, whose content becomes a message like the others.
 */
static bool check_format(bfd *image)
{
	int saved = dup(STDERR_FILENO), caught = memfd_create("warnings", MFD_CLOEXEC);
	char text[sizeof(first_message)], *words;
	bool good;
	ssize_t n;

	fflush(stderr);
	if (saved >= 0 && caught >= 0)
		dup2(caught, STDERR_FILENO);
	good = bfd_check_format(image, bfd_object);
	fflush(stderr);
	if (saved >= 0) {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	n = caught >= 0 ? pread(caught, text, sizeof(text) - 1, 0) : 0;
	if (caught >= 0)
		close(caught);
	if (n <= 0 || *first_message)
		return good;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	words = strncmp(text, "BFD: ", 5) ? text : text + 5;
	snprintf(first_message, sizeof(first_message), "%s", words);
	return good;
}

/* Naming the target saves libbfd from trying every one. */
static const char *guess_target(int fd)
{
	unsigned char head[20];

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || memcmp(head, "\177ELF", 4))
		return NULL;
	if (head[4] == 2 && head[5] == 1 && head[18] == 62 && !head[19])
		return "elf64-x86-64";
	if (head[4] == 1 && head[5] == 1 && head[18] == 3 && !head[19])
		return "elf32-i386";
	return NULL;
}

/* @fd is closed by pp_bfd_close(), or here. */
int pp_bfd_open_descriptor(struct pp_bfd_file *file, int fd, const char *path,
			   struct op_error *error)
{
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return op_error_set(error, EINVAL, "not a regular file");
	}
	file->size = status.st_size;
	file->bfd = bfd_fdopenr(path, guess_target(fd), fd);
	if (!file->bfd) /* libbfd has closed the descriptor */
		return op_error_set(error, EINVAL, "%s", bfd_errmsg(bfd_get_error()));
	if (!check_format(file->bfd))
		return op_error_set(error, EINVAL, "%s", bfd_errmsg(bfd_get_error()));
	return 0;
}

int pp_bfd_open(struct pp_bfd_file *file, const char *path, struct op_error *error)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);

	if (fd >= 0)
		return pp_bfd_open_descriptor(file, fd, path, error);
	if (errno == EINVAL)
		return op_error_set(error, EINVAL, "%s", foreign_reason(EINVAL));
	return op_error_errno(error, "cannot open");
}

void pp_bfd_close(struct pp_bfd_file *file)
{
	free(file->symbols);
	if (file->bfd)
		bfd_close_all_done(file->bfd);
}

/* A symbol takes at least 16 bytes of the file, which bounds the table of pointers. */
long pp_bfd_table_size(const struct pp_bfd_file *file, long bytes)
{
	if (bytes <= 0 || (uint64_t)bytes / sizeof(asymbol *) > file->size / 16 + 2)
		return 0;
	return bytes;
}

long pp_bfd_read_symbols(struct pp_bfd_file *file)
{
	long size = pp_bfd_table_size(file, bfd_get_symtab_upper_bound(file->bfd)), n;

	if (!size || !(bfd_get_file_flags(file->bfd) & HAS_SYMS))
		return 0;
	file->symbols = op_chunk(size);
	n = bfd_canonicalize_symtab(file->bfd, file->symbols);
	return n > 0 ? n : 0;
}

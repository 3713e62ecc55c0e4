// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A look at the first bytes of a kernel image, so that the usual mistake, naming the
 * compressed image in /boot, is reported at once and not by an empty report.
 */
#include "vmlinux.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The x86 boot protocol's mark, at this offset of a bzImage. */
#define BZIMAGE_MARK	    "HdrS"
#define BZIMAGE_MARK_OFFSET 0x202

int vmlinux_check(const char *path, struct op_error *error)
{
	unsigned char bytes[BZIMAGE_MARK_OFFSET + 4] = {0};
	struct stat status;
	Elf64_Ehdr header;
	ssize_t size;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status)) {
		op_error_errno(error, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	size = S_ISREG(status.st_mode) ? read(fd, bytes, sizeof(bytes)) : 0;
	close(fd);
	if (!S_ISREG(status.st_mode))
		return op_error_set(error, EINVAL, "%s is not a file", path);
	if (size < 0)
		return op_error_errno(error, "%s", path);

	memcpy(&header, bytes, sizeof(header));
	if (!memcmp(bytes + BZIMAGE_MARK_OFFSET, BZIMAGE_MARK, 4))
		return op_error_set(error, EINVAL,
				    "%s is a compressed kernel: give the vmlinux (Debian: package "
				    "linux-image-VERSION-dbg), or leave --vmlinux out",
				    path);
	if (memcmp(bytes, ELFMAG, SELFMAG))
		return op_error_set(error, EINVAL, "%s is not an ELF file", path);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != EM_X86_64)
		return op_error_set(error, EINVAL, "%s is not an ELF file for x86-64", path);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return op_error_set(error, EINVAL, "%s is not a linked kernel (its ELF type is %d)",
				    path, header.e_type);
	return 0;
}

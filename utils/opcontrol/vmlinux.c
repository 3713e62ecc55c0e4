// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A look at the first bytes of a kernel image, so that the usual mistake, naming the
 * compressed image in /boot, is reported at once and not by an empty report.
 */
#include "vmlinux.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libop/foreign/host.h"

/* The x86 boot protocol's mark, at this offset of a bzImage. */
#define BZIMAGE_MARK	    "HdrS"
#define BZIMAGE_MARK_OFFSET 0x202

int vmlinux_check(const char *path, struct op_error *error)
{
	unsigned char bytes[BZIMAGE_MARK_OFFSET + 4] = {0};
	Elf64_Ehdr header;
	ssize_t size;
	int fd;

	fd = host_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (fd < 0)
		return op_error_set(error, errno, errno == EINVAL ? "%s is not a file" : "%s: %s",
				    path, strerror(errno));
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
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

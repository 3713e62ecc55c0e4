// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library that is loaded before libbfd, libdw, libelf and libopcodes.  In their place it takes
 * each file that they are asked to read, in whatever process, as one that they have a fault for:
 *
 *	OP_MISBEHAVE=crash	the process ends by a signal when libbfd or libdw reads a file
 *	OP_MISBEHAVE=grow	it allocates all that it may then
 *	OP_MISBEHAVE=code	it ends by a signal when libopcodes is about to disassemble
 *	OP_MISBEHAVE=elf	it ends by a signal when libelf reads a file
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *what)
{
	const char *how = getenv("OP_MISBEHAVE");

	return how && !strcmp(how, what);
}

/* The library's own function. */
static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static int misbehave(void)
{
	if (is_wanted("grow"))
		while (malloc(64 << 20))
			;
	abort();
}

int bfd_check_format(void *image, int format);
void *dwarf_begin(int fd, int command);
void *elf_begin(int fd, int command, void *archive);
void disassemble_init_for_target(void *info);

int bfd_check_format(void *image, int format)
{
	int (*check)(void *image, int format);

	if (is_wanted("crash") || is_wanted("grow"))
		return misbehave();
	*(void **)&check = next("bfd_check_format");
	return check(image, format);
}

void *dwarf_begin(int fd, int command)
{
	void *(*begin)(int fd, int command);

	if (is_wanted("crash") || is_wanted("grow"))
		misbehave();
	*(void **)&begin = next("dwarf_begin");
	return begin(fd, command);
}

void *elf_begin(int fd, int command, void *archive)
{
	void *(*begin)(int fd, int command, void *archive);

	if (is_wanted("elf"))
		misbehave();
	*(void **)&begin = next("elf_begin");
	return begin(fd, command, archive);
}

void disassemble_init_for_target(void *info)
{
	void (*init)(void *info);

	if (is_wanted("code"))
		misbehave();
	*(void **)&init = next("disassemble_init_for_target");
	init(info);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Disassembles through libopcodes. */
#include "disassembly.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PACKAGE "oprofile" /* bfd.h requires it */
#include <bfd.h>
#include <dis-asm.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"

/* Maximum length of an instruction. */
#define INSTRUCTION_MAX 32

struct pp_disassembly {
	const struct pp_symbols *symbols;
	disassembler_ftype print;
	struct disassemble_info info;
	unsigned char *code; /* the part of the file that was read last */
	uint64_t start, end; /* keys of it */
	int fd;
	char text[256];
	size_t n;
};

static int add_text(void *stream, const char *format, va_list args)
{
	struct pp_disassembly *disassembly = stream;
	size_t left = sizeof(disassembly->text) - disassembly->n;
	int n = vsnprintf(disassembly->text + disassembly->n, left, format, args);

	if (n > 0)
		disassembly->n += (size_t)n < left ? (size_t)n : left - 1;
	return n;
}

static int print_plain(void *stream, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = add_text(stream, format, args);
	va_end(args);
	return n;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;
	int n;

	(void)style;
	va_start(args, format);
	n = add_text(stream, format, args);
	va_end(args);
	return n;
}

/* "401010 <hot+0x4>" */
static void print_address(bfd_vma vma, struct disassemble_info *info)
{
	struct pp_disassembly *disassembly = info->application_data;
	const struct pp_symbols *symbols = disassembly->symbols;
	size_t i = symbols->n;
	uint64_t key;

	print_plain(disassembly, "%" PRIx64, (uint64_t)vma);
	if (pp_symbols_key(symbols, vma, &key))
		i = pp_symbols_find(symbols, key);
	if (i == symbols->n)
		return;
	print_plain(disassembly, " <%s", symbols->items[i].name);
	if (vma > symbols->items[i].vma)
		print_plain(disassembly, "+0x%" PRIx64, (uint64_t)vma - symbols->items[i].vma);
	print_plain(disassembly, ">");
}

/* No message: the text of the instruction shows the error. */
static void ignore_memory_error(int status, bfd_vma vma, struct disassemble_info *info)
{
	(void)status;
	(void)vma;
	(void)info;
}

static int set_up(struct pp_disassembly *disassembly, const char *path, const char *options,
		  struct op_error *error)
{
	const struct pp_symbols *symbols = disassembly->symbols;
	struct disassemble_info *info = &disassembly->info;

	if (!symbols->machine.known)
		return op_error_set(error, EINVAL, "%s: not an object file", path);
	disassembly->print = disassembler(symbols->machine.arch, symbols->machine.big_endian,
					  symbols->machine.mach, NULL);
	if (!disassembly->print)
		return op_error_set(error, ENOTSUP, "%s: its instructions can't be disassembled",
				    path);
	init_disassemble_info(info, disassembly, print_plain, print_styled);
	info->application_data = disassembly;
	info->arch = symbols->machine.arch;
	info->mach = symbols->machine.mach;
	info->endian = info->endian_code = info->display_endian =
		symbols->machine.big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	info->flavour = bfd_target_elf_flavour;
	info->print_address_func = print_address;
	info->memory_error_func = ignore_memory_error;
	info->disassembler_options = options;
	disassemble_init_for_target(info);
	return 0;
}

int pp_disassembly_open(struct pp_disassembly **out, const char *path,
			const struct pp_symbols *symbols, const char *options,
			struct op_error *error)
{
	struct pp_disassembly *disassembly = pp_alloc(1, sizeof(*disassembly));
	int result = 0;

	disassembly->symbols = symbols;
	disassembly->fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	if (disassembly->fd < 0)
		result = op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
	if (!result)
		result = set_up(disassembly, path, options, error);
	if (result)
		pp_disassembly_close(disassembly);
	else
		*out = disassembly;
	return result;
}

void pp_disassembly_close(struct pp_disassembly *disassembly)
{
	if (!disassembly)
		return;
	if (disassembly->print)
		disassemble_free_target(&disassembly->info);
	if (disassembly->fd >= 0)
		close(disassembly->fd);
	free(disassembly->code);
	free(disassembly);
}

/* Reads code from @key on, up to its end or the size of the buffer. */
static int read_code(struct pp_disassembly *disassembly, const struct pp_code *code, uint64_t key)
{
	const size_t most = 65536;
	uint64_t rest = code->end - key;
	size_t size = rest < most ? rest : most;
	ssize_t n;

	if (!disassembly->code)
		disassembly->code = pp_alloc(most, 1);
	n = pread(disassembly->fd, disassembly->code, size,
		  (off_t)(code->offset + (key - code->start)));
	disassembly->start = key;
	disassembly->end = key + (n > 0 ? n : 0);
	return n > 0 ? 0 : -1;
}

size_t pp_disassembly_next(struct pp_disassembly *disassembly, uint64_t key, uint64_t end,
			   const char **text)
{
	struct disassemble_info *info = &disassembly->info;
	const struct pp_code *code = pp_symbols_code(disassembly->symbols, key);
	uint64_t vma;
	int n;

	if (!code)
		return 0;
	if (end > code->end)
		end = code->end;
	if (key < disassembly->start || key >= disassembly->end ||
	    (disassembly->end - key < INSTRUCTION_MAX && disassembly->end < end))
		if (read_code(disassembly, code, key))
			return 0;
	vma = code->vma + (key - code->start);
	info->buffer = disassembly->code + (key - disassembly->start);
	info->buffer_vma = vma;
	info->buffer_length = (disassembly->end < end ? disassembly->end : end) - key;
	info->stop_vma = vma + info->buffer_length;
	disassembly->n = 0;
	n = disassembly->print(vma, info);
	if (n <= 0 || (size_t)n > info->buffer_length) {
		disassembly->n = 0;
		print_plain(disassembly, ".byte 0x%02x", info->buffer[0]);
		n = 1;
	}
	while (disassembly->n && disassembly->text[disassembly->n - 1] == ' ')
		disassembly->n--;
	disassembly->text[disassembly->n] = '\0';
	*text = disassembly->text;
	return n;
}

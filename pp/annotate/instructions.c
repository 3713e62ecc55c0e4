// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions through libopcodes: see instructions.h. */
#include "instructions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKAGE "oprofile" /* bfd.h requires it */
#include <bfd.h>
#include <dis-asm.h>

#include "libop/base/memory.h"

/* struct printer - what libopcodes writes to */
struct printer {
	struct disassemble_info info;
	disassembler_ftype print;
	char text[PP_INSTRUCTION_TEXT];
	size_t n;
};

static int add_text(void *stream, const char *format, va_list args)
{
	struct printer *printer = stream;
	size_t left = sizeof(printer->text) - printer->n;
	int n = vsnprintf(printer->text + printer->n, left, format, args);

	if (n > 0)
		printer->n += (size_t)n < left ? (size_t)n : left - 1;
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

/* Symbols are not known here.  Control characters are nothing that libopcodes writes. */
static void mark_address(bfd_vma vma, struct disassemble_info *info)
{
	print_plain(info->stream, "%c%0*" PRIx64, PP_ADDRESS_MARK, PP_ADDRESS_DIGITS,
		    (uint64_t)vma);
}

/* No message: the text of the instruction shows the error. */
static void ignore_memory_error(int status, bfd_vma vma, struct disassemble_info *info)
{
	(void)status;
	(void)vma;
	(void)info;
}

bool pp_instructions_are_known(const struct pp_machine *machine)
{
	return machine->known && disassembler((enum bfd_architecture)machine->arch,
					      machine->big_endian, machine->mach, NULL);
}

static bool set_up(struct printer *printer, const struct pp_instructions *what)
{
	struct disassemble_info *info = &printer->info;
	const struct pp_machine *machine = &what->machine;

	printer->print = disassembler((enum bfd_architecture)machine->arch, machine->big_endian,
				      machine->mach, NULL);
	if (!printer->print)
		return false;
	init_disassemble_info(info, printer, print_plain, print_styled);
	info->print_address_func = mark_address;
	info->memory_error_func = ignore_memory_error;
	info->arch = (enum bfd_architecture)machine->arch;
	info->mach = machine->mach;
	info->flavour = bfd_target_elf_flavour;
	info->endian = info->endian_code = info->display_endian =
		machine->big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	info->disassembler_options = what->options;
	disassemble_init_for_target(info);
	return true;
}

/* Writes the instruction at @at of the bytes.  Return: its length. */
static size_t put_instruction(struct printer *printer, uint64_t vma, const unsigned char *bytes,
			      size_t left, struct op_buffer *out)
{
	struct disassemble_info *info = &printer->info;
	int n;

	info->buffer = (bfd_byte *)bytes;
	info->buffer_vma = vma;
	info->buffer_length = left;
	info->stop_vma = vma + left;
	printer->n = 0;
	n = printer->print(vma, info);
	if (n <= 0 || (size_t)n > left) {
		printer->n = 0;
		print_plain(printer, ".byte 0x%02x", bytes[0]);
		n = 1;
	}
	while (printer->n && printer->text[printer->n - 1] == ' ')
		printer->n--;
	op_buffer_u8(out, (uint8_t)n);
	op_buffer_u8(out, (uint8_t)printer->n);
	op_buffer_put(out, printer->text, printer->n);
	return (size_t)n;
}

void pp_instructions_put(int fd, const struct pp_instructions *what, struct op_buffer *out)
{
	struct printer printer = {0};
	unsigned char *bytes = malloc(what->size + 1);
	ssize_t n = bytes ? pread(fd, bytes, what->size, (off_t)what->offset) : 0;
	size_t size = n > 0 ? (size_t)n : 0, least = what->is_end ? 0 : PP_INSTRUCTION_MOST - 1;

	if (size < what->size)
		least = 0; /* the file ends */
	if (!size || !set_up(&printer, what)) {
		free(bytes);
		return;
	}
	for (size_t at = 0; size - at > least;)
		at += put_instruction(&printer, what->vma + at, bytes + at, size - at, out);
	disassemble_free_target(&printer.info);
	free(bytes);
}

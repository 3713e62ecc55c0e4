// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a vmlinux file: see vmlinux.h.
 */
#include "vmlinux.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/elf/kallsyms.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/host.h"

struct text {
	uint64_t start, size;  /* of .text */
	uint64_t stext, etext; /* symbols; 0 if there are none */
};

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct text *text)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (name && !strcmp(name, "_stext"))
			text->stext = symbol.st_value;
		else if (name && !strcmp(name, "_etext"))
			text->etext = symbol.st_value;
	}
}

/* Return: whether @elf has code. */
static bool read_sections(Elf *elf, struct text *text)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".text")) {
			text->start = header.sh_addr;
			text->size = header.sh_size;
		}
		if (header.sh_type == SHT_SYMTAB)
			read_symbols(elf, section, &header, text);
	}
	return text->size;
}

/* The answer is a struct text, or nothing. */
static void vmlinux_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	struct text text = {0};
	Elf *elf;

	(void)question;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && read_sections(elf, &text))
		op_buffer_put(answer, &text, sizeof(text));
	elf_end(elf);
}

static int vmlinux_read_file(const char *path, struct text *text, struct op_error *error)
{
	struct apart_question question = {.work = vmlinux_work,
					  .fd = host_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW),
					  .path = path,
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = sizeof(*text)};
	size_t length = 0;
	void *answer;

	if (question.fd < 0)
		return op_error_set(error, errno, "cannot open %s: %s", path,
				    foreign_reason(errno));
	answer = apart_or_here(&question, &length, error);
	close(question.fd);
	if (!answer)
		return -1;
	if (length == sizeof(*text))
		memcpy(text, answer, length);
	free(answer);
	if (length != sizeof(*text))
		return op_error_set(error, EINVAL,
				    "%s is not a vmlinux: not an ELF file with a .text section (a "
				    "vmlinuz is compressed)",
				    path);
	return 0;
}

int vmlinux_range(const char *path, const char *kallsyms, uint64_t *start, uint64_t *end,
		  struct op_error *error)
{
	struct text text = {0};
	uint64_t running, moved = 0;

	if (vmlinux_read_file(path, &text, error))
		return -1;
	if (kallsyms && text.stext && op_kallsyms_address(kallsyms, "_stext", &running))
		moved = running - text.stext;
	*start = text.start + moved;
	*end = (text.etext > text.start ? text.etext : text.start + text.size) + moved;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a file has code: see tables.h. */
#include <gelf.h>
#include <stdlib.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/foreign/limits.h"

void pp_live_code_read(struct pp_live_code *code, Elf *elf)
{
	struct op_interval *sections = NULL;
	size_t n = 0, capacity = 0, seen = 0;
	Elf_Scn *section = NULL;

	*code = (struct pp_live_code){0};
	while ((section = elf_nextscn(elf, section)) && seen++ < FOREIGN_SECTIONS_MOST) {
		GElf_Shdr header;

		/* separate debug files have the sections of the image, without bytes */
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    !header.sh_addr)
			continue;
		sections = op_grow(sections, &capacity, n + 1, sizeof(*sections));
		sections[n++] = (struct op_interval){.start = header.sh_addr,
						     .end = header.sh_addr + header.sh_size};
	}
	if (n)
		code->n = op_intervals_flatten(sections, n, &code->items);
	free(sections);
}

bool pp_live_code_has(const struct pp_live_code *code, uint64_t address)
{
	return !code->n || op_intervals_find(code->items, code->n, address);
}

void pp_live_code_free(struct pp_live_code *code)
{
	free(code->items);
	*code = (struct pp_live_code){0};
}

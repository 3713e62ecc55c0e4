// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include "stacks.h"

static uint64_t stacks_unit_key_of(const struct stacks_unit *unit)
{
	if (unit->parent == STACKS_IS_IMAGE)
		return stacks_name_key((const char *)(unit + 1), unit->offset_low & 0xffff);
	return stacks_frame_key(unit->parent, unit->image, stacks_offset(unit));
}

int stacks_table_add(struct op_hash *table, const struct stacks_unit *units, uint32_t at)
{
	return op_hash_add(table, stacks_unit_key_of(&units[at]), at);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of a fleet's store: see tables.h. */
#include "tables.h"

#include <string.h>

const struct fleet_table fleet_tables[FLEET_TABLES_N] = {
#define FLEET_ROW(id, table, list) [id] = {.name = table, .columns = list},
	FLEET_TABLES(FLEET_ROW)
#undef FLEET_ROW
};

void fleet_put_string(struct op_buffer *out, const char *text, size_t n)
{
	op_buffer_leb128(out, n);
	op_buffer_put(out, text, n);
}

void fleet_section_begin(struct op_buffer *out, enum fleet_table_id table, uint64_t length)
{
	fleet_put_string(out, fleet_tables[table].name, strlen(fleet_tables[table].name));
	op_buffer_u64(out, length);
}

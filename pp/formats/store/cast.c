// SPDX-License-Identifier: GPL-2.0-or-later
/* Types of answers: see cast.h. */
#include "cast.h"

#include <stdbool.h>
#include <string.h>

#include "libop/base/buffer.h"
#include "libop/base/memory.h"
#include "tables.h"

#define SELECT "SELECT "
#define FROM   " FROM "

static void put_text(struct op_buffer *out, const char *text)
{
	op_buffer_put(out, text, strlen(text));
}

/* The bytes of a column, up to a comma or FROM that is in no brackets. */
static size_t column_length(const char *text)
{
	bool is_quoted = false;
	size_t depth = 0, n = 0;

	for (; text[n]; n++) {
		if (text[n] == '\'')
			is_quoted = !is_quoted;
		else if (!is_quoted && strchr("([", text[n]))
			depth++;
		else if (!is_quoted && strchr(")]", text[n]))
			depth--;
		else if (!is_quoted && !depth &&
			 (text[n] == ',' || !strncmp(text + n, FROM, strlen(FROM))))
			break;
	}
	return n;
}

/* A server may be set to have CAST keep what is Nullable. */
static void put_column(struct op_buffer *out, const char *column, size_t n, char type)
{
	put_text(out, "assumeNotNull(CAST(");
	op_buffer_put(out, column, n);
	put_text(out, " AS ");
	put_text(out, fleet_type_name(type));
	put_text(out, "))");
}

char *store_cast(const char *select, const char *types)
{
	const char *rest = select + strlen(SELECT);
	struct op_buffer out = {0};

	put_text(&out, SELECT);
	for (bool is_last = false; !is_last; rest += !is_last) {
		size_t n = column_length(rest);

		put_column(&out, rest, n, *types);
		types += *types != '\0';
		rest += n;
		is_last = *rest != ',';
		put_text(&out, is_last ? "" : ",");
	}
	for (; *types; types++)
		put_text(&out, ", " FLEET_NO_TYPE);
	put_text(&out, rest);
	put_text(&out, " FORMAT RowBinary");
	op_buffer_u8(&out, '\0');
	if (out.failed)
		op_out_of_memory();
	return (char *)out.bytes;
}

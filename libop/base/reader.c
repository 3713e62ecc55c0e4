// SPDX-License-Identifier: GPL-2.0-or-later
#include "reader.h"

bool op_reader_copy(struct op_reader *reader, void *out, size_t n)
{
	const void *bytes = op_reader_take(reader, n);

	if (!bytes)
		return false;
	memcpy(out, bytes, n);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump.h"

#include <stdlib.h>

#include "dump_stacks.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/error.h"
#include "libop/pack/pack.h"
#include "pack.h"

int dump(const struct dump_style *style, const char *path)
{
	struct odb_format format;
	struct odb_entry *entries;
	struct odb_error error;
	ptrdiff_t count;
	struct odb *db;

	if (op_pack_is_file(path))
		return dump_pack(style, path);
	if (stacks_is_file(path))
		return dump_stacks(path, style->json);
	if (odb_open(&db, path, ODB_READ, NULL, &error)) {
		op_complain("%s", error.text);
		return -1;
	}
	count = style->merged ? odb_entries_by_key(db, &entries, &error)
			      : odb_entries(db, &entries, &error);
	if (count < 0) {
		op_complain("%s", error.text);
		odb_close(db);
		return -1;
	}
	format = odb_format(db);
	dump_samples(style, path, odb_header(db), &format, entries, count);
	free(entries);
	odb_close(db);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sample files straight into packs: see packed.h. */
#include "packed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/pack/journal.h"
#include "libop/pack/journal_layout.h"
#include "libop/pack/parts.h"

uint64_t session_packed_size(const char *name, size_t n)
{
	return sizeof(struct journal_name) + (strlen(name) + 7) / 8 * 8 +
	       n * sizeof(struct journal_count);
}

void session_packed_close(struct session_packed *packed)
{
	op_journal_close(packed->journal);
	packed->journal = NULL;
}

static int session_packed_begin(struct session_packed *packed, struct op_error *error)
{
	char *path = op_pack_journal_path(packed->dir, packed->number + 1);
	int result =
		path ? op_journal_create(&packed->journal, path, error) : op_error_memory(error);

	packed->number += !result;
	free(path);
	return result;
}

int session_packed_finish(struct session_packed *packed, struct op_error *error)
{
	if (!packed->journal)
		return 0;
	session_packed_close(packed);
	return op_pack_journals(packed->dir, packed->number, NULL, error);
}

/* The number of a name in the journal, of a new one if the open one is full. */
static uint32_t number_of(struct session_packed *packed, const char *name,
			  const struct odb_header *header, struct op_error *error)
{
	uint32_t number = 0;

	if (packed->journal)
		number = op_journal_name(packed->journal, name, header, false, error);
	if (number || (packed->journal && error->code != EFBIG))
		return number;
	if (session_packed_finish(packed, error) || session_packed_begin(packed, error))
		return 0;
	return op_journal_name(packed->journal, name, header, false, error);
}

int session_packed_add(struct session_packed *packed, const char *name,
		       const struct odb_header *header, const struct odb_entry *entries, size_t n,
		       struct op_error *error)
{
	uint32_t number = number_of(packed, name, header, error);
	bool fresh;

	for (size_t i = 0; number && i < n; i++) {
		if (!entries[i].count || !op_journal_add(packed->journal, number, entries[i].key,
							 entries[i].count, false, &fresh, error))
			continue;
		/* full: this and the rest go to the next one */
		number = error->code == EFBIG ? number_of(packed, name, header, error) : 0;
		if (number && op_journal_add(packed->journal, number, entries[i].key,
					     entries[i].count, false, &fresh, error))
			number = 0;
	}
	return number ? 0 : -1;
}

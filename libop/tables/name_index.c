// SPDX-License-Identifier: GPL-2.0-or-later
#include "name_index.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

size_t op_names_index(struct op_names *names, const char *name)
{
	uint64_t key = op_hash_text(0, name);
	uint32_t i;

	op_hash_for_each_possible (&names->by_name, key, i)
		if (!strcmp(names->names[i], name))
			return i;
	names->names = op_grow(names->names, &names->capacity, names->n + 1, sizeof(char *));
	names->names[names->n] = name;
	op_hash_add_or_exit(&names->by_name, key, (uint32_t)names->n);
	return names->n++;
}

void op_names_free(struct op_names *names)
{
	free(names->names);
	op_hash_free(&names->by_name);
}

const char *op_names_keep(struct op_names *names, const char *name)
{
	char *copy = op_copy(name);
	size_t n = names->n, index = op_names_index(names, copy);

	if (index < n)
		free(copy);
	return names->names[index];
}

void op_names_free_kept(struct op_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((char *)names->names[i]);
	op_names_free(names);
}

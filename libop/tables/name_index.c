// SPDX-License-Identifier: GPL-2.0-or-later
#include "name_index.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

size_t pp_names_index(struct pp_names *names, const char *name)
{
	uint64_t key = op_hash_text(0, name);
	uint32_t i;

	op_hash_for_each_possible (&names->by_name, key, i)
		if (!strcmp(names->names[i], name))
			return i;
	names->names = pp_grow(names->names, &names->capacity, names->n + 1, sizeof(char *));
	names->names[names->n] = name;
	pp_hash_add(&names->by_name, key, (uint32_t)names->n);
	return names->n++;
}

void pp_names_free(struct pp_names *names)
{
	free(names->names);
	op_hash_free(&names->by_name);
}

const char *pp_names_keep(struct pp_names *names, const char *name)
{
	char *copy = pp_copy(name);
	size_t n = names->n, index = pp_names_index(names, copy);

	if (index < n)
		free(copy);
	return names->names[index];
}

void pp_names_free_kept(struct pp_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((char *)names->names[i]);
	pp_names_free(names);
}

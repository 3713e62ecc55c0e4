// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of names: a hash table with open addressing. */
#include "libop/base/name_index.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

static size_t hash(const char *name)
{
	size_t value = 14695981039346656037u;

	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * 1099511628211u;
	return value;
}

static size_t *find_slot(const struct pp_names *names, const char *name)
{
	for (size_t at = hash(name);; at++) {
		size_t *slot = &names->slots[at & (names->n_slots - 1)];

		if (!*slot || !strcmp(names->names[*slot - 1], name))
			return slot;
	}
}

size_t pp_names_index(struct pp_names *names, const char *name)
{
	size_t *slot;

	if (names->n * 2 >= names->n_slots) {
		free(names->slots);
		names->n_slots = names->n_slots ? names->n_slots * 2 : 256;
		names->slots = pp_alloc(names->n_slots, sizeof(*names->slots));
		for (size_t i = 0; i < names->n; i++)
			*find_slot(names, names->names[i]) = i + 1;
	}
	slot = find_slot(names, name);
	if (!*slot) {
		names->names =
			pp_grow(names->names, &names->capacity, names->n + 1, sizeof(char *));
		names->names[names->n++] = name;
		*slot = names->n;
	}
	return *slot - 1;
}

void pp_names_free(struct pp_names *names)
{
	free(names->names);
	free(names->slots);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What binutils say of an object file. */
#include "known.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"
#include "session.h"

void known_free(struct known_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	free(list->items);
}

static int compare_known(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return op_compare_u64(left->address, right->address);
}

/* The index of the first one at @address or behind it. */
size_t known_first(const struct known_list *list, uint64_t address)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

FILE *known_command(const char *format, const char *path)
{
	char command[8192];
	FILE *pipe;

	snprintf(command, sizeof(command), format, path);
	pipe = popen(command, "r");
	test_need(pipe != NULL, "cannot run %s", command);
	return pipe;
}

static void known_add(struct known_list *list, const struct known *one, const char *name)
{
	list->items = realloc(list->items, (list->n + 1) * sizeof(*list->items));
	test_need(list->items != NULL, "out of memory");
	list->items[list->n] = *one;
	list->items[list->n++].name = strdup(name);
	if (one->size > list->longest)
		list->longest = one->size;
}

/* Code sections with contents. */
struct known_list known_sections(const char *path)
{
	FILE *pipe = known_command("readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\] *//' | "
				   "awk '$7 ~ /X/ && $2 != \"NOBITS\" {print $3, $4, $5, $1}'",
				   path);
	struct known_list list = {0};
	struct known one = {0};
	char name[4096];

	while (fscanf(pipe, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %4095s", &one.address, &one.offset,
		      &one.size, name) == 4)
		known_add(&list, &one, name);
	pclose(pipe);
	test_need(list.n > 0, "readelf knows no code in %s", path);
	return list;
}

/* Symbols with address, size (0 if it has none) and name. */
struct known_list known_names(const char *command, const char *path)
{
	FILE *pipe = known_command(command, path);
	struct known_list list = {0};
	struct known one = {0};
	char name[4096];

	while (fscanf(pipe, "%" SCNx64 " %" SCNx64 " %4095s", &one.address, &one.size, name) == 3) {
		name[strcspn(name, "@")] = '\0';
		known_add(&list, &one, name);
	}
	pclose(pipe);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), compare_known);
	return list;
}

const struct known *known_random(const struct known_list *sections)
{
	uint64_t total = 0, at;

	for (size_t i = 0; i < sections->n; i++)
		total += sections->items[i].size;
	at = ((uint64_t)random() << 31 | (uint64_t)random()) % total;
	for (size_t i = 0; i < sections->n; i++) {
		if (at < sections->items[i].size)
			return &sections->items[i];
		at -= sections->items[i].size;
	}
	return sections->items;
}

bool known_is_named(const struct known_list *names, uint64_t address, const char *name)
{
	for (size_t i = known_first(names, address);
	     i < names->n && names->items[i].address == address; i++)
		if (!strcmp(names->items[i].name, name))
			return true;
	return false;
}

/* Is there a name in [from, to]? */
const char *known_between(const struct known_list *names, uint64_t from, uint64_t to)
{
	for (size_t i = known_first(names, from); i < names->n && names->items[i].address <= to;
	     i++)
		if (strncmp(names->items[i].name, ".L", 2) != 0)
			return names->items[i].name;
	return NULL;
}

const struct known *known_covering(const struct known_list *names, uint64_t address)
{
	uint64_t reach = names->longest < address ? address - names->longest : 0;
	const struct known *found = NULL;

	for (size_t i = known_first(names, reach);
	     i < names->n && names->items[i].address <= address; i++)
		if (address - names->items[i].address < names->items[i].size)
			found = &names->items[i];
	return found;
}

const char *known_around(const struct known_list *names, uint64_t address)
{
	const struct known *found = known_covering(names, address);

	return found ? found->name : NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds stack files: see stack_search.h. */
#include "stack_search.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/session/paths.h"

struct stack_search {
	struct pp_sample_list *list;
	const struct pp_sample_search *search;
	bool is_weight, any;
};

/* Takes a file of this path, or leaves it if it is no stack file or not selected. */
static void stack_search_take_file(struct stack_search *search, const char *path,
				   struct pp_sample_file file)
{
	struct pp_sample_list *list = search->list;

	if (op_stacks_name_parse(path, &file.name, NULL))
		return;
	search->any = true;
	if (!pp_spec_matches_context(search->search->spec, &file.name)) {
		op_sample_name_free(&file.name);
		return;
	}
	file.path = op_copy(path);
	file.is_weight = search->is_weight;
	file.is_stacks = true;
	list->stacks =
		op_grow(list->stacks, &list->stacks_capacity, list->n_stacks + 1, sizeof(file));
	list->stacks[list->n_stacks++] = file;
}

static int stack_search_visit(const char *path, const struct stat *status, void *context)
{
	if (S_ISREG(status->st_mode) &&
	    strncmp(strrchr(path, '/') + 1, ODB_TEMPORARY, strlen(ODB_TEMPORARY)) != 0)
		stack_search_take_file(context, path, (struct pp_sample_file){0});
	return 0;
}

static void search_loose(struct stack_search *search, const char *samples_dir,
			 struct op_warnings *warnings)
{
	char *path = op_format("%s/%s" OP_SAMPLES_STACKS, samples_dir,
			       search->is_weight ? OP_SAMPLES_WEIGHTS "/" : "");
	struct stat status;
	struct op_error error;

	if (!stat(path, &status) && op_walk(path, stack_search_visit, search, &error))
		op_warnings_add(warnings, OP_BAD_DIRECTORY, "skipped: %s", error.text);
	free(path);
}

static void search_packed(struct stack_search *search, struct op_pack *pack,
			  const char *samples_dir)
{
	struct op_pack_walk *walk = op_alloc(1, sizeof(*walk));
	struct op_pack_file packed;

	walk->pack = pack;
	while (pack && op_pack_next(walk, &packed)) {
		bool is_weight = op_name_of_weighted(packed.name) != packed.name;
		char *path;

		if (packed.kind != OP_PACK_STACKS || is_weight != search->is_weight)
			continue;
		path = op_format("%s/%s", samples_dir, packed.name);
		stack_search_take_file(search, path,
				       (struct pp_sample_file){
					       .pack = pack,
					       .place = packed.place,
					       .n_entries = packed.n,
					       .sum = packed.sum,
				       });
		free(path);
	}
	free(walk);
}

bool pp_stack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		     struct op_pack *pack, const char *samples_dir, struct op_warnings *warnings)
{
	struct stack_search state = {.list = list, .search = search};
	const int kinds = list->want_weights ? 2 : 1;

	for (int kind = 0; kind < kinds; kind++) {
		state.is_weight = kind;
		search_packed(&state, pack, samples_dir);
		if (!search->is_whole)
			search_loose(&state, samples_dir, warnings);
	}
	return state.any;
}

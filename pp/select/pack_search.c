// SPDX-License-Identifier: GPL-2.0-or-later
/* Searches packs: see pack_search.h. */
#include "pack_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/progress.h"
#include "libop/pack/parts.h"
#include "libop/pack/whole.h"

static void add_pack(struct pp_sample_list *list, struct op_pack *pack)
{
	list->packs = op_grow(list->packs, &list->packs_capacity, list->n_packs + 1,
			      sizeof(struct op_pack *));
	list->packs[list->n_packs++] = pack;
}

static void add_bad(struct pp_sample_list *list, const char *why, struct op_warnings *warnings)
{
	op_warnings_add(warnings, OP_BAD_FILE, "skipped: %s", why);
	list->n_bad++;
}

static struct op_pack *open_whole(struct pp_sample_list *list, const char *samples_dir,
				  struct op_warnings *warnings)
{
	struct op_pack *pack = NULL;
	struct op_strings wrong = {0};
	struct op_error error;

	if (!op_pack_open_whole(&pack, samples_dir, &wrong, &error))
		add_pack(list, pack);
	else
		add_bad(list, error.text, warnings);
	for (size_t i = 0; pack && i < wrong.count; i++)
		add_bad(list, wrong.item[i], warnings);
	op_strings_free(&wrong);
	return pack;
}

struct op_pack *pp_pack_open(struct pp_sample_list *list, const char *samples_dir, bool is_whole,
			     struct op_warnings *warnings)
{
	struct op_pack *pack = NULL;
	struct op_error error;

	if (is_whole)
		return open_whole(list, samples_dir, warnings);
	if (!op_pack_open_session(&pack, samples_dir, &error))
		add_pack(list, pack);
	else if (error.code != ENOENT)
		add_bad(list, error.text, warnings);
	return pack;
}

static void add_file(struct pp_sample_list *list, const char *samples_dir, struct op_pack *pack,
		     const struct op_pack_file *packed, const struct op_sample_name *name)
{
	const struct pp_sample_file file = {
		.path = op_format("%s/%s", samples_dir, packed->name),
		.name = *name,
		.pack = pack,
		.place = packed->place,
		.header = packed->header,
		.n_entries = packed->n,
		.sum = packed->sum,
	};

	if (name->is_arc) {
		list->arcs =
			op_grow(list->arcs, &list->arcs_capacity, list->n_arcs + 1, sizeof(file));
		list->arcs[list->n_arcs++] = file;
	} else {
		list->files = op_grow(list->files, &list->capacity, list->n + 1, sizeof(file));
		list->files[list->n++] = file;
	}
}

/* Skips samples of sample files, of a profiler that profiled its own session. */
static bool is_of_itself(const struct pp_sample_search *search, const char *samples_dir,
			 const char *name, struct op_warnings *warnings)
{
	size_t n = strlen(search->samples_root);
	const char *at = strstr(name, search->samples_root);

	if (!at || at[n] != '/')
		return false;
	op_warnings_add(warnings, OP_BAD_NAME, "skipped: samples of a sample file, %s/%.*s",
			samples_dir, (int)(at + n - name), name);
	return true;
}

static void sample_list_take_file(struct pp_sample_list *list,
				  const struct pp_sample_search *search, const char *samples_dir,
				  struct op_pack *pack, const struct op_pack_file *packed,
				  struct op_warnings *warnings)
{
	struct op_sample_name name;
	struct op_error error;

	if ((!list->want_arcs && strstr(packed->name, "/{cg}/")) ||
	    is_of_itself(search, samples_dir, packed->name, warnings))
		return;
	if (op_sample_name_parse(packed->name, &name, &error)) {
		op_warnings_add(warnings, OP_BAD_NAME, "skipped: %s: %s", op_pack_path(pack),
				error.text);
		return;
	}
	if (pp_sample_is_wanted(search, &name)) {
		add_file(list, samples_dir, pack, packed, &name);
		return;
	}
	list->n_passed_over += !name.is_arc;
	op_sample_name_free(&name);
}

void pp_pack_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		    struct op_pack *pack, const char *samples_dir, const char *tree,
		    struct op_warnings *warnings)
{
	static const char *const below[] = {"{root}/", "{kern}/"};
	struct op_pack_walk *walk = op_alloc(1, sizeof(*walk));
	size_t length = strlen(tree);
	struct op_pack_file packed;

	for (size_t i = 0; pack && i < OP_ARRAY_SIZE(below); i++) {
		memset(walk, 0, sizeof(*walk));
		walk->pack = pack;
		while (op_pack_next(walk, &packed))
			if (!strncmp(packed.name, tree, length) &&
			    !strncmp(packed.name + length, below[i], strlen(below[i])))
				sample_list_take_file(list, search, samples_dir, pack, &packed,
						      warnings);
		op_progress("sample files found", list->n, 0);
	}
	free(walk);
}

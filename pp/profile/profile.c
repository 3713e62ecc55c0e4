// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a profile. */
#include "profile.h"

#include <obstack.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

#define obstack_chunk_alloc op_chunk
#define obstack_chunk_free  free

struct pp_store {
	struct obstack memory;
};

void *pp_profile_keep(struct pp_profile *profile, size_t size)
{
	void *memory = obstack_alloc(&profile->store->memory, size);

	return memset(memory, 0, size);
}

char *pp_profile_keep_text(struct pp_profile *profile, const char *text)
{
	return obstack_copy0(&profile->store->memory, text, strlen(text));
}

void pp_profile_init(struct pp_profile *profile, const struct pp_classes *classes)
{
	memset(profile, 0, sizeof(*profile));
	profile->classes = classes;
	profile->totals = op_alloc(classes->columns, sizeof(uint64_t));
	profile->store = op_alloc(1, sizeof(*profile->store));
	obstack_init(&profile->store->memory);
}

static void free_images(struct pp_image *images, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(images[i].full);
		free(images[i].counts);
	}
	free(images);
}

static bool has_samples(const struct pp_profile *profile, const uint64_t *counts)
{
	for (size_t i = 0; i < profile->classes->n; i++)
		if (counts[i])
			return true;
	return false;
}

void pp_profile_drop_arcs(struct pp_profile *profile)
{
	size_t n_rows = 0, n_parts = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		row->inclusive = NULL;
		if (has_samples(profile, row->counts))
			profile->rows[n_rows++] = row;
	}
	for (size_t i = 0; i < profile->n_parts; i++)
		if (has_samples(profile, profile->parts[i].counts))
			profile->parts[n_parts++] = profile->parts[i];
	profile->n_rows = n_rows;
	profile->n_parts = n_parts;
	profile->n_arcs = 0;
}

void pp_profile_free(struct pp_profile *profile)
{
	free_images(profile->apps, profile->n_apps);
	free_images(profile->images, profile->n_images);
	free(profile->parts);
	free(profile->rows);
	free(profile->arcs);
	if (profile->call_tree)
		free(profile->call_tree->nodes);
	free(profile->totals);
	pp_head_free(&profile->head);
	obstack_free(&profile->store->memory, NULL);
	free(profile->store);
	memset(profile, 0, sizeof(*profile));
}

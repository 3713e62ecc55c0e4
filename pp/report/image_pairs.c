// SPDX-License-Identifier: GPL-2.0-or-later
/* Which images of two profiles are one: see image_pairs.h. */
#include "image_pairs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_identity.h"

/* An image or application of a profile, each path once. */
struct file {
	const char *full, *base;
	const struct op_image_name *id; /* as the session has it */
	bool is_file;
	char *stem;	     /* base name without digits and separators; NULL: none */
	char *build_id;	     /* in hexadecimal; NULL: none, not known, or not asked for yet */
	const char *name;    /* what identifies it in both profiles */
	const char *shown;   /* base name, as the new profile has it */
	uint64_t app_weight; /* as an application; 0: it is none */
	uint64_t weight;     /* as an image */
	bool is_paired;
};

/* The files of a profile; a session may have hundreds of thousands. */
struct side {
	const struct pp_profile *profile;
	struct pp_image_search *search;
	struct file *files;
	size_t n, capacity;
	struct op_names paths; /* by index of the file */
};

struct image_pairing {
	struct pp_image_pairs *pairs;
	struct side sides[PP_SIDES];
	const char *why; /* the pass that is noted */
	size_t n_unsaid; /* pairs that are too small to be noted one by one */
};

/* The name of an image without directories and without what tells builds apart. */
static const char *base_name(const struct pp_image *image)
{
	struct pp_image_identity identity;
	const char *slash;

	if (image->id->kind != OP_IMAGE_FILE)
		return image->base;
	pp_image_identity_parse(&identity, image->id->name);
	slash = strrchr(identity.path, '/');
	return slash && slash[1] ? slash + 1 : image->base;
}

/* NULL: nothing is left. */
static char *stem_of(const char *base)
{
	char *stem = op_copy(base), *end = stem;

	for (const char *c = base; *c; c++)
		if (!isdigit((unsigned char)*c) && !strchr("._-+~", *c))
			*end++ = *c;
	*end = '\0';
	if (end == stem) {
		free(stem);
		return NULL;
	}
	return stem;
}

static struct file *side_file(struct side *side, const struct pp_image *image)
{
	size_t i = op_names_index(&side->paths, image->full);
	struct file *file;

	if (i < side->n)
		return &side->files[i];
	side->files = op_grow(side->files, &side->capacity, side->n + 1, sizeof(*side->files));
	file = &side->files[side->n++];
	*file = (struct file){.full = image->full,
			      .base = base_name(image),
			      .id = image->id,
			      .is_file = image->id->kind == OP_IMAGE_FILE};
	file->name = file->shown = file->base;
	if (file->is_file)
		file->stem = stem_of(file->base);
	return file;
}

static void side_read(struct side *side, const struct pp_profile *profile)
{
	side->profile = profile;
	for (size_t i = 0; i < profile->n_images; i++)
		side_file(side, &profile->images[i])->weight +=
			pp_weight(profile->classes, profile->images[i].counts, 0);
	for (size_t i = 0; i < profile->n_apps; i++)
		side_file(side, &profile->apps[i])->app_weight =
			pp_weight(profile->classes, profile->apps[i].counts, 0);
}

/* Of the files without a pair; those of one path are told apart by nothing else. */
static void side_read_build_ids(struct side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		struct file *file = &side->files[i];
		const struct op_identity *known;
		char text[IDENTITY_TEXT];

		known = file->is_file && !file->is_paired
				? pp_image_known(side->search, file->id->name)
				: NULL;
		if (known && known->build_id_size)
			file->build_id = op_copy(identity_text(known, text));
	}
}

static void side_free(struct side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		free(side->files[i].stem);
		free(side->files[i].build_id);
	}
	free(side->files);
	op_names_free(&side->paths);
}

/* ---- pairs of equal keys ---- */

typedef const char *(*key_of)(const struct file *file);

static const char *file_path(const struct file *file)
{
	return file->full;
}

static const char *file_base(const struct file *file)
{
	return file->base;
}

static const char *file_build_id(const struct file *file)
{
	return file->build_id;
}

static const char *file_stem(const struct file *file)
{
	return file->stem;
}

static int compare_keys(const void *a, const void *b, void *context)
{
	const key_of *key = context;
	const struct file *const *left = a, *const *right = b;

	return strcmp((*key)(*left), (*key)(*right));
}

/* The files without a pair that have a key, sorted by it; the caller frees them. */
static struct file **unpaired_files(const struct side *side, key_of key, size_t *n)
{
	struct file **files = op_alloc(side->n + 1, sizeof(*files));

	*n = 0;
	for (size_t i = 0; i < side->n; i++)
		if (!side->files[i].is_paired && key(&side->files[i]))
			files[(*n)++] = &side->files[i];
	qsort_r(files, *n, sizeof(*files), compare_keys, &key);
	return files;
}

/* How many files from the first one on have its key. */
static size_t count_equal(struct file *const *files, size_t n, key_of key)
{
	size_t equal = 1;

	while (equal < n && !strcmp(key(files[0]), key(files[equal])))
		equal++;
	return equal;
}

static void give_name(struct file **files, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		files[i]->name = name;
		files[i]->is_paired = true;
	}
}

/* Adds @text, which it frees. */
static void add_note(struct image_pairing *pairing, char *text)
{
	if (op_strings_add(&pairing->pairs->notes, text))
		op_out_of_memory();
	free(text);
}

/* A session may have thousands of programs of a test suite, whose names have numbers. */
static bool is_small(const struct side *side, const struct file *file)
{
	uint64_t whole = pp_weight(side->profile->classes, side->profile->totals, 0);

	return op_percent(file->weight, whole) < PP_PAIR_SHARE_SAID &&
	       op_percent(file->app_weight, whole) < PP_PAIR_SHARE_SAID;
}

static void note_pair(struct image_pairing *pairing, const struct file *old, const struct file *new)
{
	if (!strcmp(old->base, new->base))
		return;
	if (is_small(&pairing->sides[PP_OLD], old) && is_small(&pairing->sides[PP_NEW], new))
		pairing->n_unsaid++;
	else
		add_note(pairing, op_format("Compared as one image: %s and %s, by their %s",
					    old->base, new->base, pairing->why));
}

static void note_unsaid(struct image_pairing *pairing)
{
	if (pairing->n_unsaid)
		add_note(pairing, op_format("Compared as one image: %zu more pairs of less than "
					    "1 %% of the samples, by their %s",
					    pairing->n_unsaid, pairing->why));
	pairing->n_unsaid = 0;
}

/* Gives both the path of the new one as a name, which no other file has. */
static void pair_files(struct file *old, struct file *new)
{
	old->name = new->name = new->full;
	old->shown = new->base;
	old->is_paired = new->is_paired = true;
}

/* Pairs all files of one key, or, if they are @similar, those that are alone with it. */
static void pair_keys(struct image_pairing *pairing, key_of key, bool similar)
{
	size_t n_old, n_new, i = 0, k = 0;
	struct file **old = unpaired_files(&pairing->sides[PP_OLD], key, &n_old);
	struct file **new = unpaired_files(&pairing->sides[PP_NEW], key, &n_new);

	while (i < n_old && k < n_new) {
		size_t olds = count_equal(old + i, n_old - i, key);
		size_t news = count_equal(new + k, n_new - k, key);
		int order = strcmp(key(old[i]), key(new[k]));

		if (!order && similar && olds == 1 && news == 1) {
			note_pair(pairing, old[i], new[k]);
			pair_files(old[i], new[k]);
		} else if (!order && !similar) {
			give_name(old + i, olds, key(old[i]));
			give_name(new + k, news, key(old[i]));
		}
		i += order <= 0 ? olds : 0;
		k += order >= 0 ? news : 0;
	}
	free(old);
	free(new);
}

/* ---- pairs that were asked for, and the largest ones ---- */

/* The file of a path or base name, or NULL. */
static struct file *named_file(const struct side *side, const char *name)
{
	struct file *found = NULL;

	for (size_t i = 0; i < side->n; i++) {
		if (!strcmp(side->files[i].full, name))
			return &side->files[i];
		if (!found && !strcmp(side->files[i].base, name))
			found = &side->files[i];
	}
	return found;
}

static int pair_named(struct image_pairing *pairing, const char *item, struct op_error *error)
{
	static const char *const which[] = {[PP_OLD] = "old", [PP_NEW] = "new"};
	const char *equals = strchr(item, '=');
	struct file *files[PP_SIDES];

	if (!equals || equals == item || !equals[1])
		return op_error_set(error, EINVAL, "--map=%s: not OLD=NEW", item);
	for (int i = PP_OLD; i < PP_SIDES; i++) {
		char *name = i == PP_NEW ? op_copy(equals + 1)
					 : op_format("%.*s", (int)(equals - item), item);

		files[i] = named_file(&pairing->sides[i], name);
		free(name);
		if (!files[i])
			return op_error_set(error, ENOENT,
					    "--map=%s: the %s profile has no such image", item,
					    which[i]);
	}
	pair_files(files[PP_OLD], files[PP_NEW]);
	return 0;
}

/* The application with the most samples that has no pair, or NULL. */
static struct file *largest_app(const struct side *side)
{
	uint64_t whole = pp_weight(side->profile->classes, side->profile->totals, 0);
	struct file *largest = NULL;

	for (size_t i = 0; i < side->n; i++) {
		struct file *file = &side->files[i];

		if (!file->is_paired && file->is_file && file->app_weight &&
		    (!largest || file->app_weight > largest->app_weight))
			largest = file;
	}
	return largest && op_percent(largest->app_weight, whole) >= PP_PAIR_SHARE_LEAST ? largest
											: NULL;
}

static void pair_largest(struct image_pairing *pairing)
{
	struct file *old = largest_app(&pairing->sides[PP_OLD]);
	struct file *new = largest_app(&pairing->sides[PP_NEW]);

	if (!old || !new)
		return;
	note_pair(pairing, old, new);
	pair_files(old, new);
}

static const char **names_of(struct side *side, const struct pp_image *images, size_t n)
{
	const char **names = op_alloc(n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = side_file(side, &images[i])->name;
	return names;
}

static void pairs_keep_files(struct pp_image_pairs *pairs, struct side *side, int of,
			     const struct pp_image *images, size_t n)
{
	struct op_names *names = &pairs->files[of].names;

	for (size_t i = 0; i < n; i++) {
		const struct file *file = side_file(side, &images[i]);
		size_t at;

		if (!file->is_file)
			continue;
		at = op_names_index(names, images[i].id->name);
		pairs->files[of].items = op_grow(pairs->files[of].items, &pairs->files[of].capacity,
						 names->n, sizeof(*pairs->files[of].items));
		pairs->files[of].items[at] = (struct pp_paired_file){file->name, file->shown};
	}
}

int pp_image_pairs_find(struct pp_image_pairs *pairs,
			const struct pp_profile *const profiles[PP_SIDES],
			struct pp_image_search *const searches[PP_SIDES],
			const struct op_strings *map, struct op_error *error)
{
	struct image_pairing pairing = {.pairs = pairs};
	int result = 0;

	memset(pairs, 0, sizeof(*pairs));
	for (int i = PP_OLD; i < PP_SIDES; i++) {
		pairing.sides[i].search = searches[i];
		side_read(&pairing.sides[i], profiles[i]);
	}
	for (size_t i = 0; i < map->count && !result; i++)
		result = pair_named(&pairing, map->item[i], error);
	if (!result) {
		pair_keys(&pairing, file_path, false);
		side_read_build_ids(&pairing.sides[PP_OLD]);
		side_read_build_ids(&pairing.sides[PP_NEW]);
		pairing.why = "build-id";
		pair_keys(&pairing, file_build_id, true);
		note_unsaid(&pairing);
		pair_keys(&pairing, file_base, false);
		pairing.why = "names without numbers";
		pair_keys(&pairing, file_stem, true);
		note_unsaid(&pairing);
		pairing.why = "number of samples; --map=OLD=NEW names others";
		pair_largest(&pairing);
	}
	for (int i = PP_OLD; i < PP_SIDES; i++) {
		const struct pp_profile *profile = profiles[i];
		struct side *side = &pairing.sides[i];

		pairs->apps[i] = names_of(side, profile->apps, profile->n_apps);
		pairs->images[i] = names_of(side, profile->images, profile->n_images);
		pairs_keep_files(pairs, side, i, profile->apps, profile->n_apps);
		pairs_keep_files(pairs, side, i, profile->images, profile->n_images);
		side_free(side);
	}
	return result;
}

const struct pp_paired_file *pp_image_pairs_file(const struct pp_image_pairs *pairs, int side,
						 const char *name)
{
	const struct op_names *names = &pairs->files[side].names;
	uint32_t i;

	op_hash_for_each_possible (&names->by_name, op_hash_text(0, name), i)
		if (!strcmp(names->names[i], name))
			return &pairs->files[side].items[i];
	return NULL;
}

void pp_image_pairs_free(struct pp_image_pairs *pairs)
{
	for (int i = PP_OLD; i < PP_SIDES; i++) {
		free(pairs->apps[i]);
		free(pairs->images[i]);
	}
	for (int i = PP_OLD; i < PP_SIDES; i++) {
		op_names_free(&pairs->files[i].names);
		free(pairs->files[i].items);
	}
	op_strings_free(&pairs->notes);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses and matches profile specifications. */
#include "spec.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/session/paths.h"
#include "pp/symbols/image_identity.h"
#include "pp/symbols/image_name.h"
#include "libop/base/memory.h"

/* The type of the list of a tag. */
enum tag_kind { TAG_TEXTS, TAG_NUMBERS, TAG_RANGES, TAG_PATH, TAG_TIME };

static const struct tag {
	const char *name;
	enum tag_kind kind;
	size_t offset; /* in struct pp_spec */
} tags[] = {
	{"archive", TAG_PATH, offsetof(struct pp_spec, archive)},
	{"session-dir", TAG_PATH, offsetof(struct pp_spec, session_dir)},
	{"session", TAG_TEXTS, offsetof(struct pp_spec, sessions)},
	{"last", TAG_TIME, offsetof(struct pp_spec, last)},
	{"session-exclude", TAG_TEXTS, offsetof(struct pp_spec, session_excludes)},
	{"image", TAG_TEXTS, offsetof(struct pp_spec, images)},
	{"image-exclude", TAG_TEXTS, offsetof(struct pp_spec, image_excludes)},
	{"lib-image", TAG_TEXTS, offsetof(struct pp_spec, lib_images)},
	{"event", TAG_TEXTS, offsetof(struct pp_spec, events)},
	{"label", TAG_TEXTS, offsetof(struct pp_spec, labels)},
	{"count", TAG_NUMBERS, offsetof(struct pp_spec, counts)},
	{"unit-mask", TAG_NUMBERS, offsetof(struct pp_spec, unit_masks)},
	{"cpu", TAG_RANGES, offsetof(struct pp_spec, cpus)},
	{"tgid", TAG_RANGES, offsetof(struct pp_spec, tgids)},
	{"tid", TAG_RANGES, offsetof(struct pp_spec, tids)},
};

#define N_TAGS OP_ARRAY_SIZE(tags)

static void texts_add(struct op_strings *texts, const char *item)
{
	if (op_strings_add(texts, item))
		op_out_of_memory();
}

/* "N" or, if @may_span, "A-B". */
static int add_range(struct pp_ranges *ranges, char *item, bool may_span)
{
	struct pp_range range = {0};
	char *dash = may_span ? strchr(item, '-') : NULL;
	int result;

	if (dash)
		*dash = '\0';
	result = op_number_parse(item, "", 0, UINT64_MAX, &range.low, NULL);
	if (dash)
		*dash = '-';
	range.high = range.low;
	if (!result && dash)
		result = op_number_parse(dash + 1, "", range.low, UINT64_MAX, &range.high, NULL);
	if (result)
		return -1;
	ranges->items = op_grow(ranges->items, &ranges->capacity, ranges->n + 1, sizeof(range));
	ranges->items[ranges->n++] = range;
	return 0;
}

static int add_item(struct pp_spec *spec, const struct tag *tag, char *item)
{
	void *member = (char *)spec + tag->offset;

	switch (tag->kind) {
	case TAG_PATH: /* no lists */
	case TAG_TIME:
		break;
	case TAG_TEXTS:
		texts_add(member, item);
		return 0;
	case TAG_NUMBERS:
	case TAG_RANGES:
		if (!strcmp(item, "all"))
			return 0;
		return add_range(member, item, tag->kind == TAG_RANGES);
	}
	return -1;
}

static int set_directory(char **member, const char *word, const char *directory,
			 struct op_error *error)
{
	if (!*directory)
		return op_error_set(error, EINVAL, "'%s': a directory must follow", word);
	if (*member)
		return op_error_set(error, EINVAL,
				    "'%s': a directory is given already: %s; opdiff compares two",
				    word, *member);
	*member = op_copy(directory);
	return 0;
}

bool pp_spec_is_session_dir(const char *word)
{
	char *path = op_format("%s/" OP_SESSION_SAMPLES, word);
	struct stat status;
	bool is = !stat(path, &status) && S_ISDIR(status.st_mode);

	free(path);
	return is;
}

static int set_time(uint64_t *seconds, const char *word, const char *text, struct op_error *error)
{
	struct op_error why;

	if (op_duration_parse(text, "time", 1, PP_LAST_MOST, seconds, &why))
		return op_error_set(error, EINVAL, "'%s': %s", word, why.text);
	return 0;
}

static int parse_list(struct pp_spec *spec, const struct tag *tag, const char *word,
		      const char *list, struct op_error *error)
{
	char *copy, *rest, *item;
	int result = 0;

	if (tag->kind == TAG_PATH)
		return set_directory((char **)((char *)spec + tag->offset), word, list, error);
	if (tag->kind == TAG_TIME)
		return set_time((uint64_t *)((char *)spec + tag->offset), word, list, error);
	rest = copy = op_copy(list);
	while (!result && (item = strsep(&rest, ",")) != NULL) {
		if (!*item)
			result = op_error_set(error, EINVAL, "'%s': empty item in the list", word);
		else if (add_item(spec, tag, item))
			result = op_error_set(error, EINVAL, "'%s': '%s' is not %s", word, item,
					      tag->kind == TAG_RANGES
						      ? "a number, a range A-B or 'all'"
						      : "a number or 'all'");
	}
	free(copy);
	return result;
}

/* "a:b" is a tag; "/x/a:b" and "a" are not. */
static const char *tag_end(const char *word)
{
	size_t n = strcspn(word, ":/");

	return word[n] == ':' ? word + n : NULL;
}

bool pp_spec_has_tag(const char *word)
{
	return tag_end(word) != NULL;
}

static int refuse_tag(const char *word, const char *colon, struct op_error *error)
{
	char *tag = op_format("%.*s", (int)(colon - word), word);
	struct op_similar similar = {.word = tag};

	for (size_t i = 0; i < N_TAGS; i++)
		op_similar_try(&similar, tags[i].name);
	op_error_set(error, EINVAL,
		     "'%s': unknown tag '%s' (a file name with ':' needs a '/' before "
		     "it)%s%s%s",
		     word, tag, similar.name ? "; did you mean " : "",
		     similar.name ? similar.name : "", similar.name ? ":?" : "");
	free(tag);
	return -1;
}

static int parse_word(struct pp_spec *spec, const char *word, struct op_error *error)
{
	const char *colon = tag_end(word);

	if (!strcmp(word, "{") || !strcmp(word, "}") || !strcmp(word, "{}"))
		return op_error_set(error, ENOTSUP, "'%s': this program does not compare profiles",
				    word);
	if (!*word)
		return op_error_set(error, EINVAL, "empty argument in the profile specification");
	if (!colon && pp_spec_is_session_dir(word))
		return set_directory(&spec->session_dir, word, word, error);
	if (!colon) {
		texts_add(&spec->names, word);
		return 0;
	}
	for (size_t i = 0; i < N_TAGS; i++)
		if (strlen(tags[i].name) == (size_t)(colon - word) &&
		    !strncmp(tags[i].name, word, colon - word))
			return parse_list(spec, &tags[i], word, colon + 1, error);
	return refuse_tag(word, colon, error);
}

/* Names of existing files are replaced by their real paths; paths in an archive are not. */
static void resolve_names(struct op_strings *names)
{
	for (size_t i = 0; i < names->count; i++) {
		char *real = realpath(names->item[i], NULL);

		if (!real)
			continue;
		free(names->item[i]);
		names->item[i] = real;
	}
}

static void make_absolute(char **directory)
{
	char *absolute = op_session_dir(*directory);

	if (!absolute)
		op_out_of_memory();
	free(*directory);
	*directory = absolute;
}

int pp_spec_add(struct pp_spec *spec, const char *tag, const char *list, struct op_error *error)
{
	char *word = op_format("%s:%s", tag, list);
	int result = parse_word(spec, word, error);

	free(word);
	return result;
}

int pp_spec_parse(struct pp_spec *spec, const char *const *words, size_t n, struct op_error *error)
{
	memset(spec, 0, sizeof(*spec));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			if (!strcmp(words[i], words[k]))
				return op_error_set(error, EINVAL, "'%s' is given twice", words[i]);
		if (parse_word(spec, words[i], error))
			return -1;
	}
	if (spec->last && (spec->sessions.count || spec->session_excludes.count))
		return op_error_set(error, EINVAL,
				    "last: selects sessions by their times: session: and "
				    "session-exclude: do not go with it");
	if (!spec->archive)
		resolve_names(&spec->names);
	if (spec->session_dir)
		make_absolute(&spec->session_dir);
	return 0;
}

void pp_spec_free(struct pp_spec *spec)
{
	for (size_t i = 0; i < N_TAGS; i++) {
		void *member = (char *)spec + tags[i].offset;

		if (tags[i].kind == TAG_TEXTS)
			op_strings_free(member);
		else if (tags[i].kind == TAG_PATH)
			free(*(char **)member);
		else if (tags[i].kind != TAG_TIME)
			free(((struct pp_ranges *)member)->items);
	}
	op_strings_free(&spec->names);
	op_strings_free(&spec->inputs);
	memset(spec, 0, sizeof(*spec));
}

bool pp_spec_is_selective(const struct pp_spec *spec)
{
	return pp_spec_is_by_image(spec) || spec->events.count || spec->labels.count ||
	       spec->counts.n || spec->unit_masks.n || spec->cpus.n || spec->tgids.n ||
	       spec->tids.n;
}

bool pp_globs_match(const struct op_strings *globs, const char *text)
{
	const char *slash = strrchr(text, '/');

	for (size_t i = 0; i < globs->count; i++) {
		const char *glob = globs->item[i];

		/* Compare literally first: a real path may contain brackets. */
		if (!strcmp(glob, text) || !fnmatch(glob, text, 0))
			return true;
		if (slash && !strchr(glob, '/') && !fnmatch(glob, slash + 1, 0))
			return true;
	}
	return false;
}

static bool kernel_name_matches(const struct op_strings *globs, const struct op_image_name *image)
{
	char *name = globs->count ? pp_image_kernel_name(image) : NULL;
	bool matches = name && pp_globs_match(globs, name);

	free(name);
	return matches;
}

/* A kernel image may be written with and without the '/' that old reports show. */
static bool image_matches(const struct op_strings *globs, const struct op_image_name *image)
{
	struct pp_image_identity identity;
	char rooted[512];

	if (pp_globs_match(globs, image->name))
		return true;
	if (kernel_name_matches(globs, image))
		return true;
	/* "/[deleted ID]/usr/bin/x" is an image of /usr/bin/x, too. */
	if (globs->count && image->kind == OP_IMAGE_FILE && !strncmp(image->name, "/[", 2)) {
		pp_image_identity_parse(&identity, image->name);
		return pp_globs_match(globs, pp_image_without_named(identity.path));
	}
	if (image->kind != OP_IMAGE_KERNEL || strlen(image->name) + 2 > sizeof(rooted))
		return false;
	rooted[0] = '/';
	strcpy(rooted + 1, image->name);
	return pp_globs_match(globs, rooted);
}

static bool range_matches(const struct pp_ranges *ranges, uint64_t value)
{
	for (size_t i = 0; i < ranges->n; i++)
		if (value >= ranges->items[i].low && value <= ranges->items[i].high)
			return true;
	return !ranges->n;
}

/* Samples that are not separated match no number: theirs is unknown. */
static bool id_matches(const struct pp_ranges *ranges, int64_t id)
{
	return id == OP_ALL ? !ranges->n : range_matches(ranges, id);
}

/* The image; of an arc, either image. */
static bool either_matches(const struct op_strings *globs, const struct op_sample_name *name)
{
	return image_matches(globs, &name->dep) ||
	       (name->is_arc && image_matches(globs, &name->callee));
}

bool pp_spec_matches_context(const struct pp_spec *spec, const struct op_sample_name *name)
{
	if (spec->events.count && !pp_globs_match(&spec->events, name->event))
		return false;
	return range_matches(&spec->counts, name->count) &&
	       range_matches(&spec->unit_masks, name->unit_mask) &&
	       id_matches(&spec->cpus, name->cpu) && id_matches(&spec->tgids, name->tgid) &&
	       id_matches(&spec->tids, name->tid);
}

bool pp_spec_is_by_image(const struct pp_spec *spec)
{
	return spec->names.count || spec->images.count || spec->image_excludes.count ||
	       spec->lib_images.count;
}

bool pp_spec_matches(const struct pp_spec *spec, const struct op_sample_name *name)
{
	if (spec->names.count && !image_matches(&spec->names, &name->app) &&
	    !either_matches(&spec->names, name))
		return false;
	if (spec->images.count && !image_matches(&spec->images, &name->app))
		return false;
	if (spec->lib_images.count && !either_matches(&spec->lib_images, name))
		return false;
	if (image_matches(&spec->image_excludes, &name->app) ||
	    either_matches(&spec->image_excludes, name))
		return false;
	return pp_spec_matches_context(spec, name);
}

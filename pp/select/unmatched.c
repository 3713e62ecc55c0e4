// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a specification that match nothing: see unmatched.h. */
#include "unmatched.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/similar.h"
#include "libop/session/temporary.h"

static bool is_glob(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

/* What a word of the specification may have been meant to be, of all that the session has. */
struct suggestion {
	struct op_similar similar;
	const char *tag;
};

static void suggestion_try(struct suggestion *best, const struct op_strings *words, const char *tag,
			   const char *name)
{
	for (size_t i = 0; i < words->count; i++) {
		struct op_similar similar = {.word = words->item[i]};

		if (is_glob(words->item[i]))
			continue;
		op_similar_try(&similar, name);
		if (!similar.name || !similar.distance ||
		    (best->similar.name && best->similar.distance <= similar.distance))
			continue;
		best->similar = similar;
		best->tag = tag;
	}
}

static void suggestion_try_image(struct suggestion *best, const struct op_strings *words,
				 const char *tag, const struct op_image_name *image)
{
	const char *slash = strrchr(image->name, '/');

	if (slash)
		suggestion_try(best, words, tag, slash + 1);
	suggestion_try(best, words, tag, image->name);
}

/* The file is of @list, and lives as long as it. */
static void suggestion_try_file(struct suggestion *best, const struct pp_spec *spec,
				const struct op_sample_name *name)
{
	suggestion_try(best, &spec->events, "event:", name->event);
	suggestion_try_image(best, &spec->images, "image:", &name->app);
	suggestion_try_image(best, &spec->lib_images, "lib-image:", &name->dep);
	suggestion_try_image(best, &spec->names, "", &name->app);
	suggestion_try_image(best, &spec->names, "", &name->dep);
}

/* Lists of the specification whose words must each be of some sample. */
static const struct word_list {
	const char *tag, *none; /* what is said of a word that is of none */
	size_t offset;		/* in struct pp_spec */
} word_lists[] = {
	{"", "no image in %s has this name", offsetof(struct pp_spec, names)},
	{"image:", "no program in %s has this name", offsetof(struct pp_spec, images)},
	{"lib-image:", "no image in %s has this name", offsetof(struct pp_spec, lib_images)},
	{"event:", "no sample in %s is of this event", offsetof(struct pp_spec, events)},
};

static const struct op_strings *words_of(const struct pp_spec *spec, const struct word_list *list)
{
	return (const struct op_strings *)((const char *)spec + list->offset);
}

static bool matches_any(const struct pp_spec *spec, const struct pp_sample_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pp_spec_matches(spec, &files[i].name))
			return true;
	return false;
}

/* Whether a sample is of a word, an item of the list. */
static bool has_samples(const struct pp_sample_list *samples, const struct word_list *list,
			char **word)
{
	struct pp_spec one = {0};

	*(struct op_strings *)((char *)&one + list->offset) = (struct op_strings){word, 1};
	return matches_any(&one, samples->files, samples->n) ||
	       matches_any(&one, samples->arcs, samples->n_arcs) ||
	       matches_any(&one, samples->stacks, samples->n_stacks);
}

/* "typo.data: no such file, and no image in DIR has this name"; the caller frees it. */
static char *say_none(const struct word_list *list, const char *word, const char *session_dir)
{
	bool is_path = !*list->tag && !is_glob(word) && access(word, F_OK);
	char *none = op_format(list->none, op_session_shown(session_dir));
	char *text = op_format("%s%.500s: %s%s", list->tag, word,
			       is_path ? "no such file, and " : "", none);

	free(none);
	return text;
}

/* The list that leaves nothing, alone; NULL: they only do together. */
static const struct word_list *find_culprit(const struct pp_sample_list *all,
					    const struct pp_spec *spec)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(word_lists); i++) {
		const struct op_strings *words = words_of(spec, &word_lists[i]);
		size_t k = 0;

		while (k < words->count && !has_samples(all, &word_lists[i], &words->item[k]))
			k++;
		if (words->count && k == words->count)
			return &word_lists[i];
	}
	return NULL;
}

/* Numbers that samples must have; all samples of a session may be without some. */
static const struct number_list {
	const char *tag, *what;
	const char *separate; /* operf's option that has it stored; NULL: it always is */
	size_t offset;	      /* in struct pp_spec */
} number_lists[] = {
	{"tgid", "process", "thread", offsetof(struct pp_spec, tgids)},
	{"tid", "thread", "thread", offsetof(struct pp_spec, tids)},
	{"cpu", "CPU", "cpu", offsetof(struct pp_spec, cpus)},
	{"count", "count", NULL, offsetof(struct pp_spec, counts)},
	{"unit-mask", "unit mask", NULL, offsetof(struct pp_spec, unit_masks)},
};

/* The numbers that leave nothing, alone; NULL: they only do together. */
static const struct number_list *find_number(const struct pp_sample_list *all,
					     const struct pp_spec *spec)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(number_lists); i++) {
		size_t at = number_lists[i].offset;
		struct pp_spec one = {0};

		*(struct pp_ranges *)((char *)&one + at) =
			*(const struct pp_ranges *)((const char *)spec + at);
		if (!matches_any(&one, all->files, all->n))
			return &number_lists[i];
	}
	return NULL;
}

/* Whether some sample has the number. */
static bool is_separated(const struct pp_sample_list *all, const struct number_list *number)
{
	struct pp_range any = {0, UINT64_MAX};
	struct pp_spec one = {0};

	*(struct pp_ranges *)((char *)&one + number->offset) =
		(struct pp_ranges){.items = &any, .n = 1};
	return matches_any(&one, all->files, all->n);
}

/* The caller frees it. */
static char *say_together(const struct pp_sample_list *all, const struct pp_spec *spec,
			  size_t n_files, const char *session_dir)
{
	const struct number_list *number = all->n ? find_number(all, spec) : NULL;

	if (number && number->separate && !is_separated(all, number))
		return op_format("%s: samples in %s are not told apart by %s: operf --separate-%s "
				 "does that",
				 number->tag, op_session_shown(session_dir), number->what,
				 number->separate);
	if (number)
		return op_format("%s: no sample in %s is of this %s", number->tag,
				 op_session_shown(session_dir), number->what);
	return op_format("none of the %zu sample files in %s matches the profile specification",
			 n_files, op_session_shown(session_dir));
}

/* Of a list alone. */
static struct suggestion find_suggestion(const struct pp_sample_list *all,
					 const struct pp_spec *spec, const struct word_list *list)
{
	struct suggestion best = {0};
	struct pp_spec one = {0};

	*(struct op_strings *)((char *)&one + list->offset) = *words_of(spec, list);
	for (size_t i = 0; i < all->n; i++)
		suggestion_try_file(&best, &one, &all->files[i].name);
	return best;
}

int pp_refuse_unmatched(const struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, struct op_error *error)
{
	const struct pp_spec whole = {.archive = spec->archive,
				      .trust = spec->trust,
				      .sessions = spec->sessions,
				      .session_excludes = spec->session_excludes};
	struct op_warnings silent = {.silent = true};
	const struct word_list *culprit = NULL;
	struct pp_sample_list all = {0};
	struct suggestion best = {0};
	struct op_error ignored;
	char *text;

	if (!pp_sample_list_find(&all, session_dir, &whole, false, &silent, &ignored))
		culprit = find_culprit(&all, spec);
	if (culprit) {
		best = find_suggestion(&all, spec, culprit);
		text = say_none(culprit, words_of(spec, culprit)->item[0], session_dir);
	} else {
		text = say_together(&all, spec, list->n_passed_over, session_dir);
	}
	op_error_set(error, PP_NO_MATCH, "%s" OP_SIMILAR_FORMAT, text,
		     OP_SIMILAR_ARGUMENTS(best.similar, best.tag));
	free(text);
	pp_sample_list_free(&all);
	return -1;
}

void pp_warn_of_unmatched(const struct pp_sample_list *list, const char *session_dir,
			  const struct pp_spec *spec)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(word_lists); i++) {
		const struct op_strings *words = words_of(spec, &word_lists[i]);

		for (size_t k = 0; words->count > 1 && k < words->count; k++) {
			char *text;

			if (has_samples(list, &word_lists[i], &words->item[k]))
				continue;
			text = say_none(&word_lists[i], words->item[k], session_dir);
			op_warn("%s", text);
			free(text);
		}
	}
}

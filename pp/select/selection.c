// SPDX-License-Identifier: GPL-2.0-or-later
/* Selects sample files. */
#include "selection.h"

#include <errno.h>
#include <string.h>

#include "libop/base/similar.h"
#include "libop/session/temporary.h"
#include "multiplexing.h"
#include "weights.h"

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

/* Looks at the sample files once more, now at all of them. */
static int refuse_spec(const struct pp_sample_list *list, const char *session_dir,
		       const struct pp_spec *spec, struct op_error *error)
{
	const struct pp_spec whole = {.archive = spec->archive,
				      .trust = spec->trust,
				      .sessions = spec->sessions,
				      .session_excludes = spec->session_excludes};
	struct op_warnings silent = {.silent = true};
	struct pp_sample_list all = {0};
	struct suggestion best = {0};
	struct op_error ignored;

	if (!pp_sample_list_find(&all, session_dir, &whole, false, &silent, &ignored))
		for (size_t i = 0; i < all.n; i++)
			suggestion_try_file(&best, spec, &all.files[i].name);
	op_error_set(error, ENOENT,
		     "none of the %zu sample files in %s matches the profile "
		     "specification" OP_SIMILAR_FORMAT,
		     list->n_passed_over, op_session_shown(session_dir),
		     OP_SIMILAR_ARGUMENTS(best.similar, best.tag));
	pp_sample_list_free(&all);
	return -1;
}

int pp_select_files(struct pp_sample_list *list, const char *session_dir,
		    const struct pp_spec *spec, bool exclude_dependent,
		    struct op_warnings *warnings, struct op_error *error)
{
	if (pp_sample_list_find(list, session_dir, spec, exclude_dependent, warnings, error))
		return -1;
	if (list->n)
		return 0;
	if (list->n_bad)
		return op_error_set(error, EINVAL, "none of the sample files could be read");
	if (list->n_passed_over)
		return refuse_spec(list, session_dir, spec, error);
	list->is_empty = true;
	return op_error_set(error, ENOENT, "no sample files in %s",
			    op_session_shown(session_dir));
}

int pp_select(struct pp_sample_list *list, struct pp_classes *classes, const char *session_dir,
	      const struct pp_spec *spec, const struct pp_merge *merge, bool exclude_dependent,
	      struct op_warnings *warnings, struct op_error *error)
{
	/* Names become columns, so only the names of valid files are used. */
	list->want_counts = list->want_weights = true;
	if (pp_select_files(list, session_dir, spec, exclude_dependent, warnings, error))
		return -1;
	if (pp_classes_make(classes, list, merge, error))
		return -1;
	pp_weights_find(list, classes);
	pp_weight_units_find(list);
	pp_scales_find(list, classes);
	return 0;
}

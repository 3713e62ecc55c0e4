// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples of a profile become a session: see session.h. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/formats/model/labels.h"
#include "session.h"

/* Whether a value is one of those that are wanted of the label that @name begins with. */
static bool is_value_wanted(const struct prof *prof, const struct prof_label *label,
			    const struct op_strings *wanted, const char *name)
{
	char *text = prof_label_text(prof, label);
	size_t n = strcspn(name, "=") + 1;
	bool is = false;

	for (size_t i = 0; !is && i < wanted->count; i++)
		is = !strncmp(wanted->item[i], name, n) && !fnmatch(wanted->item[i] + n, text, 0);
	free(text);
	return is;
}

/* Whether the label that @name begins with has one of the values that are wanted of it. */
static bool is_label_wanted(const struct prof *prof, const struct prof_context *context,
			    const struct op_strings *wanted, const char *name)
{
	size_t n = strcspn(name, "=") + 1;
	char *bare = op_format("%.*s", (int)n - 1, name);
	const struct prof_label *label = NULL;
	bool is = false;

	while (!is && (label = prof_context_label(prof, context, bare, label)))
		is = is_value_wanted(prof, label, wanted, name);
	free(bare);
	return is;
}

static bool has_value(const struct prof *prof, const struct prof_context *context, const char *name,
		      const char *value)
{
	const struct prof_label *label = NULL;
	bool has = false;

	while (!has && (label = prof_context_label(prof, context, name, label))) {
		char *text = prof_label_text(prof, label);

		has = !strcmp(text, value);
		free(text);
	}
	return has;
}

static bool is_context_selected(const struct prof *prof, const struct prof_context *context,
				const struct session_selection *selection)
{
	for (size_t i = 0; selection->wanted && i < selection->wanted->count; i++)
		if (!is_label_wanted(prof, context, selection->wanted, selection->wanted->item[i]))
			return false;
	if (!selection->label)
		return true;
	if (!selection->value)
		return !prof_context_label(prof, context, selection->label, NULL);
	return has_value(prof, context, selection->label, selection->value);
}

bool *session_selected_contexts(const struct prof *prof, const struct session_selection *selection)
{
	bool *contexts = op_alloc(prof->n_contexts, sizeof(*contexts));

	for (size_t i = 0; i < prof->n_contexts; i++)
		contexts[i] = is_context_selected(prof, &prof->contexts[i], selection);
	return contexts;
}

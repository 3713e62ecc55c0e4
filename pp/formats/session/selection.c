// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples of a profile become a session: see session.h. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "pp/formats/model/labels.h"
#include "session.h"

/* Whether the label that @name begins with is as one of those that are wanted of it. */
static bool is_label_wanted(const struct prof *prof, const struct prof_context *context,
			    const struct op_strings *wanted, const char *name)
{
	size_t n = strcspn(name, "=") + 1;
	char *bare = op_format("%.*s", (int)n - 1, name);
	const struct prof_label *label = prof_context_label(prof, context, bare);
	char *text = label ? prof_label_text(prof, label) : NULL;
	bool is = false;

	for (size_t i = 0; text && !is && i < wanted->count; i++)
		is = !strncmp(wanted->item[i], name, n) && !fnmatch(wanted->item[i] + n, text, 0);
	free(text);
	free(bare);
	return is;
}

static bool is_context_selected(const struct prof *prof, const struct prof_context *context,
				const struct session_selection *selection)
{
	const struct prof_label *label;
	char *text;
	bool is;

	for (size_t i = 0; selection->wanted && i < selection->wanted->count; i++)
		if (!is_label_wanted(prof, context, selection->wanted, selection->wanted->item[i]))
			return false;
	if (!selection->label)
		return true;
	label = prof_context_label(prof, context, selection->label);
	if (!label || !selection->value)
		return !label && !selection->value;
	text = prof_label_text(prof, label);
	is = !strcmp(text, selection->value);
	free(text);
	return is;
}

bool *session_selected_contexts(const struct prof *prof, const struct session_selection *selection)
{
	bool *contexts = op_alloc(prof->n_contexts, sizeof(*contexts));

	for (size_t i = 0; i < prof->n_contexts; i++)
		contexts[i] = is_context_selected(prof, &prof->contexts[i], selection);
	return contexts;
}

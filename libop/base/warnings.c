// SPDX-License-Identifier: GPL-2.0-or-later
/* Warnings with counts. */
#include "libop/base/warnings.h"

#include <stdarg.h>
#include <stdio.h>

#include "libop/base/error.h"

/* Of each kind so many are told one by one. */
#define TOLD 3

static const char *const kind_words[PP_TROUBLES] = {
	[PP_BAD_NAME] = "files whose names are not those of sample files were skipped",
	[PP_BAD_FILE] = "sample files were skipped",
	[PP_BAD_DIRECTORY] = "directories were skipped",
	[PP_NO_IMAGE] = "images have no symbols because they could not be read",
	[PP_BAD_IMAGE] = "images have no symbols because they are damaged",
	[PP_OLD_IMAGE] = "images were changed after they were profiled",
	[PP_NO_SYMBOLS] = "kernel images have no symbols",
	[PP_BAD_KALLSYMS] = "sessions have kernel symbols that could not be read",
	[PP_NO_SOURCE] = "source files could not be read",
};

void pp_trouble_add(struct pp_trouble *trouble, enum pp_trouble_kind kind, const char *format, ...)
{
	char text[2048];
	va_list args;

	if (trouble->n[kind]++ >= TOLD && !trouble->verbose)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	op_warn("%s", text);
}

void pp_trouble_sum_up(const struct pp_trouble *trouble)
{
	for (int kind = 0; kind < PP_TROUBLES; kind++)
		if (trouble->n[kind] > TOLD && !trouble->verbose)
			op_warn("%lu %s (%lu not shown; --verbose=all shows them)",
				trouble->n[kind], kind_words[kind], trouble->n[kind] - TOLD);
}

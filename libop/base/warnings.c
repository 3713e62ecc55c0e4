// SPDX-License-Identifier: GPL-2.0-or-later
/* Warnings with counts. */
#include "warnings.h"

#include <stdarg.h>
#include <stdio.h>

#include "error.h"

/* Warnings of a kind that are printed; further ones are only counted. */
#define SHOWN_MAX 3

static const char *const kind_texts[OP_WARNING_KINDS] = {
	[OP_BAD_NAME] = "files whose names are not those of sample files were skipped",
	[OP_BAD_FILE] = "sample files were skipped",
	[OP_BAD_DIRECTORY] = "directories were skipped",
	[OP_NO_IMAGE] = "images have no symbols because they could not be read",
	[OP_BAD_IMAGE] = "images have no symbols because they are damaged",
	[OP_OLD_IMAGE] = "images were changed after they were profiled",
	[OP_NO_SYMBOLS] = "kernel images have no symbols",
	[OP_BAD_KALLSYMS] = "sessions have kernel symbols that could not be read",
	[OP_NO_SOURCE] = "source files could not be read",
	[OP_NO_LINES] = "files have no lines because their debug information could not be read",
};

void op_warnings_add(struct op_warnings *warnings, enum op_warning_kind kind, const char *format,
		     ...)
{
	char text[2048];
	va_list args;

	if (warnings->silent || (warnings->n[kind]++ >= SHOWN_MAX && !warnings->verbose))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	op_warn("%s", text);
}

void op_warnings_summarize(const struct op_warnings *warnings)
{
	for (int kind = 0; kind < OP_WARNING_KINDS; kind++)
		if (warnings->n[kind] > SHOWN_MAX && !warnings->verbose)
			op_warn("%lu %s (%lu not shown; --verbose=all shows them)",
				warnings->n[kind], kind_texts[kind], warnings->n[kind] - SHOWN_MAX);
}

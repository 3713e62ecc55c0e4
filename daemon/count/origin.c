// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the samples of a session came from: see origin.h.
 */
#include "origin.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/session/paths.h"
#include "libop/session/log.h"

/* Each daemon adds some hundred bytes. */
#define NOTES_MOST (1 << 20)

void origin_save(const char *dir, const struct source *source, const char *events)
{
	struct op_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	char *path = op_path("%s/" OP_SAMPLES_SOURCE, dir);
	char *before = path ? foreign_read(path, NOTES_MOST, NULL, NULL) : NULL;
	char *note = op_path("source %s\ncpu-type %s\nevents %s\n",
			     source->name ? source->name : "unknown", source->cpu_type, events);
	char *text = note ? op_path("%s%s", before ? before : "", note) : NULL;

	/* as a whole: the same source may have been used with other events */
	if (!text || !path ||
	    ((!before || !strstr(before, note)) &&
	     op_file_replace(path, text, strlen(text), OP_SESSION_FILE_MODE, &error)))
		log_line("cannot write the source of the samples to the session: %s", error.text);
	free(text);
	free(note);
	free(before);
	free(path);
}

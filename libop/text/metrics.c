// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics in the text format of Prometheus: see metrics.h. */
#include "metrics.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/utf8.h"
#include "libop/foreign/output.h"

#define READABLE_MODE 0644

void op_metric_begin(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_label_value(FILE *out, const char *text)
{
	size_t left = strlen(text), n;
	uint32_t code;

	for (; left; left -= n, text += n) {
		n = op_utf8_character(text, left, &code);
		if (!n) {
			fputs(OP_UTF8_REPLACEMENT, out);
			n = 1;
		} else if (*text == '\n') {
			fputs("\\n", out);
		} else if (*text == '"' || *text == '\\') {
			fprintf(out, "\\%c", *text);
		} else {
			fwrite(text, 1, n, out);
		}
	}
}

void op_metric_put(FILE *out, const char *name, const char *label, const char *value,
		   const char *format, ...)
{
	va_list arguments;

	fputs(name, out);
	if (label) {
		fprintf(out, "{%s=\"", label);
		put_label_value(out, value);
		fputs("\"}", out);
	}
	fputc(' ', out);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fputc('\n', out);
}

/* ---- the file ---- */

static int write_fresh(const struct foreign_place *place, const char *text, size_t length,
		       struct op_error *error)
{
	char *fresh;
	int fd = foreign_place_fresh(place, &fresh, error), result;

	if (fd < 0)
		return -1;
	/* in a directory of another user it belongs to that one, who reads it */
	if (op_file_write_all(fd, text, length) || (fchmod(fd, READABLE_MODE) && !place->is_others))
		result = op_error_errno(error, "cannot write %s", place->path);
	else
		result = foreign_place_replace(place, fresh, error);
	close(fd);
	if (result)
		foreign_place_remove(place, fresh);
	free(fresh);
	return result;
}

int op_metrics_write(const char *path, const char *text, size_t length, struct op_error *error)
{
	struct foreign_place place;
	int result = foreign_place_find(&place, path, FOREIGN_PARENTS_FIND, FOREIGN_REPLACE, error);

	if (!result)
		result = write_fresh(&place, text, length, error);
	foreign_place_leave(&place);
	return result;
}

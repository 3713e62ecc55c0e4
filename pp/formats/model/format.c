// SPDX-License-Identifier: GPL-2.0-or-later
/* Profile formats: see format.h. */
#include "format.h"

#include <errno.h>
#include <string.h>

const struct format *const formats[] = {
	&format_callgrind, &format_cpuprofile, &format_dcpi,  &format_firefox,
	&format_folded,	   &format_perf,       &format_pprof, &format_sample_file,
	&format_session,   &format_speedscope, NULL,
};

const struct format *format_named(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct format *format_of(struct input *input, struct op_error *error)
{
	const struct format *best = NULL;
	const uint8_t *bytes = NULL;
	ptrdiff_t n = 0;
	int most = 0, sure;

	if (!input_is_directory(input)) {
		n = input_peek(input, FORMAT_PROBE_BYTES, &bytes, error);
		if (n < 0)
			return NULL;
		if (!n) {
			op_error_set(error, ENODATA, "%s: the file is empty", input_name(input));
			return NULL;
		}
	}
	for (size_t i = 0; formats[i]; i++) {
		const struct format *format = formats[i];

		sure = 0;
		if (input_is_directory(input) && format->probe_directory)
			sure = format->probe_directory(input_path(input));
		else if (!input_is_directory(input) && format->probe)
			sure = format->probe(bytes, (size_t)n);
		if (sure > most) {
			most = sure;
			best = format;
		}
	}
	if (!best)
		op_error_set(error, EINVAL, "%s: unknown format", input_name(input));
	return best;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU profiles that are made: see cpuprofile_fixture.h. */
#include "cpuprofile_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

const struct layout layouts[LAYOUTS] = {{4, 0}, {4, 1}, {8, 0}, {8, 1}};

void put_slots(struct made *file, const struct layout *layout, const uint64_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		made_number(file, slots[i], layout->slot, layout->big_endian);
}

void put_header(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 0, 3, 0, 10000, 0);
}

void put_trailer(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 0, 1, 0);
}

void put_records(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 2, 2, 0x400010, 0x400021);
	PUT(file, layout, 3, 3, 0x70000100, 0x400031, 0x400041);
	PUT(file, layout, 1, 1, 0x400010);
}

/* Order of lines is prof_next()'s: it is not what is tested here. */
static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *sorted(const char *text)
{
	char *copy = pp_copy(text), *lines[1024], *save = NULL;
	struct description to = {0};
	size_t n = 0;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(n < 1024);
		lines[n++] = line;
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	description_add(&to, "%s", "");
	for (size_t i = 0; i < n; i++)
		description_add(&to, "%s\n", lines[i]);
	free(copy);
	return to.text;
}

void assert_same_lines(const char *text, const char *wanted)
{
	char *a = sorted(text), *b = sorted(wanted);

	assert_string_equal(a, b);
	free(a);
	free(b);
}

void check_samples(struct prof *prof, const char *wanted)
{
	char *samples = describe_samples(prof);

	assert_same_lines(samples, wanted);
	free(samples);
	prof_free(prof);
}

void check_file(struct made *file, const char *wanted)
{
	struct op_error error;
	struct prof *prof;

	assert_true(format_cpuprofile.probe(file->bytes, file->n < 4096 ? file->n : 4096) > 0);
	prof = read_bytes(&format_cpuprofile, file->bytes, file->n, &error);
	assert_string_equal(error.text, "");
	check_samples(prof, wanted);
	free(file->bytes);
}

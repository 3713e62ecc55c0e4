// SPDX-License-Identifier: GPL-2.0-or-later
/* Real CPU profiles of gperftools, Go and Java give what pprof makes of them. */
#include "tests/unit/test.h"

#include "describe.h"
#include "libop/base/memory.h"

struct oracle {
	char *locations[512], *mappings[64];
};

static void read_location(struct oracle *oracle, const char *line)
{
	unsigned long id, mapping = 0;
	char address[32], rest[512] = "", *end;

	if (sscanf(line, " %lu: 0x%31[0-9a-f] %511[^\n]", &id, address, rest) < 2 || id >= 512)
		return;
	if (sscanf(rest, "M=%lu", &mapping) == 1 && mapping < 64) {
		oracle->locations[id] = op_format(
			"%s 0x%s", oracle->mappings[mapping] ? oracle->mappings[mapping] : "",
			address);
		return;
	}
	end = strstr(rest, ":0 s=0"); /* of Java: "NAME FILE:LINE:0 s=0" */
	if (end)
		*end = '\0';
	end = strstr(rest, " :0"); /* and without a file */
	if (end)
		*end = '\0';
	end = rest + strlen(rest);
	if (end - rest > 2 && !strcmp(end - 2, ":0"))
		end[-2] = '\0';
	oracle->locations[id] = op_copy(rest);
}

static void read_mapping(struct oracle *oracle, const char *line)
{
	unsigned long id;
	char path[512] = "";

	if (sscanf(line, "%lu: 0x%*x/0x%*x/0x%*x %511[^ \n]", &id, path) >= 1 && id < 64)
		oracle->mappings[id] = op_copy(path);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a text in order; the caller frees them. */
static char *sorted(const char *text)
{
	char *copy = op_copy(text), *lines[1024], *save = NULL;
	struct description to = {0};
	size_t n = 0;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(n < 1024);
		lines[n++] = line;
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < n; i++)
		description_add(&to, "%s\n", lines[i]);
	free(copy);
	return to.text;
}

/* Adds up lines "COUNT STACK" of one stack, in order. */
static char *add_up(char *text)
{
	char *order = sorted(text), *save = NULL, *last = NULL;
	struct description to = {0};
	unsigned long sum = 0;

	description_add(&to, "%s", "");
	for (char *line = strtok_r(order, "\n", &save);; line = strtok_r(NULL, "\n", &save)) {
		char *count = line ? strchr(line, '\t') : NULL;

		if (count)
			*count++ = '\0';
		if (last && (!line || strcmp(line, last) != 0)) {
			if (sum)
				description_add(&to, "%s %lu\n", last, sum);
			sum = 0;
		}
		if (!line)
			break;
		last = line;
		sum += strtoul(count, NULL, 10);
	}
	free(order);
	free(text);
	return to.text;
}

static char *oracle_samples(const char *path, uint64_t *period)
{
	struct oracle oracle = {0};
	struct description to = {0};
	char *text = NULL, *line, *save = NULL, *copy, *part;
	struct op_error error;
	struct input *input = input_open(path, &error);
	size_t n;

	text = (char *)input_rest(input, 1 << 20, &n, &error);
	input_close(input);
	for (int pass = 0; pass < 3; pass++) {
		copy = op_copy(text);
		part = NULL;
		for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			unsigned long count;
			int at = 0;

			sscanf(line, "Period: %" SCNu64, period);
			if (strchr("SLM", *line))
				part = line;
			else if (pass == 0 && part && *part == 'M')
				read_mapping(&oracle, line);
			else if (pass == 1 && part && *part == 'L')
				read_location(&oracle, line);
			if (pass < 2 || !part || *part != 'S' ||
			    sscanf(line, " %lu %*u: %n", &count, &at) != 1 || !at)
				continue;
			for (char *id = line + at, *end; (n = strtoul(id, &end, 10)); id = end)
				description_add(&to, "%s;", oracle.locations[n]);
			description_add(&to, "\t%lu\n", count);
		}
		free(copy);
	}
	for (size_t i = 0; i < 512; i++)
		free(oracle.locations[i]);
	for (size_t i = 0; i < 64; i++)
		free(oracle.mappings[i]);
	free(text);
	return add_up(to.text);
}

static void add_place(struct description *to, const struct prof *prof,
		      const struct prof_frame *place)
{
	const struct prof_image *image = &prof->images[place->image];
	const struct prof_line *lines;

	if (prof_lines(prof, place, &lines)) {
		description_add(to, "%s", lines->function);
		if (lines->file)
			description_add(to, " %s", lines->file);
		if (lines->line)
			description_add(to, ":%" PRId64, lines->line);
		description_add(to, ";");
		return;
	}
	description_add(to, "%s 0x%" PRIx64 ";", place->image ? image->path : "",
			prof_address(prof, place));
}

static char *our_samples(const struct prof *prof)
{
	struct description to = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(prof, &cursor, &sample)) {
		for (size_t i = 0; i < sample.depth; i++) {
			const struct prof_frame place = {sample.frames[i].image,
							 prof_lookup_offset(prof, &sample, i)};

			add_place(&to, prof, &place);
		}
		description_add(&to, "\t%" PRIu64 "\n", sample.values[0].count);
	}
	prof_cursor_free(&cursor);
	return add_up(to.text);
}

TEST(real_profiles_are_read_as_pprof_does)
{
	static const char *const names[] = {"cppbench.cpu", "go.crc32.cpu", "java.cpu"};
	const char *folder = corpora();

	if (!folder)
		skip();
	for (size_t i = 0; i < 3; i++) {
		char *path =
			op_format("%s/cpuprofile/pprof__profile+testdata+%s", folder, names[i]);
		char *oracle = op_format("%s.string", path), *wanted, *samples;
		struct op_error error;
		struct prof *prof = read_path(&format_cpuprofile, path, &error);
		uint64_t period = 0;

		assert_string_equal(error.text, "");
		wanted = oracle_samples(oracle, &period);
		samples = our_samples(prof);
		assert_true(strlen(wanted) > 100);
		assert_string_equal(samples, wanted);
		assert_int_equal(prof->events[0].period, period);
		prof_free(prof);
		free(samples);
		free(wanted);
		free(oracle);
		free(path);
	}
}

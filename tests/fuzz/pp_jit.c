// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a map of JIT code, in both forms: what is read is in order and does not overlap.
 * See driver.h.
 */
#include "driver.h"
#include "pp/symbols/jit.h"

const unsigned int fuzz_iterations = 20000;

/* Head, two lines of a function, that function, one that is moved, the end. */
static const uint8_t dump[] =
	"\x44\x54\x69\x4a\1\0\0\0\50\0\0\0\76\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\2\0\0\0\104\0\0\0\0\0\0\0\0\0\0\0\0\20\0\0\0\0\0\0\2\0\0\0\0\0\0\0"
	"\0\20\0\0\0\0\0\0\7\0\0\0\0\0\0\0a\0\40\20\0\0\0\0\0\0\10\0\0\0\0\0\0\0b\0"
	"\0\0\0\0\76\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0\20\0\0\0\0\0\0\0\20\0\0\0\0\0\0"
	"\100\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0first\0"
	"\1\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0\40\0\0\0\0\0\0\0\20\0\0\0\0\0\0"
	"\0\40\0\0\0\0\0\0\100\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
	"\3\0\0\0\20\0\0\0\0\0\0\0\0\0\0";
static const char map[] = "1000 40 first\n2000 100 with blanks in it\n2080 10 inside\n10 ff f\n";

const struct fuzz_seed fuzz_seeds[] = {
	{dump, sizeof(dump)},
	{map, sizeof(map) - 1},
	{NULL, 0},
};

static char dir[] = "/tmp/op-fuzz-jit-XXXXXX";

static void remove_dir(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		perror(dir);
}

static void check(const struct pp_jit *jit)
{
	struct pp_symbols symbols = {0};
	uint64_t last = 0;

	for (size_t i = 0; i < jit->n; i++) {
		fuzz_must(jit->symbols[i].start >= last, "functions do not overlap");
		fuzz_must(jit->symbols[i].start < jit->symbols[i].end, "functions have a size");
		fuzz_must(strlen(jit->symbols[i].name) < 1 << 20, "names end");
		last = jit->symbols[i].end;
	}
	last = 0;
	for (size_t i = 0; i < jit->n_lines; i++) {
		fuzz_must(jit->lines[i].link >= last, "lines are in order");
		fuzz_must(!jit->lines[i].file || strlen(jit->lines[i].file) < 1 << 20, "files end");
		last = jit->lines[i].link;
	}
	pp_jit_symbols(jit, 0x800, 0x3000, &symbols);
	pp_jit_lines(jit, 0x800, 0x3000, &symbols);
	for (size_t i = 0; i < symbols.n; i++)
		fuzz_must(symbols.items[i].end <= 0x3000 - 0x800, "symbols are in the mapping");
	free(symbols.lines);
	free(symbols.items);
}

static void read_as(const uint8_t *data, size_t size, char *(*name)(const char *, uint32_t))
{
	char *path = name(dir, 1);
	FILE *file = fopen(path, "w");
	struct op_error error;
	struct pp_jit jit;

	fuzz_must(file && fwrite(data, 1, size, file) == size && !fclose(file),
		  "a file is written");
	if (pp_jit_read(&jit, dir, 1, &(struct op_process_list){0}, &error) == PP_JIT_REFUSED)
		fuzz_must(*error.text, "an error has a text");
	check(&jit);
	pp_jit_free(&jit);
	unlink(path);
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int made;

	if (!made) {
		fuzz_must(mkdtemp(dir) != NULL, "there is a directory");
		atexit(remove_dir);
		made = 1;
	}
	read_as(data, size, pp_jit_map_path);
	read_as(data, size, pp_jit_dump_path);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols that a process apart reads, and what becomes of them if it is taken over. */
#include <signal.h>

#include "pp/symbols/symbols_apart.h"
#include "pp/symbols/symbols_cache.h"
#include "tests/unit/test.h"

static struct pp_symbol items[] = {{.start = 16, .end = 32, .vma = 0x1010, .name = "first"},
				   {.start = 32, .end = 48, .vma = 0x1020, .name = "second"}};
static struct pp_code code[] = {{.start = 16, .end = 64, .vma = 0x1010, .name = ".text"}};
static struct pp_alias aliases[] = {{.start = 32, .name = "alias"}};

static struct pp_symbols some(void)
{
	return (struct pp_symbols){.items = items,
				   .n = 2,
				   .code = code,
				   .n_code = 1,
				   .aliases = aliases,
				   .n_aliases = 1};
}

/* Whatever bytes say, what is taken from them is in order, and its names end. */
static void check_order(const struct pp_symbols *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		assert_true(symbols->items[i].start <= symbols->items[i].end);
		assert_true(!i || symbols->items[i - 1].start <= symbols->items[i].start);
		assert_uint_in_range(strlen(symbols->items[i].name), 0, 1 << 20);
	}
	for (size_t i = 0; i < symbols->n_code; i++)
		assert_true(symbols->code[i].start <= symbols->code[i].end);
}

TEST(each_wrong_byte_of_an_answer_is_survived)
{
	const struct pp_symbols from = some();
	size_t length, taken = 0;
	uint8_t *bytes = pp_symbols_pack(&from, &length);

	assert_non_null(bytes);
	for (size_t i = 0; i < 3 * length; i++) {
		static const uint8_t changes[] = {0xff, 0x80, 0x01};
		struct pp_symbols symbols = {0};
		uint8_t *copy = malloc(length);

		assert_non_null(copy);
		memcpy(copy, bytes, length);
		copy[i / 3] ^= changes[i % 3];
		if (pp_symbols_unpack(&symbols, copy, length)) {
			check_order(&symbols);
			taken++;
			pp_symbols_free(&symbols);
		}
	}
	/* wrong addresses are as good as any */
	assert_uint_in_range(taken, 1, 3 * length - 1);
	free(bytes);
}

TEST(an_answer_that_is_cut_is_refused)
{
	const struct pp_symbols from = some();
	size_t length;
	uint8_t *bytes = pp_symbols_pack(&from, &length);

	for (size_t n = 0; n < length; n++) {
		struct pp_symbols symbols = {0};
		uint8_t *copy = malloc(n ? n : 1);

		assert_non_null(copy);
		memcpy(copy, bytes, n);
		assert_false(pp_symbols_unpack(&symbols, copy, n));
	}
	free(bytes);
}

/* ---- the process ---- */

static bool may_confine(void)
{
	return !geteuid();
}

TEST_NEEDS(may_confine, "only root has files of others read apart")

static char path[] = "/tmp/pp-apart-XXXXXX";

TEST_HOOK(make_file)
{
	int fd = mkstemp(path);

	if (fd < 0 || fchown(fd, 54321, 54321))
		return 1;
	return close(fd);
}

TEST_HOOK(remove_file)
{
	int result = unlink(path);

	strcpy(path + strlen(path) - 6, "XXXXXX");
	return result;
}

static volatile int *volatile nowhere;

static enum pp_symbols_status crash(struct pp_symbols *symbols, const char *name, const char *root,
				    bool want_lines, const struct pp_kernel_place *place,
				    struct op_error *error)
{
	(void)symbols;
	(void)name;
	(void)root;
	(void)want_lines;
	(void)place;
	(void)error;
	return (enum pp_symbols_status) * nowhere;
}

static void *copy_of(const void *array, size_t size)
{
	void *copy = malloc(size);

	return copy ? memcpy(copy, array, size) : NULL;
}

static enum pp_symbols_status find(struct pp_symbols *symbols, const char *name, const char *root,
				   bool want_lines, const struct pp_kernel_place *place,
				   struct op_error *error)
{
	*symbols = some();
	symbols->items = copy_of(items, sizeof(items));
	symbols->code = copy_of(code, sizeof(code));
	symbols->aliases = copy_of(aliases, sizeof(aliases));
	symbols->debug_path = strdup("/usr/lib/debug/x");
	return want_lines && !strcmp(name, path) && !*root && !place
		       ? PP_SYMBOLS_OK
		       : (op_error_set(error, 1, "wrong arguments"), PP_SYMBOLS_DAMAGED);
}

/* Return: whether the file takes a process of its own. */
static bool read_apart(struct pp_symbols *symbols, pp_symbols_reader *read, bool want_lines,
		       enum pp_symbols_status *status, struct op_error *error)
{
	const struct pp_symbols_request request = {path, "", want_lines, NULL, read};

	return pp_symbols_read_apart(symbols, &request, status, error);
}

TEST_WITH(a_reader_that_dies_costs_the_names_of_its_file_only, make_file, remove_file)
{
	struct pp_symbols symbols = {0};
	enum pp_symbols_status status;
	struct op_error error = {0};

	assert_true(read_apart(&symbols, crash, false, &status, &error));
	assert_int_equal(status, PP_SYMBOLS_DAMAGED);
	assert_int_equal(symbols.n, 0);
	assert_memory_equal(error.text, "reading it failed", 17);
	pp_symbols_free(&symbols);
}

TEST_WITH(what_it_reads_arrives, make_file, remove_file)
{
	struct pp_symbols symbols = {0};
	enum pp_symbols_status status;
	struct op_error error = {0};

	assert_true(read_apart(&symbols, find, true, &status, &error));
	assert_int_equal(status, PP_SYMBOLS_OK);
	assert_int_equal(symbols.n, 2);
	assert_string_equal(symbols.items[1].name, "second");
	assert_string_equal(symbols.aliases[0].name, "alias");
	assert_string_equal(symbols.code[0].name, ".text");
	assert_string_equal(symbols.debug_path, "/usr/lib/debug/x");
	pp_symbols_free(&symbols);
	symbols = (struct pp_symbols){0};
	assert_true(read_apart(&symbols, find, false, &status, &error));
	assert_int_equal(status, PP_SYMBOLS_DAMAGED);
	assert_string_equal(error.text, "wrong arguments");
	pp_symbols_free(&symbols);
}

TEST_WITH(files_of_root_are_read_here, make_file, remove_file)
{
	struct pp_symbols symbols = {0};
	enum pp_symbols_status status;
	struct op_error error = {0};

	assert_int_equal(chown(path, 0, 0), 0);
	assert_false(read_apart(&symbols, crash, false, &status, &error));
}

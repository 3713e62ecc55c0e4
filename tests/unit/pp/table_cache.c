// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables on the disk: what was kept comes back, or nothing does; and tables of debug information
 * say the same from there.
 *
 *	pp_table_cache PROGRAM-WITH-LINES
 */
#include "tests/unit/test.h"

#include "pp/debug/info.h"
#include "pp/symbols/symbols_cache.h"
#include "libop/tables/table_cache.h"
#include "session.h"

static const char *program;
static struct test_session session;

TEST_HOOK(set_up)
{
	test_session_make(&session);
	return 0;
}

TEST_HOOK(tear_down)
{
	test_session_remove(&session);
	return 0;
}

static char *path_of(const char *name)
{
	return test_session_path(&session, "cache/oprofile/tables/%s", name);
}

static bool is_kept(const char *name, const void *bytes, size_t n)
{
	size_t size = 0;
	void *loaded = op_table_cache_load(name, &size);
	bool same = loaded && size == n && !memcmp(loaded, bytes, n);

	free(loaded);
	return same;
}

static bool is_there(const char *name)
{
	size_t size;
	void *loaded = op_table_cache_load(name, &size);

	free(loaded);
	return loaded != NULL;
}

TEST_WITH(what_is_kept_comes_back, set_up, tear_down)
{
	static unsigned char bytes[100000];
	const struct stat one = {.st_size = 1, .st_mtim = {2, 3}}, other = {.st_size = 1};
	char *a = op_table_cache_name("abcd", &one, "x-1"),
	     *b = op_table_cache_name("abcd", &other, "x-1");
	struct stat status;
	char *path;

	assert_string_equal(a, "abcd-1-2.3-x-1");
	assert_string_not_equal(a, b);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7);
	assert_false(is_there(a));
	op_table_cache_store(a, bytes, sizeof(bytes));
	assert_true(is_kept(a, bytes, sizeof(bytes)));
	assert_false(is_there(b));
	op_table_cache_store(a, "another", 7);
	assert_true(is_kept(a, "another", 7));
	op_table_cache_store(b, NULL, 0);
	assert_true(is_kept(b, "", 0));
	path = path_of(a);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	path[strlen(path) - strlen(a) - 1] = '\0';
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	free(path);
	free(a);
	free(b);
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	test_need(file && fwrite(bytes, 1, n, file) == n && !fclose(file), "cannot write %s", path);
}

TEST_WITH(damaged_tables_are_not_loaded, set_up, tear_down)
{
	unsigned char bytes[256];
	char *path = path_of("table");
	size_t n;
	FILE *file;

	op_table_cache_store("table", "twenty bytes of text", 20);
	file = fopen(path, "r");
	n = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (size_t i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++) {
			bytes[i] ^= 1 << bit;
			write_bytes(path, bytes, n);
			assert_false(is_there("table"));
			bytes[i] ^= 1 << bit;
		}
	for (size_t i = 0; i < n; i++) {
		write_bytes(path, bytes, i);
		assert_false(is_there("table"));
	}
	bytes[n] = 0;
	write_bytes(path, bytes, n + 1);
	assert_false(is_there("table"));
	/* It is made anew. */
	op_table_cache_store("table", "new", 3);
	assert_true(is_kept("table", "new", 3));
	free(path);
}

/* Others could have written it. */
TEST_WITH(tables_that_others_could_write_are_not_loaded, set_up, tear_down)
{
	char *path = path_of("table");
	const struct stat status = {0};

	op_table_cache_store("table", "x", 1);
	assert_int_equal(chmod(path, 0620), 0);
	assert_false(is_there("table"));
	assert_int_equal(chmod(path, 0600), 0);
	assert_true(is_there("table"));
	test_shell("mv %s %s/x && ln -s %s/x %s", path, session.dir, session.dir, path);
	assert_false(is_there("table"));
	test_shell("rm %s && mkfifo %s", path, path);
	assert_false(is_there("table"));
	/* A directory in which others write. */
	test_shell("rm %s && mv %s/x %s && chmod 0770 %s/cache/oprofile/tables", path, session.dir,
		   path, session.dir);
	assert_false(is_there("table"));
	assert_null(op_table_cache_name("ab", &status, "x"));
	test_shell("chmod 0700 %s/cache/oprofile/tables", session.dir);
	assert_true(is_there("table"));
	if (geteuid()) {
		print_message("not root: files of other users can't be made\n");
	} else {
		assert_int_equal(chown(path, 54321, -1), 0);
		assert_false(is_there("table"));
		/* Nor are files left in their homes. */
		test_shell("rm -r %s/cache && mkdir %s/cache && chown 54321 %s/cache", session.dir,
			   session.dir, session.dir);
		op_table_cache_store("table", "x", 1);
		test_shell("test -z \"$(ls %s/cache)\"", session.dir);
	}
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/nonexistent/home", 1);
	op_table_cache_store("table", "x", 1);
	assert_false(is_there("table"));
	free(path);
}

TEST_WITH(the_cache_removes_what_was_not_used_for_longest, set_up, tear_down)
{
	static unsigned char bytes[1000];
	char name[16], *path;

	op_table_cache_limit = 5000;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		op_table_cache_store(name, bytes, sizeof(bytes));
		/* As if it had been used long ago, each later than the one before. */
		path = path_of(name);
		test_shell("touch -d @%d %s", 1000000 + i, path);
		free(path);
	}
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		assert_int_equal(is_there(name), i >= 16);
	}
	/* Those that were looked at just now are used; this one needs room. */
	path = path_of("t16");
	test_shell("touch -d @5 %s", path);
	free(path);
	op_table_cache_store("new", bytes, sizeof(bytes));
	assert_false(is_there("t16"));
	assert_true(is_there("t17"));
	op_table_cache_store("large", bytes, 5000);
	assert_false(is_there("large"));
	op_table_cache_limit = 1 << 30;
}

/* ---- debug information ---- */

/* file:line and the chain of inlined functions */
static char *ask(struct pp_debug_info *info, uint64_t address)
{
	const struct pp_inlined *inlined = pp_debug_info_inlined(info, address);
	int line = 0;
	const char *file = pp_debug_info_line(info, address, &line);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	fprintf(out, "%s:%d", file ? file : "?", line);
	for (; inlined; inlined = inlined->caller)
		fprintf(out, " %s", inlined->name);
	fclose(out);
	return text;
}

/* Asks for some addresses; the answers do not matter. */
static void ask_some(uint64_t start)
{
	struct pp_debug_info *info = pp_debug_info_open(program, NULL, NULL);

	for (uint64_t at = start; at < start + 2000; at += 50)
		free(ask(info, at));
	pp_debug_info_close(info);
}

static void find_text(uint64_t *start, uint64_t *end)
{
	struct pp_symbols symbols;

	pp_symbols_read_file(&symbols, program, "", false, NULL);
	*start = *end = 0;
	for (size_t i = 0; i < symbols.n_code; i++)
		if (strstr(symbols.code[i].name, ".text")) {
			*start = symbols.code[i].vma;
			*end = *start + (symbols.code[i].end - symbols.code[i].start);
		}
	pp_symbols_free(&symbols);
	test_need(*end > *start, "no .text in %s", program);
}

static char *kept_name(void)
{
	char *name = NULL;
	size_t n = 0;
	FILE *pipe;

	test_need(asprintf(&name, "ls %s/cache/oprofile/tables", session.dir) > 0, "memory");
	pipe = popen(name, "r");
	free(name);
	name = NULL;
	test_need(getline(&name, &n, pipe) > 0, "no table was kept");
	name[strcspn(name, "\n")] = '\0';
	pclose(pipe);
	return name;
}

/* Asked from the file, from tables that are half kept, and from tables that are kept. */
TEST_WITH(kept_debug_tables_say_what_the_file_says, set_up, tear_down)
{
	uint64_t start, end, middle;
	size_t n = 0, inlined = 0;
	char **wanted;

	find_text(&start, &end);
	middle = start + (end - start) / 2;
	wanted = calloc((end - start) / 5 + 1, sizeof(*wanted));
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	for (struct pp_debug_info *info = pp_debug_info_open(program, NULL, NULL); info;
	     pp_debug_info_close(info), info = NULL)
		for (uint64_t at = start; at < end; at += 5, n++) {
			wanted[n] = ask(info, at);
			inlined += strchr(wanted[n], ' ') != NULL;
		}
	assert_true(n > 1000 && inlined > n / 100);
	test_session_remove(&session);
	test_session_make(&session);
	for (int round = 0; round < 3; round++) {
		struct pp_debug_info *info = pp_debug_info_open(program, NULL, NULL);

		assert_non_null(info);
		n = 0;
		for (uint64_t at = start; at < (round ? end : middle); at += 5, n++) {
			char *text = ask(info, at);

			assert_string_equal(text, wanted[n]);
			free(text);
		}
		pp_debug_info_close(info);
	}
	print_message("%s: %zu addresses, %zu inlined\n", program, n, inlined);
	for (size_t i = 0; i < n; i++)
		free(wanted[i]);
	free(wanted);
	free(kept_name());
}

/* A table that is whole, but makes no sense. */
TEST_WITH(senseless_debug_tables_are_survived, set_up, tear_down)
{
	uint64_t start, end;
	unsigned char *bytes;
	size_t size = 0, step;
	char *name;

	find_text(&start, &end);
	ask_some(start);
	name = kept_name();
	bytes = op_table_cache_load(name, &size);
	assert_non_null(bytes);
	step = size / 1000 + 1;
	for (size_t i = 0; i < size; i += i < 200 ? 1 : step) {
		bytes[i] ^= i % 3 ? 0xff : 0x01;
		op_table_cache_store(name, bytes, size);
		ask_some(start);
		bytes[i] ^= i % 3 ? 0xff : 0x01;
	}
	for (size_t i = 0; i < size; i += i < 200 ? 1 : 10 * step) {
		op_table_cache_store(name, bytes, i);
		ask_some(start);
	}
	print_message("%zu bytes of tables\n", size);
	free(bytes);
	free(name);
}

/* ---- symbols ---- */

static void read_symbols(struct pp_symbols *symbols, const char *path, const char *root)
{
	struct op_error error;

	if (pp_symbols_read_file(symbols, path, root, false, &error))
		fail_msg("%s: %s", path, error.text);
}

static void assert_same(const struct pp_symbols *a, const struct pp_symbols *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_code, b->n_code);
	assert_int_equal(a->text, b->text);
	assert_memory_equal(&a->machine, &b->machine, sizeof(a->machine));
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->items[i].start, b->items[i].start);
		assert_int_equal(a->items[i].end, b->items[i].end);
		assert_int_equal(a->items[i].vma, b->items[i].vma);
		assert_string_equal(a->items[i].name, b->items[i].name);
	}
	for (size_t i = 0; i < a->n_code; i++) {
		assert_int_equal(a->code[i].start, b->code[i].start);
		assert_int_equal(a->code[i].end, b->code[i].end);
		assert_int_equal(a->code[i].vma, b->code[i].vma);
		assert_int_equal(a->code[i].offset, b->code[i].offset);
		assert_int_equal(a->code[i].link, b->code[i].link);
		assert_string_equal(a->code[i].name, b->code[i].name);
	}
}

TEST_WITH(kept_symbols_are_those_of_the_file, set_up, tear_down)
{
	struct pp_symbols first, second;
	char *name;

	pp_symbols_cache_least = 0;
	read_symbols(&first, program, "");
	name = kept_name();
	assert_true(is_there(name));
	read_symbols(&second, program, "");
	/* Names of both would be the object file's, had it been read again. */
	assert_ptr_equal(second.release, free);
	assert_same(&first, &second);
	pp_symbols_free(&first);
	pp_symbols_free(&second);
	free(name);
}

/* A stripped program, whose debug file is installed later, and then another one. */
TEST_WITH(a_debug_file_installed_later_is_seen, set_up, tear_down)
{
	char *bare = test_session_path(&session, "bare");
	struct pp_symbols before, after, again;

	pp_symbols_cache_least = 0;
	test_shell("cp %s %s && objcopy --only-keep-debug %s %s/debug && strip %s", program, bare,
		   bare, session.dir, bare);
	read_symbols(&before, bare, session.dir);
	read_symbols(&again, bare, session.dir);
	assert_same(&before, &again);
	pp_symbols_free(&again);
	test_shell("cd %s && id=$(readelf -n bare | sed -n 's/.*Build ID: //p') && "
		   "d=usr/lib/debug/.build-id/$(echo $id | cut -c 1-2) && mkdir -p $d && "
		   "cp debug $d/$(echo $id | cut -c 3-).debug",
		   session.dir);
	read_symbols(&after, bare, session.dir);
	assert_true(after.n > before.n + 100);
	assert_non_null(after.debug_path);
	read_symbols(&again, bare, session.dir);
	assert_ptr_equal(again.release, free);
	assert_string_equal(after.debug_path, again.debug_path);
	assert_same(&after, &again);
	pp_symbols_free(&before);
	pp_symbols_free(&after);
	pp_symbols_free(&again);
	free(bare);
}

TEST_WITH(senseless_symbol_tables_are_survived, set_up, tear_down)
{
	struct pp_symbols symbols;
	unsigned char *bytes;
	size_t size = 0, step;
	char *name;

	pp_symbols_cache_least = 0;
	read_symbols(&symbols, program, "");
	pp_symbols_free(&symbols);
	name = kept_name();
	bytes = op_table_cache_load(name, &size);
	assert_non_null(bytes);
	step = size / 1000 + 1;
	for (size_t i = 0; i < size; i += i < 200 ? 1 : step) {
		bytes[i] ^= i % 3 ? 0xff : 0x01;
		op_table_cache_store(name, bytes, size);
		pp_symbols_read_file(&symbols, program, "", false, NULL);
		for (size_t k = 0; k < symbols.n; k++)
			assert_non_null(symbols.items[k].name);
		pp_symbols_find(&symbols, 0x1000);
		pp_symbols_free(&symbols);
		bytes[i] ^= i % 3 ? 0xff : 0x01;
	}
	free(bytes);
	free(name);
	pp_symbols_cache_least = 4 << 20;
}

TEST_ARGUMENTS(1, "PROGRAM")
{
	program = argv[1];
}

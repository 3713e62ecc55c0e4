// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols and lines of real binaries agree with what nm, readelf and addr2line say, for
 * random offsets; and damaged binaries break nothing.
 *
 *	pp_symbols PROGRAM-WITH-SYMBOLS-AND-LINES SOURCES
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pp/debug_info.h"
#include "pp/symbols.h"
#include "tests/unit/pp/fixture.h"

#define OFFSETS 100000

static const char *program, *sources;

/* A line of nm, or a section of readelf. */
struct known {
	uint64_t address, size, offset;
	char *name;
};

struct known_list {
	struct known *items; /* by address */
	size_t n;
	uint64_t longest; /* size */
};

static void free_known(struct known_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	free(list->items);
}

static int compare_known(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* The index of the first one at @address or behind it. */
static size_t first_known(const struct known_list *list, uint64_t address)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static FILE *open_command(const char *format, const char *path)
{
	char command[1024];
	FILE *pipe;

	snprintf(command, sizeof(command), format, path);
	pipe = popen(command, "r");
	test_need(pipe != NULL, "cannot run %s", command);
	return pipe;
}

static void add_known(struct known_list *list, const struct known *one, const char *name)
{
	list->items = realloc(list->items, (list->n + 1) * sizeof(*list->items));
	test_need(list->items != NULL, "out of memory");
	list->items[list->n] = *one;
	list->items[list->n++].name = strdup(name);
	if (one->size > list->longest)
		list->longest = one->size;
}

/* Code sections with contents. */
static struct known_list read_sections(const char *path)
{
	FILE *pipe = open_command("readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\] *//' | "
				  "awk '$7 ~ /X/ && $2 != \"NOBITS\" {print $3, $4, $5, $1}'",
				  path);
	struct known_list list = {0};
	struct known one = {0};
	char name[4096];

	while (fscanf(pipe, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %4095s", &one.address, &one.offset,
		      &one.size, name) == 4)
		add_known(&list, &one, name);
	pclose(pipe);
	test_need(list.n > 0, "readelf knows no code in %s", path);
	return list;
}

/* Symbols with address, size (0 if it has none) and name. */
static struct known_list read_names(const char *command, const char *path)
{
	FILE *pipe = open_command(command, path);
	struct known_list list = {0};
	struct known one = {0};
	char name[4096];

	while (fscanf(pipe, "%" SCNx64 " %" SCNx64 " %4095s", &one.address, &one.size, name) == 3) {
		name[strcspn(name, "@")] = '\0';
		add_known(&list, &one, name);
	}
	pclose(pipe);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), compare_known);
	return list;
}

#define NM_STATIC                                                                                  \
	"nm -f sysv --no-demangle %s 2>/dev/null | awk -F'|' '$7 !~ /^ *([*].*)?$/ && $4 !~ "      \
	"/SECTION|FILE|TLS/ "                                                                      \
	"{gsub(/ /,\"\"); print $2, ($5 == \"\" ? 0 : $5), $1}'"
#define NM_DYNAMIC                                                                                 \
	"nm -D -f sysv --no-demangle %s 2>/dev/null | awk -F'|' '$7 !~ /^ *([*].*)?$/ && $4 !~ "   \
	"/TLS/ "                                                                                   \
	"{gsub(/ /,\"\"); print $2, ($5 == \"\" ? 0 : $5), $1}'"

static const struct known *random_section(const struct known_list *sections)
{
	uint64_t total = 0, at;

	for (size_t i = 0; i < sections->n; i++)
		total += sections->items[i].size;
	at = ((uint64_t)random() << 31 | (uint64_t)random()) % total;
	for (size_t i = 0; i < sections->n; i++) {
		if (at < sections->items[i].size)
			return &sections->items[i];
		at -= sections->items[i].size;
	}
	return sections->items;
}

static bool is_named(const struct known_list *names, uint64_t address, const char *name)
{
	for (size_t i = first_known(names, address);
	     i < names->n && names->items[i].address == address; i++)
		if (!strcmp(names->items[i].name, name))
			return true;
	return false;
}

/* Is there a name in [from, to]? */
static const char *named_between(const struct known_list *names, uint64_t from, uint64_t to)
{
	for (size_t i = first_known(names, from); i < names->n && names->items[i].address <= to;
	     i++)
		if (strncmp(names->items[i].name, ".L", 2) != 0)
			return names->items[i].name;
	return NULL;
}

static const char *named_around(const struct known_list *names, uint64_t address)
{
	uint64_t reach = names->longest < address ? address - names->longest : 0;

	for (size_t i = first_known(names, reach);
	     i < names->n && names->items[i].address <= address; i++)
		if (address - names->items[i].address < names->items[i].size)
			return names->items[i].name;
	return NULL;
}

static bool is_made_up(const char *name)
{
	return strstr(name, "@plt") || !strncmp(name, "anonymous symbol from section ", 30);
}

struct agreement {
	struct pp_symbols symbols;
	struct known_list sections, names;
	size_t named, unnamed, made_up;
};

static void begin_agreement(struct agreement *a, const char *path, const char *nm)
{
	struct op_error error = {0};

	memset(a, 0, sizeof(*a));
	if (pp_symbols_read_file(&a->symbols, path, "", false, &error))
		fail_msg("%s: %s", path, error.text);
	a->sections = read_sections(path);
	a->names = read_names(nm, a->symbols.debug_path ? a->symbols.debug_path : path);
	srandom(3);
}

static void end_agreement(struct agreement *a, const char *path)
{
	print_message("%s: %zu offsets in %zu symbols: %zu named, %zu by section or plt, %zu in "
		      "no symbol\n",
		      path, (size_t)OFFSETS, a->symbols.n, a->named, a->made_up, a->unnamed);
	pp_symbols_free(&a->symbols);
	free_known(&a->sections);
	free_known(&a->names);
}

/* The address of a key is what the section says. */
static const struct pp_symbol *look_up(struct agreement *a, uint64_t *address)
{
	const struct known *section = random_section(&a->sections);
	uint64_t distance = (uint64_t)random() % section->size;
	uint64_t key = section->offset + distance;
	size_t found = pp_symbols_find(&a->symbols, key);

	*address = section->address + distance;
	assert_int_equal(pp_symbols_vma(&a->symbols, key), *address);
	if (found == a->symbols.n) {
		a->unnamed++;
		return NULL;
	}
	assert_int_equal(a->symbols.items[found].vma + (key - a->symbols.items[found].start),
			 *address);
	return &a->symbols.items[found];
}

static void check_static(const char *path)
{
	struct agreement a;

	begin_agreement(&a, path, NM_STATIC);
	test_need(a.names.n > 0, "nm knows no symbols in %s", path);
	for (int i = 0; i < OFFSETS; i++) {
		uint64_t address;
		const struct pp_symbol *symbol = look_up(&a, &address);
		const char *between;

		assert_non_null(symbol); /* the last symbol reaches to the end of the section */
		if (is_made_up(symbol->name)) {
			a.made_up++;
			between = named_between(&a.names, symbol->vma, address);
		} else {
			a.named++;
			between = named_between(&a.names, symbol->vma + 1, address);
			if (!is_named(&a.names, symbol->vma, symbol->name))
				fail_msg("%#" PRIx64 ": nm has no %s at %#" PRIx64, address,
					 symbol->name, symbol->vma);
		}
		if (between)
			fail_msg("%#" PRIx64 ": in %s, but %s is nearer", address, symbol->name,
				 between);
	}
	assert_true(a.named > OFFSETS / 2);
	end_agreement(&a, path);
}

static void check_dynamic(const char *path)
{
	struct agreement a;

	begin_agreement(&a, path, NM_DYNAMIC);
	for (int i = 0; i < OFFSETS; i++) {
		uint64_t address;
		const struct pp_symbol *symbol = look_up(&a, &address);
		const char *around = named_around(&a.names, address);

		if (!symbol) {
			if (around)
				fail_msg("%#" PRIx64 ": no symbol, but it is in %s", address,
					 around);
			continue;
		}
		if (is_made_up(symbol->name)) {
			a.made_up++;
			continue;
		}
		a.named++;
		if (!is_named(&a.names, symbol->vma, symbol->name))
			fail_msg("%#" PRIx64 ": nm has no %s at %#" PRIx64, address, symbol->name,
				 symbol->vma);
	}
	assert_true(a.named > OFFSETS / 10);
	end_agreement(&a, path);
}

static void test_program_agrees_with_nm(void **state)
{
	(void)state;
	check_static(program);
}

/* The C library that this program runs with. */
static char *find_library(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], path[4096];

	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*s %*s %*s %*s %*s %4095s", path) == 1 && strstr(path, name)) {
			fclose(maps);
			return strdup(path);
		}
	}
	fclose(maps);
	return NULL;
}

/* As it stands: with the separate debug file, if that is installed; and by .dynsym alone. */
static void test_libc_agrees_with_nm(void **state)
{
	char *path = find_library("/libc.so.6"), *copy;
	struct test_session session;
	struct pp_symbols symbols;

	(void)state;
	test_need(path != NULL, "no libc in this process");
	assert_int_equal(pp_symbols_read_file(&symbols, path, "", false, NULL), PP_SYMBOLS_OK);
	if (symbols.debug_path)
		check_static(path);
	else
		print_message("libc has no separate debug file here\n");
	pp_symbols_free(&symbols);
	test_session_make(&session);
	copy = test_session_path(&session, "libc");
	test_shell("objcopy -S -R .gnu_debuglink -R .note.gnu.build-id %s %s", path, copy);
	check_dynamic(copy);
	free(copy);
	test_session_remove(&session);
	free(path);
}

static void test_python_agrees_with_nm(void **state)
{
	char *path = realpath("/usr/bin/python3", NULL);

	(void)state;
	if (!path) {
		print_message("skipped: there is no python3 here\n");
		skip();
	}
	check_dynamic(path);
	free(path);
}

/* addr2line reads addresses from a file and says "file:line". */
static void test_lines_agree_with_addr2line(void **state)
{
	struct known_list sections = read_sections(program);
	struct pp_debug_info *lines = pp_debug_info_open(program, NULL);
	struct test_session session;
	char *path, line[4096], command[1024];
	uint64_t addresses[5000];
	size_t known = 0;
	FILE *file;

	(void)state;
	assert_non_null(lines);
	test_session_make(&session);
	path = test_session_path(&session, "addresses");
	file = fopen(path, "w");
	for (size_t i = 0; i < 5000; i++) {
		const struct known *section = random_section(&sections);

		addresses[i] = section->address + (uint64_t)random() % section->size;
		fprintf(file, "%#" PRIx64 "\n", addresses[i]);
	}
	fclose(file);
	snprintf(command, sizeof(command), "addr2line -e %s < %s", program, path);
	file = popen(command, "r");
	for (size_t i = 0; i < 5000; i++) {
		int number = 0;
		const char *name = pp_debug_info_line(lines, addresses[i], &number);
		const char *base = name ? strrchr(name, '/') : NULL;
		char ours[4096], *theirs;

		test_need(fgets(line, sizeof(line), file) != NULL, "addr2line says too little");
		line[strcspn(line, " \n")] = '\0';
		theirs = strrchr(line, '/');
		theirs = theirs ? theirs + 1 : line;
		snprintf(ours, sizeof(ours), "%s:%d", base ? base + 1 : name ? name : "??", number);
		if (!name || !number) {
			if (strcmp(theirs, "??:0") != 0 && strcmp(theirs, "??:?") != 0 &&
			    !strstr(theirs, ":?") && !strstr(theirs, ":0"))
				fail_msg("%#" PRIx64 ": no line, but addr2line has %s",
					 addresses[i], theirs);
			continue;
		}
		known++;
		if (strcmp(ours, theirs) != 0)
			fail_msg("%#" PRIx64 ": %s, but addr2line has %s", addresses[i], ours,
				 theirs);
	}
	pclose(file);
	print_message("%zu of 5000 addresses have lines\n", known);
	assert_true(known > 2500);
	pp_debug_info_close(lines);
	free_known(&sections);
	free(path);
	test_session_remove(&session);
}

/* Reads all that a report would; nothing must crash, and what is found must be orderly. */
static void read_all(const char *path)
{
	struct pp_symbols symbols;
	struct pp_debug_info *lines;
	uint64_t last = 0;
	int number;

	pp_symbols_read_file(&symbols, path, "", true, NULL);
	for (size_t i = 0; i < symbols.n; i++) {
		assert_true(symbols.items[i].start >= last);
		assert_true(symbols.items[i].start < symbols.items[i].end);
		assert_non_null(symbols.items[i].name);
		last = symbols.items[i].end;
		pp_symbols_vma(&symbols, symbols.items[i].start);
	}
	pp_symbols_find(&symbols, 0x1010);
	pp_symbols_free(&symbols);
	lines = pp_debug_info_open(path, NULL);
	pp_debug_info_line(lines, 0x401010, &number);
	pp_debug_info_inlined(lines, 0x401010);
	pp_debug_info_close(lines);
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	test_need(file && fwrite(bytes, 1, n, file) == n && !fclose(file), "cannot write %s", path);
}

/* What may hold structure: headers, tables, symbols, notes, lines; not the fill between. */
static bool is_fill(const unsigned char *bytes, size_t n, size_t at)
{
	for (size_t i = at < 64 ? 0 : at - 64; i < n && i < at + 64; i++)
		if (bytes[i])
			return false;
	return true;
}

static void damage_everywhere(const struct test_session *session, const char *name)
{
	char *from = test_session_path(session, "%s", name);
	char *to = test_session_path(session, "damaged");
	static const unsigned char flips[] = {0xff, 0x80, 0x01};
	static unsigned char bytes[65536];
	FILE *file = fopen(from, "r");
	size_t n = fread(bytes, 1, sizeof(bytes), file), tried = 0;

	fclose(file);
	test_need(n > 0 && n < sizeof(bytes), "%s does not fit", from);
	for (size_t i = 0; i < n; i++) {
		if (is_fill(bytes, n, i))
			continue;
		bytes[i] ^= flips[i % 3];
		write_bytes(to, bytes, n);
		read_all(to);
		bytes[i] ^= flips[i % 3];
		tried++;
	}
	for (size_t i = 0; i < n; i += 16) {
		write_bytes(to, bytes, i);
		read_all(to);
	}
	print_message("%s: %zu bytes changed one by one, %zu lengths\n", name, tried,
		      (n + 15) / 16);
	free(from);
	free(to);
}

static void test_damaged_images_break_nothing(void **state)
{
	struct test_session session;

	(void)state;
	test_session_make(&session);
	fixture_images(&session, sources);
	damage_everywhere(&session, "prog");
	damage_everywhere(&session, "lib.so");
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_agrees_with_nm),
		cmocka_unit_test(test_libc_agrees_with_nm),
		cmocka_unit_test(test_python_agrees_with_nm),
		cmocka_unit_test(test_lines_agree_with_addr2line),
		cmocka_unit_test(test_damaged_images_break_nothing),
	};

	test_need(argc == 3, "usage: pp_symbols PROGRAM SOURCES");
	program = argv[1];
	sources = argv[2];
	setenv("XDG_CACHE_HOME", "/dev/null", 1); /* not the user's */
	return cmocka_run_group_tests_name("pp_symbols", tests, NULL, NULL);
}

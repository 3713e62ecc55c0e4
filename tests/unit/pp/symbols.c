// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols and lines of real binaries agree with what nm, readelf and addr2line say, for
 * random offsets: programs in C, C++ and Rust, stripped and not, libraries, kernel modules.
 *
 *	pp_symbols PROGRAM-WITH-SYMBOLS-AND-LINES SOURCES
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "pp/debug/info.h"
#include "pp/symbols/symbols.h"
#include "known.h"
#include "session.h"

#define OFFSETS 100000

static const char *program, *sources;

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
	a->sections = known_sections(path);
	a->names = known_names(nm, a->symbols.debug_path ? a->symbols.debug_path : path);
	srandom(3);
}

static void end_agreement(struct agreement *a, const char *path)
{
	print_message("%s: %zu offsets in %zu symbols: %zu named, %zu by section or plt, %zu in "
		      "no symbol\n",
		      path, (size_t)OFFSETS, a->symbols.n, a->named, a->made_up, a->unnamed);
	pp_symbols_free(&a->symbols);
	known_free(&a->sections);
	known_free(&a->names);
}

/* The address of a key is what the section says. */
static const struct pp_symbol *look_up(struct agreement *a, uint64_t *address)
{
	const struct known *section = known_random(&a->sections);
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

/* A symbol that nm knows to begin where ours does, and to cover the address, or to have no size. */
static void check_named(const struct agreement *a, const struct pp_symbol *symbol, uint64_t address)
{
	uint64_t first = symbol->vma - symbol->skipped;
	const struct known *covering = known_covering(&a->names, address);
	const char *between = known_between(&a->names, first + 1, address);

	if (!known_is_named(&a->names, first, symbol->name))
		fail_msg("%#" PRIx64 ": nm has no %s at %#" PRIx64, address, symbol->name, first);
	if (covering && covering->address != first)
		fail_msg("%#" PRIx64 ": in %s, but it is in %s", address, symbol->name,
			 covering->name);
	if (!covering && known_covering(&a->names, first))
		fail_msg("%#" PRIx64 ": behind the end of %s", address, symbol->name);
	if (!covering && between)
		fail_msg("%#" PRIx64 ": in %s, but %s is nearer", address, symbol->name, between);
}

static void check_static(const char *path)
{
	struct agreement a;

	begin_agreement(&a, path, NM_STATIC);
	test_need(a.names.n > 0, "nm knows no symbols in %s", path);
	for (int i = 0; i < OFFSETS; i++) {
		uint64_t address;
		const struct pp_symbol *symbol = look_up(&a, &address);
		const char *around = known_around(&a.names, address);

		if (symbol && is_made_up(symbol->name)) {
			const char *between = known_between(&a.names, symbol->vma, address);

			a.made_up++;
			if (between)
				fail_msg("%#" PRIx64 ": in %s, but %s is nearer", address,
					 symbol->name, between);
		} else if (symbol) {
			a.named++;
			check_named(&a, symbol, address);
		} else if (around) {
			fail_msg("%#" PRIx64 ": no symbol, but it is in %s", address, around);
		}
	}
	assert_true(a.named > OFFSETS / 2);
	end_agreement(&a, path);
}

/* At least @least of the offsets have names. */
static void check_dynamic(const char *path, size_t least)
{
	struct agreement a;

	begin_agreement(&a, path, NM_DYNAMIC);
	for (int i = 0; i < OFFSETS; i++) {
		uint64_t address;
		const struct pp_symbol *symbol = look_up(&a, &address);
		const char *around = known_around(&a.names, address);

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
		if (!known_is_named(&a.names, symbol->vma, symbol->name))
			fail_msg("%#" PRIx64 ": nm has no %s at %#" PRIx64, address, symbol->name,
				 symbol->vma);
	}
	assert_true(a.named >= least);
	end_agreement(&a, path);
}

TEST(symbols_of_a_program_agree_with_nm)
{
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
TEST(symbols_of_libc_agree_with_nm)
{
	char *path = find_library("/libc.so.6"), *copy;
	struct test_session session;
	struct pp_symbols symbols;

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
	check_dynamic(copy, OFFSETS / 10);
	free(copy);
	test_session_remove(&session);
	free(path);
}

/* Programs as the system has them: stripped, of one piece or by packages. */
TEST(symbols_of_system_programs_agree_with_nm)
{
	static const char *const programs[] = {"/usr/bin/python3", "git", "ninja",
					       "/usr/bin/apt-get"};
	char command[256], path[4096];
	size_t checked = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(programs); i++) {
		FILE *pipe;

		snprintf(command, sizeof(command),
			 "p=$(command -v %s) && p=$(realpath $p) && head -c 4 $p | grep -q ELF && "
			 "echo $p",
			 programs[i]);
		pipe = popen(command, "r");
		if (fscanf(pipe, "%4095s", path) == 1) {
			check_dynamic(path, 0);
			checked++;
		} else {
			print_message("skipped: there is no program %s here\n", programs[i]);
		}
		pclose(pipe);
	}
	if (!checked)
		skip();
}

/* Builds a program, or says why not. */
static bool build(struct test_session *session, const char *compiler, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool build(struct test_session *session, const char *compiler, const char *format, ...)
{
	char command[4096], with_dir[4200];
	va_list args;

	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	if (system(command)) {
		print_message("skipped: there is no %s here\n", compiler);
		return false;
	}
	test_session_make(session);
	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(with_dir, sizeof(with_dir), "cd %s && %s", session->dir, command);
	test_shell("%s", with_dir);
	return true;
}

static void check_built(struct test_session *session)
{
	char *path = test_session_path(session, "program");
	struct pp_symbols symbols;

	check_static(path);
	/* Stripped, one honest answer remains where the names are gone. */
	test_shell("strip %s", path);
	assert_int_equal(pp_symbols_read_file(&symbols, path, "", false, NULL), PP_SYMBOLS_OK);
	for (size_t i = 0; i < symbols.n; i++)
		assert_true(is_made_up(symbols.items[i].name) ||
			    symbols.items[i].end > symbols.items[i].start);
	pp_symbols_free(&symbols);
	free(path);
	test_session_remove(session);
}

TEST(symbols_of_cxx_agree_with_nm)
{
	struct test_session session;

	if (!build(&session, "g++", "g++ -O1 -g -static-libstdc++ -o program %s/inlined.cc",
		   sources))
		skip();
	check_built(&session);
}

TEST(symbols_of_rust_agree_with_nm)
{
	struct test_session session;

	if (!build(&session, "rustc", "rustc -g -O -o program %s/words.rs", sources))
		skip();
	check_built(&session);
}

/* ---- the procedure linkage table ---- */

/* Each "NAME@plt" of objdump is a symbol of ours at that address, in all forms of the table. */
static size_t check_plt(const char *path)
{
	struct known_list theirs = known_names(
		"objdump -d %s | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:$/\\1 0 \\2/p' | "
		"grep -v 'ABS'",
		path);
	struct pp_symbols symbols;
	size_t n = theirs.n;
	char name[4096];

	assert_int_equal(pp_symbols_read_file(&symbols, path, "", false, NULL), PP_SYMBOLS_OK);
	for (size_t i = 0; i < n; i++) {
		uint64_t key;
		size_t found;

		assert_true(pp_symbols_key(&symbols, theirs.items[i].address, &key));
		found = pp_symbols_find(&symbols, key);
		assert_true(found < symbols.n);
		assert_int_equal(symbols.items[found].start, key);
		snprintf(name, sizeof(name), "%s@plt", theirs.items[i].name);
		if (strcmp(symbols.items[found].name, name) != 0)
			fail_msg("%s: %s, but objdump has %s", path, symbols.items[found].name,
				 name);
	}
	pp_symbols_free(&symbols);
	known_free(&theirs);
	return n;
}

TEST(linkage_tables_agree_with_objdump)
{
	static const char *const forms[] = {
		"-Wl,-z,lazy",
		"-Wl,-z,now",
		"-fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt",
		"-fcf-protection=full -Wl,-z,now -Wl,-z,ibtplt",
		"-no-pie -Wl,-z,lazy",
		"-Wl,-z,now -s",
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(forms); i++) {
		struct test_session session;
		char *path;
		size_t n;

		if (!build(&session, "gcc",
			   "printf '#include <stdio.h>\\n#include <stdlib.h>\\nint main(int c, "
			   "char "
			   "**v) { printf(\"%%s\", v[0]); return atoi(v[c - 1]) + puts(\"x\") + "
			   "system(v[0]); }\\n' >p.c && gcc -O1 -o program %s p.c",
			   forms[i]))
			skip();
		path = test_session_path(&session, "program");
		n = check_plt(path);
		print_message("%s: %zu entries\n", forms[i], n);
		assert_true(n >= 4);
		free(path);
		test_session_remove(&session);
	}
}

/* ---- kernel modules ---- */

/* A section of code as the kernel loads it. */
struct loaded {
	char name[64];
	uint64_t offset, size, key;
};

/* Those with code in the order of the file, each aligned; what is for the start only, not. */
static size_t load_sections(const char *path, struct loaded *sections, size_t most)
{
	FILE *pipe = known_command("readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\] *//' | "
				   "awk '$7 ~ /A/ && $7 ~ /X/ {print $1, $4, $5, $10}'",
				   path);
	uint64_t at = 0, align;
	size_t n = 0;

	while (n < most && fscanf(pipe, "%63s %" SCNx64 " %" SCNx64 " %" SCNu64, sections[n].name,
				  &sections[n].offset, &sections[n].size, &align) == 4) {
		if (!strncmp(sections[n].name, ".init", 5))
			continue;
		if (align > 1 && at % align)
			at += align - at % align;
		sections[n].key = at;
		at += sections[n].size;
		n++;
	}
	pclose(pipe);
	return n;
}

/* Symbols of one section, by nm. */
static struct known_list section_names(const char *path, const char *section)
{
	char command[8192];

	snprintf(command, sizeof(command),
		 "nm -f sysv --no-demangle %%s 2>/dev/null | awk -F'|' '{s=$7; gsub(/ /,\"\"); "
		 "gsub(/ /, \"\", s); if (s == \"%s\" && $4 !~ /SECTION|FILE/) print $2, 0, $1}'",
		 section);
	return known_names(command, path);
}

static size_t check_module(const char *path)
{
	const struct pp_kernel_place place = {.is_module = true, .address = 0xffffffffc0000000};
	struct loaded sections[64];
	size_t n = load_sections(path, sections, 64), offsets = 0;
	struct pp_symbols symbols;
	struct op_error error;

	if (pp_symbols_read_kernel_file(&symbols, path, "", false, &place, &error))
		fail_msg("%s: %s", path, error.text);
	for (size_t i = 0; i < n; i++) {
		struct known_list names = section_names(path, sections[i].name);

		for (uint64_t k = 0; k < 20000 && k < sections[i].size; k++, offsets++) {
			uint64_t offset = (uint64_t)random() % sections[i].size;
			uint64_t key = sections[i].key + offset, start;
			size_t found = pp_symbols_find(&symbols, key);
			const char *between;

			assert_true(found < symbols.n);
			assert_int_equal(pp_symbols_vma(&symbols, key), place.address + key);
			start = symbols.items[found].start - sections[i].key;
			between = known_between(&names, start + 1, offset);
			if (between)
				fail_msg("%s+%#" PRIx64 " in %s: in %s, but %s is nearer",
					 sections[i].name, offset, path, symbols.items[found].name,
					 between);
			if (!is_made_up(symbols.items[found].name) &&
			    !known_is_named(&names, start, symbols.items[found].name))
				fail_msg("%s+%#" PRIx64 " in %s: nm has no %s there",
					 sections[i].name, start, path, symbols.items[found].name);
		}
		known_free(&names);
	}
	pp_symbols_free(&symbols);
	return offsets;
}

/* Those of the kernels that guests of other tests run, if they are there. */
TEST(symbols_of_modules_agree_with_nm)
{
	FILE *list = popen("find \"$HOME\"/.cache/oprofile /lib/modules -size +40k "
			   "-regex '.*\\.ko\\(\\.xz\\|\\.zst\\)?' 2>/dev/null | sort | "
			   "awk 'NR % 40 == 1' | head -n 12",
			   "r");
	char path[4096], *copy;
	struct test_session session;
	size_t offsets = 0;

	test_session_make(&session);
	copy = test_session_path(&session, "module.ko");
	test_shell("as -o %s %s/module.s", copy, sources);
	offsets += check_module(copy);
	while (fscanf(list, "%4095s", path) == 1) {
		test_shell("case %s in *.xz) xz -dc %s ;; *.zst) zstd -dqc %s ;; *) cat %s ;; "
			   "esac >%s",
			   path, path, path, path, copy);
		offsets += check_module(copy);
		print_message("%s\n", path);
	}
	pclose(list);
	if (offsets < 1000)
		print_message("skipped: there are no kernel modules here\n");
	print_message("%zu offsets in modules\n", offsets);
	free(copy);
	test_session_remove(&session);
}

/* ---- lines ---- */

/* gcc makes a function that a sanitizer starts with: it has lines, but no unit claims its code. */
static bool is_unclaimed(const struct known_list *names, uint64_t address)
{
	size_t after = known_first(names, address + 1);

	return after && !strncmp(names->items[after - 1].name, "_sub_", 5);
}

/* addr2line reads addresses from a file and says "file:line". */
TEST(lines_agree_with_addr2line)
{
	struct known_list sections = known_sections(program);
	struct known_list names = known_names(NM_STATIC, program);
	struct pp_debug_info *lines = pp_debug_info_open(program, NULL, NULL);
	struct test_session session;
	char *path, line[4096], command[1024];
	uint64_t addresses[5000];
	size_t known = 0;
	FILE *file;

	assert_non_null(lines);
	test_session_make(&session);
	path = test_session_path(&session, "addresses");
	file = fopen(path, "w");
	for (size_t i = 0; i < 5000; i++) {
		const struct known *section = known_random(&sections);

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
			    !strstr(theirs, ":?") && !strstr(theirs, ":0") &&
			    !is_unclaimed(&names, addresses[i]))
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
	known_free(&sections);
	known_free(&names);
	free(path);
	test_session_remove(&session);
}

TEST_ARGUMENTS(2, "PROGRAM SOURCES")
{
	program = argv[1];
	sources = argv[2];
	setenv("XDG_CACHE_HOME", "/dev/null", 1); /* not the user's */
}

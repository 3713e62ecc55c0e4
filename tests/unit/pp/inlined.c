// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inlined functions: the tables agree with addr2line -i at every instruction-sized step, in each
 * form of debug information; and opreport --inline shows them.
 *
 *	pp_inlined OPREPORT SOURCES
 */
#include "tests/unit/test.h"

#include "fixture.h"
#include "pp/debug/info.h"
#include "pp/symbols/symbols.h"

static const char *opreport, *sources;

#define TIMER "TIMER.0.0.all.all.all"

/* Some of the addresses between these two symbols of a program are asked for. */
struct extent {
	uint64_t start, end;
};

static char line[65536];

static struct extent text_of(const char *program)
{
	struct extent extent = {0};
	FILE *pipe;

	snprintf(line, sizeof(line),
		 "readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\] *//' | awk '$1 == \".text\" "
		 "{print $3, $5}'",
		 program);
	pipe = popen(line, "r");
	test_need(pipe && fscanf(pipe, "%" SCNx64 " %" SCNx64, &extent.start, &extent.end) == 2,
		  "readelf knows no .text in %s", program);
	pclose(pipe);
	extent.end += extent.start;
	return extent;
}

static void write_addresses(const char *path, struct extent extent, uint64_t step)
{
	FILE *file = fopen(path, "w");

	test_need(file != NULL, "cannot write %s", path);
	for (uint64_t address = extent.start; address < extent.end; address += step)
		fprintf(file, "%#" PRIx64 "\n", address);
	fclose(file);
}

static char *read_line(FILE *file)
{
	if (!fgets(line, sizeof(line), file))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* What addr2line says of an address: functions, from the innermost to that of the symbol. */
struct chain {
	char *names[64];
	size_t n;
};

struct tally {
	size_t addresses, inlined, renamed;
};

/*
 * A function without a linkage name whose code begins where a symbol does is called by that
 * symbol: libbfd gives it a linkage name in this way, also where it is inlined.
 */
static bool is_renamed(const struct chain *chain, size_t i, const char *ours)
{
	return strncmp(ours, "_Z", 2) != 0 && !strcmp(chain->names[i], chain->names[chain->n - 1]);
}

/* Each name but the last is of an inlined function. */
static void compare(struct pp_debug_info *info, uint64_t address, const struct chain *chain,
		    struct tally *tally)
{
	const struct pp_inlined *ours = pp_debug_info_inlined(info, address);
	bool renamed = false;

	tally->addresses++;
	tally->inlined += ours != NULL;
	for (size_t i = 0; i + 1 < chain->n; i++, ours = ours->caller) {
		if (ours && !strcmp(ours->name, chain->names[i]))
			continue;
		if (!ours || !is_renamed(chain, i, ours->name))
			fail_msg("%#" PRIx64 ": %s, but addr2line has %s", address,
				 ours ? ours->name : "nothing inlined", chain->names[i]);
		renamed = true;
	}
	tally->renamed += renamed;
	if (ours)
		fail_msg("%#" PRIx64 ": also inlined into %s", address, ours->name);
}

/* addr2line -a -i -f says for each address: the address, then pairs of function and "file:line". */
static void compare_all(struct pp_debug_info *info, FILE *theirs, struct tally *tally)
{
	struct chain chain;
	char *text = read_line(theirs);

	while (text) {
		uint64_t address = strtoull(text, NULL, 16);

		chain.n = 0;
		while ((text = read_line(theirs)) != NULL && strncmp(text, "0x", 2) != 0) {
			test_need(chain.n < 64, "addr2line has too many functions");
			chain.names[chain.n++] = strdup(text);
			read_line(theirs);
		}
		compare(info, address, &chain, tally);
		while (chain.n)
			free(chain.names[--chain.n]);
	}
}

static void check_program(const struct test_session *session, const char *program, uint64_t step)
{
	char *addresses = test_session_path(session, "addresses");
	struct pp_debug_info *info = pp_debug_info_open(program, NULL);
	struct tally tally = {0};
	FILE *pipe;

	assert_non_null(info);
	write_addresses(addresses, text_of(program), step);
	snprintf(line, sizeof(line), "addr2line -a -i -f -e %s < %s", program, addresses);
	pipe = popen(line, "r");
	test_need(pipe != NULL, "cannot run addr2line");
	compare_all(info, pipe, &tally);
	pclose(pipe);
	print_message(
		"%s: %zu addresses, %zu of them inlined, %zu with a name of addr2line's own\n",
		program, tally.addresses, tally.inlined, tally.renamed);
	assert_true(tally.inlined > tally.addresses / 10);
	assert_true(tally.renamed < tally.inlined / 4);
	pp_debug_info_close(info);
	free(addresses);
}

static bool has_compiler(const char *name)
{
	snprintf(line, sizeof(line), "command -v %s >/dev/null", name);
	if (!system(line))
		return true;
	print_message("skipped: there is no %s here\n", name);
	return false;
}

TEST(test_tables_agree_with_addr2line)
{
	static const char *const forms[] = {"-O2 -g", "-O3 -gdwarf-4",
					    "-O2 -gdwarf-5 -ffunction-sections -Wl,--gc-sections",
					    "-O2 -g -gz=zlib", "-O2 -g -flto"};
	struct test_session session;
	char *program;

	if (!has_compiler("g++"))
		skip();
	test_session_make(&session);
	program = test_session_path(&session, "inlined");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		print_message("%s\n", forms[i]);
		test_shell("g++ %s -o %s %s/inlined.cc", forms[i], program, sources);
		check_program(&session, program, 1);
	}
	free(program);
	test_session_remove(&session);
}

/* addr2line does not read split debug information: it must say the same as that in one piece. */
TEST(test_split_debug_information)
{
	struct pp_debug_info *whole, *split;
	struct test_session session;
	size_t inlined = 0;
	struct extent text;
	char *path;

	if (!has_compiler("g++"))
		skip();
	test_session_make(&session);
	test_shell(
		"cd %s && g++ -O2 -g -o whole %s/inlined.cc && g++ -O2 -g -gsplit-dwarf -o split "
		"%s/inlined.cc",
		session.dir, sources, sources);
	path = test_session_path(&session, "whole");
	text = text_of(path);
	whole = pp_debug_info_open(path, NULL);
	free(path);
	path = test_session_path(&session, "split");
	split = pp_debug_info_open(path, NULL);
	free(path);
	for (uint64_t address = text.start; address < text.end; address++) {
		const struct pp_inlined *a = pp_debug_info_inlined(whole, address);
		const struct pp_inlined *b = pp_debug_info_inlined(split, address);
		int line_a = 0, line_b = 0;

		inlined += a != NULL;
		for (; a && b; a = a->caller, b = b->caller)
			assert_string_equal(a->name, b->name);
		assert_true(!a && !b);
		pp_debug_info_line(whole, address, &line_a);
		pp_debug_info_line(split, address, &line_b);
		assert_int_equal(line_a, line_b);
	}
	assert_true(inlined > 1000);
	pp_debug_info_close(whole);
	pp_debug_info_close(split);
	test_session_remove(&session);
}

/* Names of files in debug information that are none: who opens such a FIFO waits forever. */
TEST(test_fifos_are_not_opened)
{
	struct test_session session;
	struct test_run run;

	if (!has_compiler("g++"))
		skip();
	test_session_make(&session);
	test_shell("cd %s && g++ -O2 -g -gsplit-dwarf -o inlined %s/inlined.cc && rm *.dwo && "
		   "mkfifo $(readelf --debug-dump=info inlined 2>/dev/null | "
		   "sed -n 's/.*dwo_name.*: *//p' | head -n 1)",
		   session.dir, sources);
	test_session_add(&session, "{root}/x/{dep}/{root}/x/" TIMER, 1, 1);
	fixture_samples(&session,
			&(struct fixture_sample){FIXTURE_ALONE("inlined") TIMER, 0x1200, 1}, 1);
	fixture_opreport(&run, &session, opreport, "--inline -g -n");
	assert_int_equal(run.status, 0);
	test_run_free(&run);
	/* A supplementary file, as dwz makes it. */
	test_shell("cd %s && g++ -O2 -g -o inlined %s/inlined.cc && mkfifo fifo && "
		   "printf 'fifo\\0aaaaaaaaaaaaaaaaaaaa' >link && "
		   "objcopy --add-section .gnu_debugaltlink=link inlined",
		   session.dir, sources);
	fixture_opreport(&run, &session, opreport, "--inline -g -n");
	assert_int_equal(run.status, 0);
	test_run_free(&run);
	test_session_remove(&session);
}

/* The line of a CSV report that has @what in it, as a count; 0 if there is none. */
static uint64_t reported(const char *csv, const char *what)
{
	const char *at = strstr(csv, what);

	while (at && at > csv && at[-1] != '\n')
		at--;
	return at ? strtoull(at, NULL, 10) : 0;
}

/* One sample at each address of .text: as many belong to a function as it has addresses. */
TEST(test_report_attributes_to_inlined_functions)
{
	static const char *const names[] = {"leaf", "middle"};
	struct pp_symbols symbols;
	struct test_session session;
	struct pp_debug_info *info;
	struct extent text;
	struct test_run run;
	uint64_t expected[2] = {0}, all = 0;
	char *program, *name;

	if (!has_compiler("g++"))
		skip();
	test_session_make(&session);
	program = test_session_path(&session, "inlined");
	test_shell("g++ -O2 -g -o %s %s/inlined.cc", program, sources);
	assert_int_equal(pp_symbols_read_file(&symbols, program, "", true, NULL), PP_SYMBOLS_OK);
	info = pp_debug_info_open(program, &symbols);
	text = text_of(program);
	name = fixture_expand(&session, FIXTURE_ALONE("inlined") TIMER);
	for (uint64_t address = text.start; address < text.end; address++) {
		const struct pp_inlined *inlined = pp_debug_info_inlined(info, address);
		uint64_t key;

		assert_true(pp_symbols_key(&symbols, address, &key));
		test_session_add(&session, name, key, 1);
		all++;
		for (size_t i = 0; inlined && i < 2; i++)
			expected[i] += !strcmp(inlined->name, names[i]);
	}
	assert_true(expected[0] > 20 && expected[1] > 0);

	fixture_opreport(&run, &session, opreport, "--inline --csv");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_int_equal(reported(run.out, "leaf (inlined)"), expected[0]);
	assert_int_equal(reported(run.out, "middle (inlined)"), expected[1]);
	assert_non_null(strstr(run.out, ",app::shape::area() const (inlined),"));
	assert_non_null(strstr(run.out, ",main,"));
	test_run_free(&run);

	/* Nothing is lost or counted twice. */
	fixture_opreport(&run, &session, opreport, "-n -t 100 -x");
	assert_int_equal(reported(run.out, "inlined"), all);
	test_run_free(&run);
	fixture_opreport(&run, &session, opreport, "-d -n --inline");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, " in middle (inlined) in app::hot(int)\n"));
	test_run_free(&run);
	fixture_opreport(&run, &session, opreport, "-d --json --inline");
	assert_int_equal(run.status, 0);
	assert_non_null(
		strstr(run.out, "\"inlined_into\": [\"middle (inlined)\", \"app::hot(int)\"]"));
	assert_non_null(strstr(run.out, "\"inlined\": true"));
	test_run_free(&run);
	fixture_opreport(&run, &session, opreport, "-d --csv --inline");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, ",address,inlined_into\n"));
	assert_non_null(strstr(run.out, ",middle (inlined) in app::hot(int)\n"));
	test_run_free(&run);
	fixture_opreport(&run, &session, opreport, "-X -d --inline");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "\"leaf (inlined)\""));
	test_run_free(&run);
	fixture_opreport(&run, &session, opreport, "-c --inline");
	assert_int_equal(run.status, 2);
	test_run_free(&run);
	free(name);
	free(program);
	pp_debug_info_close(info);
	pp_symbols_free(&symbols);
	test_session_remove(&session);
}

TEST_ARGUMENTS(2, "OPREPORT SOURCES")
{
	opreport = argv[1];
	sources = argv[2];
}

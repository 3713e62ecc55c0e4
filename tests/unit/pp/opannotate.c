// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opannotate from outside: every option, against literal text; and nothing is lost between
 * sample files and annotations.
 *
 *	pp_opannotate OPANNOTATE SOURCES
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/file.h"
#include "golden.h"

static const char *opannotate;

#define HEAD_REST                                                                                  \
	": samples, and their percentage of all samples.\n"                                        \
	" *\n"                                                                                     \
	" * CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"                           \
	" * Profiling through timer interrupt\n"                                                   \
	" */\n"
#define HEAD(options, what)                                                                        \
	"/*\n * Command line: opannotate --session-dir=@DIR@ " options                             \
	"\n *\n * Before each " what HEAD_REST
#define TITLE(name, counts) "/*\n * Total samples for file : \"" name "\"\n *\n * " counts "\n */\n"
#define BLANK		    "               :"

static const struct fixture_sample program[] = {
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x04), 1},	/* _start */
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 600}, /* hot */
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x2f), 200}, /* hot, its second line */
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x4f), 190}, /* add(int, int) */
	{FIXTURE_ALONE("prog") TIMER, 0x2010, 4},	/* .odd, no lines */
	{FIXTURE_ALONE("gone") TIMER, 0x2010, 5},
};

/* At the foot stands what was lost, or that nothing was. */
static void test_losses(void **state)
{
	static const struct golden none[] = {
		{"-s -t 99.7 prog", 0,
		 HEAD("-s -t 99.7 prog", "line")
		 "/* Samples without a source line:      4  0.4020 */\n"
		 "/*\n * Samples: 1000 received, 1000 stored, none lost\n */\n",
		 NULL},
	};
	static const struct golden some[] = {
		{"-s -t 99.7 prog", 0,
		 HEAD("-s -t 99.7 prog", "line")
		 "/* Samples without a source line:      4  0.4020 */\n"
		 "/*\n * Samples: 1000 received, 1000 stored, 2 lost (0.2 %)\n"
		 " *         2  task or CPU not known\n */\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, program);
	test_session_stat(&session, "total_samples", 1000);
	test_session_stat(&session, "samples_stored", 1000);
	CHECK_ALL(&session, none);
	test_session_stat(&session, "lost_invalid_domain", 2);
	CHECK_ALL(&session, some);
	test_session_remove(&session);
}

/* Lines of a source file that is short, and of one that is not there. */
static void test_source(void **state)
{
	static const struct golden table[] = {
		{"-s -d @DIR@", 0,
		 HEAD("-s -d @DIR@", "line") TITLE("src/prog.c", "   991 99.1000") BLANK
		 "int first;\n" BLANK "/* no newline at the end */\n"
		 "     1  0.1000 :/* line 10 is not there */ /* _start total:      1  0.1000 */\n"
		 "   600 60.0000 :/* line 20 is not there */ /* hot total:    800 80.0000 */\n"
		 "   200 20.0000 :/* line 21 is not there */\n"
		 "   190 19.0000 :/* line 40 is not there */ /* add(int, int) total:    190 "
		 "19.0000 "
		 "*/\n"
		 "/* Samples without a source line:      9  0.9000 */\n",
		 "gone has no symbols"},
		{"--source --include-symbols=hot --search-dirs=/nowhere image:*/prog", 0,
		 /* No comment ends within the comment. */
		 HEAD("--source --include-symbols=hot --search-dirs=/nowhere image:* /prog", "line")
			 TITLE("src/prog.c",
			       "   800 80.4020") "   600 60.3015 :/* line 20 is not there */ /* "
						 "hot total:    800 80.4020 */\n"
						 "   200 20.1005 :/* line 21 is not there */\n",
		 "warning: source file src/prog.c was not found"},
		/* --base-dirs: what is below src is in src2 now. */
		{"-s -D none -e hot,_start -b /old,src -d @DIR@/src2 prog", 0,
		 HEAD("-s -D none -e hot,_start -b /old,src -d @DIR@/src2 prog", "line")
			 TITLE("src/prog.c", "   190 19.0955") BLANK
		 "moved\n"
		 "   190 19.0955 :/* line 40 is not there */ /* _Z3addii total:    190 19.0955 */\n"
		 "/* Samples without a source line:      4  0.4020 */\n",
		 NULL},
		{"-s -t 99.7 prog", 0,
		 HEAD("-s -t 99.7 prog",
		      "line") "/* Samples without a source line:      4  0.4020 */\n",
		 NULL},
		{"-s --include-file=*.h prog", 0,
		 HEAD("-s --include-file=*.h prog",
		      "line") "/* Samples without a source line:      4  0.4020 */\n",
		 NULL},
		{"-s --exclude-file=prog.c prog", 0,
		 HEAD("-s --exclude-file=prog.c prog",
		      "line") "/* Samples without a source line:      4  0.4020 */\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, program);
	test_session_write(&session, "src/prog.c", "int first;\r\n/* no newline at the end */");
	test_session_write(&session, "src2/prog.c", "moved\n");
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void test_assembly(void **state)
{
	static const struct golden table[] = {
		{"-a -i _start,.odd -t 0.1 prog", 0,
		 HEAD("-a -i _start,.odd -t 0.1 prog", "instruction")
			 TITLE("@DIR@/prog", "   995 100.000") BLANK
		 "\n" BLANK "00401000 <_start>: /* _start total:      1  0.1005 */\n" BLANK
		 "00401000:\tnop\n" BLANK "00401001:\tnop\n" BLANK "00401002:\tnop\n" BLANK
		 "00401003:\tnop\n"
		 "     1  0.1005 :00401004:\tnop\n" BLANK "00401005:\tnop\n" BLANK
		 "00401006:\tnop\n" BLANK "00401007:\tnop\n" BLANK "00401008:\tnop\n" BLANK
		 "00401009:\tnop\n" BLANK "0040100a:\tnop\n" BLANK "0040100b:\tnop\n" BLANK
		 "0040100c:\tnop\n" BLANK "0040100d:\tnop\n" BLANK "0040100e:\tnop\n" BLANK
		 "0040100f:\tnop\n",
		 NULL},
		/* The source file ends between the two lines. */
		{"-a -s -d @DIR@ -i _start prog", 0,
		 HEAD("-a -s -d @DIR@ -i _start prog", "instruction")
			 TITLE("@DIR@/prog", "   995 100.000") BLANK
		 "\n" BLANK "00401000 <_start>: /* _start total:      1  0.1005 */\n" BLANK
		 "/* src/prog.c */\n" BLANK "ten\n" BLANK "00401000:\tnop\n" BLANK
		 "00401001:\tnop\n" BLANK "00401002:\tnop\n" BLANK "00401003:\tnop\n"
		 "     1  0.1005 :00401004:\tnop\n" BLANK "00401005:\tnop\n" BLANK
		 "00401006:\tnop\n" BLANK "00401007:\tnop\n" BLANK "00401008:\tnop\n" BLANK
		 "00401009:\tnop\n" BLANK "0040100a:\tnop\n" BLANK "0040100b:\tnop\n" BLANK
		 "0040100c:\tnop\n" BLANK "0040100d:\tnop\n" BLANK "0040100e:\tnop\n" BLANK
		 "0040100f:\tnop\n",
		 NULL},
		{"-a gone", 0,
		 HEAD("-a gone", "instruction") "/* Samples in code that could not be read:      5 "
						"100.000 */\n",
		 "gone has no symbols"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, program);
	test_session_write(&session, "src/prog.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n11\n");
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Code of a stripped library has no symbols to list; jumps, and their targets, have names. */
static void test_instructions(void **state)
{
	static const struct golden table[] = {
		{"-a code", 0,
		 HEAD("-a code", "instruction") TITLE("@DIR@/code", "     6 100.000") BLANK
		 "\n" BLANK "00401000 <entry>: /* entry total:      6 100.000 */\n"
		 "     2 33.3333 :00401000:\tmov    %rsp,%rbp\n"
		 "     3 50.0000 :00401003:\tjmp    401000 <entry>\n"
		 "     1 16.6667 :00401005:\tjmp    401001 <entry+0x1>\n",
		 NULL},
		{"-a --disassembler-options=intel -i entry code", 0,
		 HEAD("-a --disassembler-options=intel -i entry code", "instruction")
			 TITLE("@DIR@/code", "     6 100.000") BLANK
		 "\n" BLANK "00401000 <entry>: /* entry total:      6 100.000 */\n"
		 "     2 33.3333 :00401000:\tmov    rbp,rsp\n"
		 "     3 50.0000 :00401003:\tjmp    401000 <entry>\n"
		 "     1 16.6667 :00401005:\tjmp    401001 <entry+0x1>\n",
		 NULL},
		{"-a --objdump-params=-Mintel stripped", 0,
		 HEAD("-a --objdump-params=-Mintel stripped", "instruction")
			 TITLE("@DIR@/stripped", "     6 100.000") BLANK
		 "\n" BLANK "<@DIR@/stripped>: /* @DIR@/stripped total:      6 100.000 */\n"
		 "     1 16.6667 :00401000:\tmov    rbp,rsp\n" BLANK "...\n"
		 "     2 33.3333 :00401005:\tjmp    401001\n"
		 "/* Samples in code that could not be read:      3 50.0000 */\n",
		 NULL},
	};
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("code") TIMER, 0x1000, 1},
		{FIXTURE_ALONE("code") TIMER, 0x1001, 1}, /* within the instruction */
		{FIXTURE_ALONE("code") TIMER, 0x1003, 3},
		{FIXTURE_ALONE("code") TIMER, 0x1005, 1},
		{FIXTURE_ALONE("stripped") TIMER, 0x1000, 1},
		{FIXTURE_ALONE("stripped") TIMER, 0x1005, 2},
		{FIXTURE_ALONE("stripped") TIMER, 0x700000, 3},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_session_write(&session, "code.s",
			   ".globl entry\nentry: mov %rsp,%rbp\njmp entry\njmp entry+1\n");
	test_shell("cd %s && gcc -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-eentry "
		   "-Wl,--build-id=none "
		   "-o code code.s && strip -o stripped code",
		   session.dir);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Columns: one pair of numbers a class; --merge makes one of them. */
static void test_classes(void **state)
{
	static const struct golden table[] = {
		{"-s -m cpu", 0,
		 HEAD("-s -m cpu", "line") TITLE(
			 "src/prog.c",
			 "    34 77.2727") "    30 68.1818 :/* line 20 is not there */ /* hot "
					   "total:     34 77.2727 */\n"
					   "     4  9.0909 :/* line 21 is not there */\n"
					   "/* Samples without a source line:     10 22.7273 */\n",
		 "src/prog.c was not found"},
		{"-s -m cpu -x", 0,
		 HEAD("-s -m cpu -x", "line")
			 TITLE("src/prog.c",
			       "    34 100.000") "    30 88.2353 :/* line 20 is not there */ /* "
						 "hot total:     34 100.000 */\n"
						 "     4 11.7647 :/* line 21 is not there */\n",
		 "src/prog.c was not found"},
	};
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x10), 30},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x2f), 4},
		{FIXTURE_IN("prog", "lib.so") "TIMER.0.0.all.all.0", TEXT(0), 10},
	};
	struct test_session session;
	struct test_run run;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	fixture_opreport(&run, &session, opannotate, "-s");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(
		run.out, " * Samples on CPU 0\n * Samples on CPU 1\n */\n"
			 "/*\n * Total samples for file : \"src/prog.c\"\n *\n"
			 " *     30 75.0000      4 100.000\n */\n"
			 "    30 75.0000      0       0 :/* line 20 is not there */ "
			 "/* hot total:     30 75.0000      4 100.000 */\n"
			 "     0       0      4 100.000 :/* line 21 is not there */\n"
			 "/* Samples without a source line:     10 25.0000      0       0 */\n"));
	test_run_free(&run);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Annotated files stand below --output-dir, wherever debug information says they are from. */
static void test_output_dir(void **state)
{
	struct test_session session;
	struct test_run run;
	char *path, *text;

	(void)state;
	make_session(&session);
	test_shell("cd %s && mkdir far && sed 's@src/prog.c@../../../far/../far/prog.c@' %s/prog.s "
		   "> far.s && gcc -nostdlib -static -Wl,-Ttext=0x401000 -o prog far.s",
		   session.dir, getenv("TEST_SOURCES"));
	ADD_ALL(&session, program);
	fixture_opreport(&run, &session, opannotate, "-s -o @DIR@/out prog");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.out, "/* Samples without a source line:      4  0.4020 */\n");
	test_run_free(&run);
	test_shell("cd %s && test \"$(find out -type f)\" = \"$(find out -name prog.c)\"",
		   session.dir);
	path = test_session_path(&session, "out/found");
	test_shell("mv \"$(find %s/out -name prog.c)\" %s", session.dir, path);
	text = op_file_read(path, 1 << 20, NULL, NULL);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "/*\n * Command line: opannotate", 29), 0);
	assert_non_null(strstr(text, "   600 60.3015 :/* line 20 is not there */"));
	free(text);
	free(path);
	test_session_remove(&session);
}

static void test_wrong_words(void **state)
{
	static const struct golden table[] = {
		{"prog", 2, "", "what to annotate? one of --source and --assembly is needed"},
		{"-a -o /tmp/x", 2, "", "--output-dir is for source files"},
		{"-s -o /", 2, "", "--output-dir=/: the source files would be overwritten"},
		{"-s -o /tmp/..", 2, "", "--output-dir=/tmp/..: the source files would be"},
		{"-s -b src", 2, "", "--base-dirs needs --search-dirs"},
		{"-s --objdump-params=-Mintel", 2, "", "need --assembly"},
		{"-a --objdump-params=-S", 2, "", "only '-M OPTIONS' is known"},
		{"-a --include-file=x", 2, "", "need --source"},
		{"-s -t 101", 2, "", "--threshold=101: not a percentage"},
		{"-s -D what", 2, "", "--demangle=what"},
		{"-s -m nothing", 2, "", "nothing"},
		{"-s -d a,,b", 2, "", "--search-dirs=a,,b: empty item in the list"},
		{"-s --no-such-option", 2, "", "--no-such-option"},
		{"-s -V what", 2, "", "--verbose=what"},
		{"-s nothing", 1, "", "none of the 2 sample files in"},
		{"-s session:none", 1, "", "no session at"},
	};

	(void)state;
	CHECK_SAMPLES(program, table);
}

/* Counts before lines and instructions, and behind "could not be read" and "without". */
static uint64_t add_up(const char *text)
{
	uint64_t sum = 0, count;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *mark;

		if (line[0] == '/' && line[1] == '*') {
			mark = memmem(line, end - line, ": ", 2);
			if (mark && sscanf(mark + 2, "%" SCNu64, &count) == 1)
				sum += count;
		} else if (line[0] != ' ' || line[1] != '*') {
			mark = line + strspn(line, " ");
			if (isdigit((unsigned char)*mark) &&
			    sscanf(mark, "%" SCNu64 " %*f :", &count) == 1)
				sum += count;
		}
	}
	return sum;
}

/* Random keys in and around code of all kinds of images. */
static void test_sums(void **state)
{
	static const char *const images[] = {"prog", "lib.so", "stripped", "broken", "gone"};
	static const char *const options[] = {"-s", "-a", "-a -s", "-s -D none", "-a -m all"};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_shell("cd %s && cp lib.so stripped && strip stripped && head -c 5000 prog > broken",
		   session.dir);
	srandom(7);
	for (int i = 0; i < 2000; i++) {
		char name[512];

		snprintf(name, sizeof(name), "{root}%s/%s/{dep}/{root}%s/%s/" TIMER, session.dir,
			 images[(unsigned long)random() % 5], session.dir,
			 images[(unsigned long)random() % 5]);
		test_session_add(&session, name, 0xf80 + (uint64_t)random() % 0x1200,
				 1 + (uint64_t)random() % 100);
	}
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct test_run run;

		fixture_opreport(&run, &session, opannotate, options[i]);
		assert_int_equal(run.status, 0);
		if (add_up(run.out) != session.stored)
			fail_msg("opannotate %s: %" PRIu64 ", but the files hold %" PRIu64,
				 options[i], add_up(run.out), session.stored);
		test_run_free(&run);
	}
	test_session_remove(&session);
}

/* What objdump says of an instruction. */
struct instruction {
	uint64_t address;
	const char *text;
};

/* "ADDRESS:\tTEXT", without the names of addresses, which end the text. */
static bool read_instruction(char *line, struct instruction *out)
{
	char *tab = strstr(line, ":\t"), *name, *end;

	if (!tab)
		return false;
	out->address = strtoull(line, &end, 16);
	if (end != tab)
		return false;
	out->text = tab + 2;
	name = strchr(out->text, '<');
	end = name ? name : tab + 2 + strlen(tab + 2);
	while (end > out->text && strchr(" \t", end[-1]))
		end--;
	*end = '\0';
	return true;
}

/* The instructions of a real program, opannotate itself, are those that objdump finds. */
static void test_agrees_with_objdump(void **state)
{
	static const size_t most = 500000;
	struct instruction *known = calloc(most, sizeof(*known)), found;
	struct test_run objdump, run;
	struct test_session session;
	char *self, *line, *rest;
	size_t n = 0, next = 0, agreed = 0;
	uint64_t sum = 0;

	(void)state;
	make_session(&session);
	self = realpath(opannotate, NULL);
	assert_true(known && self);
	test_run(&objdump, (const char *const[]){"/usr/bin/objdump", "-d", "-j", ".text",
						 "--no-show-raw-insn", self, NULL});
	assert_int_equal(objdump.status, 0);
	rest = objdump.out;
	while (n < most && (line = strsep(&rest, "\n")) != NULL)
		n += read_instruction(line, &known[n]);
	for (size_t i = 0; i < n; i += 37) {
		char name[512];

		snprintf(name, sizeof(name), "{root}%s/{dep}/{root}%s/" TIMER, self, self);
		test_session_add(&session, name, known[i].address, 1);
	}
	fixture_opreport(&run, &session, opannotate, "-a");
	assert_int_equal(run.status, 0);
	rest = run.out;
	while ((line = strsep(&rest, "\n")) != NULL) {
		bool has_samples = strncmp(line, "     1 ", 7) == 0;

		line = strchr(line, ':');
		if (!line || !read_instruction(line + 1, &found))
			continue;
		sum += has_samples;
		while (next < n && known[next].address < found.address)
			next++;
		if (next == n || known[next].address != found.address ||
		    strcmp(known[next].text, found.text))
			fail_msg("%" PRIx64 ": %s, but objdump says %s", found.address, found.text,
				 next < n ? known[next].text : "nothing");
		agreed++;
	}
	print_message("%zu instructions agree with objdump\n", agreed);
	assert_true(agreed > 5000);
	assert_int_equal(sum, session.stored);
	test_run_free(&run);
	test_run_free(&objdump);
	free(self);
	free(known);
	test_session_remove(&session);
}

/* Images that are damaged in any byte must not end it. */
static void test_damaged_images(void **state)
{
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, program);
	test_shell("cd %s && cp prog good", session.dir);
	srandom(8);
	for (int i = 0; i < 150; i++) {
		struct test_run run;

		test_shell("cd %s && cp good prog && printf '\\%03o' | dd of=prog bs=1 seek=%ld "
			   "conv=notrunc status=none",
			   session.dir, (unsigned int)random() % 256, random() % 9000);
		fixture_opreport(&run, &session, opannotate, i % 2 ? "-a -s" : "-s");
		if (run.status)
			fail_msg("damage %d: status %d, %s", i, run.status, run.err);
		test_run_free(&run);
	}
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_source),	       cmocka_unit_test(test_assembly),
		cmocka_unit_test(test_instructions),   cmocka_unit_test(test_classes),
		cmocka_unit_test(test_output_dir),     cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_sums),	       cmocka_unit_test(test_agrees_with_objdump),
		cmocka_unit_test(test_damaged_images),
	};

	golden_begin(argc, argv);
	opannotate = argv[1];
	setenv("TEST_SOURCES", argv[2], 1);
	return cmocka_run_group_tests_name("opannotate", tests, NULL, NULL);
}

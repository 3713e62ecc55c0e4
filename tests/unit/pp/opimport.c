// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opimport from outside: files of every version, ABI and byte order become native ones with
 * the same header and counts.
 *
 *	pp_opimport OPIMPORT SOURCES OPREPORT
 */
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"
#include "libop/base/array.h"
#include "libop/cpu/type_names.h"
#include "session.h"

static const char *opimport, *opreport;

static const struct fixture_node nodes[] = {
	{0x1000, 7}, {0x910000003500, 0xffffffff}, {0x24, 3}, {0x1000, 5}};

static void run(struct test_run *result, const char *arguments)
{
	char *text = strdup(arguments), *rest = text, *word;
	const char *argv[16] = {opimport};
	size_t n = 1;

	while ((word = strsep(&rest, " ")) != NULL && n < 15)
		argv[n++] = word;
	test_run(result, argv);
	free(text);
}

/* Runs it, and says what was wrong with the exit status or stderr. */
static void check(int status, const char *err, const char *format, ...)
{
	char arguments[4096];
	struct test_run result;
	va_list args;

	va_start(args, format);
	vsnprintf(arguments, sizeof(arguments), format, args);
	va_end(args);
	run(&result, arguments);
	if (result.status != status || *result.out ||
	    (err ? !strstr(result.err, err) : *result.err))
		fail_msg("opimport %s: status %d, wanted %d; %s; wanted in it: %s", arguments,
			 result.status, status, result.err, err ? err : "nothing");
	test_run_free(&result);
}

static void write_form(const struct fixture_form *form, const char *path)
{
	size_t length;
	uint8_t *bytes = fixture_image(form, nodes, 4, &length);

	fixture_write(path, bytes, length);
	free(bytes);
}

static bool is_native_form(const struct fixture_form *form)
{
	return form->version == ODB_VERSION && fixture_is_native(form->big_endian) &&
	       !strcmp(form->abi, "x86-64");
}

TEST_WITH(every_form_is_imported, fixture_setup, fixture_teardown)
{
	const char *in = fixture_path("in"), *out = fixture_path("out");

	for (size_t i = 0; i < fixture_form_count; i++) {
		const struct fixture_form *form = &fixture_forms[i];
		const struct odb_header *header;
		struct odb_format format;
		struct odb *db;

		write_form(form, in);
		if (is_native_form(form))
			check(1, "in has the ABI of this machine already", "-o %s %s", out, in);
		check(0, NULL, "%s-o %s %s", is_native_form(form) ? "-f " : "", out, in);
		fixture_assert_sound(out);
		assert_int_equal(fixture_count(out, 0x1000), 12);
		assert_int_equal(fixture_count(out, 0x910000003500), 0xffffffff);
		assert_int_equal(fixture_sum(out), 0xffffffffull + 15);
		assert_int_equal(odb_open(&db, out, ODB_WRITE, NULL, NULL), 0);
		header = odb_header(db);
		format = odb_format(db);
		assert_true(fixture_is_native(format.big_endian));
		assert_int_equal(header->version, ODB_VERSION);
		assert_int_equal(header->cpu_type, OP_CPU_TIMER);
		assert_int_equal(header->ctr_event, 0x3c);
		assert_int_equal(header->ctr_um, 1);
		assert_int_equal(header->ctr_count, 100000);
		assert_int_equal(header->is_kernel, 1);
		assert_true(header->cpu_speed == 2200);
		assert_int_equal(header->mtime, 1600000000);
		assert_int_equal(header->cg_to_is_kernel, 1);
		assert_int_equal(header->anon_start, 0x7fbb26d42000);
		assert_int_equal(header->cg_to_anon_start, 0x1000);
		odb_close(db);
		/* It is not overwritten. */
		check(1, "out exists already", "-f -o %s %s", out, in);
		unlink(out);
	}
}

static const struct fixture_form *find_form(uint32_t version, const char *abi, bool big_endian)
{
	for (size_t i = 0; i < fixture_form_count; i++)
		if (fixture_forms[i].version == version && !strcmp(fixture_forms[i].abi, abi) &&
		    fixture_forms[i].big_endian == big_endian)
			return &fixture_forms[i];
	fail_msg("no such form");
	return NULL;
}

/* Versions before 0x13 number CPU types in another way. */
TEST_WITH(cpu_types_are_translated, fixture_setup, fixture_teardown)
{
	static const struct {
		uint32_t version, number;
		const char *option, *name; /* NULL: not known */
	} table[] = {
		{0x12, 40, "", "i386/core_2"},
		{0x12, 65, "", "x86-64/family15h"},
		{0x11, 6, "", "i386/p4"},
		{0x13, 32, "-f ", "i386/core_2"},
		{0x12, 5, "", NULL},
		{0x12, 5, "--cpu-type=i386/haswell ", "i386/haswell"},
	};
	const char *in = fixture_path("type"), *out = fixture_path("type.out");

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		const struct fixture_form *form = find_form(table[i].version, "x86-64", false);
		size_t length;
		uint8_t *bytes = fixture_image(form, nodes, 4, &length);
		struct odb *db;

		fixture_put(bytes + 8, form->big_endian, 4, table[i].number);
		fixture_write(in, bytes, length);
		free(bytes);
		check(0, table[i].name ? NULL : "unknown CPU type 5 of version 0x12", "%s-o %s %s",
		      table[i].option, out, in);
		assert_int_equal(odb_open(&db, out, ODB_READ, NULL, NULL), 0);
		assert_int_equal((int)odb_header(db)->cpu_type,
				 table[i].name ? op_cpu_type_number(table[i].name) : OP_CPU_NONE);
		odb_close(db);
		unlink(out);
	}
}

/* Reports need no import: whatever form a file has, they show its CPU type and its counts. */
TEST(reports_read_all_forms)
{
	static const struct {
		uint32_t old, number; /* before 0x13, and in it */
		const char *title;
	} types[] = {
		{4, 4, "not known"}, /* it has no such event */
		{40, 32, "Core 2"},
		{81, 69, "AMD64 generic"},
		{5, 1000, "unknown CPU type"},
	};
	static const char name[] = "samples/current/{root}/bin/x/{dep}/{root}/bin/x/"
				   "EV.100000.1.all.all.all";

	for (size_t i = 0; i < fixture_form_count * (OP_ARRAY_SIZE(types)); i++) {
		const struct fixture_form *form = &fixture_forms[i % fixture_form_count];
		size_t type = i / fixture_form_count, length;
		uint8_t *bytes = fixture_image(form, nodes, 4, &length);
		struct test_session session;
		char option[128], head[128];
		struct test_run report;
		char *path;

		test_session_make(&session);
		fixture_put(bytes + 8, form->big_endian, 4,
			    form->version < 0x13 ? types[type].old : types[type].number);
		test_session_write(&session, name, "");
		path = test_session_path(&session, "%s", name);
		fixture_write(path, bytes, length);
		snprintf(option, sizeof(option), "--session-dir=%s", session.dir);
		test_run(&report, (const char *const[]){opreport, option, NULL});
		snprintf(head, sizeof(head), "\nCPU: %s, speed 2200 MHz (estimated)\n",
			 types[type].title);
		if (report.status || !strstr(report.out, head) ||
		    !strstr(report.out, "\n4294967310 100.000 x\n"))
			fail_msg("version 0x%x, %s, %s: %d\n%s%s", form->version, form->abi,
				 form->big_endian ? "big" : "little", report.status, report.out,
				 report.err);
		test_run_free(&report);
		free(path);
		free(bytes);
		test_session_remove(&session);
	}
}

/* A session of an old big-endian machine: reports of it say what those of a native one do. */
TEST(sessions_are_imported)
{
	static const char name[] = "samples/current/{root}/bin/x/{dep}/{root}/bin/x/"
				   "TIMER.0.0.all.all.all";
	struct test_session session;
	struct test_run report;
	char *in, *out, *option;

	test_session_make(&session);
	test_session_write(&session, "old/lock", "123");
	test_session_write(&session, "old/abi", "little_endian 0\nsizeof_struct_opd_header 88\n");
	test_session_write(&session, "old/samples/current/stats/x", "5\n");
	test_session_write(&session, "old/samples/current/{root}/bin/1.jo", "code");
	in = test_session_path(&session, "old/%s", name);
	test_session_write(&session, "old/samples/current/{root}/bin/x/{dep}/{root}/bin/x/x", "");
	write_form(find_form(0x12, "x86-64", true), in);
	free(in);
	in = test_session_path(&session, "old");
	out = test_session_path(&session, "new");
	check(0, NULL, "-a %s/abi -o %s %s", in, out, in);
	test_shell("cd %s/new && test ! -e lock && test ! -e abi && cmp samples/current/stats/x "
		   "../old/samples/current/stats/x && test -e samples/current/{root}/bin/1.jo",
		   session.dir);
	assert_true(asprintf(&option, "--session-dir=%s", out) > 0);
	test_run(&report, (const char *const[]){opreport, option, "-n", NULL});
	assert_string_equal(report.out, "4294967310 100.000 x\n");
	test_run_free(&report);
	/* One that is bad is told of and does not stop the others. */
	test_session_write(&session,
			   "old/samples/current/{root}/a/{dep}/{root}/a/"
			   "TIMER.0.0.all.all.all",
			   "nonsense");
	free(out);
	out = test_session_path(&session, "new2");
	check(1, "1 of 2 sample files were not imported", "-o %s %s", out, in);
	test_shell("cd %s/new2/samples/current/{root} && test -e bin/x && test -z \"$(find a -type "
		   "f)\"",
		   session.dir);
	check(1, "new2: File exists", "-o %s %s", out, in);
	free(in);
	free(out);
	free(option);
	test_session_remove(&session);
}

TEST_WITH(wrong_words_and_files_are_told_of, fixture_setup, fixture_teardown)
{
	const char *in = fixture_path("good"), *jit = fixture_path("1.jo");

	write_form(find_form(0x12, "i386", false), in);
	fixture_write(jit, "x", 1);
	fixture_write(fixture_path("bad"), "nonsense", 8);
	fixture_write(fixture_path("abi"), "little_endian 1\nsizeof_struct_opd_header 88\n", 45);
	check(2, "--output is required", "%s", in);
	check(2, "one file or directory is needed, not 0", "-o x");
	check(2, "not 2", "-o x a b");
	check(2, "--from=perf.dat: no such format", "--from=perf.dat -o x %s", in);
	check(2, "--cpu-type=z80: no such CPU type", "--cpu-type=z80 -o x %s", in);
	check(2, "--root=/: unknown option", "--root=/ -o x %s", in);
	check(1, "No such file", "-o x %s.gone", in);
	check(1, "bad", "-o %s/x %s/bad", fixture_dir(), fixture_dir());
	check(1, "is not of the ABI in", "-a %s/abi -o %s/x %s", fixture_dir(), fixture_dir(), in);
	check(1, "does not describe an ABI", "-a %s -o %s/x %s", jit, fixture_dir(), in);
	check(1, "No such file", "-o %s/no/x %s", fixture_dir(), in);
	assert_int_not_equal(access(fixture_path("x"), F_OK), 0);
	check(0, NULL, "-o %s/x %s", fixture_dir(), jit);
	assert_int_not_equal(access(fixture_path("x"), F_OK), 0);
	check(0, NULL, "--from=oprofile --force -a %s/abi -o %s/x %s", fixture_dir(), fixture_dir(),
	      in);
	unlink(fixture_path("x"));
}

/* Damaged files: an error, or all that can be read; never half a file. */
TEST_WITH(damaged_files_leave_nothing_half, fixture_setup, fixture_teardown)
{
	const struct fixture_form *form = find_form(0x12, "i386", true);
	const char *in = fixture_path("damaged"), *out = fixture_path("damaged.out");
	size_t length;
	uint8_t *bytes = fixture_image(form, nodes, 4, &length);
	uint64_t seed = 1;

	for (int i = 0; i < 300; i++) {
		uint64_t place = fixture_random(&seed) % (i % 2 ? 200 : length);
		uint8_t was = bytes[place];
		struct test_run result;
		char arguments[512];

		bytes[place] = (uint8_t)fixture_random(&seed);
		fixture_write(in, bytes, i % 10 ? length : place);
		snprintf(arguments, sizeof(arguments), "-o %s %s", out, in);
		run(&result, arguments);
		assert_true(result.status == 0 || result.status == 1);
		if (result.status == 0)
			fixture_assert_sound(out);
		assert_int_equal(access(out, F_OK) == 0, result.status == 0);
		test_run_free(&result);
		unlink(out);
		bytes[place] = was;
	}
	free(bytes);
}

TEST_ARGUMENTS(3, "OPIMPORT SOURCES OPREPORT")
{
	opimport = argv[1];
	opreport = argv[3];
}

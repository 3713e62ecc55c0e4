// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged sessions: every byte of every file of a small session is changed, every file is cut
 * at every length, names are scrambled.  Reports are made in this process, so that a hundred
 * thousand of them take little time; the tools themselves run on a few.  Nothing crashes, and
 * what is not damaged is shown in full.
 *
 *	pp_damaged_session SOURCES TOOL...
 */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "fixture.h"
#include "libop/base/file.h"
#include "libop/pack/pack.h"
#include "libop/pack/session.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"
#include "pp/profile/loss.h"
#include "libop/base/memory.h"
#include "pp/report/report.h"
#include "pp/select/selection.h"

static struct test_session session;
static char **tools;
static size_t n_tools;

#define EVENT	       "EV.100000.1.10.11.all"
#define ARC(from, to)  ((uint64_t)(from) << 32 | (to))
#define OTHER_SAMPLES  1234567
#define OF_OTHER(part) (!strcmp((part)->app->base, "other"))

static const struct fixture_sample samples[] = {
	{FIXTURE_ALONE("prog") EVENT, 0x1010, 60},
	{FIXTURE_ALONE("prog") EVENT, 0x1030, 7},
	{FIXTURE_IN("prog", "lib.so") EVENT, 0x1004, 33},
	{FIXTURE_KERNEL("prog", "kallsyms") EVENT, 0x14, 5},
	{"{root}@DIR@/prog/{dep}/{anon:heap}/10.0x1000.0x2000/" EVENT, 0x10, 2},
	{FIXTURE_ALONE("prog") "{cg}/{root}@DIR@/lib.so/" EVENT, ARC(0x1010, 0x1004), 20},
};

/* What is never damaged. */
static const struct fixture_sample other = {FIXTURE_ALONE("other") EVENT, 0x1010, OTHER_SAMPLES};

/* ---- a report ---- */

struct report {
	struct pp_sample_list list;
	struct pp_classes classes;
	struct pp_image_search search;
	struct pp_profile profile;
	struct pp_loss loss;
	struct op_strings none;
	struct pp_merge merge;
};

static void write_all(struct report *report, FILE *out)
{
	struct pp_report_style style = {.details = true, .lines = true};
	const struct pp_report_facts facts = {
		.search = &report->search,
		.list = &report->list,
		.symbols = true,
		.callgraph = true,
		.loss = &report->loss,
		.command_line = "test",
		.session_dir = session.dir,
		.image_paths = &report->none,
		.include = &report->none,
		.exclude = &report->none,
		.merge = &report->merge,
	};

	pp_report_head(&report->profile, out);
	pp_report_summary(&report->profile, &style, out);
	pp_report_symbols(&report->profile, &style, out);
	pp_report_callgraph(&report->profile, &style, out);
	pp_report_xml(&report->profile, &style, &facts, out);
	pp_report_json(&report->profile, &style, &facts, out);
	pp_report_csv(&report->profile, &style, &facts, out);
	pp_loss_write(&report->loss, false, out);
}

/* How many reports were wrong; the first ones are told, to stdout. */
static size_t n_wrong;

static void tell(const char *format, ...)
{
	va_list args;

	if (n_wrong++ >= 5)
		return;
	va_start(args, format);
	vfprintf(stdout, format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static uint64_t count_other(const struct pp_profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->n_parts; i++)
		for (size_t k = 0; OF_OTHER(&profile->parts[i]) && k < profile->classes->n; k++)
			sum += profile->parts[i].counts[k];
	return sum;
}

static uint64_t make_reports_aloud(const char *damage)
{
	const struct pp_spec spec = {0};
	struct pp_warnings trouble = {0};
	struct report report = {.list = {.want_arcs = true, .want_entries = true},
				.merge = {.cpu = true, .tid = true, .tgid = true}};
	const struct pp_profile_wish wish = {.symbols = true,
					     .details = true,
					     .lines = true,
					     .arcs = true,
					     .demangle = PP_DEMANGLE_NORMAL,
					     .search = &report.search};
	struct op_error error = {0};
	uint64_t sum = 0;
	size_t length = 0;
	char *text = NULL;
	FILE *out;

	report.search.paths = &report.none;
	if (pp_select(&report.list, &report.classes, session.dir, &spec, &report.merge, false,
		      &trouble, &error)) {
		/* A name may have become that of another event; then the columns differ twice. */
		if (!strstr(error.text, "more than one way"))
			tell("%s: %s", damage, error.text);
	} else {
		pp_profile_make(&report.profile, &report.list, &report.classes, &wish, &trouble);
		pp_loss_read(&report.loss, report.list.samples_dirs, report.list.n_dirs);
		out = open_memstream(&text, &length);
		test_need(out != NULL, "out of memory");
		write_all(&report, out);
		fclose(out);
		free(text);
		for (size_t i = 0; i < report.classes.n; i++)
			sum += report.profile.totals[i];
		/* How long an event was counted scales all samples of it. */
		if (count_other(&report.profile) != OTHER_SAMPLES && !strstr(damage, "/events/"))
			tell("%s: other has %llu samples", damage,
			     (unsigned long long)count_other(&report.profile));
		pp_profile_free(&report.profile);
	}
	pp_image_search_free(&report.search);
	pp_classes_free(&report.classes);
	pp_sample_list_free(&report.list);
	return sum;
}

/*
 * All reports of the session as it is, without their warnings: there would be a hundred
 * thousand.  Return: the sum of all samples.
 */
static uint64_t make_reports(const char *damage)
{
	static int null = -1;
	int saved = dup(STDERR_FILENO);
	uint64_t sum;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDERR_FILENO);
	sum = make_reports_aloud(damage);
	dup2(saved, STDERR_FILENO);
	close(saved);
	return sum;
}

/* ---- the files ---- */

/* The files that are damaged, one after another. */
static struct op_strings files;

static int add_file(const char *path, const struct stat *status, void *context)
{
	(void)status;
	(void)context;
	if (!strstr(path, "/other/"))
		test_need(!op_strings_add(&files, path), "out of memory");
	return 0;
}

static void put(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	test_need(fd >= 0 && pwrite(fd, bytes, n, 0) == (ssize_t)n && !ftruncate(fd, (off_t)n) &&
			  !close(fd),
		  "cannot write %s", path);
}

/* Calls @damage for each file with its content, which is put back afterwards. */
static void each_file(void (*damage)(const char *path, char *bytes, size_t n))
{
	for (size_t i = 0; i < files.count; i++) {
		size_t n;
		char *bytes = op_file_read(files.item[i], 1 << 20, &n, NULL);

		test_need(bytes != NULL, "cannot read %s", files.item[i]);
		damage(files.item[i], bytes, n);
		put(files.item[i], bytes, n);
		free(bytes);
	}
}

static void change_bytes(const char *path, char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	char text[512];

	test_need(fd >= 0, "cannot open %s", path);
	for (size_t at = 0; at < n; at++) {
		const char changed = (char)~bytes[at];

		snprintf(text, sizeof(text), "%s with byte %zu changed", path, at);
		test_need(pwrite(fd, &changed, 1, (off_t)at) == 1, "cannot write");
		make_reports(text);
		test_need(pwrite(fd, &bytes[at], 1, (off_t)at) == 1, "cannot write");
	}
	close(fd);
}

static void cut(const char *path, char *bytes, size_t n)
{
	char text[512];

	(void)bytes;
	for (size_t length = n; length-- > 0;) {
		snprintf(text, sizeof(text), "%s cut at %zu", path, length);
		test_need(!truncate(path, (off_t)length), "cannot cut %s", path);
		make_reports(text);
	}
}

static void test_every_byte(void **state)
{
	(void)state;
	n_wrong = 0;
	each_file(change_bytes);
	assert_int_equal(n_wrong, 0);
}

static void test_every_length(void **state)
{
	(void)state;
	n_wrong = 0;
	each_file(cut);
	assert_int_equal(n_wrong, 0);
}

/* A part of the path below the session's samples becomes another one; again for each byte. */
static void scramble(const char *path, char *bytes, size_t n)
{
	static const char *const odd[] = {"{root}", "{kern}", "{dep}", "{cg}",	"{anon:x}", "{anon",
					  "..x",    " ",      "-1",    "x.y.z", "\\{dep}",  "\xff"};
	const char *from = strstr(path, "/current/");

	(void)bytes;
	(void)n;
	for (const char *part = from ? from + strlen("/current/") : NULL; part;
	     part = strchr(part, '/')) {
		size_t head = (size_t)(part - path) + (*part == '/'), length;
		char old[PATH_MAX], new[PATH_MAX];

		part = path + head;
		length = strcspn(part, "/");
		snprintf(old, sizeof(old), "%.*s", (int)(head + length), path);
		for (size_t i = 0; i < length + sizeof(odd) / sizeof(odd[0]); i++) {
			strcpy(new, old);
			if (i < length)
				new[head + i] ^= 0x15;
			else
				strcpy(new + head, odd[i - length]);
			if (strchr(new + head, '/') || !access(new, F_OK) ||
			    /* That would be other, too. */
			    strstr(path + head, "{dep}") || rename(old, new))
				continue;
			make_reports(new);
			test_need(!rename(new, old), "cannot put %s back", old);
		}
	}
}

static void test_names(void **state)
{
	(void)state;
	n_wrong = 0;
	each_file(scramble);
	assert_int_equal(n_wrong, 0);
}

/* ---- the tools ---- */

static void run_tools(const char *damage)
{
	for (size_t i = 0; i < n_tools; i++) {
		const char *name = strrchr(tools[i], '/') + 1;
		char dir[128], *archive = test_session_path(&session, "gmon");
		const char *argv[8] = {tools[i], dir};
		struct test_run run;

		snprintf(dir, sizeof(dir), "--session-dir=%s", session.dir);
		argv[2] = !strcmp(name, "opreport")	? "-X"
			  : !strcmp(name, "opannotate") ? "-a"
			  : !strcmp(name, "oparchive")	? "-l"
							: "-o";
		argv[3] = !strcmp(name, "opgprof") ? archive : "image:*other";
		argv[4] = !strcmp(name, "opgprof") ? "image:*other" : NULL;
		test_run(&run, argv);
		if (run.status != 0)
			fail_msg("%s, %s: status %d: %s", name, damage, run.status, run.err);
		test_run_free(&run);
		argv[!strcmp(name, "opgprof") ? 4 : 3] = NULL;
		test_run(&run, argv);
		if (run.status != 0 && run.status != 1)
			fail_msg("%s, %s: status %d: %s", name, damage, run.status, run.err);
		test_run_free(&run);
		free(archive);
	}
}

static void damage_for_tools(const char *path, char *bytes, size_t n)
{
	char *junk = malloc(n);

	for (size_t i = 0; i < n; i++)
		junk[i] = (char)(i * 37 ^ 0x5a);
	put(path, junk, n);
	run_tools(path);
	put(path, bytes, n / 2);
	run_tools(path);
	put(path, "", 0);
	run_tools(path);
	free(junk);
}

static void test_tools(void **state)
{
	(void)state;
	each_file(damage_for_tools);
}

/* The kernel's symbols again, as the daemon packs them: each byte changed, and each length. */
static void test_packed(void **state)
{
	char *path = test_session_path(&session, "samples/current/" OP_SAMPLES_KALLSYMS);
	size_t n_plain, n;
	char *plain = op_file_read(path, 1 << 20, &n_plain, NULL), *packed;

	(void)state;
	assert_non_null(plain);
	assert_int_equal(op_packed_replace(path, plain, n_plain, 0644, NULL), 0);
	packed = op_file_read(path, 1 << 20, &n, NULL);
	assert_non_null(packed);
	n_wrong = 0;
	assert_int_equal(make_reports("nothing"), session.stored);
	change_bytes(path, packed, n);
	cut(path, packed, n);
	assert_int_equal(n_wrong, 0);
	put(path, packed, n);
	damage_for_tools(path, packed, n);
	put(path, plain, n_plain);
	free(packed);
	free(plain);
	free(path);
}

/*
 * The session again, packed but for the other program: each byte of the pack changed, and each
 * length.  Nothing of a damaged pack is shown twice.
 */
static void test_pack(void **state)
{
	char *current = test_session_path(&session, "samples/current");
	char *path = test_session_path(&session, "samples/current/" OP_PACK_NAME);
	char *from = test_session_path(&session, "samples/current/{root}%s/other", session.dir);
	char *aside = test_session_path(&session, "aside"), *bytes;
	struct op_pack_result result;
	struct op_error error;
	size_t n;

	(void)state;
	assert_int_equal(rename(from, aside), 0);
	if (op_session_pack(current, NULL, NULL, &result, &error))
		fail_msg("%s", error.text);
	assert_int_equal(result.left, 0);
	/* the directories on the way have gone, too */
	test_need(!op_mkdir_parents(from, 0755, &error) && !rename(aside, from), "cannot put back");
	n_wrong = 0;
	assert_int_equal(make_reports("nothing"), session.stored);
	bytes = op_file_read(path, 1 << 20, &n, NULL);
	assert_non_null(bytes);
	change_bytes(path, bytes, n);
	cut(path, bytes, n);
	assert_int_equal(n_wrong, 0);
	put(path, bytes, n);
	damage_for_tools(path, bytes, n);
	put(path, bytes, n);
	if (op_session_unpack(current, &result, &error))
		fail_msg("%s", error.text);
	assert_int_equal(make_reports("nothing"), session.stored);
	free(bytes);
	free(aside);
	free(from);
	free(path);
	free(current);
}

static int setup(void **state)
{
	char *current = test_session_path(&session, "samples");

	(void)state;
	test_shell("cp %s/prog %s/other", session.dir, session.dir);
	fixture_samples(&session, samples, sizeof(samples) / sizeof(samples[0]));
	fixture_samples(&session, &other, 1);
	test_session_write(&session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\nffffffff81000010 T first\n"
			   "ffffffffc0000000 t init [demo]\n");
	test_session_write(&session, "samples/current/modules", "demo ffffffffc0000000 4000 -\n");
	test_session_stat(&session, "total_samples", 100);
	test_session_stat(&session, "lost_no_mapping", 3);
	test_session_stat(&session, "cpu0/sample_received", 99);
	test_session_stat(&session, "events/EV.100000.1/enabled_ns", 2000);
	test_session_stat(&session, "events/EV.100000.1/running_ns", 2000);
	test_session_write(&session, "samples/oprofiled.log", "a line\n");
	test_need(!op_walk(current, add_file, NULL, NULL), "cannot walk %s", current);
	free(current);
	assert_int_equal(make_reports("nothing"), session.stored);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	op_strings_free(&files);
	test_session_remove(&session);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_pack),
	};

	test_need(argc > 2, "usage: pp_damaged_session SOURCES TOOL...");
	tools = argv + 2;
	n_tools = (size_t)argc - 2;
	/* In memory: files are written a hundred thousand times. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	test_session_make(&session);
	fixture_images(&session, argv[1]);
	return cmocka_run_group_tests_name("pp_damaged_session", tests, setup, teardown);
}

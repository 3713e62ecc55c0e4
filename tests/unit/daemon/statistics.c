// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of statistics (libop/session/statistics.h): the module's reader, the daemon and reports
 * know each row, and the module reports what the table says.
 */
#include "fixture.h"

#include "daemon/sources/module.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"

static const char *opreport, *module_source;

/* Another number of each row, with digits that no other one begins or ends with. */
static uint64_t value_of(enum stat_id which)
{
	return 700001000 + (uint64_t)which;
}

static bool is_of_daemon(enum stat_id which)
{
	return op_stats[which].source == OP_STAT_OF_DAEMON;
}

/* ---- what is counted ---- */

static void write_file(const char *dir, const char *name, const char *text)
{
	char *path = op_path("%s/%s", dir, name);
	struct op_error error;

	if (op_mkdir_parents(path, 0755, &error) ||
	    op_file_replace(path, text, strlen(text), 0644, &error))
		fail_msg("%s", path);
	free(path);
}

/* Makes a directory as oprofilefs is, with a number in each file of the table. */
static void make_oprofilefs(const char *fs)
{
	char name[128], text[32];

	write_file(fs, "pointer_size", "8\n");
	write_file(fs, "buffer_size", "4096\n");
	write_file(fs, "cpu_type", "timer");
	write_file(fs, "buffer", "");
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		bool is_of_cpu = op_stats[i].source == OP_STAT_OF_CPU;

		if (!op_stat_is_of_kernel(i))
			continue;
		snprintf(name, sizeof(name), "stats/%s%s", is_of_cpu ? "cpu3/" : "",
			 op_stats[i].key);
		snprintf(text, sizeof(text), "%" PRIu64 "\n", value_of(i));
		write_file(fs, name, text);
	}
}

/* What the reader of the module says of it; the caller frees it. */
static char *read_module(const char *dir)
{
	char *fs = op_path("%s/fs", dir), *text;
	struct source *source;
	struct op_error error;

	make_oprofilefs(fs);
	source = source_kernel_open(fs, &error);
	if (!source)
		fail_msg("%s", error.text);
	text = source_stats(source);
	assert_non_null(text);
	source_close(source);
	free(fs);
	return text;
}

/* Counts all that a daemon counts, and has it saved. */
static void count_all(struct test_session *session, const char *module)
{
	uint64_t *value = session->profile.stats.samples.value;
	struct overhead *overhead = &session->profile.stats.overhead;

	session->machine.stats = module;
	session_feed(session, BUFFER(CPU(0), CTX(500, 500, 0x10), USER, COOKIE(0x10), 7, 0));
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (is_of_daemon(i))
			value[i] = value_of(i);
	overhead->cpu_ns = value_of(STAT_DAEMON_CPU_MS) * 1000000;
	overhead->profiling_ns = value_of(STAT_PROFILING_MS) * 1000000;
	profile_save_stats(&session->profile);
}

/* What only imports count. */
static void add_imported(const char *samples_dir)
{
	char *text, *all = NULL;
	struct op_account account;
	struct op_error error;
	size_t length;
	FILE *out = open_memstream(&all, &length);

	assert_int_equal(op_account_read(samples_dir, &text), OP_ACCOUNT_WHOLE);
	fputs(text, out);
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stats[i].source == OP_STAT_OF_IMPORT)
			fprintf(out, "%s %" PRIu64 "\n", op_stats[i].key, value_of(i));
	assert_int_equal(fclose(out), 0);
	if (op_account_open(&account, samples_dir, &error) ||
	    op_account_write(&account, all, &error))
		fail_msg("%s", error.text);
	op_account_close(&account);
	free(text);
	free(all);
}

/* ---- what is shown ---- */

static char *report(const char *dir)
{
	char *command =
		op_path("%s --session-dir=%s --verbose=stats >%s/report", opreport, dir, dir);
	char *path = op_path("%s/report", dir), *text;

	assert_int_equal(system(command), 0);
	text = op_file_read(path, 1 << 20, NULL, NULL);
	assert_non_null(text);
	free(command);
	free(path);
	return text;
}

/* Whether a line of the report is "NUMBER  ... TEXT", or has "NUMBER TEXT" in it. */
static bool is_shown(const char *report, enum stat_id which, uint64_t number)
{
	char phrase[256];

	snprintf(phrase, sizeof(phrase), " %" PRIu64 " %s", number, op_stats[which].text);
	if (strstr(report, phrase))
		return true;
	for (const char *line = report; line && *line; line = strchr(line, '\n')) {
		char *end;

		line += *line == '\n';
		if (strtoull(line, &end, 10) == number && !strncmp(end, "  ", 2) &&
		    memmem(end, strcspn(end, "\n"), op_stats[which].text,
			   strlen(op_stats[which].text)))
			return true;
	}
	return false;
}

/* The daemon adds the losses of the module that were new, and to times those until it saved. */
static bool may_be_more(enum stat_id which)
{
	return which == STAT_KERNEL_RECORDS || op_stats[which].source == OP_STAT_OF_CLOCK;
}

TEST(each_statistic_is_read_written_and_shown)
{
	struct test_session session;
	char *module, *samples_dir, *account, *shown;

	session_open(&session, &(struct profile_config){0});
	module = read_module(session.dir);
	count_all(&session, module);
	samples_dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	add_imported(samples_dir);
	assert_int_equal(op_account_read(samples_dir, &account), OP_ACCOUNT_WHOLE);
	shown = report(session.dir);
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		uint64_t number = op_account_number(account, op_stats[i].key);

		if (may_be_more(i) ? number < value_of(i) : number != value_of(i))
			fail_msg("%s: the account has %" PRIu64 ", not %" PRIu64, op_stats[i].key,
				 number, value_of(i));
		if (!is_shown(shown, i, number))
			fail_msg("%s %" PRIu64 " is not shown", op_stats[i].key, number);
	}
	session.machine.stats = NULL;
	session_close(&session);
	free(module);
	free(samples_dir);
	free(account);
	free(shown);
}

TEST(each_statistic_has_a_key_and_a_text_of_its_own)
{
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		char mine[OP_STAT_TEXT_SIZE], other[OP_STAT_TEXT_SIZE];

		op_stat_text(i, mine);
		assert_true(*mine && strlen(mine) <= OP_STAT_TEXT_SIZE - 2);
		assert_int_equal(op_stat_find(op_stats[i].key, strlen(op_stats[i].key)), i);
		for (enum stat_id j = 0; j < i; j++)
			if (op_stat_is_of_kernel(i) == op_stat_is_of_kernel(j))
				assert_string_not_equal(mine, op_stat_text(j, other));
	}
}

/* ---- the module ---- */

/* Its tables have lines such as: { "sample_received", offsetof(...) }, */
TEST(the_module_reports_what_the_table_says)
{
	static const char begin[] = "\t{ \"";
	bool found[STAT_COUNT] = {false};
	char *text = op_file_read(module_source, 1 << 20, NULL, NULL);

	assert_non_null(text);
	for (char *at = text; (at = strstr(at, begin));) {
		size_t length;
		enum stat_id which;

		at += strlen(begin);
		length = strcspn(at, "\"");
		which = op_stat_find(at, length);
		if (which == STAT_COUNT || !op_stat_is_of_kernel(which))
			fail_msg("%.*s of the module has no row", (int)length, at);
		found[which] = true;
	}
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stat_is_of_kernel(i) && !found[i])
			fail_msg("%s is not the module's", op_stats[i].key);
	free(text);
}

TEST(what_is_reported_is_found_by_its_path)
{
	static const struct {
		const char *path;
		enum stat_id which;
	} cases[] = {
		{"sample_lost_no_mm", STAT_NO_MM},
		{"cpu7/sample_received", STAT_KERNEL_RECEIVED},
		{"sample_received", STAT_COUNT}, /* of which CPU? */
		{"cpu7/sample_lost_no_mm", STAT_COUNT},
		{"total_samples", STAT_COUNT}, /* the daemon's */
		{"sample_lost_no_m", STAT_COUNT},
		{"sample_lost_no_mmm", STAT_COUNT},
		{"cpu/sample_received", STAT_COUNT},
		{"cpu7x/sample_received", STAT_COUNT},
		{"cpu7/cpu7/sample_received", STAT_COUNT},
		{"cpu4294967296/sample_received", STAT_COUNT},
		{"../sample_received", STAT_COUNT},
		{"/sample_lost_no_mm", STAT_COUNT},
		{"", STAT_COUNT},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		unsigned int cpu = 0;

		assert_int_equal(op_stat_find_reported(cases[i].path, strlen(cases[i].path), &cpu),
				 cases[i].which);
		if (cases[i].which == STAT_KERNEL_RECEIVED)
			assert_int_equal(cpu, 7);
	}
}

TEST_ARGUMENTS(2, "OPREPORT MODULE/STATS.C")
{
	opreport = argv[1];
	module_source = argv[2];
}

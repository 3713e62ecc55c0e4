// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel code: ranges, modules that come and go, the lists kept for reports, a vmlinux.
 */
#include "fixture.h"

#include "daemon/live/kernel_lists.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/pack/text.h"
#include "libop/saved/kernel_symbols.h"
#include "libop/session/paths.h"

#define ALL   "TIMER.0.0.all.all.all"
#define START CPU(0), CTX(501, 500, 0x10)
#define STEXT 0xffffffff81000000

/* ---- lines ---- */

TEST(only_code_is_kept)
{
	char *text = kallsyms_text_only("ffffffff81000000 T a\nffffffff81000010 D b\n"
					"ffffffff81000020 t c\t[m]\nffffffff81000030 r d\n"
					"ffffffff81000040 w e\n");

	assert_string_equal(text, "ffffffff81000000 T a\nffffffff81000020 t c\t[m]\n"
				  "ffffffff81000040 w e\n");
	free(text);
}

TEST(unloaded_modules_keep_their_lines)
{
	char *modules = modules_join("a 1000 100 -\nb 2000 100 ff\n",
				     "b 9000 100 -\nc 3000 100 -\nbroken\n");
	char *symbols = kallsyms_join("10 T x\n1000 t a1\t[a]\n2000 t b1\t[b]",
				      "90 T x\n9000 t b0\t[b]\n3000 t c1 [c]\n3010 t c2\t[c]");

	assert_string_equal(modules, "a 0000000000001000 100 -\nb 0000000000002000 100 ff\n"
				     "c 0000000000003000 100 -\n");
	assert_string_equal(symbols, "10 T x\n1000 t a1\t[a]\n2000 t b1\t[b]\n"
				     "3000 t c1 [c]\n3010 t c2\t[c]\n");
	free(modules);
	free(symbols);
}

/* ---- modules that come and go ---- */

static char *read_list(const struct test_session *session, const char *name)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT "/%s", session->dir, name);
	struct op_error error;
	char *text = op_packed_read(path, 1 << 20, NULL, &error);

	if (!text)
		fail_msg("%s", error.text);
	free(path);
	return text;
}

/* Packed; made anew when it is damaged; and a list of before, which was not packed, is good. */
TEST(the_list_of_symbols_is_packed)
{
	static const char old[] = "ffffffff81000000 T _stext\nffffffffc0700000 t old\t[gone]\n";
	static const struct {
		const char *content;
		size_t length;
		bool keeps;
	} table[] = {
		{old, sizeof(old) - 1, true},
		{"\x28\xb5\x2f\xfd\x04", 5, false},
		{"", 0, false},
	};
	const struct profile_config config = {0};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		struct test_session session;
		char *path, *text;

		session_open(&session, &config);
		path = op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_KALLSYMS, session.dir);
		assert_int_equal(
			op_file_replace(path, table[i].content, table[i].length, 0640, NULL), 0);
		session_feed(&session, BUFFER(START, KERNEL, MODULE_LOADED, STEXT, 0));
		text = op_file_read(path, 1 << 20, NULL, NULL);
		assert_memory_equal(text, "\x28\xb5\x2f\xfd", 4);
		free(text);
		text = read_list(&session, OP_SAMPLES_KALLSYMS);
		assert_memory_equal(text, session.machine.kallsyms,
				    strlen(session.machine.kallsyms));
		assert_string_equal(text + strlen(session.machine.kallsyms),
				    table[i].keeps ? "ffffffffc0700000 t old\t[gone]\n" : "");
		free(text);
		free(path);
		session_close(&session);
	}
}

/* What the source has heard of is looked into at once, and once. */
TEST(new_code_is_looked_into_at_once)
{
	static const uint64_t address = 0xffffffffc0500000;
	const struct profile_config config = {0};
	struct test_session session;
	unsigned int calls;

	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, address + 0x100000, 0));
	calls = session.machine.kallsyms_calls;
	session_feed(&session, BUFFER(START, KERNEL, address, 0));
	assert_int_equal(session.machine.kallsyms_calls, calls);
	assert_int_equal(session_stat(&session, STAT_NO_KERNEL_IMAGE), 2);
	session.machine.kallsyms = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n"
				   "ffffffffc0500000 t bpf_prog_3\t[bpf]\n";
	session.machine.source.kernel_code++;
	for (int i = 0; i < 10; i++)
		session_feed(&session, BUFFER(START, KERNEL, address, 0, address + 0x100000, 0));
	assert_int_equal(session.machine.kallsyms_calls, calls + 1);
	assert_int_equal(session_stat(&session, STAT_STORED), 10);
	session_check_sums(&session);
	session_close(&session);
}

/* BPF programs may come without a record; an address outside all mappings is looked into, not
 * often. */
TEST(unknown_addresses_are_looked_into)
{
	const struct profile_config config = {0};
	struct test_session session;
	unsigned int calls;

	session_open(&session, &config);
	calls = session.machine.kallsyms_calls;
	session_feed(&session, BUFFER(START, KERNEL, 0xffffffffc0500000, 0));
	assert_int_equal(session.machine.kallsyms_calls, calls + 1);
	for (int i = 0; i < 600; i++)
		session_feed(&session,
			     BUFFER(START, KERNEL, 0xffffffffc0500000, 0, 0xffffffffc0500000, 0));
	assert_uint_in_range(session.machine.kallsyms_calls - calls, 2, 4);
	session.machine.kallsyms = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n"
				   "ffffffffc0500000 t bpf_prog_3\t[bpf]\n";
	for (int i = 0; i < 300; i++)
		session_feed(&session, BUFFER(START, KERNEL, 0xffffffffc0500000, 0));
	assert_true(session_stat(&session, STAT_STORED) > 0);
	session_check_sums(&session);
	session_close(&session);
}

TEST(reopen_begins_with_fresh_lists)
{
	const struct profile_config config = {0};
	struct test_session session;
	char *current, *saved, *text;
	struct op_error error;

	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, STEXT, 0));
	profile_save_stats(&session.profile);
	current = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	saved = op_path("%s/" OP_SESSION_SAMPLES "/saved", session.dir);
	assert_return_code(rename(current, saved), errno);
	if (profile_reopen(&session.profile, &error))
		fail_msg("%s", error.text);
	session_feed(&session, BUFFER(START, KERNEL, STEXT + 1, 0, STEXT + 2, 0));
	/* the statistics are of this session now */
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	session_expect(&session, "{kern}/kallsyms/{dep}/{kern}/kallsyms/" ALL " 1:1 2:1\n");
	text = read_list(&session, OP_SAMPLES_KALLSYMS);
	assert_string_equal(text, test_machine.kallsyms);
	free(text);
	free(current);
	free(saved);
	session_close(&session);
}

/* ---- sessions that begin ---- */

#define BPF   0xffffffffc0500000
#define LINES 5000 /* enough to be shared */

/* The symbols of a kernel, with one BPF program. */
static char *many_symbols(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fputs("ffffffff81000000 T _stext\n", out);
	for (unsigned int i = 1; i < LINES; i++)
		fprintf(out, "ffffffff81%06x T function_%u\n", i * 16, i);
	fputs("ffffffff82000000 T _etext\nffffffffc0500000 t bpf_prog_3\t[bpf]\n", out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Begins a new session.  Return: how often the symbols of the kernel were read for it. */
static unsigned int next_session(struct test_session *session)
{
	const unsigned int calls = session->machine.kallsyms_calls;
	char *current = op_path("%s/" OP_SESSION_CURRENT, session->dir), *text;
	struct op_error error;

	assert_int_equal(op_tree_remove(AT_FDCWD, current, NULL), 0);
	if (profile_reopen(&session->profile, &error))
		fail_msg("%s", error.text);
	text = saved_kallsyms_read(current, &error);
	if (!text)
		fail_msg("%s", error.text);
	assert_string_equal(text, session->machine.kallsyms);
	free(text);
	text = read_list(session, OP_SAMPLES_MODULES);
	assert_string_equal(text, session->machine.modules);
	free(text);
	free(current);
	return session->machine.kallsyms_calls - calls;
}

static void open_with_store(struct test_session *session, char *symbols, char **store)
{
	session_make(session, &(struct profile_config){0});
	*store = op_path("%s-store", session->dir);
	assert_return_code(mkdir(*store, 0700), errno);
	assert_int_equal(setenv("OPROFILE_SYMBOLS", *store, 1), 0);
	session->machine.kallsyms = symbols;
	session_start(session);
}

static void close_with_store(struct test_session *session, char *symbols, char *store)
{
	session_close(session);
	assert_int_equal(op_tree_remove(AT_FDCWD, store, NULL), 0);
	assert_int_equal(setenv("OPROFILE_SYMBOLS", "/dev/null/none", 1), 0);
	free(store);
	free(symbols);
}

/* They were read and packed for each one: 548 million instructions. */
TEST(a_new_session_takes_the_lists_of_the_last_one)
{
	char *symbols = many_symbols(), *store;
	struct test_session session;

	open_with_store(&session, symbols, &store);
	session_feed(&session, BUFFER(START, KERNEL, STEXT, 0));
	assert_int_equal(next_session(&session), 0);
	session_feed(&session, BUFFER(START, KERNEL, STEXT, 0));
	assert_int_equal(next_session(&session), 0);
	session_check_sums(&session);
	close_with_store(&session, symbols, store);
}

TEST(a_new_session_has_lists_of_now_where_code_may_have_changed)
{
	static const struct {
		uint64_t sample;
		const char *modules;
	} table[] = {
		{BPF, NULL}, /* another program may be there by now */
		{0xffffffffc0600000, NULL},
		{STEXT, "kallsyms ffffffff81000000 1000000 aabb\nnext ffffffffc0700000 1000 -\n"},
	};
	char *symbols = many_symbols(), *store;
	struct test_session session;

	open_with_store(&session, symbols, &store);
	/* the first address that is in nothing is looked into at once, those that follow are not */
	session_feed(&session, BUFFER(START, KERNEL, 0xffffffffc0600000, 0));
	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		session_feed(&session, BUFFER(START, KERNEL, table[i].sample, 0));
		if (table[i].modules)
			session.machine.modules = table[i].modules;
		assert_int_equal(next_session(&session), 1);
		assert_int_equal(next_session(&session), 0);
	}
	close_with_store(&session, symbols, store);
}

TEST(a_new_session_has_its_lists_where_the_shared_ones_are_gone)
{
	char *symbols = many_symbols(), *store;
	struct test_session session;

	open_with_store(&session, symbols, &store);
	assert_int_equal(op_tree_remove(AT_FDCWD, store, NULL), 0);
	assert_return_code(mkdir(store, 0700), errno);
	assert_int_equal(next_session(&session), 1);
	close_with_store(&session, symbols, store);
}

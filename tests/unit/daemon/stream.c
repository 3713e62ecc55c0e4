// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From literal words of the event stream to the names and counts of sample files, for each kind
 * of separation, call graphs, anonymous memory, kernel code and image filters.
 */
#include "stream_fixture.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *name;
	int separate;
	const uint64_t *words;
	size_t count;
	const char *files;
} cases[] = {
	/* ---- which file ---- */
	{ "user samples, not separated", 0,
	  BUFFER(START, USER, COOKIE(0x10), 0x100, 0, 0x100, 0, 0x200, 0, COOKIE(0x11), 0x300, 0),
	  BASH "{dep}/" BASH ALL " 100:2 200:1\n" LIBC "{dep}/" LIBC ALL " 300:1\n" },
	{ "user samples, libraries apart", LIB,
	  BUFFER(START, USER, COOKIE(0x10), 0x100, 0, COOKIE(0x11), 0x300, 0,
		 CTX(600, 600, 0x12), COOKIE(0x11), 0x300, 0),
	  BASH "{dep}/" BASH ALL " 100:1\n" BASH "{dep}/" LIBC ALL " 300:1\n"
	  CAT "{dep}/" LIBC ALL " 300:1\n" },
	{ "kernel samples are not apart with libraries", LIB,
	  BUFFER(START, KERNEL, STEXT + 0x10, 0),
	  KSYM "{dep}/" KSYM ALL " 10:1\n" },
	{ "kernel samples, kernel apart", LIB | KERN,
	  BUFFER(START, KERNEL, STEXT + 0x10, 0, CTX(600, 600, 0x12), STEXT + 0x10, 0,
		 0xffffffffc0100004, 0),
	  BASH "{dep}/" KSYM ALL " 10:1\n" CAT "{dep}/" KSYM ALL " 10:1\n"
	  CAT "{dep}/" EXT4 ALL " 4:1\n" },
	{ "threads apart", THREAD,
	  BUFFER(START, USER, COOKIE(0x10), 0x100, 0, CTX(502, 500, 0x10), 0x100, 0,
		 KERNEL, STEXT, 0),
	  BASH "{dep}/" BASH "TIMER.0.0.500.501.all 100:1\n"
	  BASH "{dep}/" BASH "TIMER.0.0.500.502.all 100:1\n"
	  KSYM "{dep}/" KSYM "TIMER.0.0.500.502.all 0:1\n" },
	{ "CPUs apart", CPUS,
	  BUFFER(START, USER, COOKIE(0x10), 0x100, 0, CPU(3), 0x100, 0),
	  BASH "{dep}/" BASH "TIMER.0.0.all.all.0 100:1\n"
	  BASH "{dep}/" BASH "TIMER.0.0.all.all.3 100:1\n" },
	{ "all apart", LIB | KERN | THREAD | CPUS,
	  BUFFER(CPU(1), CTX(501, 500, 0x10), USER, COOKIE(0x11), 0x300, 0, KERNEL, STEXT, 0),
	  BASH "{dep}/" LIBC "TIMER.0.0.500.501.1 300:1\n"
	  BASH "{dep}/" KSYM "TIMER.0.0.500.501.1 0:1\n" },
	{ "a path that looks like a marker", 0,
	  BUFFER(START, USER, COOKIE(0x16), 1, 0),
	  "{root}/tmp/\\{dep}/{dep}/{root}/tmp/\\{dep}/" ALL " 1:1\n" },
	{ "files that are not what their path names", 0,
	  BUFFER(START, USER, COOKIE(0x13), 1, 0, COOKIE(0x14), 2, 0, COOKIE(0x15), 3, 0),
	  "{root}/[deleted 8:1-19]/usr/bin/gone/{dep}/{root}/[deleted 8:1-19]/usr/bin/gone/" ALL
	  " 1:1\n"
	  "{root}/[mount namespace 8:1-20]/usr/bin/bash/{dep}/"
	  "{root}/[mount namespace 8:1-20]/usr/bin/bash/" ALL " 2:1\n"
	  "{root}/[no path]/8:1-21/{dep}/{root}/[no path]/8:1-21/" ALL " 3:1\n" },

	/* ---- kernel code ---- */
	{ "kernel code by address: kernel, modules, what else is there, nothing", 0,
	  BUFFER(START, KERNEL, STEXT + 0xffffff, 0, STEXT + 0x1000000, 0, 0xffffffffc0100000, 0,
		 0xffffffffc0107fff, 0, 0xffffffffc0108000, 0, 0xffffffffc010bfff, 0,
		 0xffffffffc010c000, 0, 0xffffffffc0200000, 0, 0xffffffffc02001ff, 0,
		 0xffffffffc02fffff, 0, 0, 0),
	  KSYM "{dep}/" KSYM ALL " ffffff:1\n"
	  EXT4 "{dep}/" EXT4 ALL " 0:1 7fff:1\n"
	  "{kern}/fuse/{dep}/{kern}/fuse/" ALL " 0:1 3fff:1\n"
	  "{kern}/[bpf]/{dep}/{kern}/[bpf]/" ALL " ffffffffc0200000:1 ffffffffc02001ff:1\n" },
	{ "no-vmlinux: addresses are the keys, whatever is there", NO_VMLINUX,
	  BUFFER(START, KERNEL, STEXT + 5, 0, 0xffffffffc0100000, 0, 7, 0),
	  NOVM "{dep}/" NOVM ALL " 7:1 ffffffff81000005:1 ffffffffc0100000:1\n" },
	{ "no-vmlinux, kernel apart", NO_VMLINUX | LIB | KERN,
	  BUFFER(START, KERNEL, STEXT + 5, 0),
	  BASH "{dep}/" NOVM ALL " ffffffff81000005:1\n" },
	{ "a kernel thread is its own application", LIB | KERN,
	  BUFFER(CPU(0), CTX(2, 2, ANON), KERNEL, STEXT, 0, CTX(3, 3, INVALID), STEXT, 0,
		 CTX(4, 4, 0x999), STEXT, 0),
	  KSYM "{dep}/" KSYM ALL " 0:3\n" },
	{ "a program that is not known has its libraries stored for themselves", LIB,
	  BUFFER(CPU(0), CTX(3, 3, INVALID), USER, COOKIE(0x11), 9, 0),
	  LIBC "{dep}/" LIBC ALL " 9:1\n" },

	/* ---- anonymous memory ---- */
	{ "anonymous memory, below its application even if not separated", 0,
	  BUFFER(START, USER, COOKIE(ANON), 0x1000004, 0, 0x7f0000000008, 0, 0x7f0000000fff, 0,
		 0x7f0000001000, 0, 0x7f0000002000, 0, 0x7ffd00000010, 0, 0x400010, 0),
	  BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/" ALL " 4:1\n"
	  BASH "{dep}/{anon:anon}/500.0x7f0000000000.0x7f0000001000/" ALL " 8:1 fff:1\n"
	  BASH "{dep}/{anon:[anon:a_b]}/500.0x7f0000002000.0x7f0000003000/" ALL " 0:1\n"
	  BASH "{dep}/{anon:[vdso]}/500.0x7ffd00000000.0x7ffd00002000/" ALL " 10:1\n" },
	{ "anonymous memory of nobody known, and of a process that is gone", 0,
	  BUFFER(CPU(0), CTX(500, 500, INVALID), USER, COOKIE(ANON), 0x1000004, 0,
		 CTX(501, 501, 0x10), 0x1000004, 0, CTX(502, 502, 0x10), 0x1000004, 0),
	  "" },
	{ "a task switch changes whose memory it is", 0,
	  BUFFER(START, USER, COOKIE(ANON), 0x1000004, 0, CTX(777, 777, 0x10), 0x1000004, 0),
	  BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/" ALL " 4:1\n" },

	/* ---- call graphs ---- */
	{ "a trace: arcs from each caller to the frame before", 0,
	  BUFFER(START, TRACE, USER, COOKIE(0x10), 0x100, 0, 0x200, 0, COOKIE(0x11), 0x300, 0,
		 0x400, 0),
	  BASH "{dep}/" BASH ALL " 100:1\n"
	  BASH "{dep}/" BASH "{cg}/" BASH ALL " 20000000100:1\n"
	  LIBC "{dep}/" LIBC "{cg}/" BASH ALL " 30000000200:1\n"
	  LIBC "{dep}/" LIBC "{cg}/" LIBC ALL " 40000000300:1\n" },
	{ "a trace with libraries apart: callers below the application", LIB,
	  BUFFER(CPU(0), CTX(9, 9, 0x12), TRACE, USER, COOKIE(0x12), 0x3500, 0, COOKIE(0x11),
		 0x9100, 0),
	  CAT "{dep}/" CAT ALL " 3500:1\n" CAT "{dep}/" LIBC "{cg}/" CAT ALL " 910000003500:1\n" },
	{ "no arc crosses the border of the kernel", 0,
	  BUFFER(START, TRACE, KERNEL, STEXT + 0x10, 0, STEXT + 0x20, 0, USER, COOKIE(0x10), 0x100,
		 0, 0x200, 0),
	  KSYM "{dep}/" KSYM ALL " 10:1\n" KSYM "{dep}/" KSYM "{cg}/" KSYM ALL " 2000000010:1\n"
	  BASH "{dep}/" BASH "{cg}/" BASH ALL " 20000000100:1\n" },
	{ "each trace begins anew", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 0x100, 0, 0x200, 0, TRACE, 0x300, 0, TRACE,
		 0x400, 0, 0x500, 0),
	  BASH "{dep}/" BASH ALL " 100:1 300:1 400:1\n"
	  BASH "{dep}/" BASH "{cg}/" BASH ALL " 20000000100:1 50000000400:1\n" },
	{ "a switch of task or CPU ends a trace, but not before its sample", 0,
	  BUFFER(TRACE, START, USER, COOKIE(0x10), 0x100, 0, 0x200, 0, CTX(1, 1, 0x12), 0x300, 0,
		 TRACE, CPU(1), 0x400, 0, 0x500, 0, CPU(2), 0x600, 0),
	  BASH "{dep}/" BASH ALL " 100:1 300:1 400:1 600:1\n"
	  BASH "{dep}/" BASH "{cg}/" BASH ALL " 20000000100:1 50000000400:1\n" },
	{ "callers of a lost sample are lost", 0,
	  BUFFER(START, USER, COOKIE(0x999), TRACE, 0x100, 0, COOKIE(0x10), 0x200, 0, 0x300, 0),
	  "" },
	{ "a frame in nothing known breaks the chain", 0,
	  BUFFER(START, USER, COOKIE(0x10), TRACE, 0x100, 0, COOKIE(0x999), 0x200, 0, COOKIE(0x10),
		 0x300, 0, 0x400, 0),
	  BASH "{dep}/" BASH ALL " 100:1\n"
	  BASH "{dep}/" BASH "{cg}/" BASH ALL " 40000000300:1\n" },
	{ "arcs from and to anonymous memory", 0,
	  BUFFER(START, USER, TRACE, COOKIE(ANON), 0x7f0000000008, 0, COOKIE(0x10), 0x100, 0,
		 COOKIE(ANON), 0x1000004, 0),
	  BASH "{dep}/{anon:anon}/500.0x7f0000000000.0x7f0000001000/" ALL " 8:1\n"
	  BASH "{dep}/" BASH "{cg}/{anon:anon}/500.0x7f0000000000.0x7f0000001000/" ALL
	  " 10000000008:1\n"
	  BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/{cg}/" BASH ALL " 400000100:1\n" },
	{ "keys of arcs keep 32 bits", NO_VMLINUX,
	  BUFFER(START, KERNEL, TRACE, STEXT + 1, 0, STEXT + 2, 0),
	  NOVM "{dep}/" NOVM ALL " ffffffff81000001:1\n"
	  NOVM "{dep}/" NOVM "{cg}/" NOVM ALL " 8100000281000001:1\n" },

	/* ---- what is lost ---- */
	{ "neither kernel nor user", 0, BUFFER(START, COOKIE(0x10), 1, 0), "" },
	{ "unknown and invalid cookies", 0,
	  BUFFER(START, USER, 1, 0, COOKIE(INVALID), 2, 0, COOKIE(0x999), 3, 0), "" },
	{ "a counter without an event", 0,
	  BUFFER(START, USER, COOKIE(0x10), 1, 1, 2, 255, 3, 256, 4, ESC - 1), "" },
	{ "no task though threads are apart", THREAD,
	  BUFFER(CPU(0), USER, COOKIE(0x10), 1, 0), "" },
	{ "no CPU though CPUs are apart", CPUS,
	  BUFFER(CTX(501, 500, 0x10), USER, COOKIE(0x10), 1, 0), "" },
	{ "an empty buffer", 0, NULL, 0, "" },
};
/* clang-format on */

static void words_become_sample_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile_config config = make_config(cases[i].separate);
		struct test_session session;

		print_message("           %s\n", cases[i].name);
		session_open(&session, &config);
		session_feed(&session, cases[i].words, cases[i].count);
		assert_int_equal(session_stat(&session, STAT_BAD_RECORDS), 0);
		session_expect(&session, cases[i].files);
		session_close(&session);
	}
}

/* What is lost is counted by its cause. */
static void losses_have_causes(void **state)
{
	/* clang-format off */
	const struct {
		enum stat_id which;
		uint64_t number;
		int separate;
		const uint64_t *words;
		size_t count;
	} losses[] = {
		{ STAT_NO_CONTEXT, 2, 0, BUFFER(START, COOKIE(0x10), 1, 0, 2, 0) },
		{ STAT_NO_CONTEXT, 1, THREAD, BUFFER(CPU(0), KERNEL, STEXT, 0) },
		{ STAT_NO_CONTEXT, 1, CPUS, BUFFER(CTX(1, 1, 0x10), KERNEL, STEXT, 0) },
		{ STAT_NO_KERNEL_IMAGE, 1, 0, BUFFER(START, KERNEL, 5, 0) },
		{ STAT_NO_MAPPING, 3, 0,
		  BUFFER(START, USER, 1, 0, COOKIE(INVALID), 2, 0, COOKIE(0x999), 3, 0) },
		{ STAT_NO_MAPPING, 1, 0, BUFFER(START, USER, COOKIE(ANON), 1, 0) },
		{ STAT_NO_EVENT, 2, 0, BUFFER(START, USER, COOKIE(0x10), 1, 1, 3, 256) },
		{ STAT_NO_USER_APP, 1, 0,
		  BUFFER(CPU(0), CTX(500, 500, INVALID), USER, COOKIE(ANON), 0x1000004, 0) },
		{ STAT_KERNEL_NO_APP, 3, LIB | KERN,
		  BUFFER(CPU(0), CTX(2, 2, ANON), KERNEL, STEXT, 0, STEXT + 1, 0, STEXT, 0) },
		{ STAT_USER_NO_APP, 2, LIB,
		  BUFFER(CPU(0), CTX(3, 3, INVALID), USER, COOKIE(0x11), 9, 0, 10, 0) },
		{ STAT_KERNEL, 2, 0,
		  BUFFER(START, KERNEL, STEXT, 0, STEXT, 0, USER, COOKIE(0x10), 1, 0) },
		{ STAT_FRAMES_NO_HEAD, 2, 0,
		  BUFFER(START, USER, COOKIE(0x999), TRACE, 1, 0, COOKIE(0x10), 2, 0, 3, 0) },
		{ STAT_FRAMES_NO_MAPPING, 2, 0,
		  BUFFER(START, USER, COOKIE(0x10), TRACE, 1, 0, COOKIE(0x999), 2, 0, COOKIE(0x10),
			 3, 0, 4, 0) },
		{ STAT_FRAMES_APART, 1, 0,
		  BUFFER(START, TRACE, KERNEL, STEXT, 0, USER, COOKIE(0x10), 1, 0, 2, 0) },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct profile_config config = make_config(losses[i].separate);
		struct test_session session;

		session_open(&session, &config);
		session_feed(&session, losses[i].words, losses[i].count);
		if (session_stat(&session, losses[i].which) != losses[i].number)
			fail_msg("case %zu: %s is %llu", i, stats_name(losses[i].which),
				 (unsigned long long)session_stat(&session, losses[i].which));
		session_check_sums(&session);
		session_close(&session);
	}
}

static void each_buffer_stands_alone(void **state)
{
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), TRACE, 1, 0));
	session_feed(&session, BUFFER(2, 0));
	session_feed(&session, BUFFER(START, USER, 3, 0));
	session_feed(&session, BUFFER(START, COOKIE(0x10), 4, 0));
	assert_int_equal(session_stat(&session, STAT_NO_CONTEXT), 2);
	assert_int_equal(session_stat(&session, STAT_NO_MAPPING), 1);
	assert_int_equal(session_stat(&session, STAT_BUFFERS), 4);
	session_expect(&session, BASH "{dep}/" BASH ALL " 1:1\n");
	session_close(&session);
}

/* ---- events ---- */

static void events_have_files_of_their_own(void **state)
{
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	config.events = "CPU_CLK_UNHALTED:0x3c:0:100000:0:1:1,LLC_MISSES:0x2e:1:6000:0x41:1:1,"
			"CPU_CLK_UNHALTED:0x3c:5:100000:0:1:1,";
	session_make(&session, &config);
	strcpy(session.machine.source.cpu_type, "i386/nehalem");
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 1, 1, 1, 5, 1, 2));
	/* counters 0 and 5 count the same, into one file */
	session_expect(&session,
		       BASH "{dep}/" BASH "CPU_CLK_UNHALTED.100000.0.all.all.all 1:2\n" BASH
			    "{dep}/" BASH "LLC_MISSES.6000.65.all.all.all 1:1\n");
	session_close(&session);
}

static void a_timer_has_one_event(void **state)
{
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	config.events = "CPU_CLK_UNHALTED:0x3c:0:100000:0:1:1";
	session_make(&session, &config);
	strcpy(session.machine.source.cpu_type, "nmi_timer");
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	session_expect(&session, BASH "{dep}/" BASH ALL " 1:1\n");
	session_close(&session);
}

static void sessions_that_cannot_begin(void **state)
{
	static const struct {
		const char *cpu_type, *events, *kallsyms, *cause;
	} refused[] = {
		{"i386/nehalem", NULL, "", "no events given"},
		{"i386/nehalem", "A:1:0", "", "not NAME:code"},
		{"i386/nonesuch", "A:1:0:1:1:1:1", "", "unknown"},
		{"timer", NULL, NULL, "/proc/kallsyms"},
		{"timer", NULL, "0000000000000000 T _stext\n0000000000000000 T _etext\n",
		 "/proc/kallsyms"},
		{"timer", NULL, "ffffffff81000000 T _stext\nffffffff80000000 T _etext\n",
		 "no length"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct profile_config config = make_config(0);
		struct test_session session;
		struct op_error error = {0};

		config.events = refused[i].events;
		session_make(&session, &config);
		strcpy(session.machine.source.cpu_type, refused[i].cpu_type);
		session.machine.kallsyms = refused[i].kallsyms;
		assert_int_equal(profile_open(&session.profile, &session.config,
					      &session.machine.source, &error),
				 -1);
		if (!strstr(error.text, refused[i].cause))
			fail_msg("case %zu: unclear: %s", i, error.text);
		session_close(&session);
	}
}

/* ---- the image filter ---- */

static void other_images_are_filtered_out(void **state)
{
	/* clang-format off */
	static const struct {
		const char *image, *files;
		int separate;
		uint64_t filtered;
	} filters[] = {
		{ "/usr/bin/bash", BASH "{dep}/" BASH ALL " 1:1\n" LIBC "{dep}/" LIBC ALL " 2:1\n"
		  KSYM "{dep}/" KSYM ALL " 0:1\n", 0, 2 },
		{ "/usr/lib/libc.so.6", LIBC "{dep}/" LIBC ALL " 2:1 3:1\n", 0, 3 },
		{ "kallsyms", KSYM "{dep}/" KSYM ALL " 0:2\n", 0, 3 },
		{ "/usr/bin/cat", LIBC "{dep}/" LIBC ALL " 3:1\n" KSYM "{dep}/" KSYM ALL " 0:1\n",
		  0, 3 },
		{ "/usr/bin/cat", CAT "{dep}/" LIBC ALL " 3:1\n" CAT "{dep}/" KSYM ALL " 0:1\n",
		  LIB | KERN, 3 },
		{ "/nonesuch", "", 0, 5 },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct profile_config config = make_config(filters[i].separate);
		struct test_session session;

		op_strings_add(&config.filter, filters[i].image);
		session_open(&session, &config);
		session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, COOKIE(0x11), 2, 0,
					      KERNEL, STEXT, 0, CTX(9, 9, 0x12), USER, COOKIE(0x11),
					      3, 0, KERNEL, STEXT, 0));
		assert_int_equal(session_stat(&session, STAT_FILTERED), filters[i].filtered);
		session_expect(&session, filters[i].files);
		session_close(&session);
		op_strings_free(&config.filter);
	}
}

static void the_filter_is_about_real_paths(void **state)
{
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	op_strings_add(&config.filter, "/usr/bin/gone");
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x13), 1, 0, COOKIE(0x10), 1, 0));
	assert_int_equal(session_stat(&session, STAT_STORED), 1);
	assert_int_equal(session_stat(&session, STAT_FILTERED), 1);
	session_close(&session);
	op_strings_free(&config.filter);
}

static void filtered_samples_take_their_callers_along(void **state)
{
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	op_strings_add(&config.filter, "/usr/lib/libc.so.6");
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, USER, TRACE, COOKIE(0x10), 1, 0, COOKIE(0x11), 2, 0,
				      TRACE, 3, 0, COOKIE(0x10), 4, 0, COOKIE(0x11), 5, 0));
	assert_int_equal(session_stat(&session, STAT_FRAMES_FILTERED), 2);
	session_expect(&session, LIBC "{dep}/" LIBC ALL " 3:1\n" LIBC "{dep}/" LIBC "{cg}/" BASH ALL
				      " 500000004:1\n");
	session_close(&session);
	op_strings_free(&config.filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_sample_files),
		cmocka_unit_test(losses_have_causes),
		cmocka_unit_test(each_buffer_stands_alone),
		cmocka_unit_test(events_have_files_of_their_own),
		cmocka_unit_test(a_timer_has_one_event),
		cmocka_unit_test(sessions_that_cannot_begin),
		cmocka_unit_test(other_images_are_filtered_out),
		cmocka_unit_test(the_filter_is_about_real_paths),
		cmocka_unit_test(filtered_samples_take_their_callers_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sample files call images, and that offsets of different files are never counted
 * together; anonymous memory and how seldom maps are read; limits of what is kept.
 */
#include "fixture.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "daemon/images/image_name.h"
#include "libdb/odb/odb.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"

#define ALL   "TIMER.0.0.all.all.all"
#define BASH  "{root}/usr/bin/bash/"
#define START CPU(0), CTX(501, 500, 0x10)

/* ---- names ---- */

#define DEVICE 0x801 /* 8:1 */

static const struct {
	const char *path;
	uint32_t flags;
	bool present;
	uint64_t mtime;
	uint32_t generation;
	const char *build_id;
	const char *name, *changed;
} names[] = {
	{"/usr/bin/x", 0, true, 77, 0, "", "/usr/bin/x", "/[changed 8:1-5-t77]/usr/bin/x"},
	{"/usr/bin/x", OPROFILE_IMAGE_BUILD_ID, true, 77, 0, "\x12\x34\x56\x78\x9a\xbc\xde\xf0\x11",
	 "/usr/bin/x", "/[changed 123456789abcdef0]/usr/bin/x"},
	/* removed, or another file is there now */
	{"/usr/bin/x", 0, false, 0, 0, "", "/[deleted 8:1-5]/usr/bin/x", NULL},
	{"/usr/bin/x", OPROFILE_IMAGE_DELETED, false, 0, 9, "", "/[deleted 8:1-5-g9]/usr/bin/x",
	 NULL},
	{"/usr/bin/x (deleted)", OPROFILE_IMAGE_DELETED, false, 0, 0, "",
	 "/[deleted 8:1-5]/usr/bin/x", NULL},
	{"/usr/bin/x (deleted)", 0, false, 0, 0, "", "/[deleted 8:1-5]/usr/bin/x (deleted)", NULL},
	{"/usr/bin/x", OPROFILE_IMAGE_DELETED | OPROFILE_IMAGE_BUILD_ID, false, 0, 9,
	 "\x12\x34\x56\x78\x9a\xbc\xde\xf0", "/[deleted 123456789abcdef0]/usr/bin/x", NULL},
	/* a build-id that is too short to tell files apart */
	{"/x", OPROFILE_IMAGE_BUILD_ID, false, 0, 0, "\x12", "/[deleted 8:1-5]/x", NULL},
	/* the same in another mount namespace is the same file */
	{"/usr/bin/x", OPROFILE_IMAGE_FOREIGN_NS, true, 77, 0, "", "/usr/bin/x",
	 "/[changed 8:1-5-t77]/usr/bin/x"},
	{"/usr/bin/x", OPROFILE_IMAGE_FOREIGN_NS, false, 0, 0, "",
	 "/[mount namespace 8:1-5]/usr/bin/x", NULL},
	{"", OPROFILE_IMAGE_NO_PATH, false, 0, 0, "", "/[no path]/8:1-5", NULL},
	{"", 0, false, 0, 0, "", "/[no path]/8:1-5", NULL},
	{"memfd:jit", 0, false, 0, 0, "", "/[no path]/8:1-5", NULL},
};

TEST(names_tell_files_apart)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		struct image_facts facts = {
			.reported =
				{
					.device = DEVICE,
					.inode = 5,
					.generation = names[i].generation,
					.flags = names[i].flags,
					.build_id_size = (uint32_t)strlen(names[i].build_id),
				},
			.present = names[i].present,
			.mtime = names[i].mtime,
		};
		char *name, *changed;

		strcpy(facts.reported.path, names[i].path);
		memcpy(facts.reported.build_id, names[i].build_id, strlen(names[i].build_id));
		name = image_name(&facts);
		assert_string_equal(name, names[i].name);
		free(name);
		if (!names[i].changed)
			continue;
		changed = image_name_changed(&facts);
		assert_string_equal(changed, names[i].changed);
		free(changed);
	}
}

TEST(each_cookie_is_asked_for_once)
{
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	for (int i = 0; i < 5; i++)
		session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, COOKIE(0x999), 1, 0,
					      COOKIE(0x10), 2, 0, COOKIE(0x999), 2, 0));
	assert_int_equal(session.machine.image_calls, 2);
	session_expect(&session, BASH "{dep}/" BASH ALL " 1:5 2:5\n");
	session_close(&session);
}

/* ---- anonymous memory ---- */

#define HEAP_LINE "01000000-01010000 rw-p 00000000 00:00 0 [heap]\n"

TEST(anonymous_mappings_have_labels)
{
	static const struct {
		const char *line, *label; /* NULL: not anonymous, or no line */
		uint64_t start, end;
	} lines[] = {
		{"01000000-01010000 rw-p 00000000 00:00 0                  [heap]\n", "[heap]",
		 0x1000000, 0x1010000},
		{"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n", "anon", 0x7f0000000000,
		 0x7f0000001000},
		{"7f0000000000-7f0000001000 rwxp 00000000 00:00 0", "anon", 0x7f0000000000,
		 0x7f0000001000},
		{"7f0000000000-7f0000001000 rwxp 0 00:00 0 [anon:x y/../z]\n", "[anon:x y_.._z]",
		 0x7f0000000000, 0x7f0000001000},
		{"ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]", "[vsyscall]",
		 0xffffffffff600000, 0xffffffffff601000},
		{"00400000-00401000 r-xp 00000000 08:01 16 /usr/bin/bash\n", NULL, 0, 0},
		{"7f0000000000-7f0000001000 rwxp 0 00:01 9 /memfd:jit (deleted)\n", NULL, 0, 0},
		{"7f0000000000 rwxp\n", NULL, 0, 0},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lines); i++) {
		struct op_image_name name;

		assert_int_equal(anon_parse_line(lines[i].line, &name), !!lines[i].label);
		if (!lines[i].label)
			continue;
		assert_string_equal(name.name, lines[i].label);
		assert_int_equal(name.start, lines[i].start);
		assert_int_equal(name.end, lines[i].end);
		free(name.name);
	}
}

TEST(maps_are_read_once_a_buffer_at_most)
{
	static const struct test_process grown[] = {
		{500, 1, "01000000-02000000 rw-p 00000000 00:00 0 [heap]\n"},
		{0, 0, NULL},
	};
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	session_feed(&session, BUFFER(START, USER, COOKIE(ANON), 0x1000004, 0, 0x1500000, 0,
				      0x1500000, 0, 0x1000004, 0, 0x1600000, 0));
	assert_int_equal(session.machine.maps_calls, 1);
	assert_int_equal(session_stat(&session, STAT_NO_MAPPING), 3);
	/* no miss, no reading */
	session_feed(&session, BUFFER(START, USER, COOKIE(ANON), 0x1000004, 0));
	assert_int_equal(session.machine.maps_calls, 1);
	/* a miss, and now it is there */
	session.machine.processes = grown;
	session_feed(&session,
		     BUFFER(START, USER, COOKIE(ANON), 0x1500000, 0, 0x2500000, 0, 0x1000004, 0));
	assert_int_equal(session.machine.maps_calls, 2);
	session_expect(&session,
		       BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/" ALL " 4:3\n" BASH
			    "{dep}/{anon:[heap]}/500.0x1000000.0x2000000/" ALL " 4:1 500000:1\n");
	session_close(&session);
}

/* What the source tells by a cookie is counted, whether the process is still there or not. */
TEST(memory_that_the_source_tells_needs_no_process)
{
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	/* process 600 is unknown; its memory grows */
	session_feed(&session,
		     BUFFER(CTX(600, 600, 0x10), CPU(0), USER, COOKIE(0x20), 0x7ffd00000010, 0,
			    COOKIE(0x21), 0x5004, 0, 0x6004, 0, COOKIE(0x23), 0x10001, 0,
			    COOKIE(0x21), 0x5004, 0, COOKIE(0x22), 0x5004, 0, 0x8004, 0, 0x5004, 0,
			    COOKIE(0x24), 0x8000, 0));
	assert_int_equal(session.machine.maps_calls, 0);
	assert_int_equal(session_stat(&session, STAT_NO_MAPPING), 1);
	/* each process has memory of its own; of one that lives, nothing is read */
	session_feed(&session,
		     BUFFER(CTX(500, 500, 0x10), CPU(0), USER, COOKIE(0x20), 0x7ffd00000011, 0));
	assert_int_equal(session.machine.maps_calls, 0);
	session_expect(&session, BASH
		       "{dep}/{anon:[anon:a_b]}/600.0x10000.0x11000/" ALL " 1:1\n" BASH
		       "{dep}/{anon:[vdso]}/500.0x7ffd00000000.0x7ffd00002000/" ALL " 11:1\n" BASH
		       "{dep}/{anon:[vdso]}/600.0x7ffd00000000.0x7ffd00002000/" ALL " 10:1\n" BASH
		       "{dep}/{anon:anon}/600.0x5000.0x7000/" ALL " 4:3 1004:1\n" BASH
		       "{dep}/{anon:anon}/600.0x5000.0x9000/" ALL " 4:1 3004:1\n");
	session_close(&session);
}

/* With both in one session, what /proc says of a process and what the source tells of it agree. */
TEST(memory_that_the_source_tells_is_that_of_proc)
{
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	session_feed(&session, BUFFER(START, USER, COOKIE(ANON), 0x1000004, 0, COOKIE(0x20),
				      0x7ffd00000010, 0, COOKIE(0x21), 0x5004, 0, COOKIE(ANON),
				      0x1000004, 0, 0x7ffd00000010, 0));
	assert_int_equal(session.machine.maps_calls, 1);
	session_expect(&session,
		       BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/" ALL " 4:2\n" BASH
			    "{dep}/{anon:[vdso]}/500.0x7ffd00000000.0x7ffd00002000/" ALL
			    " 10:2\n" BASH "{dep}/{anon:anon}/500.0x5000.0x7000/" ALL " 4:1\n");
	session_close(&session);
}

#define NO_PROCESS 4999999 /* a pid beyond the kernel's greatest */

TEST(processes_of_anonymous_memory_are_noted_while_they_run)
{
	const struct profile_config config = {0};
	const uint64_t own = (uint64_t)getpid();
	struct op_process_list list = {0};
	struct op_process process;
	struct test_session session;
	char *dump = op_path("/tmp/jit-%d.dump", getpid());
	int fd = open(dump, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *mapped;

	assert_return_code(fd, errno);
	assert_int_equal(ftruncate(fd, 4096), 0);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	session_open(&session, &config);
	for (int i = 0; i < 2; i++)
		session_feed(&session,
			     BUFFER(CTX(own, own, 0x10), CPU(0), USER, COOKIE(0x20), 0x7ffd00000010,
				    0, COOKIE(0x21), 0x5004, 0, CTX(NO_PROCESS, NO_PROCESS, 0x10),
				    COOKIE(0x20), 0x7ffd00000010, 0));
	profile_save_stats(&session.profile);
	op_process_list_read(&list, session.profile.current_dir);
	assert_int_equal(list.n, 1);
	assert_int_equal(op_process_list_find(&list, (uint32_t)own, &process), 1);
	assert_int_equal(process.owner, geteuid());
	assert_int_not_equal(process.inner, 0);
	assert_non_null(process.dump);
	assert_string_equal(process.dump, dump);
	assert_uint_in_range(process.started, (uint64_t)(time(NULL) - 3600) * 1000000000,
			     (uint64_t)(time(NULL) + 1) * 1000000000);
	op_process_list_free(&list);
	session_close(&session);
	munmap(mapped, 4096);
	close(fd);
	unlink(dump);
	free(dump);
}

static void expect_thread_names(struct test_session *session, size_t n, const char *name)
{
	struct op_thread_names read = {0};

	profile_save_stats(&session->profile);
	op_thread_names_read(&read, session->profile.current_dir);
	assert_int_equal(read.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(read.items[i].name, name);
	op_thread_names_free(&read);
}

TEST(threads_with_files_of_their_own_have_the_name_that_they_had_last)
{
	const struct profile_config config = {.separation.thread = true};
	struct test_session session;

	session_open(&session, &config);
	session_feed(&session, BUFFER(CTX(501, 500, 0x10), CPU(0), USER, COOKIE(0x10), 0x1004, 0,
				      CTX(502, 500, 0x10), COOKIE(0x10), 0x1004, 0));
	expect_thread_names(&session, 0, NULL);
	session.machine.thread_name = "first";
	expect_thread_names(&session, 2, "first");
	session.machine.thread_name = "second";
	expect_thread_names(&session, 2, "second");
	session.machine.thread_name = NULL; /* they have ended */
	expect_thread_names(&session, 2, "second");
	assert_int_equal(profile_reopen(&session.profile, &(struct op_error){0}), 0);
	expect_thread_names(&session, 2, "second");
	session_close(&session);
}

TEST(names_of_threads_are_not_noted_where_threads_are_not_told_apart)
{
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	session.machine.thread_name = "first";
	session_feed(&session,
		     BUFFER(CTX(501, 500, 0x10), CPU(0), USER, COOKIE(0x10), 0x1004, 0));
	expect_thread_names(&session, 0, NULL);
	session_close(&session);
}

/* All at once would be at the end, or while samples wait. */
TEST(symbols_of_images_are_saved_little_by_little)
{
	const struct op_identity identity = {.has_file = true, .size = 1, .mtime = 1};
	const struct profile_config config = {0};
	struct test_session session;
	struct images *images = &session.profile.locator.images;
	size_t first, at_rest;

	session_open(&session, &config);
	first = images->n_saved;
	for (int i = 0; i < 1000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "{root}/no/such/%d", i);
		assert_int_equal(op_image_list_add(&images->known, name, &identity), 0);
	}
	session.profile.rested = 0;
	profile_rest(&session.profile, -1);
	at_rest = images->n_saved - first;
	assert_uint_in_range(at_rest, 1, 100);
	profile_rest(&session.profile, -1); /* it is not time yet */
	assert_int_equal(images->n_saved - first, at_rest);
	profile_save_stats(&session.profile);
	assert_int_equal(images->n_saved, images->known.n);
	session_close(&session);
}

/* ---- limits ---- */

#define MANY 150

static struct test_image many[MANY + 1];
static char many_paths[MANY][32];

static void open_many(struct test_session *session)
{
	const struct profile_config config = {0};

	for (size_t i = 0; i < MANY; i++) {
		snprintf(many_paths[i], sizeof(many_paths[i]), "/usr/lib/%zu", i);
		many[i] = (struct test_image){0x1000 + i, many_paths[i], 0, 1000, 0, 0, 0};
	}
	session_make(session, &config);
	session->machine.images = many;
	session_start(session);
}

static void feed_many(struct test_session *session, bool traced)
{
	uint64_t words[64] = {CPU(0), CTX(501, 500, 0x1000), USER};
	const size_t start = 12;

	for (uint64_t i = 0; i < MANY; i++) {
		const uint64_t plain[] = {COOKIE(0x1000 + i), i, 0};
		const uint64_t trace[] = {
			TRACE, COOKIE(0x1000 + i), i, 0, COOKIE(0x1000 + (i * 7) % MANY), i, 0};

		if (traced)
			memcpy(words + start, trace, sizeof(trace));
		else
			memcpy(words + start, plain, sizeof(plain));
		session_feed(session, words,
			     start + (traced ? sizeof(trace) : sizeof(plain)) / sizeof(*words));
	}
}

static void feed_and_check(struct test_session *session, bool traced)
{
	feed_many(session, traced);
	feed_many(session, traced);
	assert_true(session->profile.files.closed > 0);
	assert_int_equal(session_stat(session, STAT_STORED), 2 * MANY);
	assert_int_equal(session_stat(session, STAT_FRAMES_STORED), traced ? 2 * MANY : 0);
}

/* More files than may be open: those used longest ago make room, and nothing is lost. */
TEST(files_are_more_than_may_be_open)
{
	struct test_session session;

	for (int traced = 0; traced < 2; traced++) {
		open_many(&session);
		session.profile.files.most = 20;
		feed_and_check(&session, traced);
		session_check_sums(&session);
		assert_true(session.profile.files.count <= 20);
		session_close(&session);
	}
}

/* Now and then between two buffers, files give their memory back; counts go on. */
TEST(files_that_rest_lose_nothing)
{
	static const uint64_t words[] = {START, USER, COOKIE(0x10), 3, 0, TRACE, 1, 0, 2, 0};
	const struct profile_config config = {0};
	struct test_session session;

	session_open(&session, &config);
	for (int i = 0; i < 3; i++) {
		session.profile.rested = 0;
		session_feed_only(&session, words, OP_ARRAY_SIZE(words));
	}
	assert_true(session.profile.rested > 0);
	profile_flush(&session.profile);
	session_expect(&session, BASH "{dep}/" BASH ALL " 1:3 3:3\n");
	session_close(&session);
}

/* The same when the limit is met unexpectedly: EMFILE. */
TEST(descriptors_run_out)
{
	struct rlimit before, few;
	struct test_session session;

	assert_return_code(getrlimit(RLIMIT_NOFILE, &before), errno);
	for (int traced = 0; traced < 2; traced++) {
		open_many(&session);
		assert_return_code(getrlimit(RLIMIT_NOFILE, &few), errno);
		few.rlim_cur = 40;
		assert_return_code(setrlimit(RLIMIT_NOFILE, &few), errno);
		feed_and_check(&session, traced);
		/* looking at the files needs descriptors, too */
		assert_return_code(setrlimit(RLIMIT_NOFILE, &before), errno);
		session_check_sums(&session);
		session_close(&session);
	}
}

/* Where new files must not be made, the journal takes their samples: it needs one, too. */
TEST(descriptors_run_out_before_there_is_a_journal)
{
	struct rlimit before, few;
	struct test_session session;
	int taken[40], n = 0;

	open_many(&session);
	assert_return_code(getrlimit(RLIMIT_NOFILE, &before), errno);
	few = before;
	few.rlim_cur = 40;
	assert_return_code(setrlimit(RLIMIT_NOFILE, &few), errno);
	for (uint64_t i = 0; i < MANY; i++) {
		if (i == MANY / 2) {
			session.profile.files.budget.disk_is_full = true;
			while ((taken[n] = dup(STDERR_FILENO)) >= 0)
				n++;
		}
		session_feed(&session, BUFFER(CPU(0), CTX(501, 500, 0x1000), USER,
					      COOKIE(0x1000 + i), i, 0));
	}
	assert_int_equal(session_stat(&session, STAT_STORED), MANY);
	while (n)
		close(taken[--n]);
	assert_return_code(setrlimit(RLIMIT_NOFILE, &before), errno);
	session_check_sums(&session);
	session_close(&session);
}

/* What cannot be opened is lost, by this cause, and tried again with the next buffer. */
TEST(files_that_cannot_be_opened)
{
	const struct profile_config config = {0};
	struct test_session session;
	char *path;

	session_open(&session, &config);
	path = op_path("%s/" OP_SESSION_CURRENT "/{root}", session.dir);
	assert_return_code(mkdir(path, 0700), errno);
	free(path);
	/* a file where a directory should be */
	path = op_path("%s/" OP_SESSION_CURRENT "/{root}/usr", session.dir);
	assert_int_equal(op_file_replace(path, "", 0, 0600, NULL), 0);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0, KERNEL,
				      0xffffffff81000000, 0, TRACE, USER, 1, 0, 2, 0));
	assert_int_equal(session_stat(&session, STAT_NO_SAMPLE_FILE), 3);
	assert_int_equal(session_stat(&session, STAT_FRAMES_NO_HEAD), 1);
	assert_return_code(remove(path), errno);
	free(path);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	session_expect(&session, BASH "{dep}/" BASH ALL " 1:1\n"
				      "{kern}/kallsyms/{dep}/{kern}/kallsyms/" ALL " 0:1\n");
	session_close(&session);
}

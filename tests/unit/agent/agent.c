// SPDX-License-Identifier: GPL-2.0-or-later
/* libopagent: what it writes is read back by the reports' own reader. */
#include "tests/unit/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "libop/agent/opagent.h"
#include "libop/foreign/limits.h"
#include "pp/symbols/jit.h"

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("agent");
	return !dir || setenv("OPROFILE_JIT_DIR", dir, 1);
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static char *path_of(pid_t pid)
{
	char *path = pp_jit_dump_path(dir, (uint32_t)pid);

	assert_non_null(path);
	return path;
}

static void read_back(struct pp_jit *jit)
{
	struct op_error error = {0};
	enum pp_jit_result result = pp_jit_read(jit, dir, (uint32_t)getpid(),
						&(struct op_process_list){0}, &error);

	if (result != PP_JIT_READ)
		print_error("%s\n", error.text);
	assert_int_equal(result, PP_JIT_READ);
}

static void check_line(const struct pp_jit *jit, size_t i, uint64_t link, const char *file,
		       int line)
{
	assert_true(i < jit->n_lines);
	assert_int_equal(jit->lines[i].link, link);
	if (!file) {
		assert_null(jit->lines[i].file);
		return;
	}
	assert_string_equal(jit->lines[i].file, file);
	assert_int_equal(jit->lines[i].line, line);
}

static const char code[0x100];

TEST_WITH(functions_are_read_back, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct pp_jit jit;

	assert_non_null(agent);
	assert_int_equal(op_write_native_code(agent, "first", 0x1000, code, 0x100), 0);
	assert_int_equal(op_write_native_code(agent, "no code", 0x2000, NULL, 0x80), 0);
	assert_int_equal(op_write_native_code(agent, "over first", 0x10c0, code, 0x100), 0);
	read_back(&jit); /* while it is open */
	assert_int_equal(jit.n, 3);
	assert_string_equal(jit.symbols[0].name, "first");
	assert_int_equal(jit.symbols[0].end, 0x10c0);
	assert_string_equal(jit.symbols[1].name, "over first");
	assert_string_equal(jit.symbols[2].name, "no code");
	assert_int_equal(jit.symbols[2].end, 0x2080);
	pp_jit_free(&jit);
	assert_int_equal(op_unload_native_code(agent, 0x1000), 0);
	assert_int_equal(op_close_agent(agent), 0);
	read_back(&jit);
	assert_int_equal(jit.n, 3);
	pp_jit_free(&jit);
}

static const struct debug_line_info lines[] = {
	{0x1000, 7, "a.x"}, {0x1040, 9, "dir/b.x"}, {0x1080, 8, "a.x"}};

static void check_lines(const struct pp_jit *jit)
{
	check_line(jit, 0, 0x1000, "a.x", 7);
	check_line(jit, 1, 0x1040, "dir/b.x", 9);
	check_line(jit, 2, 0x1080, "a.x", 8);
	check_line(jit, 3, 0x1100, NULL, 0);
	assert_int_equal(jit->n_lines, 4);
}

TEST_WITH(lines_belong_to_the_function_told_next_or_before, enter, leave)
{
	for (int before = 0; before < 2; before++) {
		op_agent_t agent = op_open_agent();
		struct pp_jit jit;

		assert_non_null(agent);
		if (before)
			op_write_debug_line_info(agent, (void *)0x1000, 3, lines);
		assert_int_equal(op_write_native_code(agent, "f", 0x1000, code, 0x100), 0);
		if (!before)
			op_write_debug_line_info(agent, (void *)0x1000, 3, lines);
		assert_int_equal(op_write_native_code(agent, "g", 0x3000, code, 0x100), 0);
		read_back(&jit);
		check_lines(&jit);
		pp_jit_free(&jit);
		assert_int_equal(op_close_agent(agent), 0);
	}
}

/* A function at the place of another has no lines of that one. */
TEST_WITH(lines_go_with_their_function, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct pp_jit jit;

	op_write_debug_line_info(agent, (void *)0x1000, 3, lines);
	op_write_native_code(agent, "f", 0x1000, code, 0x100);
	op_write_native_code(agent, "over its middle", 0x1050, code, 0x20);
	read_back(&jit);
	check_line(&jit, 0, 0x1000, "a.x", 7);
	check_line(&jit, 1, 0x1040, "dir/b.x", 9);
	check_line(&jit, 2, 0x1050, NULL, 0);
	check_line(&jit, 3, 0x1070, "dir/b.x", 9);
	check_line(&jit, 4, 0x1080, "a.x", 8);
	check_line(&jit, 5, 0x1100, NULL, 0);
	pp_jit_free(&jit);
	op_write_native_code(agent, "h", 0x1000, code, 0x100);
	read_back(&jit);
	assert_int_equal(jit.n_lines, 0);
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
}

TEST_WITH(an_image_has_the_lines_of_its_addresses, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct pp_symbols symbols = {0};
	struct pp_jit jit;

	op_write_debug_line_info(agent, (void *)0x1000, 3, lines);
	op_write_native_code(agent, "f", 0x1000, code, 0x100);
	read_back(&jit);
	pp_jit_lines(&jit, 0x1060, 0x1090, &symbols);
	assert_int_equal(symbols.n_lines, 2);
	assert_int_equal(symbols.lines[0].line, 9);
	assert_int_equal(symbols.lines[1].line, 8);
	free(symbols.lines);
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
}

TEST_WITH(what_is_wrong_is_refused_and_not_written, enter, leave)
{
	const struct debug_line_info without_file = {0x1000, 1, NULL};
	op_agent_t agent = op_open_agent();
	struct pp_jit jit;

#define REFUSED(call, number)                                                                      \
	do {                                                                                       \
		errno = 0;                                                                         \
		assert_int_equal(call, -1);                                                        \
		assert_int_equal(errno, number);                                                   \
	} while (0)
	REFUSED(op_close_agent(NULL), EINVAL);
	REFUSED(op_write_native_code(NULL, "f", 1, code, 1), EINVAL);
	REFUSED(op_write_native_code(agent, NULL, 1, code, 1), EINVAL);
	REFUSED(op_write_native_code(agent, "f", 1, code, 0), EINVAL);
	REFUSED(op_write_native_code(agent, "f", UINT64_MAX, code, 16), EINVAL);
	REFUSED(op_write_native_code(agent, "f", 1, NULL, (unsigned int)FOREIGN_JIT_DUMP_MOST),
		EFBIG);
	REFUSED(op_write_debug_line_info(agent, code, 1, NULL), EINVAL);
	REFUSED(op_write_debug_line_info(agent, code, 1, &without_file), EINVAL);
	REFUSED(op_unload_native_code(NULL, 1), EINVAL);
	assert_int_equal(op_write_debug_line_info(agent, code, 0, NULL), 0);
	read_back(&jit);
	assert_int_equal(jit.n, 0);
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
}

/* The file keeps whole records, and goes on when there is room again. */
TEST_WITH(a_record_that_has_no_room_leaves_the_file_whole, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct rlimit old, small;
	struct pp_jit jit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(op_write_native_code(agent, "before", 0x1000, code, 0x100), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){600, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(op_write_native_code(agent, "too large", 0x2000, code, 0x100), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(op_write_native_code(agent, "behind", 0x3000, code, 0x100), 0);
	read_back(&jit);
	assert_int_equal(jit.n, 2);
	assert_string_equal(jit.symbols[1].name, "behind");
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
	signal(SIGXFSZ, SIG_DFL);
}

TEST_WITH(a_file_left_by_a_process_of_this_number_is_replaced, enter, leave)
{
	char *path = path_of(getpid());
	struct stat status;
	op_agent_t agent;

	put_file(path, "left over");
	assert_int_equal(chmod(path, 0666), 0);
	agent = op_open_agent();
	assert_non_null(agent);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, 40);
	assert_int_equal(op_close_agent(agent), 0);
	free(path);
}

/* Anybody may put something into /tmp. */
TEST_WITH(what_others_put_in_its_place_is_not_touched, enter, leave)
{
	char *path = path_of(getpid());
	struct stat status;

	put_file("victim", "precious");
	assert_int_equal(symlink("victim", path), 0);
	errno = 0;
	assert_null(op_open_agent());
	assert_int_equal(errno, EEXIST);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat("victim", &status), 0);
	assert_int_equal(status.st_size, 8);
	unlink(path);
	assert_int_equal(mkfifo(path, 0666), 0);
	errno = 0;
	assert_null(op_open_agent());
	assert_int_equal(errno, EEXIST);
	unlink(path);
	if (geteuid() == 0) {
		put_file(path, "another's");
		assert_int_equal(chown(path, 65534, 65534), 0);
		errno = 0;
		assert_null(op_open_agent());
		assert_int_equal(errno, EEXIST);
	}
	free(path);
}

TEST_WITH(a_forked_child_cannot_write_into_the_file_of_its_parent, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct pp_jit jit;
	int status;
	pid_t child;

	assert_int_equal(op_write_native_code(agent, "f", 0x1000, code, 0x100), 0);
	child = fork();
	if (!child) {
		if (op_write_native_code(agent, "child", 0x2000, code, 0x100) != -1 ||
		    errno != ESTALE || op_close_agent(agent))
			_exit(1);
		agent = op_open_agent();
		_exit(!agent || op_write_native_code(agent, "own", 1, code, 1) ||
		      op_close_agent(agent));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	read_back(&jit);
	assert_int_equal(jit.n, 1);
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
}

enum { THREADS = 4, FUNCTIONS = 500 };

struct writer {
	op_agent_t agent;
	uint64_t first;
};

static void *write_functions(void *argument)
{
	const struct writer *writer = argument;

	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		uint64_t at = writer->first + i * 0x100;
		char name[32];

		snprintf(name, sizeof(name), "f_%" PRIx64, at);
		if (op_write_native_code(writer->agent, name, at, code, 0x100))
			return argument;
	}
	return NULL;
}

TEST_WITH(threads_write_whole_records, enter, leave)
{
	op_agent_t agent = op_open_agent();
	struct writer writers[THREADS];
	pthread_t threads[THREADS];
	struct pp_jit jit;

	for (size_t i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){agent, (i + 1) << 24};
		assert_int_equal(pthread_create(&threads[i], NULL, write_functions, &writers[i]),
				 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	read_back(&jit);
	assert_int_equal(jit.n, THREADS * FUNCTIONS);
	for (size_t i = 0; i < jit.n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f_%" PRIx64, jit.symbols[i].start);
		assert_string_equal(jit.symbols[i].name, name);
	}
	pp_jit_free(&jit);
	assert_int_equal(op_close_agent(agent), 0);
}

TEST(the_interface_is_that_of_version_1_0)
{
	assert_int_equal(op_major_version(), 1);
	assert_int_equal(op_minor_version(), 0);
}

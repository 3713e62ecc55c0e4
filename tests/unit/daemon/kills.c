// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofiled is killed at random moments of a replay.  Every sample file must open, nothing that
 * a dump has acknowledged may be missing, nothing may be counted that was not in the recording,
 * and the next daemon must find a session that it can go on with.
 *
 *	daemon_kills OPROFILED [KILLS]
 */
#include "fixture.h"

#include <signal.h>
#include <spawn.h>
#include <time.h>

#include "libdb/odb/odb.h"
#include "libop/session/control_socket.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "recording.h"

#define BUFFERS	     50
#define SAMPLES	     400 /* of each buffer */
#define IMAGES	     12
#define PLACES	     512 /* of each image: enough for files to grow while they are used */
#define FIRST_COOKIE 0x100

static uint32_t kills = 2000;

/* ---- a recording whose samples are known ---- */

/* The sample @i of buffer @buffer. */
static void make_sample(uint32_t buffer, uint32_t i, uint32_t *image, uint32_t *place)
{
	uint32_t number = (buffer * SAMPLES + i) * 2654435761u;

	number ^= number >> 15;
	*image = number % IMAGES;
	/* new places turn up all the time */
	*place = (number >> 8) % (1 + (buffer * PLACES) / BUFFERS);
}

static void make_recording(const char *path)
{
	static uint64_t words[16 + 5 * SAMPLES];
	FILE *out = recording_begin(path);
	char name[64];

	assert_non_null(out);
	for (uint32_t i = 0; i < IMAGES; i++) {
		snprintf(name, sizeof(name), "/lib/%" PRIu32, i);
		recording_image(out, FIRST_COOKIE + i, name, 1000);
	}
	for (uint32_t buffer = 0; buffer < BUFFERS; buffer++) {
		const uint64_t start[] = {CPU(0), CTX(1, 1, FIRST_COOKIE), USER};
		size_t count = sizeof(start) / sizeof(*start);

		memcpy(words, start, sizeof(start));
		for (uint32_t i = 0; i < SAMPLES; i++) {
			uint32_t image, place;

			make_sample(buffer, i, &image, &place);
			words[count++] = ESC;
			words[count++] = OPROFILE_COOKIE_SWITCH;
			words[count++] = FIRST_COOKIE + image;
			words[count++] = place;
			words[count++] = 0;
		}
		recording_buffer(out, words, count);
	}
	assert_int_equal(recording_end(out), 0);
}

/* Adds the samples of the buffers from @from to before @to. */
static void count_samples(uint32_t from, uint32_t to, uint32_t counts[IMAGES][PLACES])
{
	for (uint32_t buffer = from; buffer < to; buffer++) {
		for (uint32_t i = 0; i < SAMPLES; i++) {
			uint32_t image, place;

			make_sample(buffer, i, &image, &place);
			counts[image][place]++;
		}
	}
}

/* ---- the daemon ---- */

/* struct program - a process that was started, and what it has said on stderr */
struct program {
	pid_t pid;
	int output; /* the reading end of its stdout and stderr */
	char text[8192];
	size_t length;
};

#define ARGUMENTS_MOST 32

static const char *program_path;

static void program_start(struct program *program, const char *const *arguments)
{
	const char *list[ARGUMENTS_MOST] = {program_path};
	posix_spawn_file_actions_t actions;
	int pipe_ends[2], result;

	for (int i = 0; arguments[i]; i++)
		list[i + 1] = arguments[i];
	*program = (struct program){0};
	assert_return_code(pipe2(pipe_ends, O_CLOEXEC), errno);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
	result = posix_spawn(&program->pid, program_path, &actions, NULL, (char **)list, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_ends[1]);
	program->output = pipe_ends[0];
	if (result)
		fail_msg("%s: %s", program_path, strerror(result));
}

/* Return: false at the end of the output. */
static bool read_more(struct program *program)
{
	size_t space = sizeof(program->text) - 1 - program->length;
	char rest[4096];
	ssize_t n = space ? read(program->output, program->text + program->length, space)
			  : read(program->output, rest, sizeof(rest));

	if (n <= 0)
		return false;
	if (space)
		program->length += (size_t)n;
	program->text[program->length] = '\0';
	return true;
}

static bool program_wait_for(struct program *program, const char *text)
{
	while (!strstr(program->text, text)) {
		if (!read_more(program))
			return false;
	}
	return true;
}

static int program_end(struct program *program)
{
	int status;

	while (read_more(program))
		;
	close(program->output);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- one kill ---- */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000) + time.tv_nsec / 1000;
}

/* Asks for dumps until @deadline (µs).  Return: the buffers that the last one acknowledged. */
static uint32_t dump_until(const char *session, int64_t deadline)
{
	uint32_t buffers = 0;

	while (now() < deadline) {
		struct op_error error;
		char *reply;

		if (op_control_call(session, "dump", &reply, &error)) {
			/* the replay is over, and the daemon too */
			if (error.code == ENOENT || error.code == ECONNREFUSED ||
			    error.code == EPROTO || error.code == ECONNRESET || error.code == EPIPE)
				break;
			fail_msg("%s", error.text);
		}
		assert_int_equal(sscanf(reply, "buffers %" SCNu32, &buffers), 1);
		free(reply);
	}
	return buffers;
}

struct tally {
	uint32_t killed, ended, acknowledged, mended;
	uint64_t samples;
};

static void *read_counts(const char *path, ptrdiff_t *count)
{
	struct odb_entry *entry;
	struct odb_error error;
	struct odb *db;

	if (odb_open(&db, path, ODB_READ, NULL, &error)) {
		if (error.code != ENOENT)
			fail_msg("%s", error.text);
		*count = 0;
		return NULL;
	}
	*count = odb_entries_by_key(db, &entry, &error);
	if (*count < 0)
		fail_msg("%s", error.text);
	odb_close(db);
	return entry;
}

/* Compares a file with what must be and what may be in it. */
static void check_file(const char *path, uint32_t image, uint32_t acknowledged[IMAGES][PLACES],
		       uint32_t total[IMAGES][PLACES], struct tally *tally)
{
	uint64_t counts[PLACES] = {0};
	ptrdiff_t count;
	struct odb_entry *entry = read_counts(path, &count);

	for (ptrdiff_t i = 0; i < count; i++) {
		assert_true(entry[i].key < PLACES);
		counts[entry[i].key] = entry[i].count;
		tally->samples += entry[i].count;
	}
	free(entry);
	for (uint32_t place = 0; place < PLACES; place++) {
		if (counts[place] < acknowledged[image][place])
			fail_msg("%s: %" PRIu64 " samples of key %" PRIu32 ", %" PRIu32
				 " were acknowledged",
				 path, counts[place], place, acknowledged[image][place]);
		if (counts[place] > total[image][place])
			fail_msg("%s: %" PRIu64 " samples of key %" PRIu32 ", %" PRIu32
				 " were recorded",
				 path, counts[place], place, total[image][place]);
	}
}

/* A file may be a store short of its rules; opening it as the next daemon does mends that. */
static void check_rules(const char *path, struct tally *tally)
{
	struct odb_error error;
	struct odb *db;
	ptrdiff_t problems = odb_check(path, NULL, NULL, NULL, &error);

	if (problems < 0 && error.code == ENOENT)
		return;
	if (problems) {
		tally->mended++;
		if (odb_open(&db, path, ODB_WRITE, NULL, &error))
			fail_msg("%s", error.text);
		odb_close(db);
		problems = odb_check(path, NULL, NULL, NULL, &error);
	}
	if (problems)
		fail_msg("%s does not pass the check", path);
}

static void check_session(const char *session, uint32_t acknowledged[IMAGES][PLACES],
			  uint32_t total[IMAGES][PLACES], struct tally *tally)
{
	for (uint32_t image = 0; image < IMAGES; image++) {
		char *path = op_path("%s/" OP_SESSION_CURRENT "/{root}/lib/%" PRIu32
				     "/{dep}/{root}/lib/%" PRIu32 "/TIMER.0.0.all.all.all",
				     session, image, image);

		check_file(path, image, acknowledged, total, tally);
		check_rules(path, tally);
		check_file(path, image, acknowledged, total, &(struct tally){0});
		free(path);
	}
}

/* How long a replay takes that is not killed, in µs. */
static int64_t measure(const char *const *arguments)
{
	struct program program;
	int64_t start;

	program_start(&program, arguments);
	assert_true(program_wait_for(&program, "is ready"));
	start = now();
	assert_int_equal(program_end(&program), 0);
	return now() - start;
}

TEST(nothing_acknowledged_is_lost)
{
	static uint32_t acknowledged[IMAGES][PLACES], total[IMAGES][PLACES];
	char *dir = make_directory(), *recording = op_path("%s/recording", dir);
	char *session = op_path("%s/session", dir);
	char *replay_option = op_path("--replay=%s", recording);
	char *session_option = op_path("--session-dir=%s", session);
	const char *const arguments[] = {replay_option, session_option, "--no-vmlinux", NULL};
	struct tally tally = {0};
	int64_t duration;

	make_recording(recording);
	count_samples(0, BUFFERS, total);
	duration = measure(arguments);
	remove_tree(session);
	srand(1);
	/* a replay that ends before its kill does not count, on a slow machine either */
	while (tally.killed < kills || tally.acknowledged < kills / 4) {
		struct program program;
		uint32_t buffers;
		int status;

		program_start(&program, arguments);
		if (!program_wait_for(&program, "is ready"))
			fail_msg("%s", program.text);
		/* dumps slow it down */
		buffers = dump_until(session, now() + rand() % (4 * duration));
		kill(program.pid, SIGKILL);
		status = program_end(&program);
		assert_true(status == 0 || status == 128 + SIGKILL);
		tally.killed += status != 0;
		tally.ended += status == 0;
		tally.acknowledged += buffers > 0;

		memset(acknowledged, 0, sizeof(acknowledged));
		count_samples(0, status ? buffers : BUFFERS, acknowledged);
		check_session(session, acknowledged, total, &tally);
		remove_tree(session);
	}
	print_message("           %u killed, %u ended before; in %u a dump had been "
		      "acknowledged; %" PRIu64 " samples were there; %u files were mended\n",
		      tally.killed, tally.ended, tally.acknowledged, tally.samples, tally.mended);
	remove_tree(dir);
	free(session_option);
	free(replay_option);
	free(session);
	free(recording);
	free(dir);
}

TEST_ARGUMENTS(1, "OPROFILED [KILLS]")
{
	program_path = argv[1];
	if (argc > 2)
		kills = (uint32_t)atoi(argv[2]);
}

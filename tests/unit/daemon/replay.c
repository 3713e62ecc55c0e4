// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: what is replayed gives the same sample files, with the same or with other
 * options; a recording that is cut off or spoilt does no harm.
 */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "recording.h"

#define START CPU(0), CTX(501, 500, 0x10)
#define STEXT 0xffffffff81000000

enum { SEPARATED = 1, FILTERED = 2, NO_VMLINUX = 4, KINDS = 8 };

static void make_config(int kind, struct profile_config *config)
{
	*config = (struct profile_config){
		.separate_lib = kind & SEPARATED,
		.separate_kernel = kind & SEPARATED,
		.separate_thread = kind & SEPARATED,
		.separate_cpu = kind & SEPARATED,
		.kernel.mode = kind & NO_VMLINUX ? KERNEL_NO_VMLINUX : KERNEL_KALLSYMS,
	};
	if (kind & FILTERED)
		op_strings_add(&config->filter, "/usr/bin/cat");
}

/* What came to pass: also with maps that change, a module that comes, and a bad record. */
static void play(struct test_session *session)
{
	static const struct test_process grown[] = {
		{500, 1, "01000000-02000000 rw-p 00000000 00:00 0 [heap]\n"},
		{600, 9, "03000000-04000000 rw-p 00000000 00:00 0 \n"},
		{0, 0, NULL},
	};

	session_feed(session,
		     BUFFER(START, USER, COOKIE(0x10), 1, 0, COOKIE(0x11), 2, 0, COOKIE(ANON),
			    0x1000004, 0, 0x1500004, 0, COOKIE(0x13), 3, 0, COOKIE(0x999), 4, 0,
			    KERNEL, STEXT + 5, 0, 0xffffffffc0100004, 0, 0xffffffffc0300010, 0));
	session->machine.processes = grown;
	session->machine.modules = "xfs ffffffffc0300000 1000 77\n";
	session_feed(session,
		     BUFFER(CPU(1), CTX(600, 600, 0x12), TRACE, USER, COOKIE(0x11), 1, 0,
			    COOKIE(0x12), 2, 0, COOKIE(ANON), 0x3000004, 0, CTX(501, 500, 0x10),
			    0x1500004, 0, MODULE_LOADED, KERNEL, 0xffffffffc0300010, 0, ESC, 99, 1,
			    START, USER, COOKIE(0x10), 9, 0));
}

/* Plays to a session of its own, with or without recording.  The caller frees the text. */
static char *play_live(int kind, const char *recording, uint64_t values[STAT_COUNT])
{
	struct test_session session;
	struct profile_config config;
	struct source *source;
	struct op_error error;
	char *text;

	make_config(kind, &config);
	session_make(&session, &config);
	source = &session.machine.source;
	if (recording)
		source = source_record_open(source, recording, &error);
	if (!source || profile_open(&session.profile, &session.config, source, &error))
		fail_msg("%s", error.text);
	play(&session);
	text = session_text(session.dir);
	memcpy(values, session.profile.stats.value, sizeof(session.profile.stats.value));
	profile_save_stats(&session.profile);
	session_close(&session);
	if (recording)
		source_close(source);
	op_strings_free(&config.filter);
	return text;
}

/* Replays as far as it goes.  Return: what profile_take() returned last. */
static int replay_all(struct test_session *session, const char *recording, struct op_error *error)
{
	struct source *source = source_replay_open(recording, error);
	int result = -1;

	if (!source)
		return -1;
	if (!profile_open(&session->profile, &session->config, source, error)) {
		while (!(result = profile_take(&session->profile, NULL, error)))
			;
		session_check_sums(session);
	}
	source_close(source);
	return result;
}

static char *replay(int kind, const char *recording, uint64_t values[STAT_COUNT])
{
	struct test_session session;
	struct profile_config config;
	struct op_error error;
	char *text;

	make_config(kind, &config);
	session_make(&session, &config);
	if (replay_all(&session, recording, &error) != SOURCE_END)
		fail_msg("%s", error.text);
	text = session_text(session.dir);
	memcpy(values, session.profile.stats.value, sizeof(session.profile.stats.value));
	session_close(&session);
	op_strings_free(&config.filter);
	return text;
}

/* What it cost to record is no matter of the recording, nor is what it costs to replay. */
static void a_replay_has_no_overhead(void **state)
{
	char *dir = make_directory(), *recording = op_path("%s/recording", dir), *path;
	struct test_session session;
	struct profile_config config;
	struct source *source;
	struct op_error error;
	uint64_t begin;

	(void)state;
	make_config(0, &config);
	session_make(&session, &config);
	session.machine.running = true;
	source = source_record_open(&session.machine.source, recording, &error);
	if (!source || profile_open(&session.profile, &session.config, source, &error))
		fail_msg("%s", error.text);
	play(&session);
	begin = overhead_now().wall_ns;
	while (overhead_now().wall_ns < begin + 2000000)
		;
	profile_save_stats(&session.profile);
	path = op_path("%s/profiling_ms", session.profile.stats_dir);
	assert_return_code(access(path, F_OK), errno);
	free(path);
	session_close(&session);
	source_close(source);

	session_make(&session, &config);
	if (replay_all(&session, recording, &error) != SOURCE_END)
		fail_msg("%s", error.text);
	assert_int_equal(session.profile.overhead.profiling_ns, 0);
	path = op_path("%s/total_samples", session.profile.stats_dir);
	assert_return_code(access(path, F_OK), errno);
	free(path);
	path = op_path("%s/profiling_ms", session.profile.stats_dir);
	assert_int_not_equal(access(path, F_OK), 0);
	free(path);
	session_close(&session);
	op_strings_free(&config.filter);
	remove_tree(dir);
	free(recording);
	free(dir);
}

/* Whatever the options were while it was recorded, it replays with all others. */
static void a_replay_gives_what_was_live(void **state)
{
	char *dir = make_directory(), *recording = op_path("%s/recording", dir);
	uint64_t live_values[STAT_COUNT], values[STAT_COUNT];

	(void)state;
	for (int recorded = 0; recorded < KINDS; recorded++) {
		free(play_live(recorded, recording, values));
		for (int kind = 0; kind < KINDS; kind++) {
			char *live = play_live(kind, NULL, live_values);
			char *replayed = replay(kind, recording, values);

			assert_string_equal(replayed, live);
			assert_true(*live);
			for (int i = 0; i < STAT_COUNT; i++)
				assert_int_equal(values[i], live_values[i]);
			free(live);
			free(replayed);
		}
		assert_return_code(unlink(recording), errno);
	}
	remove_tree(dir);
	free(recording);
	free(dir);
}

static void a_recording_is_never_overwritten(void **state)
{
	char *dir = make_directory(), *recording = op_path("%s/recording", dir);
	struct test_machine machine = test_machine;
	struct op_error error;

	(void)state;
	assert_int_equal(op_file_replace(recording, "mine", 4, 0600, NULL), 0);
	assert_null(source_record_open(&machine.source, recording, &error));
	assert_int_equal(error.code, EEXIST);
	remove_tree(dir);
	free(recording);
	free(dir);
}

/* ---- damage ---- */

struct recorded {
	char *dir, *path, *bytes;
	size_t length;
};

static void record(struct recorded *recorded)
{
	uint64_t values[STAT_COUNT];

	recorded->dir = make_directory();
	recorded->path = op_path("%s/recording", recorded->dir);
	free(play_live(0, recorded->path, values));
	recorded->bytes = op_file_read(recorded->path, 1 << 20, &recorded->length, NULL);
	assert_non_null(recorded->bytes);
}

static void forget(struct recorded *recorded)
{
	remove_tree(recorded->dir);
	free(recorded->dir);
	free(recorded->path);
	free(recorded->bytes);
}

/* The bytes up to the end of so many buffers and their answers. */
static size_t end_of_chunks(const struct recorded *recorded, unsigned int buffers)
{
	size_t offset = sizeof(struct record_head);

	while (offset < recorded->length) {
		struct record_chunk chunk;

		memcpy(&chunk, recorded->bytes + offset, sizeof(chunk));
		if (chunk.type == RECORD_BUFFER && !buffers--)
			break;
		offset += sizeof(chunk) + ((chunk.length + 7) & ~(size_t)7);
	}
	return offset;
}

/* Wherever a recording is cut off, it is good up to the last whole chunk. */
static void a_recording_may_end_anywhere(void **state)
{
	const struct profile_config config = {0};
	struct recorded recorded;
	uint64_t stored_before = 0;
	size_t facts, first, second;

	(void)state;
	record(&recorded);
	first = end_of_chunks(&recorded, 1);
	second = end_of_chunks(&recorded, 2);
	facts = end_of_chunks(&recorded, 0);
	for (size_t length = 0; length <= recorded.length; length += length < facts ? 1 : 5) {
		struct test_session session;
		struct op_error error = {0};
		int result;

		assert_int_equal(op_file_replace(recorded.path, recorded.bytes, length, 0600, NULL),
				 0);
		session_make(&session, &config);
		result = replay_all(&session, recorded.path, &error);
		if (result == -1) {
			/* it ends before it says enough to begin with */
			if (length >= facts)
				fail_msg("%zu bytes of %zu: %s", length, recorded.length,
					 error.text);
			assert_non_null(strstr(error.text, "recording")
						? strstr(error.text, recorded.path)
						: strstr(error.text, "kallsyms"));
		} else {
			uint64_t stored = session_stat(&session, STAT_STORED);

			assert_int_equal(result, SOURCE_END);
			assert_true(stored >= stored_before);
			stored_before = stored;
			/* the chunk of a buffer may be whole, while its answers are not */
			assert_in_range(session_stat(&session, STAT_BUFFERS),
					(length >= first) + (length >= second),
					(length >= facts) + (length >= first));
		}
		session_close(&session);
	}
	forget(&recorded);
}

/* A byte that is wrong leads to other samples or to an error, to nothing else. */
static void any_byte_may_be_wrong(void **state)
{
	const struct profile_config config = {0};
	struct recorded recorded;

	(void)state;
	record(&recorded);
	for (size_t at = 0; at < recorded.length; at += 3) {
		struct test_session session;
		struct op_error error = {0};

		recorded.bytes[at] ^= 0xff;
		assert_int_equal(
			op_file_replace(recorded.path, recorded.bytes, recorded.length, 0600, NULL),
			0);
		recorded.bytes[at] ^= 0xff;
		session_make(&session, &config);
		if (replay_all(&session, recorded.path, &error) != SOURCE_END)
			assert_true(*error.text);
		session_close(&session);
	}
	forget(&recorded);
}

static void other_files_are_no_recordings(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *cause;
	} refused[] = {
		{"", 0, "no recording"},
		{"OPRECOR", 7, "no recording"},
		{"OPRECORX\1\0\0\0\4\3\2\1", 16, "no recording"},
		{"OPRECORD\2\0\0\0\4\3\2\1", 16, "version 2"},
		{"OPRECORD\1\0\0\0\1\2\3\4", 16, "byte order"},
		{"OPRECORD\1\0\0\0\4\3\2\1", 16, "facts"},
		{"OPRECORD\1\0\0\0\4\3\2\1BUFF\0\0\0\0\0\0\0\0\0\0\0\0", 32, "facts"},
		{"OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\0\0\0\0\0\0\0\0", 32, "pointer size"},
		{"OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\17\0\0\0\0\0\0\0pointer_size 8\n\0", 48,
		 "CPU type"},
		{"OPRECORD\1\0\0\0\4\3\2\1FACT\0\0\0\0\0\0\0\0\0\0\0\1", 32, "longer than any"},
	};
	char *dir = make_directory(), *path = op_path("%s/recording", dir);

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct op_error error = {0};

		assert_int_equal(
			op_file_replace(path, refused[i].bytes, refused[i].length, 0600, NULL), 0);
		assert_null(source_replay_open(path, &error));
		assert_int_equal(error.code, EINVAL);
		if (!strstr(error.text, refused[i].cause) || !strstr(error.text, path))
			fail_msg("case %zu: unclear: %s", i, error.text);
	}
	remove_tree(dir);
	free(path);
	free(dir);
}

/* Chunks of a later version of the format are passed over. */
static void unknown_chunks_are_passed_over(void **state)
{
	static const uint64_t words[] = {START, USER, COOKIE(0x10), 1, 0};
	char *dir = make_directory(), *path = op_path("%s/recording", dir), *text;
	FILE *out = recording_begin(path);
	uint64_t values[STAT_COUNT];

	(void)state;
	recording_image(out, 0x10, "/usr/bin/bash", 1000);
	recording_chunk(out, RECORD_TYPE('N', 'E', 'W', '!'), "later", 5);
	recording_buffer(out, words, sizeof(words) / sizeof(*words));
	recording_chunk(out, RECORD_TYPE('N', 'E', 'W', '!'), "", 0);
	assert_int_equal(recording_end(out), 0);
	text = replay(0, path, values);
	assert_string_equal(text, "{root}/usr/bin/bash/{dep}/{root}/usr/bin/bash/"
				  "TIMER.0.0.all.all.all 1:1\n");
	free(text);
	remove_tree(dir);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replay_gives_what_was_live),
		cmocka_unit_test(a_replay_has_no_overhead),
		cmocka_unit_test(a_recording_is_never_overwritten),
		cmocka_unit_test(a_recording_may_end_anywhere),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(other_files_are_no_recordings),
		cmocka_unit_test(unknown_chunks_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

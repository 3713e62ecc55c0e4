// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings: what is replayed gives the same sample files, with the same or with other options.
 * tests/commands/oprofiled_images.sh has recordings that end early, fuzz/daemon_record.c damaged
 * ones.
 */
#include "fixture.h"

#include "libop/base/file.h"
#include "recording.h"

#define START CPU(0), CTX(501, 500, 0x10)
#define STEXT 0xffffffff81000000

enum { SEPARATED = 1, FILTERED = 2, NO_VMLINUX = 4, KINDS = 8 };

static void make_config(int kind, struct profile_config *config)
{
	*config = (struct profile_config){
		.separation.lib = kind & SEPARATED,
		.separation.kernel = kind & SEPARATED,
		.separation.thread = kind & SEPARATED,
		.separation.cpu = kind & SEPARATED,
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
	memcpy(values, session.profile.stats.samples.value,
	       sizeof(session.profile.stats.samples.value));
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
	memcpy(values, session.profile.stats.samples.value,
	       sizeof(session.profile.stats.samples.value));
	session_close(&session);
	op_strings_free(&config.filter);
	return text;
}

/* Whatever the options were while it was recorded, it replays with all others. */
TEST(a_replay_gives_what_was_live)
{
	char *dir = make_directory(), *recording = op_path("%s/recording", dir);
	uint64_t live_values[STAT_COUNT], values[STAT_COUNT];

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

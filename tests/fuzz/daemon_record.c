// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a recording: replaying it ends, with an error or without, and writes nothing
 * outside its session.  See driver.h.
 */
#include "driver.h"
#include "fixture.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "recording.h"

const unsigned int fuzz_iterations = 300;

/* Made when the program starts: a recording with a chunk of each kind, and zeros behind it. */
static uint8_t seed[2048];
const struct fuzz_seed fuzz_seeds[] = {{seed, sizeof(seed)}, {NULL, 0}};

static char *dir, *path;

static void __attribute__((constructor)) make_seed(void)
{
	static const uint64_t words[] = {CPU(0),
					 CTX(501, 500, 0x10),
					 USER,
					 COOKIE(0x10),
					 1,
					 0,
					 COOKIE(ANON),
					 0x1000004,
					 0,
					 TRACE,
					 COOKIE(0x10),
					 2,
					 0,
					 3,
					 0,
					 KERNEL,
					 0xffffffff81000004,
					 0,
					 MODULE_LOADED,
					 0xffffffffc0000000,
					 0};
	static const char maps[] = "01000000-01010000 rw-p 00000000 00:00 0 [heap]\n";
	static const char modules[] = "ext4 ffffffffc0000000 1000 -\n";
	static const char stats[] = "cpu0/sample_received 7\n";
	const struct record_maps head = {.tgid = 500, .process = 1};
	char chunk[sizeof(head) + sizeof(maps)], *bytes;
	size_t length;
	FILE *out;

	dir = make_directory();
	path = op_path("%s/recording", dir);
	memcpy(chunk, &head, sizeof(head));
	memcpy(chunk + sizeof(head), maps, sizeof(maps) - 1);
	out = recording_begin(path);
	recording_buffer(out, words, OP_ARRAY_SIZE(words));
	recording_image(out, 0x10, "/usr/bin/bash", 1000);
	recording_chunk(out, RECORD_MAPS, chunk, sizeof(head) + sizeof(maps) - 1);
	recording_chunk(out, RECORD_MODULES, modules, sizeof(modules) - 1);
	recording_chunk(out, RECORD_STATS, stats, sizeof(stats) - 1);
	recording_buffer(out, words, OP_ARRAY_SIZE(words));
	recording_end(out);
	bytes = op_file_read(path, sizeof(seed), &length, NULL);
	fuzz_must(bytes != NULL, "the seed is too long");
	memcpy(seed, bytes, length);
	free(bytes);
}

static void __attribute__((destructor)) remove_seed(void)
{
	remove_tree(dir);
	free(path);
	free(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct profile_config config = {.separation.kernel = true};
	struct test_session session;
	struct op_error error;
	struct source *source;

	fuzz_must(!op_file_replace(path, data, size, 0600, &error), error.text);
	source = source_replay_open(path, &error);
	if (!source)
		return 0;
	session_make(&session, &config);
	if (!profile_open(&session.profile, &session.config, source, &error)) {
		while (!profile_take(&session.profile, NULL, &error))
			;
		profile_save_stats(&session.profile);
		session_check_sums(&session);
	}
	session_close(&session);
	source_close(source);
	return 0;
}

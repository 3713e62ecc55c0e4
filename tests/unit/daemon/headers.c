// SPDX-License-Identifier: GPL-2.0-or-later
/* Headers of sample files: what they say of the image, the event and the CPU. */
#include "stream_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"

struct header_case {
	const char *file;
	struct odb_header header;
};

static void check_header(const struct test_session *session, const struct header_case *want)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT "/%s", session->dir, want->file);
	const struct odb_header *header;
	struct odb_error error;
	struct odb *db;

	if (odb_open(&db, path, ODB_READ, NULL, &error))
		fail_msg("%s", error.text);
	header = odb_header(db);
	assert_int_equal(header->version, ODB_VERSION);
	assert_int_equal(header->cpu_type, 47);
	assert_int_equal(header->ctr_event, 0x3c);
	assert_int_equal(header->ctr_um, 0x41);
	assert_int_equal(header->ctr_count, 3000000000);
	assert_true(header->cpu_speed == 2000);
	assert_int_equal(header->is_kernel, want->header.is_kernel);
	assert_int_equal(header->mtime, want->header.mtime);
	assert_int_equal(header->cg_to_is_kernel, want->header.cg_to_is_kernel);
	assert_int_equal(header->anon_start, want->header.anon_start);
	assert_int_equal(header->cg_to_anon_start, want->header.cg_to_anon_start);
	odb_close(db);
	free(path);
}

static void headers_tell_the_circumstances(void **state)
{
#define EVENT "E.3000000000.65.all.all.all"
	/* clang-format off */
	static const struct header_case headers[] = {
		{ BASH "{dep}/" BASH EVENT, { .mtime = 1000 } },
		{ KSYM "{dep}/" KSYM EVENT, { .is_kernel = 1 } },
		{ BASH "{dep}/{anon:[heap]}/500.0x1000000.0x1010000/" EVENT,
		  { .anon_start = 0x1000000 } },
		{ BASH "{dep}/" BASH "{cg}/{anon:[heap]}/500.0x1000000.0x1010000/" EVENT,
		  { .mtime = 1000, .cg_to_anon_start = 0x1000000 } },
		{ KSYM "{dep}/" KSYM "{cg}/" KSYM EVENT, { .is_kernel = 1, .cg_to_is_kernel = 1 } },
		{ "{root}/[deleted 8:1-19]/usr/bin/gone/{dep}/"
		  "{root}/[deleted 8:1-19]/usr/bin/gone/" EVENT, { .mtime = 0 } },
	};
	/* clang-format on */
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	config.events = "E:0x3c:0:3000000000:0x41:1:1";
	session_make(&session, &config);
	strcpy(session.machine.source.cpu_type, "i386/nehalem");
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, COOKIE(0x13), 1, 0, TRACE,
				      COOKIE(ANON), 0x1000004, 0, COOKIE(0x10), 2, 0, TRACE, KERNEL,
				      STEXT, 0, STEXT + 8, 0));
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		check_header(&session, &headers[i]);
	session_close(&session);
}

/* What opcontrol says of each event goes into the files of that event, and of no other. */
static void headers_tell_their_event(void **state)
{
	/* clang-format off */
	static const struct {
		const char *file;
		uint32_t code, count, unit_mask;
	} files[] = {
		{ BASH "{dep}/" BASH "CPU_CLK_UNHALTED.100000.0.all.all.all", 0x3c, 100000, 0 },
		{ BASH "{dep}/" BASH "CPU_CLK_UNHALTED.100000.1.all.all.all", 0x3c, 100000, 1 },
		{ BASH "{dep}/" BASH "LLC_MISSES.6000.65.all.all.all", 0x2e, 6000, 0x41 },
		{ KSYM "{dep}/" KSYM "LLC_MISSES.7000.65.all.all.all", 0x12e, 7000, 0x41 },
	};
	/* clang-format on */
	struct profile_config config = make_config(0);
	struct test_session session;

	(void)state;
	config.events = "LLC_MISSES:46:3:6000:65:0:1,CPU_CLK_UNHALTED:60:0:100000:0:1:1,"
			"CPU_CLK_UNHALTED:60:5:100000:1:1:1,LLC_MISSES:302:34:7000:65:1:0,";
	session_make(&session, &config);
	strcpy(session.machine.source.cpu_type, "i386/nehalem");
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 5, 2, 5, 3, 3, KERNEL,
				      STEXT + 4, 34));
	session_expect(&session,
		       BASH "{dep}/" BASH "CPU_CLK_UNHALTED.100000.0.all.all.all 1:1\n" BASH
			    "{dep}/" BASH "CPU_CLK_UNHALTED.100000.1.all.all.all 2:2\n" BASH
			    "{dep}/" BASH "LLC_MISSES.6000.65.all.all.all 3:1\n" KSYM "{dep}/" KSYM
			    "LLC_MISSES.7000.65.all.all.all 4:1\n");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = op_path("%s/" OP_SESSION_CURRENT "/%s", session.dir, files[i].file);
		struct odb_error error;
		struct odb *db;

		if (odb_open(&db, path, ODB_READ, NULL, &error))
			fail_msg("%s", error.text);
		assert_int_equal(odb_header(db)->ctr_event, files[i].code);
		assert_int_equal(odb_header(db)->ctr_count, files[i].count);
		assert_int_equal(odb_header(db)->ctr_um, files[i].unit_mask);
		odb_close(db);
		free(path);
	}
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_tell_the_circumstances),
		cmocka_unit_test(headers_tell_their_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

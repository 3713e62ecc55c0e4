// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the system fail, one at a time and for good, while oprofiled counts a recording: what
 * the session's account says is stored is in its files, and received = stored + lost by cause.
 *
 *	daemon_faults OPROFILED FAULT-LIBRARY OPREPORT
 */
#include "fixture.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
#include "recording.h"

#define BUFFERS	     6
#define SAMPLES	     60 /* of each buffer */
#define IMAGES	     9
#define FIRST_COOKIE 0x100
#define CALLS_MOST   200

static const char *oprofiled, *library, *opreport;

/* Samples of IMAGES programs, at more places than a new file has room for. */
static void make_recording(const char *path)
{
	static uint64_t words[16 + 9 * SAMPLES];
	FILE *out = recording_begin(path);
	char name[64];

	assert_non_null(out);
	for (uint32_t i = 0; i < IMAGES; i++) {
		snprintf(name, sizeof(name), "/lib/%" PRIu32, i);
		recording_image(out, FIRST_COOKIE + i, name, 1000);
	}
	for (uint32_t buffer = 0; buffer < BUFFERS; buffer++) {
		const uint64_t start[] = {CPU(0), CTX(1, 1, FIRST_COOKIE), USER};
		size_t count = OP_ARRAY_SIZE(start);

		memcpy(words, start, sizeof(start));
		for (uint32_t i = 0; i < SAMPLES; i++) {
			words[count++] = ESC;
			words[count++] = OPROFILE_COOKIE_SWITCH;
			words[count++] = FIRST_COOKIE + (i % 3 ? i % IMAGES : 0);
			words[count++] = ESC;
			words[count++] = OPROFILE_TRACE_BEGIN;
			words[count++] = buffer * SAMPLES + i;
			words[count++] = 0;
			words[count++] = i % 10; /* the caller */
			words[count++] = 0;
		}
		recording_buffer(out, words, count);
	}
	assert_int_equal(recording_end(out), 0);
}

/* Return: the exit status of a command line; 128 and more: the signal. */
static int run(const char *format, ...)
{
	char *line;
	va_list args;
	int status;

	va_start(args, format);
	assert_true(vasprintf(&line, format, args) > 0);
	va_end(args);
	status = system(line);
	free(line);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static uint64_t losses(const char *text)
{
	uint64_t sum = 0;

	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stats[i].source == OP_STAT_OF_DAEMON && op_stat_is_lost_sample(i))
			sum += op_account_number(text, op_stats[i].key);
	return sum;
}

/* Samples in files; those of a session that was not even begun are none. */
static uint64_t sum_of(const char *session)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session);
	uint64_t sum = access(dir, F_OK) ? 0 : session_sum(session);

	free(dir);
	return sum;
}

/* What the daemon promised and what became of it. */
static void check_session(const char *session, const char *fault, int status)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session), *text;
	enum op_account_state state = op_account_read(dir, &text);
	uint64_t received, stored, lost, sum = sum_of(session);

	if (status != 0 && status != 1)
		fail_msg("%s: oprofiled ended with %d", fault, status);
	if (!text && (sum || state != OP_ACCOUNT_MISSING))
		fail_msg("%s: %" PRIu64 " samples and no account", fault, sum);
	received = text ? op_account_number(text, "total_samples") : 0;
	stored = text ? op_account_number(text, "samples_stored") : 0;
	lost = text ? losses(text) : 0;
	if (received != stored + lost)
		fail_msg("%s: %" PRIu64 " received, %" PRIu64 " stored, %" PRIu64 " lost", fault,
			 received, stored, lost);
	if (stored != sum && status == 0)
		fail_msg("%s: %" PRIu64 " stored, %" PRIu64 " in the files, exit 0", fault, stored,
			 sum);
	if (lost && !status)
		fail_msg("%s: %" PRIu64 " lost, exit 0", fault, lost);
	if (!status && received != BUFFERS * SAMPLES)
		fail_msg("%s: %" PRIu64 " received, exit 0", fault, received);
	free(text);
	free(dir);
}

/* The report says of the session what is so. */
static void check_report(const char *session, const char *fault)
{
	char *out = op_path("%s/report", session), *text;
	uint64_t sum = sum_of(session), received = 0, stored = 0, lost = 0;
	const char *line;

	if (!sum) {
		free(out);
		return;
	}
	if (run("%s --session-dir=%s >%s 2>/dev/null", opreport, session, out))
		fail_msg("%s: opreport failed", fault);
	text = op_file_read(out, 1 << 20, NULL, NULL);
	assert_non_null(text);
	line = strstr(text, "Samples: ");
	if (!line ||
	    sscanf(line, "Samples: %" SCNu64 " received, %" SCNu64 " stored, %" SCNu64 " lost",
		   &received, &stored, &lost) < 2)
		fail_msg("%s: no losses in the report:\n%s", fault, text);
	if (received != stored + lost || (stored != sum && !strstr(text, "sample files have")))
		fail_msg("%s: %" PRIu64 " in the files:\n%s", fault, sum, text);
	free(text);
	free(out);
}

/* Return: how often the function was called. */
static unsigned long try_fault(const char *dir, const char *function, unsigned int n, bool stays,
			       int code)
{
	char *session = op_path("%s/session", dir), *trace = op_path("%s/calls", dir);
	char *fault = op_path("%s:%u%s:%d", function, n, stays ? "+" : "", code);
	unsigned long calls = 0;
	int status;
	char *text;

	status = run("OP_FAULT=%s OP_FAULT_TRACE=%s LD_PRELOAD=%s %s --replay=%s/recording "
		     "--session-dir=%s --no-vmlinux >/dev/null 2>&1",
		     fault, trace, library, oprofiled, dir, session);
	check_session(session, fault, status);
	check_report(session, fault);
	text = op_file_read(trace, 100, NULL, NULL);
	if (text)
		calls = strtoul(text, NULL, 10);
	free(text);
	unlink(trace);
	if (!access(session, F_OK))
		remove_tree(session);
	free(fault);
	free(trace);
	free(session);
	return calls;
}

static const struct {
	const char *function;
	int code;
} faults[] = {
	{"open", EMFILE},      {"open", ENOSPC},   {"openat", ENFILE},	 {"write", ENOSPC},
	{"write", EIO},	       {"pwrite", EIO},	   {"mmap", ENOMEM},	 {"ftruncate", EFBIG},
	{"fallocate", ENOSPC}, {"rename", ENOSPC}, {"renameat", ENOSPC}, {"mkdir", ENOSPC},
};

TEST(received_is_stored_and_lost_whatever_fails)
{
	char *dir = make_directory(), *recording = op_path("%s/recording", dir);
	unsigned int runs = 0;

	make_recording(recording);
	for (size_t i = 0; i < OP_ARRAY_SIZE(faults); i++) {
		/* none fails */
		unsigned long calls =
			try_fault(dir, faults[i].function, 0, false, faults[i].code);

		if (!calls)
			fail_msg("%s is never called", faults[i].function);
		for (unsigned int n = 1; n <= CALLS_MOST && n <= calls; n += 1 + n / 2) {
			try_fault(dir, faults[i].function, n, false, faults[i].code);
			try_fault(dir, faults[i].function, n, true, faults[i].code);
			runs += 2;
		}
	}
	print_message("           %u runs\n", runs);
	remove_tree(dir);
	free(recording);
	free(dir);
}

TEST_ARGUMENTS(3, "OPROFILED FAULT-LIBRARY OPREPORT")
{
	oprofiled = argv[1];
	library = argv[2];
	opreport = argv[3];
}

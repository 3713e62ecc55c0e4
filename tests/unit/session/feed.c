// SPDX-License-Identifier: GPL-2.0-or-later
/* What a reader makes of a feed, and of what is none. */
#include <sys/socket.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/session/feed.h"

/* What came, as text. */
struct seen {
	char text[4096];
};

static void note(struct seen *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct seen *seen, const char *format, ...)
{
	size_t used = strlen(seen->text);
	va_list args;

	va_start(args, format);
	vsnprintf(seen->text + used, sizeof(seen->text) - used, format, args);
	va_end(args);
}

static int begin(void *context, const char *session_dir, const char *source,
		 TEST_UNUSED struct op_error *error)
{
	note(context, "begin %s %s\n", session_dir, source);
	return 0;
}

static void event(void *context, const struct op_feed_event *told, const char *name)
{
	note(context, "event %u %s %" PRIu64 "\n", told->number, name, told->period);
}

static void image(void *context, uint32_t number, const struct op_image_name *name, bool is_kernel)
{
	note(context, "image %u %s %d\n", number, name->name, is_kernel);
}

static void sample(void *context, const struct op_feed_sample *told,
		   const struct op_feed_frame *frames)
{
	note(context, "sample %d", told->tid);
	for (uint32_t i = 0; i < told->frames; i++)
		note(context, " %u:%" PRIu64, frames[i].image, frames[i].offset);
	note(context, "\n");
}

static void account(void *context, const struct op_feed_account *told)
{
	note(context, "account %" PRIu64 "\n", told->received);
}

static const struct op_feed_ops ops = {begin, event, image, sample, account};

/* ---- records ---- */

static void put(struct op_buffer *out, uint32_t type, const void *fixed, size_t size,
		const void *more, size_t n)
{
	struct op_feed_head head = {(uint32_t)((size + n + 7) / 8 * 8), type};

	op_buffer_put(out, &head, sizeof(head));
	op_buffer_put(out, (const char *)fixed + sizeof(head), size - sizeof(head));
	op_buffer_put(out, more, n);
	op_buffer_zeros(out, head.size - size - n);
}

static void put_begin(struct op_buffer *out)
{
	const struct op_feed_begin record = {.version = OP_FEED_VERSION};

	put(out, OP_FEED_BEGIN, &record, sizeof(record), "/session\0perf", 14);
}

static void put_sample(struct op_buffer *out, int tid, uint32_t frames, uint32_t said)
{
	struct op_feed_sample record = {.tid = tid, .frames = said, .weight = 1};
	struct op_feed_frame frame[8] = {{.image = 1, .offset = 16}, {.image = 2, .offset = 32}};

	put(out, OP_FEED_SAMPLE, &record, sizeof(record), frame, frames * sizeof(*frame));
}

static void put_all(struct op_buffer *out)
{
	const struct op_feed_event cycles = {.number = 3, .period = 100000};
	const struct op_feed_image program = {.number = 1, .kind = OP_IMAGE_FILE};
	const struct op_feed_account sums = {.received = 7};

	put_begin(out);
	put(out, OP_FEED_EVENT, &cycles, sizeof(cycles), "cycles", 7);
	put(out, OP_FEED_IMAGE, &program, sizeof(program), "/bin/ls", 8);
	put_sample(out, 12, 2, 2);
	put(out, 99, &sums, sizeof(sums), NULL, 0); /* of a later version */
	put(out, OP_FEED_ACCOUNT, &sums, sizeof(sums), NULL, 0);
}

static const char all[] = "begin /session perf\nevent 3 cycles 100000\nimage 1 /bin/ls 0\n"
			  "sample 12 1:16 2:32\naccount 7\n";

/* Sends @bytes, @step at a time, and reads after each.  Return: the first result that is no 0. */
static int feed_by(const struct op_buffer *bytes, size_t step, struct seen *seen,
		   struct op_error *error)
{
	struct op_feed feed;
	int pair[2], result = 0;

	*seen = (struct seen){""};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	op_feed_take(&feed, pair[0]);
	for (size_t at = 0; at < bytes->used && result >= 0; at += step) {
		size_t n = bytes->used - at < step ? bytes->used - at : step;

		assert_int_equal(write(pair[1], bytes->bytes + at, n), n);
		while ((result = op_feed_read(&feed, &ops, seen, error)) > 0)
			;
	}
	close(pair[1]);
	while (result >= 0)
		result = op_feed_read(&feed, &ops, seen, error);
	op_feed_close(&feed);
	return result;
}

/* ---- cases ---- */

TEST(records_are_told_however_they_are_cut)
{
	struct op_buffer bytes = {0};
	struct op_error error;
	struct seen seen;

	put_all(&bytes);
	for (size_t step = 1; step <= bytes.used; step += step < 70 ? 1 : 50) {
		assert_int_equal(feed_by(&bytes, step, &seen, &error), -1);
		assert_int_equal(error.code, ENODATA);
		assert_string_equal(seen.text, all);
	}
	op_buffer_free(&bytes);
}

TEST(each_record_cut_short_or_changed_is_refused_or_harmless)
{
	struct op_buffer bytes = {0};
	struct op_error error;
	struct seen seen;

	put_all(&bytes);
	for (size_t at = 0; at < bytes.used; at++) {
		static const uint8_t values[] = {0, 1, 8, 0x7f, 0xff};
		uint8_t before = bytes.bytes[at];

		for (size_t i = 0; i < sizeof(values); i++) {
			bytes.bytes[at] = values[i];
			assert_int_equal(feed_by(&bytes, bytes.used, &seen, &error), -1);
			assert_true(error.code == ENODATA || error.code == EPROTO);
		}
		bytes.bytes[at] = before;
	}
	op_buffer_free(&bytes);
}

TEST(a_sample_with_more_frames_than_it_has_bytes_is_refused)
{
	static const uint32_t said[] = {0, 3, 8, UINT32_MAX};

	for (size_t i = 0; i < OP_ARRAY_SIZE(said); i++) {
		struct op_buffer bytes = {0};
		struct op_error error;
		struct seen seen;

		put_begin(&bytes);
		put_sample(&bytes, 12, 2, said[i]);
		assert_int_equal(feed_by(&bytes, bytes.used, &seen, &error), -1);
		assert_int_equal(error.code, EPROTO);
		assert_null(strstr(seen.text, "sample"));
		op_buffer_free(&bytes);
	}
}

TEST(what_the_daemon_answers_in_its_place_is_the_error)
{
	static const char answer[] = "error 4 programs read the feed already\n";
	struct op_buffer bytes = {(uint8_t *)answer, sizeof(answer) - 1, sizeof(answer), false};
	struct op_error error;
	struct seen seen;

	assert_int_equal(feed_by(&bytes, 5, &seen, &error), -1);
	assert_string_equal(error.text, "4 programs read the feed already");
}

TEST(another_version_is_refused)
{
	const struct op_feed_begin record = {.version = OP_FEED_VERSION + 1};
	struct op_buffer bytes = {0};
	struct op_error error;
	struct seen seen;

	put(&bytes, OP_FEED_BEGIN, &record, sizeof(record), "/s\0perf", 8);
	assert_int_equal(feed_by(&bytes, bytes.used, &seen, &error), -1);
	assert_non_null(strstr(error.text, "another version"));
	op_buffer_free(&bytes);
}

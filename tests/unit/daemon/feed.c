// SPDX-License-Identifier: GPL-2.0-or-later
/* What readers of the daemon's feed get, and what they cannot do to it. */
#include <poll.h>
#include <sys/socket.h>

#include "tests/unit/test.h"

#include "daemon/count/feed.h"
#include "daemon/images/image.h"

static struct image program = {.id = {.kind = OP_IMAGE_FILE, .name = (char *)"/bin/app"}};
static const struct context context = {.has_task = true, .tid = 12, .tgid = 11, .cpu = 1};
static struct op_event events[] = {{.name = (char *)"cycles", .count = 1000}};
static const struct counted_events counted = {.list = {events, 1}};

/* struct reader - one end of a feed, and what it has counted */
struct reader {
	struct op_feed feed;
	uint64_t samples, images, unknown, left_out, cut;
	uint32_t frames; /* of the last sample */
	uint32_t known; /* the number of the last image */
};

static int begin(TEST_UNUSED void *to, TEST_UNUSED const char *dir, const char *source,
		 TEST_UNUSED struct op_error *error)
{
	assert_string_equal(source, "perf");
	return 0;
}

static void event(TEST_UNUSED void *to, TEST_UNUSED const struct op_feed_event *told,
		  const char *name)
{
	assert_string_equal(name, "cycles");
}

static void image(void *to, uint32_t number, const struct op_image_name *name,
		  TEST_UNUSED bool is_kernel)
{
	struct reader *reader = to;

	assert_string_equal(name->name, "/bin/app");
	reader->known = number;
	reader->images++;
}

static void sample(void *to, const struct op_feed_sample *told, const struct op_feed_frame *frames)
{
	struct reader *reader = to;

	assert_int_equal(told->tid, 12);
	assert_int_equal(told->weight, 1000);
	reader->unknown += frames[0].image != reader->known;
	reader->frames = told->frames;
	reader->samples++;
}

static void account(void *to, const struct op_feed_account *told)
{
	((struct reader *)to)->left_out = told->left_out;
	((struct reader *)to)->cut = told->cut;
}

static const struct op_feed_ops ops = {begin, event, image, sample, account};

static void join(struct feed *feed, struct reader *reader)
{
	struct op_error error;
	int pair[2];

	*reader = (struct reader){0};
	if (!feed->last)
		program.fed = 0; /* of the case before */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(feed_add(feed, pair[1], "/session", "perf", &counted, &error), 0);
	op_feed_take(&reader->feed, pair[0]);
}

static void take(struct reader *reader)
{
	struct op_error error = {0};
	int result;

	while ((result = op_feed_read(&reader->feed, &ops, reader, &error)) > 0)
		;
	if (result)
		fail_msg("%s", error.text);
}

static void make(struct feed *feed, int samples)
{
	const struct chain_frame leaf = {&program, 64};

	while (samples--)
		feed_sample(feed, &context, &program, 0, &leaf, 1000, false);
	feed_send(feed, 0, 0);
}

TEST(each_reader_gets_each_sample_and_the_image_before_it)
{
	struct feed feed = {0};
	struct reader reader[2];

	join(&feed, &reader[0]);
	make(&feed, 10);
	join(&feed, &reader[1]);
	make(&feed, 5);
	take(&reader[0]);
	take(&reader[1]);
	assert_int_equal(reader[0].samples, 15);
	assert_int_equal(reader[1].samples, 5);
	assert_int_equal(reader[0].unknown + reader[1].unknown, 0);
	feed_close(&feed);
	op_feed_close(&reader[0].feed);
	op_feed_close(&reader[1].feed);
}

TEST(a_reader_that_sleeps_takes_bounded_memory_and_is_told_what_it_missed)
{
	struct feed feed = {0};
	struct reader asleep, awake;
	uint64_t made = 0;

	join(&feed, &asleep);
	join(&feed, &awake);
	for (int i = 0; i < 200; i++, made += 500) {
		make(&feed, 500);
		take(&awake);
		assert_true(feed.reader[0].waiting.used <= FEED_WAITING_MOST);
	}
	assert_int_equal(awake.samples, made);
	assert_int_equal(awake.left_out, 0);
	assert_true(feed.reader[0].left_out > 0);
	/* it wakes: what it gets and what it missed are all that was made */
	for (int i = 0; i < 200 && feed.reader[0].waiting.used; i++) {
		take(&asleep);
		feed_send(&feed, 0, 0);
	}
	make(&feed, 1);
	made++;
	take(&asleep);
	take(&awake);
	assert_int_equal(asleep.samples + asleep.left_out, made);
	assert_int_equal(asleep.unknown + awake.unknown, 0);
	feed_close(&feed);
	op_feed_close(&asleep.feed);
	op_feed_close(&awake.feed);
}

TEST(long_call_chains_are_cut_and_counted)
{
	static struct chain_frame frame[OP_FEED_FRAMES_MOST + 1];
	const struct chain_frame leaf = {&program, 0x10};
	struct call_chains chains = {.frame = frame};
	struct feed feed = {0};
	struct reader reader, later;

	for (size_t i = 0; i <= OP_FEED_FRAMES_MOST; i++)
		frame[i] = leaf;
	join(&feed, &reader);
	for (chains.depth = OP_FEED_FRAMES_MOST - 1; chains.depth <= OP_FEED_FRAMES_MOST + 1;
	     chains.depth++) {
		feed_sample(&feed, &context, &program, 0, &leaf, 1000, true);
		feed_chain(&feed, &chains);
		feed_send(&feed, 0, 0);
		take(&reader);
		assert_int_equal(reader.frames, chains.depth <= OP_FEED_FRAMES_MOST
							? chains.depth
							: OP_FEED_FRAMES_MOST);
		assert_int_equal(reader.cut, chains.depth > OP_FEED_FRAMES_MOST);
	}
	/* what was cut before a reader came was not cut for it */
	join(&feed, &later);
	make(&feed, 1);
	take(&reader);
	take(&later);
	assert_int_equal(reader.cut, 1);
	assert_int_equal(later.cut, 0);
	feed_close(&feed);
	op_feed_close(&reader.feed);
	op_feed_close(&later.feed);
}

TEST(images_are_told_again_to_who_asks)
{
	struct feed feed = {0};
	struct reader reader;

	join(&feed, &reader);
	make(&feed, 1);
	make(&feed, 1);
	take(&reader);
	assert_int_equal(reader.images, 1);
	op_feed_ask_images(&reader.feed);
	make(&feed, 1); /* this hears it */
	make(&feed, 1);
	take(&reader);
	assert_int_equal(reader.images, 2);
	assert_int_equal(reader.samples, 4);
	assert_int_equal(reader.unknown, 0);
	feed_close(&feed);
	op_feed_close(&reader.feed);
}

TEST(a_reader_that_has_gone_is_forgotten)
{
	struct feed feed = {0};
	struct reader reader[2];

	join(&feed, &reader[0]);
	join(&feed, &reader[1]);
	op_feed_close(&reader[0].feed);
	make(&feed, 3);
	assert_int_equal(feed.readers, 1);
	take(&reader[1]);
	assert_int_equal(reader[1].samples, 3);
	op_feed_close(&reader[1].feed);
	make(&feed, 1);
	assert_int_equal(feed.readers, 0);
	feed_close(&feed);
}

TEST(there_are_so_many_readers_and_no_more)
{
	struct feed feed = {0};
	struct reader reader[FEED_READERS_MOST];
	struct op_error error;

	for (size_t i = 0; i < FEED_READERS_MOST; i++)
		join(&feed, &reader[i]);
	assert_int_equal(feed_add(&feed, -1, "/session", "perf", &counted, &error), -1);
	assert_int_equal(error.code, EBUSY);
	feed_close(&feed);
	for (size_t i = 0; i < FEED_READERS_MOST; i++)
		op_feed_close(&reader[i].feed);
}

TEST(a_call_chain_is_one_sample_with_all_its_frames)
{
	struct feed feed = {0};
	struct chain_frame frame[3] = {{&program, 1}, {&program, 2}};
	struct call_chains chains = {.frame = frame, .depth = 3};
	struct op_feed_sample told;

	frame[2] = (struct chain_frame){&chains.unknown[0], 0x1234};
	program.fed = 0;
	feed_sample(&feed, &context, &program, 0, &frame[0], 1000, true);
	assert_int_equal(feed.samples, 0);
	feed_chain(&feed, &chains);
	assert_int_equal(feed.samples, 1);
	memcpy(&told, feed.records.bytes + feed.records.used - 40 - 3 * 16, sizeof(told));
	assert_int_equal(told.frames, 3);
	/* the address of a caller in no image stays one */
	assert_int_equal(
		((const struct op_feed_frame *)(feed.records.bytes + feed.records.used - 16))
			->image,
		0);
	feed_chain(&feed, &chains); /* only once */
	assert_int_equal(feed.samples, 1);
	feed_close(&feed);
}

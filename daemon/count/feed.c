// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sender's side of the feed: see feed.h.
 */
#include "feed.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/images/image.h"
#include "libop/perf/event.h"

/* What the kernel may keep for a reader; it grants less than that where it is limited. */
#define SOCKET_BYTES (1 << 20)

/* Puts a record: @fixed, whose head is filled in here, and text behind it. */
static void count_feed_put(struct op_buffer *out, enum op_feed_type type, void *fixed, size_t size,
			   const void *more, size_t n)
{
	struct op_feed_head head = {.size = (uint32_t)((size + n + 7) / 8 * 8), .type = type};

	memcpy(fixed, &head, sizeof(head));
	op_buffer_put(out, fixed, size);
	op_buffer_put(out, more, n);
	op_buffer_zeros(out, head.size - size - n);
}

static void count_feed_put_event(struct op_buffer *out, uint32_t number,
				 const struct op_event *event)
{
	const struct op_perf_name *own = op_perf_name(event->name);
	struct op_feed_event record = {.number = number, .period = event->count};

	if (own) {
		const struct perf_event_attr attr = {.type = own->type, .config = own->config};

		record.is_clock = op_perf_is_clock(&attr);
	}
	count_feed_put(out, OP_FEED_EVENT, &record, sizeof(record), event->name,
		       strlen(event->name) + 1);
}

static void put_begin(struct op_buffer *out, const char *session_dir, const char *source)
{
	struct op_feed_begin record = {.version = OP_FEED_VERSION};
	struct op_buffer text = {0};

	op_buffer_put(&text, session_dir, strlen(session_dir) + 1);
	op_buffer_put(&text, source, strlen(source) + 1);
	count_feed_put(out, OP_FEED_BEGIN, &record, sizeof(record), text.bytes, text.used);
	out->failed |= text.failed;
	op_buffer_free(&text);
}

/* Return: false if the reader has gone. */
static bool send_waiting(struct feed_reader *reader)
{
	struct op_buffer *waiting = &reader->waiting;
	size_t sent = 0;
	ssize_t n = 0;

	while (sent < waiting->used) {
		n = send(reader->fd, waiting->bytes + sent, waiting->used - sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	memmove(waiting->bytes, waiting->bytes + sent, waiting->used - sent);
	waiting->used -= sent;
	return true;
}

/* All images are told again, with numbers that no earlier record has. */
static void forget_told(struct feed *feed)
{
	feed->told = feed->last;
}

int feed_add(struct feed *feed, int fd, const char *session_dir, const char *source,
	     const struct counted_events *events, struct op_error *error)
{
	static const int bytes = SOCKET_BYTES;
	struct feed_reader *reader = &feed->reader[feed->readers];

	if (feed->readers == FEED_READERS_MOST)
		return op_error_set(error, EBUSY, "%d programs read the feed already",
				    FEED_READERS_MOST);
	*reader = (struct feed_reader){.fd = fd};
	put_begin(&reader->waiting, session_dir, source);
	for (size_t i = 0; i < events->list.count; i++)
		count_feed_put_event(&reader->waiting, (uint32_t)i, &events->list.event[i]);
	if (reader->waiting.failed) {
		op_buffer_free(&reader->waiting);
		return op_error_memory(error);
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	feed->readers++;
	forget_told(feed);
	/* at once: the reader's time begins with it; if it has gone, feed_send() will see */
	send_waiting(reader);
	return 0;
}

static void feed_drop(struct feed *feed, size_t place)
{
	close(feed->reader[place].fd);
	op_buffer_free(&feed->reader[place].waiting);
	feed->reader[place] = feed->reader[--feed->readers];
}

/* The number of an image, which is told if it was not. */
static uint32_t feed_tell(struct feed *feed, struct image *image)
{
	const struct op_image_name *id = &image->id;
	struct op_feed_image record = {
		.kind = id->kind,
		.tgid = id->tgid,
		.is_kernel = image->is_kernel,
		.start = id->start,
		.end = id->end,
	};

	if (image->fed > feed->told)
		return image->fed;
	image->fed = record.number = ++feed->last;
	count_feed_put(&feed->records, OP_FEED_IMAGE, &record, sizeof(record), id->name,
		       strlen(id->name) + 1);
	return image->fed;
}

static void put_sample(struct feed *feed, struct op_feed_sample *sample,
		       const struct op_feed_frame *frames)
{
	count_feed_put(&feed->records, OP_FEED_SAMPLE, sample, sizeof(*sample), frames,
		       sample->frames * sizeof(*frames));
	feed->samples++;
}

void feed_sample(struct feed *feed, const struct context *context, struct image *program,
		 uint32_t event, const struct chain_frame *leaf, uint64_t weight, bool begins_chain)
{
	struct op_feed_sample sample = {
		.event = event,
		.app = program ? feed_tell(feed, program) : 0,
		.cpu = context->cpu,
		.tid = context->tid,
		.tgid = context->tgid,
		.frames = 1,
		.weight = weight ? weight : 1,
	};
	struct op_feed_frame frame = {
		.offset = leaf->offset,
		.image = feed_tell(feed, leaf->image),
		.is_kernel = leaf->image->is_kernel,
	};

	if (begins_chain) {
		feed->chain = sample;
		feed->has_chain = true;
	} else {
		put_sample(feed, &sample, &frame);
	}
}

void feed_chain(struct feed *feed, const struct call_chains *chains)
{
	struct op_feed_frame frames[OP_FEED_FRAMES_MOST];
	size_t n = chains->depth;

	if (!feed->has_chain)
		return;
	feed->has_chain = false;
	if (n > OP_FEED_FRAMES_MOST) {
		n = OP_FEED_FRAMES_MOST;
		feed->cut++;
	}
	for (size_t i = 0; i < n; i++) {
		const struct chain_frame *from = &chains->frame[i];
		bool unknown = call_chains_is_unknown(chains, from->image);

		frames[i] = (struct op_feed_frame){
			.offset = from->offset,
			.image = unknown ? 0 : feed_tell(feed, from->image),
			.is_kernel = unknown ? from->image == &chains->unknown[1]
					     : from->image->is_kernel,
		};
	}
	feed->chain.frames = (uint32_t)n;
	put_sample(feed, &feed->chain, frames);
}

/* Return: false if the reader has gone. */
static bool hear(struct feed *feed, const struct feed_reader *reader)
{
	char asked[64];
	ssize_t n = recv(reader->fd, asked, sizeof(asked), MSG_DONTWAIT);

	if (n > 0)
		forget_told(feed);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void add_records(struct feed *feed, struct feed_reader *reader,
			struct op_feed_account *account)
{
	struct op_buffer *waiting = &reader->waiting;
	size_t needed = feed->records.used + sizeof(*account);

	if (feed->records.failed || waiting->used + needed > FEED_WAITING_MOST ||
	    !op_buffer_reserve(waiting, needed)) {
		waiting->failed = false;
		reader->left_out += feed->samples;
		forget_told(feed); /* their images, too */
		return;
	}
	reader->cut += feed->cut;
	account->left_out = reader->left_out;
	account->cut = reader->cut;
	op_buffer_put(waiting, feed->records.bytes, feed->records.used);
	count_feed_put(waiting, OP_FEED_ACCOUNT, account, sizeof(*account), NULL, 0);
}

void feed_send(struct feed *feed, uint64_t received, uint64_t stored)
{
	struct op_feed_account account = {.received = received, .stored = stored};

	for (size_t i = 0; i < feed->readers;) {
		struct feed_reader *reader = &feed->reader[i];

		add_records(feed, reader, &account);
		if (hear(feed, reader) && send_waiting(reader))
			i++;
		else
			feed_drop(feed, i);
	}
	feed->records.used = 0;
	feed->records.failed = false;
	feed->samples = feed->cut = 0;
}

void feed_close(struct feed *feed)
{
	while (feed->readers)
		feed_drop(feed, feed->readers - 1);
	op_buffer_free(&feed->records);
}

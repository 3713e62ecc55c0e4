// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's side of the feed: see feed.h.  Nothing that comes is trusted: it is checked here, so
 * that users of the records need not.
 */
#include "feed.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control_socket.h"

/* Bytes of one read(2). */
#define CHUNK 65536

int op_feed_open(struct op_feed *feed, const char *session_dir, struct op_error *error)
{
	int fd = op_control_connect(session_dir, "feed", error);

	if (fd < 0)
		return -1;
	op_feed_take(feed, fd);
	return 0;
}

void op_feed_take(struct op_feed *feed, int fd)
{
	*feed = (struct op_feed){.fd = fd};
}

void op_feed_close(struct op_feed *feed)
{
	if (feed->fd >= 0)
		close(feed->fd);
	op_buffer_free(&feed->pending);
	*feed = (struct op_feed){.fd = -1};
}

void op_feed_ask_images(struct op_feed *feed)
{
	/* if the socket is full of such bytes, they will do; op_feed_read() says if it is closed */
	(void)send(feed->fd, "i", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The string at @at, which ends before @end; NULL: there is none. */
static const char *text_at(const char *at, const char *end)
{
	return at < end && memchr(at, '\0', (size_t)(end - at)) ? at : NULL;
}

static int take_begin(struct op_feed *feed, const uint8_t *record, size_t size,
		      const struct op_feed_ops *ops, void *context, struct op_error *error)
{
	const char *end = (const char *)record + size, *dir, *source;
	struct op_feed_begin begin;

	if (size < sizeof(begin))
		return op_error_set(error, EPROTO, "the feed begins with a record cut short");
	memcpy(&begin, record, sizeof(begin));
	dir = text_at((const char *)record + sizeof(begin), end);
	source = dir ? text_at(dir + strlen(dir) + 1, end) : NULL;
	if (!source)
		return op_error_set(error, EPROTO, "the feed names no session");
	if (begin.version != OP_FEED_VERSION)
		return op_error_set(error, EPROTO,
				    "the feed is of another version of OProfile (%llu, not %d)",
				    (unsigned long long)begin.version, OP_FEED_VERSION);
	feed->has_begun = true;
	return ops->begin(context, dir, source, error);
}

static bool take_event(const uint8_t *record, size_t size, const struct op_feed_ops *ops,
		       void *context)
{
	struct op_feed_event event;
	const char *name =
		text_at((const char *)record + sizeof(event), (const char *)record + size);

	if (size < sizeof(event) || !name)
		return false;
	memcpy(&event, record, sizeof(event));
	ops->event(context, &event, name);
	return true;
}

static bool session_feed_take_image(const uint8_t *record, size_t size,
				    const struct op_feed_ops *ops, void *context)
{
	struct op_feed_image image;
	const char *text =
		text_at((const char *)record + sizeof(image), (const char *)record + size);
	struct op_image_name name;

	if (size < sizeof(image) || !text)
		return false;
	memcpy(&image, record, sizeof(image));
	if (!image.number || image.kind > OP_IMAGE_ANON)
		return false;
	name = (struct op_image_name){.kind = (enum op_image_kind)image.kind,
				      .name = (char *)text,
				      .tgid = image.tgid,
				      .start = image.start,
				      .end = image.end};
	ops->image(context, image.number, &name, image.is_kernel);
	return true;
}

/* Records are of a multiple of 8 bytes and read to an aligned place, so numbers are aligned. */
static bool session_feed_take_sample(const uint8_t *record, size_t size,
				     const struct op_feed_ops *ops, void *context)
{
	const struct op_feed_sample *sample = (const void *)record;
	size_t room = size < sizeof(*sample) ? 0 : size - sizeof(*sample);

	if (size < sizeof(*sample) || !sample->frames || !sample->weight ||
	    sample->frames > room / sizeof(struct op_feed_frame))
		return false;
	ops->sample(context, sample, (const void *)(record + sizeof(*sample)));
	return true;
}

static bool take_account(const uint8_t *record, size_t size, const struct op_feed_ops *ops,
			 void *context)
{
	if (size < sizeof(struct op_feed_account))
		return false;
	ops->account(context, (const void *)record);
	return true;
}

static int feed_take(struct op_feed *feed, const uint8_t *record, const struct op_feed_head *head,
		     const struct op_feed_ops *ops, void *context, struct op_error *error)
{
	bool good = true;

	if (!feed->has_begun || head->type == OP_FEED_BEGIN) {
		if (feed->has_begun || head->type != OP_FEED_BEGIN)
			return op_error_set(error, EPROTO, "the feed does not begin as one");
		return take_begin(feed, record, head->size, ops, context, error);
	}
	switch (head->type) {
	case OP_FEED_EVENT:
		good = take_event(record, head->size, ops, context);
		break;
	case OP_FEED_IMAGE:
		good = session_feed_take_image(record, head->size, ops, context);
		break;
	case OP_FEED_SAMPLE:
		good = session_feed_take_sample(record, head->size, ops, context);
		break;
	case OP_FEED_ACCOUNT:
		good = take_account(record, head->size, ops, context);
		break;
	default: /* of a later version */
		break;
	}
	return good ? 0 : op_error_set(error, EPROTO, "the feed has a damaged record");
}

/* Takes all whole records.  Return: 0, or -1 with @error set. */
static int take_records(struct op_feed *feed, const struct op_feed_ops *ops, void *context,
			struct op_error *error)
{
	struct op_buffer *pending = &feed->pending;
	size_t at = 0;
	int result = 0;

	while (!result && pending->used - at >= sizeof(struct op_feed_head)) {
		struct op_feed_head head;

		memcpy(&head, pending->bytes + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > OP_FEED_RECORD_MOST || head.size % 8)
			return op_error_set(error, EPROTO, "the feed has a damaged record");
		if (head.size > pending->used - at)
			break;
		result = feed_take(feed, pending->bytes + at, &head, ops, context, error);
		at += head.size;
	}
	memmove(pending->bytes, pending->bytes + at, pending->used - at);
	pending->used -= at;
	return result;
}

/* What the daemon answers in the place of a feed: "error TEXT\n". */
static int explain(const struct op_feed *feed, struct op_error *error)
{
	const struct op_buffer *pending = &feed->pending;
	const char *text = (const char *)pending->bytes;

	if (!feed->has_begun && pending->used > 7 && !memcmp(text, "error ", 6))
		return op_error_set(error, EIO, "%.*s", (int)(pending->used - 7), text + 6);
	return op_error_set(error, ENODATA, "the daemon has ended");
}

int op_feed_read(struct op_feed *feed, const struct op_feed_ops *ops, void *context,
		 struct op_error *error)
{
	struct op_buffer *pending = &feed->pending;
	ssize_t n;

	if (!op_buffer_reserve(pending, CHUNK))
		return op_error_memory(error);
	n = recv(feed->fd, pending->bytes + pending->used, CHUNK, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno != ECONNRESET)
		return op_error_errno(error, "cannot read the feed");
	if (n <= 0)
		return explain(feed, error);
	pending->used += (size_t)n;
	if (!feed->has_begun && pending->used >= 6 && !memcmp(pending->bytes, "error ", 6))
		return pending->used > OP_FEED_RECORD_MOST
			       ? op_error_set(error, EPROTO, "the feed does not begin as one")
			       : 1;
	if (take_records(feed, ops, context, error))
		return -1;
	return n == CHUNK;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feed: each sample as it is counted, for a live view.  The daemon sends it to who asks for it
 * on the control socket (control_socket.h), operf to the socket given by --feed.
 *
 * A stream of records of this machine's byte order, both ends being on it.  The first one is
 * OP_FEED_BEGIN; then images and events are told before the first sample that names them.  The
 * sender never waits: what a slow reader does not take is left out and counted in
 * OP_FEED_ACCOUNT.  A reader that has forgotten the images sends any byte to be told them again.
 */
#ifndef LIBOP_SESSION_FEED_H
#define LIBOP_SESSION_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "sample_name.h"

#define OP_FEED_VERSION 2

/* The most bytes of a record; the longest call chain takes less. */
#define OP_FEED_RECORD_MOST (1u << 18)

/* Frames of a call chain that are sent; of a longer one the outermost are left out, which
 * OP_FEED_ACCOUNT counts. */
#define OP_FEED_FRAMES_MOST 256

enum op_feed_type {
	OP_FEED_BEGIN = 1,
	OP_FEED_EVENT,
	OP_FEED_IMAGE,
	OP_FEED_SAMPLE,
	OP_FEED_ACCOUNT,
};

/* Each record begins with these two; @size is that of the whole record. */
struct op_feed_head {
	uint32_t size, type;
};

/* OP_FEED_BEGIN; then the directory of the session and NUL, the source (module, perf) and NUL. */
struct op_feed_begin {
	struct op_feed_head head;
	uint64_t version;
};

/* OP_FEED_EVENT; then its name and NUL. */
struct op_feed_event {
	struct op_feed_head head;
	uint32_t number, is_clock; /* of op_feed_sample; whether it counts nanoseconds */
	uint64_t period;	   /* 0: as many as make a number of samples a second */
};

/* OP_FEED_IMAGE; then its name and NUL.  As struct op_image_name. */
struct op_feed_image {
	struct op_feed_head head;
	uint32_t number, kind, tgid, is_kernel;
	uint64_t start, end;
};

struct op_feed_frame {
	uint64_t offset; /* in the image; the address, if that is 0 */
	uint32_t image;	 /* 0: unknown */
	uint32_t is_kernel;
};

/* OP_FEED_SAMPLE; then its frames, the innermost first, at least one. */
struct op_feed_sample {
	struct op_feed_head head;
	uint32_t event;
	uint32_t app; /* image of the program; 0: unknown */
	int32_t cpu, tid, tgid;
	uint32_t frames;
	uint64_t weight; /* how many events it stands for, at least 1 */
};

/* OP_FEED_ACCOUNT: sums since the session began; samples that were left out, and call chains that
 * were cut, of this reader. */
struct op_feed_account {
	struct op_feed_head head;
	uint64_t received, stored, left_out, cut;
};

_Static_assert(sizeof(struct op_feed_frame) == 16, "no holes");
_Static_assert(sizeof(struct op_feed_sample) == 40, "no holes");

/* ---- the reader's side ---- */

/* What op_feed_read() calls; what it points to is good during the call. */
struct op_feed_ops {
	/* Return: 0, or -1 with @error set, which ends the feed. */
	int (*begin)(void *context, const char *session_dir, const char *source,
		     struct op_error *error);
	void (*event)(void *context, const struct op_feed_event *event, const char *name);
	void (*image)(void *context, uint32_t number, const struct op_image_name *name,
		      bool is_kernel);
	void (*sample)(void *context, const struct op_feed_sample *sample,
		       const struct op_feed_frame *frames);
	void (*account)(void *context, const struct op_feed_account *account);
};

struct op_feed {
	int fd;
	struct op_buffer pending; /* the beginning of a record */
	bool has_begun;
};

/**
 * op_feed_open - ask the daemon of a session for its feed
 *
 * Return: 0, or -1 with @error set: as of op_control_call().
 */
int op_feed_open(struct op_feed *feed, const char *session_dir, struct op_error *error);

/* Begins to read from @fd, which is the feed's from now on. */
void op_feed_take(struct op_feed *feed, int fd);

/**
 * op_feed_read - read what there is, without waiting
 *
 * Return: 1: there may be more at once; 0: no more now; -1 with @error set: ENODATA: the sender has
 * ended; EPROTO: what came is no feed.
 */
int op_feed_read(struct op_feed *feed, const struct op_feed_ops *ops, void *context,
		 struct op_error *error);

/* Asks for the images once more, with other numbers. */
void op_feed_ask_images(struct op_feed *feed);

void op_feed_close(struct op_feed *feed);

#endif

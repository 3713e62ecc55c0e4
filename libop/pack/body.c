// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns: see body.h.
 *
 * Keys of a file lie close together, most counts are 1, and a frame is found below many callers.
 * So keys are stored as differences, frames once and then by number, and the tree as the depths
 * of its nodes, where calls that are alike look alike; zstd does the rest.
 */
#include "body.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/number.h"

#define OUT_OF_MEMORY "out of memory"

/* ---- samples ---- */

void pack_body_put_samples(struct op_buffer *body, const struct odb_entry *entries, size_t n)
{
	uint64_t before = 0;

	for (size_t i = 0; i < n; i++) {
		op_buffer_leb128(body, entries[i].key - before);
		before = entries[i].key;
	}
	for (size_t i = 0; i < n; i++)
		op_buffer_leb128(body, entries[i].count);
}

const char *pack_body_get_samples(struct op_reader body, size_t n, struct odb_entry **entries)
{
	struct odb_entry *out = NULL;
	uint64_t key = 0;

	*entries = NULL;
	/* a key and a count take a byte each, at least */
	if (n > op_reader_left(&body) / 2)
		return "its keys are truncated";
	if (n) {
		out = malloc(n * sizeof(*out));
		if (!out)
			return OUT_OF_MEMORY;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t step = op_reader_leb128(&body);

		if ((i && !step) || step > UINT64_MAX - key)
			op_reader_fail(&body);
		key += step;
		out[i].key = key;
	}
	for (size_t i = 0; i < n; i++)
		out[i].count = op_reader_leb128(&body);
	if (body.failed || op_reader_left(&body)) {
		free(out);
		return "its keys and counts do not fit";
	}
	*entries = out;
	return NULL;
}

/* ---- stacks, joined ---- */

struct node {
	uint64_t offset, count;
	uint32_t parent, image; /* image: of struct joined */
	uint32_t frame;		/* number of its image and offset */
};

/* One tree out of several, in which no two nodes of one caller are alike. */
struct joined {
	struct node *nodes;
	size_t n;
	struct op_hash by_frame;    /* nodes but the root */
	struct stacks_name *images; /* [0] is unused; names are owned by the contents */
	size_t n_images;
};

static void joined_free(struct joined *joined)
{
	free(joined->nodes);
	op_hash_free(&joined->by_frame);
	free(joined->images);
}

static int joined_make(struct joined *joined, const struct stacks_content *contents,
		       size_t n_contents)
{
	size_t n_nodes = 1, n_images = 1;

	*joined = (struct joined){.n = 1, .n_images = 1};
	for (size_t i = 0; i < n_contents; i++) {
		n_nodes += contents[i].n_nodes;
		n_images += contents[i].n_images;
	}
	joined->nodes = calloc(n_nodes, sizeof(*joined->nodes));
	joined->images = calloc(n_images, sizeof(*joined->images));
	if (!joined->nodes || !joined->images)
		return -1;
	return op_hash_reserve(&joined->by_frame, n_nodes);
}

static uint32_t join_image(struct joined *joined, const struct stacks_name *image)
{
	size_t i = 1;

	while (i < joined->n_images && strcmp(joined->images[i].name, image->name) != 0)
		i++;
	if (i == joined->n_images)
		joined->images[joined->n_images++] = *image;
	return (uint32_t)i;
}

/* The node of a frame below @parent, which is made if there is none; both fit. */
static uint32_t join_node(struct joined *joined, uint32_t parent, uint32_t image, uint64_t offset)
{
	uint64_t key = op_hash_mix((uint64_t)parent << 32 | image, offset);
	uint32_t i;

	op_hash_for_each_possible (&joined->by_frame, key, i) {
		const struct node *node = &joined->nodes[i];

		if (node->parent == parent && node->image == image && node->offset == offset)
			return i;
	}
	i = (uint32_t)joined->n++;
	op_hash_add(&joined->by_frame, key, i);
	joined->nodes[i] = (struct node){.parent = parent, .image = image, .offset = offset};
	return i;
}

static int joined_join(struct joined *joined, const struct stacks_content *content, bool is_first)
{
	uint32_t *images = calloc(content->n_images + 1, sizeof(*images));
	uint32_t *nodes = calloc(content->n_nodes, sizeof(*nodes));
	bool made = images && nodes;

	for (size_t i = 1; made && i < content->n_images; i++) {
		if (is_first) { /* in one file, each has a name of its own */
			joined->images[joined->n_images++] = content->images[i];
			images[i] = (uint32_t)i;
		} else {
			images[i] = join_image(joined, &content->images[i]);
		}
	}
	for (size_t i = 0; made && i < content->n_nodes; i++) {
		const struct stacks_node *node = &content->nodes[i];

		if (i)
			nodes[i] = join_node(joined, nodes[node->parent], images[node->image],
					     node->offset);
		joined->nodes[nodes[i]].count += node->count;
	}
	free(images);
	free(nodes);
	return made ? 0 : -1;
}

/* ---- stacks, written ---- */

static int by_frame(const void *a, const void *b, void *context)
{
	const struct node *nodes = context;
	const struct node *left = &nodes[*(const uint32_t *)a],
			  *right = &nodes[*(const uint32_t *)b];

	if (left->image != right->image)
		return left->image < right->image ? -1 : 1;
	return op_compare_u64(left->offset, right->offset);
}

/* Numbers the frames, and writes each of them once; @order: a buffer for all nodes. */
static void put_frames(struct op_buffer *body, struct joined *joined, uint32_t *order)
{
	struct op_buffer frames = {0};
	struct node *nodes = joined->nodes;
	uint64_t offset = 0;
	uint32_t image = 0, frame = 0;

	for (size_t i = 1; i < joined->n; i++)
		order[i - 1] = (uint32_t)i;
	if (joined->n > 2)
		qsort_r(order, joined->n - 1, sizeof(*order), by_frame, nodes);
	for (size_t i = 0; i + 1 < joined->n; i++) {
		struct node *node = &nodes[order[i]];

		if (!i || node->image != image || node->offset != offset) {
			frame += i > 0;
			offset = node->image == image ? offset : 0;
			op_buffer_leb128(&frames, node->image - image);
			op_buffer_leb128(&frames, node->offset - offset);
			image = node->image;
			offset = node->offset;
		}
		node->frame = frame;
	}
	op_buffer_leb128(body, joined->n > 1 ? frame + 1 : 0);
	op_buffer_put(body, frames.bytes, frames.used);
	body->failed |= frames.failed;
	op_buffer_free(&frames);
}

static int by_caller(const void *a, const void *b, void *context)
{
	const struct node *nodes = context;
	const struct node *left = &nodes[*(const uint32_t *)a],
			  *right = &nodes[*(const uint32_t *)b];

	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	return op_compare_u64(left->frame, right->frame);
}

/*
 * Walks the tree from the root, callees in the order of their frames.  @order has the
 * nodes by caller; first[i] is where those of caller i begin in it.
 */
static void put_tree(struct op_buffer *body, const struct joined *joined, const uint32_t *order,
		     size_t *first)
{
	struct op_buffer frames = {0}, counts = {0};
	size_t n = joined->n - 1, written = 0;
	const struct node *nodes = joined->nodes;
	uint32_t at = 0;

	op_buffer_leb128(&counts, nodes[0].count);
	while (written < n) {
		size_t up = 0, next;

		/* up to the nearest caller that has a callee left */
		while ((next = first[at]) == n || nodes[order[next]].parent != at) {
			at = nodes[at].parent;
			up++;
		}
		first[at]++;
		at = order[next];
		op_buffer_leb128(body, up);
		op_buffer_leb128(&frames, nodes[at].frame);
		op_buffer_leb128(&counts, nodes[at].count);
		written++;
	}
	op_buffer_put(body, frames.bytes, frames.used);
	op_buffer_put(body, counts.bytes, counts.used);
	body->failed |= frames.failed || counts.failed;
	op_buffer_free(&frames);
	op_buffer_free(&counts);
}

static int put_nodes(struct op_buffer *body, struct joined *joined)
{
	uint32_t *order = malloc(joined->n * sizeof(*order));
	size_t *first = malloc(joined->n * sizeof(*first)), n = joined->n - 1;

	if (order && first) {
		put_frames(body, joined, order);
		if (n > 1)
			qsort_r(order, n, sizeof(*order), by_caller, joined->nodes);
		for (size_t i = 0; i <= n; i++)
			first[i] = n;
		for (size_t i = n; i-- > 0;)
			first[joined->nodes[order[i]].parent] = i;
		put_tree(body, joined, order, first);
	} else {
		body->failed = true;
	}
	free(order);
	free(first);
	return body->failed ? -1 : 0;
}

int pack_body_put_stacks(struct op_buffer *body, const struct stacks_content *contents,
			 size_t n_contents, size_t *n_nodes)
{
	struct joined joined;
	int result = joined_make(&joined, contents, n_contents);

	for (size_t i = 0; !result && i < n_contents; i++)
		result = joined_join(&joined, &contents[i], !i);
	if (!result && joined.n_images > STACKS_IMAGES_MOST)
		result = -1;
	if (!result) {
		op_buffer_leb128(body, joined.n_images - 1);
		for (size_t i = 1; i < joined.n_images; i++) {
			const struct stacks_name *image = &joined.images[i];
			size_t length = strlen(image->name);

			op_buffer_leb128(body, length);
			op_buffer_put(body, image->name, length);
			op_buffer_leb128(body, image->flags);
			op_buffer_leb128(body, image->mtime);
		}
		result = put_nodes(body, &joined);
		*n_nodes = joined.n;
	}
	joined_free(&joined);
	return result;
}

/* ---- stacks, read ---- */

static const char *get_images(struct op_reader *body, struct stacks_content *content)
{
	uint64_t n = op_reader_leb128(body);

	/* an image takes four bytes, at least: length, name, flags, time */
	if (n > op_reader_left(body) / 4 || n > STACKS_IMAGES_MOST)
		return "its images are truncated";
	content->images = calloc(n + 1, sizeof(*content->images));
	if (!content->images)
		return OUT_OF_MEMORY;
	content->n_images = n + 1;
	for (size_t i = 1; i <= n; i++) {
		struct stacks_name *image = &content->images[i];
		uint64_t length = op_reader_leb128(body), flags, mtime;
		const char *name = (const char *)op_reader_take(body, length);

		flags = op_reader_leb128(body);
		mtime = op_reader_leb128(body);
		if (body->failed || !length || length > STACKS_NAME_MOST ||
		    memchr(name, '\0', length) || flags > UINT16_MAX || mtime > UINT32_MAX)
			return "an image is malformed";
		image->name = strndup(name, length);
		if (!image->name)
			return OUT_OF_MEMORY;
		image->flags = (uint32_t)flags;
		image->mtime = (uint32_t)mtime;
	}
	return NULL;
}

static const char *get_frames(struct op_reader *body, size_t n_images, struct stacks_frame **frames,
			      size_t *n_frames)
{
	uint64_t n = op_reader_leb128(body), image = 0, offset = 0;
	struct stacks_frame *out;

	if (n > op_reader_left(body) / 2)
		return "its frames are truncated";
	out = *frames = malloc((n + 1) * sizeof(*out));
	if (!out)
		return OUT_OF_MEMORY;
	*n_frames = n;
	for (size_t i = 0; i < n; i++) {
		uint64_t step = op_reader_leb128(body);

		if (step >= n_images - image)
			return "a frame has no image";
		image += step;
		offset = op_reader_leb128(body) + (step ? 0 : offset);
		out[i] = (struct stacks_frame){(uint32_t)image, offset};
	}
	return NULL;
}

static const char *get_tree(struct op_reader *body, struct stacks_node *nodes, size_t n,
			    const struct stacks_frame *frames, size_t n_frames)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t up = op_reader_leb128(body);
		size_t parent = i - 1;

		for (; up && parent; up--)
			parent = nodes[parent].parent;
		if (up)
			return "a node has a parent above the root";
		nodes[i].parent = (uint32_t)parent;
	}
	for (size_t i = 1; i < n; i++) {
		uint64_t frame = op_reader_leb128(body);

		if (frame >= n_frames)
			return "a node has no frame";
		nodes[i].image = frames[frame].image;
		nodes[i].offset = frames[frame].offset;
	}
	for (size_t i = 0; i < n; i++)
		nodes[i].count = op_reader_leb128(body);
	return body->failed || op_reader_left(body) ? "its nodes and counts do not fit" : NULL;
}

const char *pack_body_get_stacks(struct op_reader body, size_t n_nodes,
				 struct stacks_content *content)
{
	struct stacks_frame *frames = NULL;
	size_t n_frames = 0;
	const char *why;

	*content = (struct stacks_content){0};
	why = get_images(&body, content);
	if (!why)
		why = get_frames(&body, content->n_images, &frames, &n_frames);
	/* a node takes three bytes, the root one */
	if (!why && (!n_nodes || n_nodes - 1 > op_reader_left(&body) / 3))
		why = "its nodes are truncated";
	if (!why) {
		content->nodes = calloc(n_nodes, sizeof(*content->nodes));
		content->n_nodes = n_nodes;
		why = content->nodes ? get_tree(&body, content->nodes, n_nodes, frames, n_frames)
				     : OUT_OF_MEMORY;
	}
	free(frames);
	if (why)
		stacks_content_free(content);
	return why;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Packed files as bytes: see pack_parcel.h. */
#include "pack_parcel.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/pack/loose.h"

enum mark {
	MARK_END,
	MARK_SAMPLES,
	MARK_STACKS,
	MARK_WRONG,
};

/* Bytes of an image: flags, time, and a name. */
#define IMAGE_LEAST (2 * sizeof(uint32_t) + 2)

/* ---- writing ---- */

static void pack_parcel_put_text(struct op_buffer *out, const char *text)
{
	size_t size = strlen(text) + 1;

	op_buffer_leb128(out, size);
	op_buffer_put(out, text, size);
}

static void put_wrong(struct op_buffer *out, const struct op_error *error)
{
	op_buffer_u8(out, MARK_WRONG);
	pack_parcel_put_text(out, error->text);
}

static void pack_parcel_put_samples(struct op_buffer *out, struct op_pack *pack,
				    const struct op_pack_file *file)
{
	struct odb_entry *entries;
	struct op_error error;

	if (op_pack_samples(pack, &file->place, file->name, &entries, &error)) {
		put_wrong(out, &error);
		return;
	}
	op_buffer_u8(out, MARK_SAMPLES);
	pack_parcel_put_text(out, file->name);
	op_buffer_put(out, &file->header, sizeof(file->header));
	op_buffer_u64(out, file->n);
	op_buffer_put(out, entries, file->n * sizeof(*entries));
	free(entries);
}

static void put_content(struct op_buffer *out, const struct stacks_content *content)
{
	op_buffer_u64(out, content->merged);
	op_buffer_u64(out, content->n_images);
	for (size_t i = 1; i < content->n_images; i++) {
		op_buffer_u32(out, content->images[i].flags);
		op_buffer_u32(out, content->images[i].mtime);
		pack_parcel_put_text(out, content->images[i].name);
	}
	op_buffer_u64(out, content->n_nodes);
	op_buffer_put(out, content->nodes, content->n_nodes * sizeof(*content->nodes));
}

static void put_stacks(struct op_buffer *out, struct op_pack *pack, const struct op_pack_file *file)
{
	struct stacks_content content;
	struct op_error error;

	if (op_pack_stacks(pack, file, &content, &error)) {
		put_wrong(out, &error);
		return;
	}
	op_buffer_u8(out, MARK_STACKS);
	pack_parcel_put_text(out, file->name);
	put_content(out, &content);
	stacks_content_free(&content);
}

void pack_parcel_put(struct op_buffer *out, struct op_pack *pack)
{
	struct op_pack_walk *walk = op_alloc(1, sizeof(*walk));
	struct op_pack_file file;

	walk->pack = pack;
	while (op_pack_next(walk, &file)) {
		if (file.kind == OP_PACK_STACKS)
			put_stacks(out, pack, &file);
		else
			pack_parcel_put_samples(out, pack, &file);
	}
	op_buffer_u8(out, MARK_END);
	free(walk);
}

/* ---- reading ---- */

/* An array of @n, which the caller frees; NULL if there are not so many. */
static void *take_array(struct op_reader *in, uint64_t n, size_t size)
{
	void *array;

	if (in->failed || n > op_reader_left(in) / size)
		return (void *)op_reader_fail(in);
	array = op_alloc(n + 1, size);
	op_reader_copy(in, array, n * size);
	return array;
}

static void take_samples(struct op_reader *in, struct pack_parcel_file *out)
{
	op_reader_copy(in, &out->file.header, sizeof(out->file.header));
	out->file.header.version = ODB_VERSION;
	out->file.n = op_reader_u64(in);
	out->entries = take_array(in, out->file.n, sizeof(*out->entries));
	for (uint64_t i = 1; out->entries && i < out->file.n; i++)
		if (out->entries[i - 1].key >= out->entries[i].key)
			op_reader_fail(in);
}

static void take_images(struct op_reader *in, struct stacks_content *content)
{
	uint64_t n = op_reader_u64(in);

	if (!n || n > STACKS_IMAGES_MOST || n - 1 > op_reader_left(in) / IMAGE_LEAST) {
		op_reader_fail(in);
		return;
	}
	content->images = op_alloc(n, sizeof(*content->images));
	content->n_images = n;
	for (size_t i = 1; i < n; i++) {
		struct stacks_name *image = &content->images[i];

		image->flags = op_reader_u32(in);
		image->mtime = op_reader_u32(in);
		image->name = (char *)op_reader_text(in, op_reader_leb128(in));
		if (!*image->name || strlen(image->name) > STACKS_NAME_MOST ||
		    image->flags > UINT16_MAX)
			op_reader_fail(in);
	}
}

static bool is_node(const struct stacks_content *content, size_t i)
{
	const struct stacks_node *node = &content->nodes[i];

	return node->image < content->n_images && (i ? node->parent < i : !node->parent);
}

static void take_stacks(struct op_reader *in, struct stacks_content *content)
{
	content->merged = op_reader_u64(in);
	take_images(in, content);
	content->n_nodes = op_reader_u64(in);
	content->nodes = take_array(in, content->n_nodes, sizeof(*content->nodes));
	if (!content->n_nodes || content->n_nodes > UINT32_MAX)
		op_reader_fail(in);
	for (size_t i = 0; content->nodes && i < content->n_nodes; i++)
		if (!is_node(content, i))
			op_reader_fail(in);
}

static void pack_parcel_take_file(struct op_reader *in, enum mark mark,
				  struct pack_parcel_file *out)
{
	const char *text = op_reader_text(in, op_reader_leb128(in));

	if (mark == MARK_WRONG) {
		out->wrong = text;
		return;
	}
	out->file.name = text;
	out->file.kind = mark == MARK_STACKS ? OP_PACK_STACKS : OP_PACK_SAMPLES;
	if (!pack_loose_is_name(text) || pack_loose_is_stacks(text) != (mark == MARK_STACKS))
		op_reader_fail(in);
	else if (mark == MARK_STACKS)
		take_stacks(in, &out->content);
	else
		take_samples(in, out);
}

int pack_parcel_take(struct op_reader *in, struct pack_parcel_file *file, struct op_error *error)
{
	enum mark mark = op_reader_u8(in);

	*file = (struct pack_parcel_file){0};
	if (!in->failed && mark == MARK_END && !op_reader_left(in))
		return 0;
	if (mark == MARK_SAMPLES || mark == MARK_STACKS || mark == MARK_WRONG)
		pack_parcel_take_file(in, mark, file);
	else
		op_reader_fail(in);
	if (!in->failed)
		return 1;
	pack_parcel_free(file);
	return op_error_set(error, EBADMSG, "what was read of it is damaged");
}

void pack_parcel_free(struct pack_parcel_file *file)
{
	free(file->entries);
	free(file->content.nodes);
	free(file->content.images);
	*file = (struct pack_parcel_file){0};
}

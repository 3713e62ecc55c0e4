// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing packs: see pack.h. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "pack.h"
#include "body.h"
#include "layout.h"
#include "text.h"
#include "libop/session/paths.h"

_Static_assert(OP_PACK_NAMES_MOST == PACK_DIRECTORY_MOST, "what a pack has beside bodies");

size_t op_pack_body_most = PACK_BODY_MOST;

struct op_pack_writer {
	int fd;
	char *path;
	bool on_disk;
	uint64_t length;	 /* of what was written */
	struct op_buffer block;	 /* bodies that are not written yet */
	uint32_t in_block;	 /* number of their files */
	struct op_buffer body;	 /* of the file that is put in */
	struct op_buffer blocks; /* directory: the blocks, then the files */
	struct op_buffer files;
	uint64_t n_blocks, n_files;
	char before[PACK_NAME_MOST + 1]; /* the name of the file before */
};

static int failed(const struct op_pack_writer *writer, int code, struct op_error *error)
{
	return op_error_code(error, code, "cannot write %s", writer->path);
}

static int write_at(struct op_pack_writer *writer, const void *bytes, size_t n, uint64_t offset,
		    struct op_error *error)
{
	const char *from = bytes;

	while (n) {
		ssize_t done = pwrite(writer->fd, from, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return failed(writer, done ? errno : EIO, error);
		from += done;
		offset += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

int op_pack_create_open(struct op_pack_writer **out, int fd, const char *path,
			struct op_error *error)
{
	struct op_pack_writer *writer = calloc(1, sizeof(*writer));

	if (writer)
		writer->path = strdup(path);
	if (!writer || !writer->path) {
		close(fd);
		free(writer);
		return op_error_memory(error);
	}
	writer->length = sizeof(struct pack_header);
	writer->fd = fd;
	*out = writer;
	return 0;
}

int op_pack_create(struct op_pack_writer **out, const char *path, struct op_error *error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, OP_SESSION_FILE_MODE);

	if (fd < 0)
		return op_error_errno(error, "cannot create %s", path);
	if (op_pack_create_open(out, fd, path, error))
		return -1;
	(*out)->on_disk = true;
	return 0;
}

void op_pack_writer_free(struct op_pack_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0)
		close(writer->fd);
	op_buffer_free(&writer->block);
	op_buffer_free(&writer->body);
	op_buffer_free(&writer->blocks);
	op_buffer_free(&writer->files);
	free(writer->path);
	free(writer);
}

/* Packs bytes and appends them.  Return: their packed length, or 0 with @error set. */
static size_t pack_writer_append(struct op_pack_writer *writer, const struct op_buffer *bytes,
				 struct op_error *error)
{
	size_t n;
	void *packed = op_packed_make(bytes->bytes, bytes->used, &n);

	if (!packed) {
		failed(writer, ENOMEM, error);
		return 0;
	}
	if (write_at(writer, packed, n, writer->length, error))
		n = 0;
	writer->length += n;
	free(packed);
	return n;
}

static int end_block(struct op_pack_writer *writer, struct op_error *error)
{
	size_t packed;

	if (!writer->in_block)
		return 0;
	packed = pack_writer_append(writer, &writer->block, error);
	if (!packed)
		return -1;
	op_buffer_leb128(&writer->blocks, packed);
	op_buffer_leb128(&writer->blocks, writer->block.used);
	op_buffer_leb128(&writer->blocks, writer->in_block);
	writer->n_blocks++;
	writer->block.used = 0;
	writer->in_block = 0;
	return 0;
}

/* A name is written as what it shares with the one before, and the rest. */
static void pack_writer_put_name(struct op_pack_writer *writer, const char *name)
{
	size_t shared = 0, length = strlen(name);

	while (name[shared] && name[shared] == writer->before[shared])
		shared++;
	op_buffer_leb128(&writer->files, shared);
	op_buffer_leb128(&writer->files, length - shared);
	op_buffer_put(&writer->files, name + shared, length - shared);
	memcpy(writer->before, name, length + 1);
}

static void put_header(struct op_buffer *out, const struct odb_header *header)
{
	uint64_t speed;

	memcpy(&speed, &header->cpu_speed, sizeof(speed));
	speed = htole64(speed);
	op_buffer_leb128(out, header->cpu_type);
	op_buffer_leb128(out, header->ctr_event);
	op_buffer_leb128(out, header->ctr_um);
	op_buffer_leb128(out, header->ctr_count);
	op_buffer_leb128(out, header->is_kernel);
	op_buffer_leb128(out, header->cg_to_is_kernel);
	op_buffer_put(out, &speed, sizeof(speed));
	op_buffer_leb128(out, header->mtime);
	op_buffer_leb128(out, header->anon_start);
	op_buffer_leb128(out, header->cg_to_anon_start);
}

/* Puts the body in, and the file into the directory. */
static int add_body(struct op_pack_writer *writer, const struct op_pack_file *file, uint64_t n,
		    uint64_t sum, struct op_error *error)
{
	struct op_buffer *body = &writer->body, *files = &writer->files;

	if (body->failed)
		return failed(writer, ENOMEM, error);
	if (strlen(file->name) > PACK_NAME_MOST)
		return failed(writer, ENAMETOOLONG, error);
	if (body->used > op_pack_body_most ||
	    files->used > PACK_DIRECTORY_MOST - (size_t)2 * PACK_NAME_MOST)
		return op_error_set(error, EFBIG, "%s: too large for %s", file->name, writer->path);
	if (writer->n_files && op_pack_compare_names(writer->before, file->name) >= 0)
		return op_error_set(error, EINVAL, "%s: %s comes after %s", writer->path,
				    file->name, writer->before);
	if (writer->block.used + body->used > PACK_BLOCK_LENGTH && end_block(writer, error))
		return -1;
	op_buffer_put(&writer->block, body->bytes, body->used);
	pack_writer_put_name(writer, file->name);
	op_buffer_leb128(files,
			 file->kind == OP_PACK_STACKS ? PACK_KIND_STACKS : PACK_KIND_SAMPLES);
	op_buffer_leb128(files, n);
	op_buffer_leb128(files, sum);
	op_buffer_leb128(files, body->used);
	if (file->kind == OP_PACK_STACKS)
		op_buffer_leb128(files, file->merged);
	else
		put_header(files, &file->header);
	writer->in_block++;
	writer->n_files++;
	if (writer->block.failed || files->failed || writer->blocks.failed)
		return failed(writer, ENOMEM, error);
	return 0;
}

int op_pack_add_samples(struct op_pack_writer *writer, const struct op_pack_file *file,
			const struct odb_entry *entries, size_t n, struct op_error *error)
{
	uint64_t sum = 0;

	writer->body.used = 0;
	pack_body_put_samples(&writer->body, entries, n);
	for (size_t i = 0; i < n; i++)
		sum += entries[i].count;
	return add_body(writer, file, n, sum, error);
}

int op_pack_add_stacks(struct op_pack_writer *writer, const struct op_pack_file *file,
		       const struct stacks_content *contents, size_t n_contents,
		       struct op_error *error)
{
	struct op_pack_file described = *file;
	uint64_t sum = 0;
	size_t n;

	writer->body.used = 0;
	described.merged = 0;
	for (size_t i = 0; i < n_contents; i++) {
		described.merged += contents[i].merged;
		for (size_t k = 0; k < contents[i].n_nodes; k++)
			sum += contents[i].nodes[k].count;
	}
	if (pack_body_put_stacks(&writer->body, contents, n_contents, &n))
		return failed(writer, ENOMEM, error);
	return add_body(writer, &described, n, sum, error);
}

int op_pack_finish(struct op_pack_writer *writer, struct op_error *error)
{
	struct pack_header header = {
		.magic = PACK_MAGIC,
		.version = htole32(PACK_VERSION),
		.header_length = htole32(sizeof(header)),
		.files = htole64(writer->n_files),
	};
	struct op_buffer directory = {0};
	size_t packed;

	if (end_block(writer, error))
		return -1;
	op_buffer_leb128(&directory, writer->n_blocks);
	op_buffer_put(&directory, writer->blocks.bytes, writer->blocks.used);
	op_buffer_put(&directory, writer->files.bytes, writer->files.used);
	if (directory.failed || writer->blocks.failed) {
		op_buffer_free(&directory);
		return failed(writer, ENOMEM, error);
	}
	header.directory = htole64(writer->length);
	header.directory_content = htole64(directory.used);
	packed = pack_writer_append(writer, &directory, error);
	op_buffer_free(&directory);
	if (!packed)
		return -1;
	header.directory_length = htole64(packed);
	header.checksum = htole64(pack_checksum(&header, offsetof(struct pack_header, checksum)));
	if (write_at(writer, &header, sizeof(header), 0, error))
		return -1;
	if (writer->on_disk && fsync(writer->fd))
		return failed(writer, errno, error);
	return 0;
}

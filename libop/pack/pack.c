// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading packs: see pack.h.
 *
 * The directory is unpacked and judged as a whole when a pack is opened, so that a way through it
 * cannot fail; a report of totals reads nothing else.
 */
#include "pack.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/reader.h"
#include "libop/foreign/door.h"
#include "libop/session/sample_name.h"
#include "body.h"
#include "idle.h"
#include "journal.h"
#include "layout.h"
#include "loose.h"
#include "text.h"

_Static_assert(sizeof(((struct op_pack_walk *)0)->name) == PACK_NAME_MOST + 1,
	       "an entry fits a name");

/* Bytes of unpacked blocks that are kept: a session of a minute has a tenth of it. */
#define KEPT_MOST ((size_t)32 << 20)

struct block {
	uint64_t offset;	 /* in the file */
	uint32_t packed, length; /* bytes */
	uint32_t files;
	char *bytes; /* unpacked; NULL: not yet, or not any more */
};

struct op_pack {
	int fd;
	char *path;
	struct block *blocks;
	size_t n_blocks;
	uint8_t *directory;
	size_t length, first; /* of the directory; where files begin in it */
	uint64_t n_files;
	size_t kept, keep_most; /* bytes of unpacked blocks */
};

static int damaged(const struct op_pack *pack, struct op_error *error, uint64_t offset,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Return: -1. */
static int damaged(const struct op_pack *pack, struct op_error *error, uint64_t offset,
		   const char *format, ...)
{
	char cause[512];
	va_list args;

	va_start(args, format);
	vsnprintf(cause, sizeof(cause), format, args);
	va_end(args);
	return op_error_set(error, EINVAL, "%s: byte %llu: %s", pack->path,
			    (unsigned long long)offset, cause);
}

const char *op_pack_path(const struct op_pack *pack)
{
	return pack->path;
}

uint64_t op_pack_files(const struct op_pack *pack)
{
	return pack->n_files;
}

/* Return: bytes that the caller frees, or NULL with @error set. */
static void *read_at(const struct op_pack *pack, uint64_t offset, size_t n, struct op_error *error)
{
	char *bytes = malloc(n ? n : 1);
	size_t got = 0;

	while (bytes && got < n) {
		ssize_t done = pread(pack->fd, bytes + got, n - got, (off_t)(offset + got));

		if (done < 0 && errno == EINTR)
			continue;
		if (done > 0) {
			got += (size_t)done;
			continue;
		}
		if (done)
			op_error_errno(error, "cannot read %s", pack->path);
		else
			damaged(pack, error, offset + got, "the file ends here");
		free(bytes);
		return NULL;
	}
	if (!bytes)
		op_error_set(error, ENOMEM, "cannot read %s: out of memory", pack->path);
	return bytes;
}

/* Return: @length unpacked bytes that the caller frees, or NULL with @error set. */
static void *unpack_at(const struct op_pack *pack, uint64_t offset, size_t packed, size_t length,
		       struct op_error *error)
{
	void *frame = read_at(pack, offset, packed, error), *bytes;
	const char *cause = NULL;

	if (!frame)
		return NULL;
	bytes = op_packed_unpack(frame, packed, length, &cause);
	if (!bytes && errno == EBADMSG)
		damaged(pack, error, offset, "cannot be unpacked: %s", cause);
	else if (!bytes)
		op_error_errno(error, "cannot read %s", pack->path);
	free(frame);
	return bytes;
}

/* Whether a frame of @packed bytes may be of @length bytes: zstd makes little more of any. */
static bool is_frame_length(uint64_t packed, uint64_t length)
{
	return packed <= length + length / 64 + 1024;
}

/* ---- names ---- */

int op_pack_compare_names(const char *a, const char *b)
{
	int left, right;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	/* the end of a component sorts before any continuation */
	left = *a == '/' ? 1 : (unsigned char)*a << 1;
	right = *b == '/' ? 1 : (unsigned char)*b << 1;
	return left - right;
}

/* ---- the directory ---- */

static void get_header(struct op_reader *range, struct odb_header *header)
{
	const uint8_t *bytes;
	uint64_t number[6], speed = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(number); i++) {
		number[i] = op_reader_leb128(range);
		if (number[i] > UINT32_MAX)
			op_reader_fail(range);
	}
	bytes = op_reader_take(range, sizeof(speed));
	if (bytes)
		memcpy(&speed, bytes, sizeof(speed));
	speed = le64toh(speed);
	*header = (struct odb_header){
		.version = ODB_VERSION,
		.cpu_type = (uint32_t)number[0],
		.ctr_event = (uint32_t)number[1],
		.ctr_um = (uint32_t)number[2],
		.ctr_count = (uint32_t)number[3],
		.is_kernel = (uint32_t)number[4],
		.cg_to_is_kernel = (uint32_t)number[5],
	};
	memcpy(&header->cpu_speed, &speed, sizeof(speed));
	header->mtime = op_reader_leb128(range);
	header->anon_start = op_reader_leb128(range);
	header->cg_to_anon_start = op_reader_leb128(range);
}

static void get_name(struct op_reader *range, char name[static PACK_NAME_MOST + 1])
{
	uint64_t shared = op_reader_leb128(range), rest = op_reader_leb128(range);
	const uint8_t *bytes;

	if (shared > strlen(name) || rest > PACK_NAME_MOST - shared) {
		op_reader_fail(range);
		return;
	}
	bytes = op_reader_take(range, rest);
	if (!bytes || memchr(bytes, '\0', rest)) {
		op_reader_fail(range);
		return;
	}
	memcpy(name + shared, bytes, rest);
	name[shared + rest] = '\0';
}

/* Reads an entry of the directory, which is_sound_file() checks. */
static bool get_file(struct op_pack_walk *walk, struct op_reader *range, struct op_pack_file *file)
{
	uint64_t kind, length;

	memset(file, 0, sizeof(*file));
	get_name(range, walk->name);
	kind = op_reader_leb128(range);
	file->name = walk->name;
	file->kind = kind == PACK_KIND_STACKS ? OP_PACK_STACKS : OP_PACK_SAMPLES;
	file->n = op_reader_leb128(range);
	file->sum = op_reader_leb128(range);
	length = op_reader_leb128(range);
	if (file->kind == OP_PACK_STACKS)
		file->merged = op_reader_leb128(range);
	else
		get_header(range, &file->header);
	while (!walk->left && walk->block < walk->pack->n_blocks) {
		walk->left = walk->pack->blocks[walk->block].files;
		walk->begin = 0;
	}
	if (range->failed || kind > PACK_KIND_STACKS || walk->block >= walk->pack->n_blocks ||
	    length > walk->pack->blocks[walk->block].length - walk->begin)
		return false;
	file->place = (struct op_pack_place){
		.block = walk->block,
		.begin = (uint32_t)walk->begin,
		.length = (uint32_t)length,
		.n = file->n,
		.sum = file->sum,
	};
	walk->begin += length;
	if (!--walk->left)
		walk->block++;
	walk->seen++;
	return true;
}

bool op_pack_next(struct op_pack_walk *walk, struct op_pack_file *file)
{
	const struct op_pack *pack = walk->pack;
	size_t begin = walk->next ? walk->next : pack->first;
	struct op_reader range = op_reader_of(pack->directory + begin, pack->length - begin, false);

	if (walk->seen == pack->n_files || !get_file(walk, &range, file))
		return false;
	walk->next = (size_t)(range.at - pack->directory);
	return true;
}

/* Whether the entry's values are possible. */
static bool is_sound_file(const struct op_pack_file *file)
{
	const char *name = op_name_of_weighted(file->name);
	bool stacks = !strncmp(name, "stacks/", strlen("stacks/"));

	if (!pack_loose_is_plain(file->name) || stacks != (file->kind == OP_PACK_STACKS))
		return false;
	if (!stacks && strncmp(name, "{root}/", 7) && strncmp(name, "{kern}/", 7))
		return false;
	return stacks ? file->n && file->n <= file->place.length
		      : file->n <= file->place.length / 2;
}

static int judge_files(const struct op_pack *pack, uint64_t offset, struct op_error *error)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	char *before = calloc(1, PACK_NAME_MOST + 1);
	struct op_pack_file file;
	bool sound = true, ends = false;

	if (!walk || !before) {
		free(walk);
		free(before);
		return op_error_set(error, ENOMEM, "cannot read %s: out of memory", pack->path);
	}
	walk->pack = pack;
	while (sound && op_pack_next(walk, &file)) {
		uint32_t length = pack->blocks[file.place.block].length;

		/* the last file of a block ends with it */
		ends = walk->block != file.place.block;
		sound = is_sound_file(&file) &&
			(!*before || op_pack_compare_names(before, file.name) < 0) &&
			(!ends || walk->begin == length);
		strcpy(before, file.name);
	}
	sound = sound && walk->seen == pack->n_files && walk->block == pack->n_blocks &&
		(walk->next ? walk->next : pack->first) == pack->length;
	if (!sound)
		damaged(pack, error, offset, "entry %llu of its directory is not a file",
			(unsigned long long)walk->seen);
	free(walk);
	free(before);
	return sound ? 0 : -1;
}

/* Takes the blocks, which fill the file from its header to @directory. */
static int take_blocks(struct op_pack *pack, uint64_t directory, struct op_error *error)
{
	struct op_reader range = op_reader_of(pack->directory, pack->length, false);
	uint64_t n = op_reader_leb128(&range), at = sizeof(struct pack_header);

	/* a block takes three bytes, at least */
	if (range.failed || n > op_reader_left(&range) / 3 || n > UINT32_MAX)
		return damaged(pack, error, directory, "its list of blocks is truncated");
	pack->blocks = calloc(n + 1, sizeof(*pack->blocks));
	if (!pack->blocks)
		return op_error_set(error, ENOMEM, "cannot read %s: out of memory", pack->path);
	pack->n_blocks = n;
	for (size_t i = 0; i < n; i++) {
		uint64_t packed = op_reader_leb128(&range), length = op_reader_leb128(&range);
		uint64_t files = op_reader_leb128(&range);

		if (range.failed || packed > directory - at || length > PACK_BODY_MOST ||
		    !is_frame_length(packed, length) || !files || files > UINT32_MAX)
			return damaged(pack, error, directory,
				       "entry %zu of its list of blocks is not a block", i);
		pack->blocks[i] = (struct block){
			.offset = at,
			.packed = (uint32_t)packed,
			.length = (uint32_t)length,
			.files = (uint32_t)files,
		};
		at += packed;
	}
	if (at != directory)
		return damaged(pack, error, at, "no block of the directory starts here");
	pack->first = (size_t)(range.at - pack->directory);
	return 0;
}

static int read_header(struct op_pack *pack, struct pack_header *header, struct op_error *error)
{
	struct stat status;
	ssize_t n;

	if (fstat(pack->fd, &status))
		return op_error_errno(error, "cannot read %s", pack->path);
	if (!S_ISREG(status.st_mode))
		return op_error_set(error, EINVAL, "%s: not a regular file", pack->path);
	do
		n = pread(pack->fd, header, sizeof(*header), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return op_error_errno(error, "cannot read %s", pack->path);
	if ((size_t)n < sizeof(*header) ||
	    memcmp(header->magic, PACK_MAGIC, sizeof(header->magic)) != 0)
		return damaged(pack, error, 0, "not a pack");
	if (le64toh(header->checksum) !=
	    pack_checksum(header, offsetof(struct pack_header, checksum)))
		return damaged(pack, error, 56, "the checksum of the header is wrong");
	if (le32toh(header->version) != PACK_VERSION)
		return op_error_set(error, ENOTSUP, "%s: byte 8: version %u is not known",
				    pack->path, le32toh(header->version));
	header->directory = le64toh(header->directory);
	header->directory_length = le64toh(header->directory_length);
	header->directory_content = le64toh(header->directory_content);
	if (le32toh(header->header_length) != sizeof(*header) || header->zero ||
	    header->directory < sizeof(*header) || header->directory > (uint64_t)status.st_size ||
	    header->directory_content > PACK_DIRECTORY_MOST ||
	    !is_frame_length(header->directory_length, header->directory_content) ||
	    header->directory_length != (uint64_t)status.st_size - header->directory)
		return damaged(pack, error, 16, "the header does not fit a file of %llu bytes",
			       (unsigned long long)status.st_size);
	return 0;
}

static int pack_load(struct op_pack *pack, struct op_error *error)
{
	struct pack_header header = {0};

	if (read_header(pack, &header, error))
		return -1;
	pack->directory = unpack_at(pack, header.directory, (size_t)header.directory_length,
				    (size_t)header.directory_content, error);
	pack->length = (size_t)header.directory_content;
	pack->n_files = le64toh(header.files);
	if (!pack->directory || take_blocks(pack, header.directory, error))
		return -1;
	return judge_files(pack, header.directory, error);
}

int op_pack_open_fd(struct op_pack **out, int fd, const char *path, struct op_error *error)
{
	struct op_pack *pack = calloc(1, sizeof(*pack));

	if (pack) {
		pack->fd = fd;
		pack->path = strdup(path);
		pack->keep_most = KEPT_MOST;
	}
	if (!pack || !pack->path) {
		if (!pack)
			close(fd);
		op_pack_close(pack);
		return op_error_set(error, ENOMEM, "cannot open %s: out of memory", path);
	}
	if (pack_load(pack, error)) {
		op_pack_close(pack);
		return -1;
	}
	*out = pack;
	return 0;
}

/*
 * Packs a journal; -1: the directory of idle files at @path.  Return: a pack in memory, or -1 with
 * @error set.
 */
static int pack_to_memory(int journal, const char *path, struct op_error *error)
{
	struct op_pack_writer *writer = NULL;
	int memory = memfd_create("pack", MFD_CLOEXEC), copy = -1, result = -1;

	if (memory >= 0)
		copy = fcntl(memory, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		op_error_errno(error, "cannot read %s", path);
	else if (!op_pack_create_open(&writer, copy, path, error))
		result = journal < 0 ? op_idle_pack(path, writer, error)
				     : op_journal_pack(journal, path, writer, error);
	if (!result)
		result = op_pack_finish(writer, error);
	op_pack_writer_free(writer);
	if (!result)
		return memory;
	if (memory >= 0)
		close(memory);
	return -1;
}

int op_pack_open(struct op_pack **out, const char *path, struct op_error *error)
{
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);

	if (fd < 0)
		return op_error_set(error, errno, "cannot open %s: %s", path,
				    foreign_reason(errno));
	if (op_journal_is(fd)) {
		int packed = pack_to_memory(fd, path, error);

		close(fd);
		if (packed < 0)
			return -1;
		fd = packed;
	}
	return op_pack_open_fd(out, fd, path, error);
}

int op_pack_open_idle(struct op_pack **out, const char *path, struct op_error *error)
{
	int fd = pack_to_memory(-1, path, error);

	return fd < 0 ? -1 : op_pack_open_fd(out, fd, path, error);
}

bool op_pack_is_file(const char *path)
{
	char magic[sizeof(PACK_MAGIC) - 1];
	int fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	bool is = fd >= 0 && ((pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
			       !memcmp(magic, PACK_MAGIC, sizeof(magic))) ||
			      op_journal_is(fd));

	if (fd >= 0)
		close(fd);
	return is;
}

void op_pack_keep_less(struct op_pack *pack, size_t bytes)
{
	pack->keep_most = bytes;
}

static void forget_blocks(struct op_pack *pack)
{
	for (size_t i = 0; i < pack->n_blocks; i++) {
		free(pack->blocks[i].bytes);
		pack->blocks[i].bytes = NULL;
	}
	pack->kept = 0;
}

void op_pack_close(struct op_pack *pack)
{
	if (!pack)
		return;
	forget_blocks(pack);
	if (pack->fd >= 0)
		close(pack->fd);
	free(pack->blocks);
	free(pack->directory);
	free(pack->path);
	free(pack);
}

/* ---- bodies ---- */

static int get_body(struct op_pack *pack, const struct op_pack_place *place, struct op_reader *body,
		    struct op_error *error)
{
	struct block *block = &pack->blocks[place->block];

	if (!block->bytes) {
		if (pack->kept + block->length > pack->keep_most)
			forget_blocks(pack);
		block->bytes = unpack_at(pack, block->offset, block->packed, block->length, error);
		if (!block->bytes)
			return -1;
		pack->kept += block->length;
	}
	*body = op_reader_of(block->bytes + place->begin, place->length, false);
	return 0;
}

static int bad_body(const struct op_pack *pack, const struct op_pack_place *place, const char *name,
		    const char *why, struct op_error *error)
{
	return damaged(pack, error, pack->blocks[place->block].offset, "%s: %s", name, why);
}

int op_pack_samples(struct op_pack *pack, const struct op_pack_place *place, const char *name,
		    struct odb_entry **entries, struct op_error *error)
{
	struct op_reader body;
	const char *why;
	uint64_t sum = 0;

	if (get_body(pack, place, &body, error))
		return -1;
	why = pack_body_get_samples(body, place->n, entries);
	for (size_t i = 0; !why && i < place->n; i++)
		sum += (*entries)[i].count;
	if (!why && sum != place->sum) {
		free(*entries);
		why = "its counts are not those of the directory";
	}
	return why ? bad_body(pack, place, name, why, error) : 0;
}

int op_pack_stacks(struct op_pack *pack, const struct op_pack_file *file,
		   struct stacks_content *content, struct op_error *error)
{
	struct op_reader body;
	const char *why;
	uint64_t sum = 0;

	if (get_body(pack, &file->place, &body, error))
		return -1;
	why = pack_body_get_stacks(body, file->n, content);
	if (why)
		return bad_body(pack, &file->place, file->name, why, error);
	for (size_t i = 0; i < content->n_nodes; i++)
		sum += content->nodes[i].count;
	content->merged = file->merged;
	if (sum == file->sum)
		return 0;
	stacks_content_free(content);
	return bad_body(pack, &file->place, file->name, "its counts are not those of the directory",
			error);
}

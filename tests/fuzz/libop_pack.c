// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a pack: opening it and reading all that it promises must end, without a signal,
 * and errors name the file.  Checksums would keep nearly every change from the code behind them,
 * so an input is not the file itself: its first byte says of which part the others are, and the
 * parts are put together as the writer does it.  See driver.h.
 */
#include <endian.h>

#include "driver.h"
#include "libop/pack/pack.h"
#include "libop/pack/layout.h"
#include "libop/pack/text.h"

const unsigned int fuzz_iterations = 20000;

#define LARGEST (1 << 16) /* bytes of an input */

static const char *path;

/*
 * One block with the bodies of a sample file and of a stack file, then the directory; a byte in
 * front says how long the block is.
 */
#define NAME	"{root}/a/{dep}/{root}/a/E.1.0.all.all.all"
#define STACKS	"stacks/{root}/a/E.1.0.all.all.all"
#define SPEED	"\0\0\0\0\0\0\0\0"
#define SAMPLES "\x10\x01\x02\x03"
#define TREE                                                                                       \
	"\1\x02{}\0\0"                                                                             \
	"\2\1\x05\0\x09"                                                                           \
	"\0\1"                                                                                     \
	"\0\1"                                                                                     \
	"\0\0\7"

static const char small[] =
	"\x16" TREE SAMPLES
	"\1" /* blocks; the lengths are filled in */ "\0\0" /* its files: */ "\2"
	"\0\x21" STACKS "\1\3\7\x12\0"
	"\0\x29" NAME "\0\2\5\4"
	"\4\x3c\1\1\0\0" SPEED "\0\0\0";
static const char empty[] = "\0"
			    "\0";

const struct fuzz_seed fuzz_seeds[] = {
	{small, sizeof(small) - 1},
	{empty, sizeof(empty) - 1},
	{0, 0},
};

static void append(uint8_t *out, size_t *used, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		out[(*used)++] = (uint8_t)(number | 0x80);
	out[(*used)++] = (uint8_t)number;
}

/* A pack whose checksums are right. */
static void put_file(const uint8_t *data, size_t size)
{
	struct pack_header header = {
		.magic = PACK_MAGIC,
		.version = htole32(PACK_VERSION),
		.header_length = htole32(sizeof(header)),
		.files = htole64(2),
	};
	static uint8_t directory[LARGEST + 64], file[2 * LARGEST];
	size_t block = size ? data[0] : 0, n_block = 0, n_directory, used = 0, skipped;
	void *packed_block = NULL, *packed;

	size -= size > 0;
	data += size > 0;
	block = block < size ? block : size;
	data += block;
	size -= block;
	/* the lengths of the block are filled in, where there is one */
	if (block) {
		packed_block = op_packed_make(data - block, block, &n_block);
		skipped = size < 3 ? size : 3;
		append(directory, &used, size ? data[0] : 0);
		append(directory, &used, n_block);
		append(directory, &used, block);
		data += skipped;
		size -= skipped;
	}
	memcpy(directory + used, data, size);
	used += size;
	packed = op_packed_make(directory, used, &n_directory);
	fuzz_must(packed != NULL, "out of memory");
	/* now and then another number of files than there is */
	if (!block || directory[used - 1] & 1)
		header.files = htole64(used % 3);
	header.directory = htole64(sizeof(header) + n_block);
	header.directory_length = htole64(n_directory);
	header.directory_content = htole64(used);
	header.checksum = htole64(pack_checksum(&header, offsetof(struct pack_header, checksum)));
	memcpy(file, &header, sizeof(header));
	if (n_block)
		memcpy(file + sizeof(header), packed_block, n_block);
	memcpy(file + sizeof(header) + n_block, packed, n_directory);
	path = fuzz_file(file, sizeof(header) + n_block + n_directory);
	free(packed_block);
	free(packed);
}

/* Return: whether it could be read. */
static bool read_file(struct op_pack *pack, const struct op_pack_file *file)
{
	struct stacks_content content;
	struct odb_entry *entries;
	struct op_error error;
	uint64_t sum = 0;

	fuzz_must(*file->name && *file->name != '/' && !strstr(file->name, "/../"), "no path");
	if (file->kind == OP_PACK_STACKS) {
		if (op_pack_stacks(pack, file, &content, &error)) {
			fuzz_must(strstr(error.text, path) != NULL, "an error without the file");
			return false;
		}
		fuzz_must(content.n_nodes == file->n, "another number of nodes");
		for (size_t i = 0; i < content.n_nodes; i++) {
			sum += content.nodes[i].count;
			fuzz_must(!i || content.nodes[i].parent < i, "a caller behind its callee");
			fuzz_must(content.nodes[i].image < content.n_images,
				  "a node without its image");
		}
		stacks_content_free(&content);
	} else {
		if (op_pack_samples(pack, &file->place, file->name, &entries, &error)) {
			fuzz_must(strstr(error.text, path) != NULL, "an error without the file");
			return false;
		}
		for (size_t i = 0; i < file->n; i++) {
			sum += entries[i].count;
			fuzz_must(!i || entries[i - 1].key < entries[i].key, "keys out of order");
		}
		free(entries);
	}
	fuzz_must(sum == file->sum, "another sum");
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct op_pack_walk walk;
	struct op_pack_file file;
	struct op_pack *pack;
	struct op_error error;
	uint64_t files = 0, read = 0;

	if (size > LARGEST)
		return 0;
	put_file(data, size);
	if (op_pack_open(&pack, path, &error)) {
		fuzz_must(strstr(error.text, path) != NULL, "an error without the file");
	} else {
		memset(&walk, 0, sizeof(walk));
		walk.pack = pack;
		while (op_pack_next(&walk, &file)) {
			read += read_file(pack, &file);
			files++;
		}
		fuzz_must(files == op_pack_files(pack), "the directory ends early");
		op_pack_close(pack);
	}
	fuzz_must(size != sizeof(small) - 1 || memcmp(data, small, size) != 0 || read == 2,
		  "the seed is no pack");
	return 0;
}

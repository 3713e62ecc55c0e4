// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a stack file: reading, checking, repairing and adding must end, without a signal,
 * and agree with each other.  See driver.h.
 */
#include "driver.h"
#include "libdb/stacks/stacks.h"

const unsigned int fuzz_iterations = 20000;

#define LARGEST (1 << 20) /* bytes of an input */

static const char *path;

#define HEADER(used)                                                                               \
	"OPSTACK\n\4\3\2\1\1\0\0\0\x40\0\0\0\x10\0\0\0" used "\0\0\0\0\0\0\0"                      \
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define ROOT  "\xfe\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"
#define IMAGE "\xff\xff\xff\xff\1\0\1\0\x0b\0\0\0\0\0\0\0{root}/bin/x\0\0\0\0"
#define NODE(parent, image, offset, count)                                                         \
	parent "\0\0\0" image "\0\0\0" offset "\0\0\0" count "\0\0\0"

static const char empty[] = HEADER("\1") ROOT;
static const char small[] = HEADER("\6") ROOT IMAGE NODE("\0", "\1", "\x10", "\0")
	NODE("\3", "\1", "\x20", "\7") NODE("\3", "\0", "\x30", "\2");
static const char turned[] = "OPSTACK\n\1\2\3\4\0\0\0\1\0\0\0\x40\0\0\0\x10\0\0\0\2\0\0\0\0"
			     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			     "\xff\xff\xff\xfe\0\0\0\0\0\0\0\0\0\0\0\1"
			     "\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\1";

const struct fuzz_seed fuzz_seeds[] = {
	{empty, sizeof(empty) - 1},
	{small, sizeof(small) - 1},
	{turned, sizeof(turned) - 1},
	{0, 0},
};

/* The sum of a file's counts.  Return: 0, or -1 if it cannot be read. */
static int sum_of(uint64_t *sum)
{
	struct stacks_content content;
	struct odb_error error;

	*sum = 0;
	if (stacks_read(&content, path, &error)) {
		fuzz_must(strstr(error.text, path) != NULL, "an error without the file");
		return -1;
	}
	fuzz_must(content.n_nodes > 0 && !content.nodes[0].parent, "no root");
	for (size_t i = 0; i < content.n_nodes; i++) {
		fuzz_must(!i || content.nodes[i].parent < i, "a caller behind its callee");
		fuzz_must(content.nodes[i].image < content.n_images, "a node without its image");
		*sum += content.nodes[i].count;
	}
	for (size_t i = 1; i < content.n_images; i++)
		fuzz_must(content.images[i].name && *content.images[i].name,
			  "an image without a name");
	stacks_content_free(&content);
	return 0;
}

static void add_some(ptrdiff_t problems)
{
	uint64_t before, after;
	struct odb_error error;
	struct stacks *stacks;
	uint32_t image;

	if (sum_of(&before) || stacks_open(&stacks, path, 0, &error))
		return;
	fuzz_must(!problems, "a file with problems is opened for writing");
	image = stacks_image(stacks, "{root}/bin/x", 0, 0, &error);
	fuzz_must(image, "no image");
	for (uint64_t i = 0; i < 300; i++) {
		const struct stacks_frame frames[] = {{image, i}, {0, 0x10}, {image, i % 3}};

		fuzz_must(stacks_add(stacks, frames, 3, i & 1 ? UINT32_MAX : 1, &error) ==
				  STACKS_ADDED,
			  "add");
	}
	stacks_close(stacks);
	fuzz_must(!sum_of(&after) && after - before == 150 * (uint64_t)0x100000000,
		  "sum after adding");
	fuzz_must(!stacks_check(path, NULL, NULL, &error), "added, and not sound");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odb_repair repair;
	struct odb_error error;
	ptrdiff_t problems;
	uint64_t sum, before;

	if (size > LARGEST)
		return 0;
	path = fuzz_file(data, size);
	problems = stacks_check(path, NULL, NULL, &error);
	fuzz_must(!sum_of(&before) == !problems, "check and read disagree");
	add_some(problems);
	path = fuzz_file(data, size);
	if (!stacks_repair(path, &repair, &error)) {
		/* one that a loss of power tore has no problem, and is written anew */
		fuzz_must(repair.changed || !problems, "check and repair disagree");
		fuzz_must(!stacks_check(path, NULL, NULL, &error), "repaired, and not sound");
		fuzz_must(!sum_of(&sum) && (!repair.changed || sum == repair.sum),
			  "repaired, and another sum");
		fuzz_must(problems || sum == before, "no problem, and another sum");
		add_some(0);
	} else {
		fuzz_must(problems != 0, "a sound file cannot be repaired");
	}
	return 0;
}

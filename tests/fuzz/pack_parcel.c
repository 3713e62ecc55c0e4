// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as packed files that another process has read: a pack that has what is taken can be
 * opened, and has the same files.  The seed is a sample file, a stack file and an error.  See
 * driver.h.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "driver.h"
#include "pp/archive/pack_parcel.h"

const unsigned int fuzz_iterations = 15000;

/* Its size is known when it is made. */
struct fuzz_seed fuzz_seeds_made[2];
extern const struct fuzz_seed fuzz_seeds[2] __attribute__((alias("fuzz_seeds_made")));

#define NAME   "{root}/bin/a/{dep}/{root}/bin/a/E.1.0.all.all.all"
#define STACKS "stacks/{root}/bin/a/E.1.0.all.all.all"

/* Return: an open pack of all that is in a parcel; NULL: the parcel is damaged. */
static struct op_pack *pack_of(const void *bytes, size_t size, uint64_t *files)
{
	struct op_reader reader = op_reader_of(bytes, size, false);
	int memory = memfd_create("pack", MFD_CLOEXEC), taken;
	struct op_pack_writer *writer;
	struct pack_parcel_file file;
	struct op_error error = {0};
	struct op_pack *pack;

	fuzz_must(memory >= 0 && !op_pack_create_open(&writer, dup(memory), "made", &error),
		  "there is memory");
	*files = 0;
	while ((taken = pack_parcel_take(&reader, &file, &error)) > 0) {
		if (!file.wrong && file.file.kind == OP_PACK_STACKS)
			*files += !op_pack_add_stacks(writer, &file.file, &file.content, 1, &error);
		else if (!file.wrong)
			*files += !op_pack_add_samples(writer, &file.file, file.entries,
						       file.file.n, &error);
		pack_parcel_free(&file);
	}
	fuzz_must(!taken || *error.text, "an error has a text");
	fuzz_must(!op_pack_finish(writer, &error), "a pack can be made of what is taken");
	op_pack_writer_free(writer);
	fuzz_must(!op_pack_open_fd(&pack, memory, "made", &error), "it can be opened");
	if (!taken)
		return pack;
	op_pack_close(pack);
	return NULL;
}

__attribute__((constructor)) static void make_seed(void)
{
	static const struct odb_entry entries[] = {{1, 2}, {5, 1}, {UINT64_MAX, 7}};
	static struct stacks_name images[] = {{0}, {(char *)"{root}/bin/a", 1, 77}};
	static struct stacks_node nodes[] = {{0, 0, 0, 1}, {0, 1, 16, 0}, {1, 1, 32, 9}};
	const struct stacks_content content = {nodes, 3, images, 2, 1};
	const struct op_pack_file samples = {.name = NAME, .header.cpu_type = 3};
	const struct op_pack_file stacks = {.name = STACKS, .kind = OP_PACK_STACKS};
	int memory = memfd_create("seed", MFD_CLOEXEC);
	struct op_pack_writer *writer;
	struct op_buffer bytes = {0};
	struct op_pack *pack;

	fuzz_must(!op_pack_create_open(&writer, dup(memory), "seed", NULL) &&
			  !op_pack_add_stacks(writer, &stacks, &content, 1, NULL) &&
			  !op_pack_add_samples(writer, &samples, entries, 3, NULL) &&
			  !op_pack_finish(writer, NULL),
		  "the seed is made");
	op_pack_writer_free(writer);
	fuzz_must(!op_pack_open_fd(&pack, memory, "seed", NULL), "the seed is a pack");
	pack_parcel_put(&bytes, pack);
	op_pack_close(pack);
	fuzz_seeds_made[0] = (struct fuzz_seed){bytes.bytes, bytes.used};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct op_buffer bytes = {0};
	uint64_t files, again;
	struct op_pack *pack = pack_of(data, size, &files), *same;

	if (!pack)
		return 0;
	fuzz_must(op_pack_files(pack) == files, "it has all files that were added");
	pack_parcel_put(&bytes, pack);
	same = pack_of(bytes.bytes, bytes.used, &again);
	fuzz_must(same && again == files, "what was taken can be sent");
	op_pack_close(same);
	op_pack_close(pack);
	op_buffer_free(&bytes);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The samples in all files of a session: see session_sum.h. */
#include "session_sum.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/pack/hold.h"
#include "libop/pack/loose.h"
#include "libop/pack/parts.h"
#include "libop/pack/whole.h"
#include "libop/session/paths.h"

struct summing {
	struct odb_load load;
	size_t prefix; /* of paths: the length of the session's directory, and a slash */
	uint64_t sum;
};

static bool has_samples(const char *name)
{
	return pack_loose_is_name(name) && !pack_loose_is_stacks(name) && !strstr(name, "/{cg}/") &&
	       strncmp(name, OP_SAMPLES_WEIGHTS "/", strlen(OP_SAMPLES_WEIGHTS "/"));
}

static int add_file(const char *path, const struct stat *status, void *context)
{
	struct summing *summing = context;
	struct odb_error ignored;

	if (S_ISREG(status->st_mode) && has_samples(path + summing->prefix) &&
	    !odb_load(&summing->load, AT_FDCWD, path, path, &ignored))
		summing->sum += odb_load_sum(&summing->load);
	return 0;
}

static uint64_t sum_of_pack(const char *samples_dir, bool whole)
{
	struct op_pack_walk *walk = op_alloc(1, sizeof(*walk));
	struct op_strings ignored = {0};
	struct op_pack *pack = NULL;
	struct op_pack_file file;
	uint64_t sum = 0;

	if (whole ? !op_pack_open_whole(&pack, samples_dir, &ignored, NULL)
		  : !op_pack_open_session(&pack, samples_dir, NULL)) {
		walk->pack = pack;
		while (op_pack_next(walk, &file))
			sum += file.kind == OP_PACK_SAMPLES && has_samples(file.name) ? file.sum
										      : 0;
		op_pack_close(pack);
	}
	op_strings_free(&ignored);
	free(walk);
	return sum;
}

uint64_t pp_session_sum(const char *samples_dir)
{
	struct summing summing = {.prefix = strlen(samples_dir) + 1};
	int hold = op_hold_to_read(samples_dir);
	uint64_t packed;

	if (hold >= 0)
		op_walk(samples_dir, add_file, &summing, NULL);
	odb_load_free(&summing.load);
	packed = sum_of_pack(samples_dir, hold < 0);
	op_hold_release(hold);
	return summing.sum + packed;
}

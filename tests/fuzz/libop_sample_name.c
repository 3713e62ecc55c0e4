// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as the name of a sample file: what is parsed can be made again, and parses to the
 * same.  See driver.h.
 */
#include "driver.h"
#include "libop/session/sample_name.h"

const unsigned int fuzz_iterations = 300000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("{root}/usr/bin/bash/{dep}/{root}/usr/lib/libc.so.6/TIMER.0.0.all.all.all"),
	SEED("/var/lib/oprofile/samples//current/{kern}/a/{dep}/{kern}/a/T.-1.7.12.13.0"),
	SEED("{root}/a/\\{dep}/b/{dep}/{anon:[vdso]}/12.0x1000.0xffffffffffffffff/T.1.1.all.all.1"),
	SEED("{root}/a/{dep}/{root}/\\\\{cg}/{cg}/{anon:x}/1.0x1.0x2/CPU_CLK.100000.0.1.2.all"),
	{NULL, 0},
};

static int same_image(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) && a->tgid == b->tgid &&
	       a->start == b->start && a->end == b->end;
}

static int same(const struct op_sample_name *a, const struct op_sample_name *b)
{
	return same_image(&a->app, &b->app) && same_image(&a->dep, &b->dep) &&
	       a->is_arc == b->is_arc && (!a->is_arc || same_image(&a->callee, &b->callee)) &&
	       !strcmp(a->event, b->event) && a->count == b->count &&
	       a->unit_mask == b->unit_mask && a->tgid == b->tgid && a->tid == b->tid &&
	       a->cpu == b->cpu;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *made;
	struct op_sample_name name, again;
	struct op_error error;

	if (!op_sample_name_parse(text, &name, &error)) {
		made = op_sample_name_make(&name);
		fuzz_must(made != NULL, "what was parsed can be made");
		fuzz_must(!op_sample_name_parse(made, &again, &error),
			  "what was made can be parsed");
		fuzz_must(same(&name, &again), "it is the same");
		op_sample_name_free(&again);
		op_sample_name_free(&name);
		free(made);
	} else {
		fuzz_must(*error.text, "an error has a text");
	}
	free(text);
	return 0;
}

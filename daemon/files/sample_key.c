// SPDX-License-Identifier: GPL-2.0-or-later
/* What tells sample files apart: see sample_key.h. */
#include "sample_key.h"

#include <stdlib.h>

#include "counted_events.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "libop/session/paths.h"
#include "libop/session/sample_name.h"

uint64_t sample_key_hash(const struct sample_key *key)
{
	uint64_t hash = op_hash_mix((uintptr_t)key->dep, (uintptr_t)key->app);

	hash = op_hash_mix(hash, key->is_weight);
	hash = op_hash_mix(hash, (uint64_t)key->event << 32 | (uint32_t)key->cpu);
	return op_hash_mix(hash, (uint64_t)(uint32_t)key->tgid << 32 | (uint32_t)key->tid);
}

void sample_key_header(const struct sample_key *key, const struct op_events *events,
		       struct odb_header *header)
{
	const struct op_event *event = &events->event[key->event];

	*header = (struct odb_header){
		.ctr_event = event->code,
		.ctr_um = event->unit_mask,
		.ctr_count = key->is_weight ? weight_unit(event) : event->count,
		.is_kernel = key->dep->is_kernel,
		.mtime = key->dep->mtime,
		.anon_start = key->dep->id.start,
	};
}

char *sample_key_name(const struct sample_key *key, const struct op_events *events)
{
	const struct op_event *event = &events->event[key->event];
	struct op_sample_name name = {
		.app = key->app->id,
		.dep = key->dep->id,
		.event = event->name,
		.count = event->count,
		.unit_mask = event->unit_mask,
		.tgid = key->tgid,
		.tid = key->tid,
		.cpu = key->cpu,
	};

	char *plain, *weighed;

	plain = key->is_stacks ? op_stacks_name_make(&name) : op_sample_name_make(&name);
	if (!plain || !key->is_weight)
		return plain;
	weighed = op_path(OP_SAMPLES_WEIGHTS "/%s", plain);
	free(plain);
	return weighed;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Events or samples: see weights.h. */
#include "weights.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"

/* Whether a value is samples of @period, which is learnt from the first one if it is 0. */
static bool is_of_period(const struct prof_value *value, uint64_t *period)
{
	uint64_t events;

	if (!*period && value->count)
		*period = value->events / value->count;
	return *period && !__builtin_mul_overflow(value->count, *period, &events) &&
	       events == value->events;
}

/* What stands in one column is in one unit. */
static void join_opposites(const struct prof *prof, bool *weights)
{
	uint32_t *opposites;

	if (!prof_is_signed(prof))
		return;
	opposites = prof_opposites(prof);
	for (size_t i = 0; i < prof->n_events; i++)
		if (opposites[i] != PROF_NO_EVENT)
			weights[i] |= weights[opposites[i]];
	free(opposites);
}

bool *prof_weights(const struct prof *prof, bool want_samples)
{
	bool *weights = op_alloc(prof->n_events, sizeof(*weights));
	uint64_t *periods;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	if (want_samples)
		return weights;
	periods = op_alloc(prof->n_events, sizeof(*periods));
	for (size_t i = 0; i < prof->n_events; i++) {
		const char *unit = prof->events[i].unit;

		periods[i] = prof->events[i].period;
		/* blocks of memory are no periods, even if all are equal */
		weights[i] = !periods[i] && unit && !strcmp(unit, "bytes");
	}
	while (prof_next_values(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++) {
			uint32_t event = sample.values[i].event;

			weights[event] |= !is_of_period(&sample.values[i], &periods[event]);
		}
	prof_cursor_free(&cursor);
	free(periods);
	join_opposites(prof, weights);
	return weights;
}

bool prof_is_signed(const struct prof *prof)
{
	for (size_t i = 0; i < prof->n_events; i++)
		if (prof->events[i].is_negative)
			return true;
	return false;
}

uint32_t *prof_opposites(const struct prof *prof)
{
	uint32_t *opposites = op_alloc(prof->n_events, sizeof(*opposites));
	struct op_hash by_name = {0};

	for (uint32_t i = 0, other; i < prof->n_events; i++) {
		const struct prof_event *event = &prof->events[i];
		uint64_t hash = op_hash_text(0, event->name);

		opposites[i] = PROF_NO_EVENT;
		op_hash_for_each_possible (&by_name, hash, other)
			if (opposites[other] == PROF_NO_EVENT && opposites[i] == PROF_NO_EVENT &&
			    prof->events[other].is_negative != event->is_negative &&
			    !strcmp(prof->events[other].name, event->name)) {
				opposites[i] = other;
				opposites[other] = i;
			}
		op_hash_add_or_exit(&by_name, hash, i);
	}
	op_hash_free(&by_name);
	return opposites;
}

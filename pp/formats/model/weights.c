// SPDX-License-Identifier: GPL-2.0-or-later
/* Events or samples: see weights.h. */
#include "weights.h"

#include <stdlib.h>
#include <string.h>

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

bool *prof_weights(const struct prof *prof, bool want_samples)
{
	bool *weights = pp_alloc(prof->n_events, sizeof(*weights));
	uint64_t *periods;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	if (want_samples)
		return weights;
	periods = pp_alloc(prof->n_events, sizeof(*periods));
	for (size_t i = 0; i < prof->n_events; i++) {
		const char *unit = prof->events[i].unit;

		periods[i] = prof->events[i].period;
		/* blocks of memory are no periods, even if all are equal */
		weights[i] = !periods[i] && unit && !strcmp(unit, "bytes");
	}
	while (prof_next(prof, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++) {
			uint32_t event = sample.values[i].event;

			weights[event] |= !is_of_period(&sample.values[i], &periods[event]);
		}
	prof_cursor_free(&cursor);
	free(periods);
	return weights;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Weights and periods of perf events.
 *
 * A stop costs what it misses; a period that is too long costs little, as samples have weights.  So
 * periods are lengthened early, and by much after a stop, and halved late.  perf's limit is 400
 * samples a tick, and 700 would come:
 *
 *	tick		1	2 to 17	18 and all after
 *	period		1	8	4
 *	samples		400	87	175
 *			stopped	calm
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "backends/perf_period.h"

#define SHIFT_MAX 10U /* samples of more than 1,024 periods tell little */
#define SHIFT_AT_STOP 3
#define CALM_TICKS 16
#define CALM_WITHOUT_SAMPLE 64 /* ticks */

u64 op_perf_period_weigh(struct op_perf_period *of, u64 period, u64 counted)
{
	u64 passed = counted - of->sampled;
	u64 weight = period;

	if ((s64)passed >= 2 * (s64)period)
		weight = div64_u64(passed, period) * period;
	of->sampled += weight;
	return weight;
}

NOKPROBE_SYMBOL(op_perf_period_weigh);

/* Half of the period would not be doubled again. */
static bool is_calm(const struct op_perf_period *of)
{
	return 4 * of->in_tick < of->limit;
}

NOKPROBE_SYMBOL(is_calm);

static void begin_tick(struct op_perf_period *of, u64 tick)
{
	of->calm = is_calm(of) ? of->calm + 1 : 0;
	if (of->shift && (of->calm >= CALM_TICKS || tick - of->tick >= CALM_WITHOUT_SAMPLE)) {
		of->shift--;
		of->calm = 0;
	}
	of->tick = tick;
	of->in_tick = 0;
	of->doubled_at = of->limit - of->limit / 2;
}

NOKPROBE_SYMBOL(begin_tick);

bool op_perf_period_adjust(struct op_perf_period *of, u64 tick, bool stopped)
{
	unsigned int before = of->shift;

	if (tick != of->tick)
		begin_tick(of, tick);
	of->in_tick++;
	if (stopped) {
		of->limit = of->in_tick;
		of->shift += SHIFT_AT_STOP;
	} else if (of->limit && of->in_tick >= of->doubled_at) {
		/* The counter was set before: that has no effect before the next sample but one. */
		of->doubled_at = of->in_tick + 2;
		of->shift++;
	}
	of->shift = min(of->shift, SHIFT_MAX);
	return of->shift > before;
}

NOKPROBE_SYMBOL(op_perf_period_adjust);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservation by the kernel's own book-keeping of event selects and counters.
 */
#include <asm/nmi.h>

#include "x86/reserve.h"

static unsigned int users_of_counter0; /* it and the fixed ones; under the core's mutex */

static bool reserve_general(const struct op_x86_model *model, unsigned int number)
{
	unsigned int at = number * model->bank.stride;

	if (!reserve_perfctr_nmi(model->bank.counter + at))
		return false;
	if (!reserve_evntsel_nmi(model->bank.control + at)) {
		release_perfctr_nmi(model->bank.counter + at);
		return false;
	}
	return true;
}

static void release_general(const struct op_x86_model *model, unsigned int number)
{
	unsigned int at = number * model->bank.stride;

	release_evntsel_nmi(model->bank.control + at);
	release_perfctr_nmi(model->bank.counter + at);
}

static bool shares_counter0(const struct op_x86_model *model, unsigned int number)
{
	return number == 0 || number >= model->nr_general;
}

bool op_x86_counter_reserve(const struct op_x86_model *model, unsigned int number)
{
	if (!shares_counter0(model, number))
		return reserve_general(model, number);
	if (!users_of_counter0 && !reserve_general(model, 0))
		return false;
	users_of_counter0++;
	return true;
}

void op_x86_counter_release(const struct op_x86_model *model, unsigned int number)
{
	if (!shares_counter0(model, number))
		release_general(model, number);
	else if (!--users_of_counter0)
		release_general(model, 0);
}

bool op_x86_counter_free(const struct op_x86_model *model, unsigned int number)
{
	if (!op_x86_counter_reserve(model, number))
		return false;
	op_x86_counter_release(model, number);
	return true;
}

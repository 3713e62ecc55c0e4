// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the PMU models for the harness, a line for each: NAME CPU, where CPU is the argument
 * of QEMU's -cpu that goes with it.
 */
#include <stdio.h>

#include "model.h"

int main(void)
{
	for (unsigned int i = 0; pmu_model_at(i); i++)
		printf("%s %s\n", pmu_model_at(i)->name, pmu_model_at(i)->cpu);
	return 0;
}

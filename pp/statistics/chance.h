/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What chance makes of numbers of samples.
 */
#ifndef PP_STATISTICS_CHANCE_H
#define PP_STATISTICS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* How often an interval has the true value, and a change is called one that is none. */
#define PP_CONFIDENCE 0.95
/* Standard errors to each side that have PP_CONFIDENCE of a normal distribution. */
#define PP_CONFIDENCE_ERRORS 1.959963984540054

/**
 * pp_may_be_chance - whether two numbers of samples may be of the same rate
 * @old, @new: samples, independent of each other
 * @old_time, @new_time: for how long each was taken, in one unit; above 0
 *
 * If both rates are the same, the new samples are a binomial part of all; the test is exact for
 * few samples and normal for many.  Work in bursts varies more than that.
 */
bool pp_may_be_chance(uint64_t old, uint64_t new, double old_time, double new_time);

#endif

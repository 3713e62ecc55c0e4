/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a run has no samples. */
#ifndef DAEMON_OPERF_NO_SAMPLES_H
#define DAEMON_OPERF_NO_SAMPLES_H

#include <stdint.h>

#include "run.h"

/**
 * no_samples_explain - warn of the reason, and say what to do, if no sample was stored
 * @lost: how many were lost
 *
 * CPU time that could not be profiled has a message of its own, and none here.
 */
void no_samples_explain(const struct run *run, uint64_t lost);

#endif

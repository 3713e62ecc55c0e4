/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PP_PROFILE_SESSION_SUM_H
#define PP_PROFILE_SESSION_SUM_H

#include <stdint.h>

/*
 * All samples in the files of a session, loose and packed, without those of call graphs.  Files
 * that cannot be read have none.
 */
uint64_t pp_session_sum(const char *samples_dir);

#endif

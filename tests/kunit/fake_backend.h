/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backend for tests, which takes no samples of its own.
 */
#ifndef OPROFILE_KUNIT_FAKE_BACKEND_H
#define OPROFILE_KUNIT_FAKE_BACKEND_H

#include "backend.h"

/* Makes op_backend() return @backend, for the suite that runs; NULL: none is chosen. */
void fake_backend_use(const struct oprofile_backend *backend);

#endif

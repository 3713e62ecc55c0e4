/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format "fleet": tables.h. */
#ifndef PP_FORMATS_FLEET_FLEET_H
#define PP_FORMATS_FLEET_FLEET_H

#include "pp/formats/model/format.h"

#define FLEET_LABEL_HOST "host"

/* As of struct format. */
int fleet_write(struct prof *prof, struct output *output, struct op_error *error);

#endif

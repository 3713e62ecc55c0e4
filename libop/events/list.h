/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of events in OProfile's formats, and as JSON: see ophelp(1).
 */
#ifndef LIBOP_EVENTS_LIST_H
#define LIBOP_EVENTS_LIST_H

#include <stdio.h>

#include "catalogue.h"
#include "search.h"

/* Each writes the events of @catalogue that are there and that @search finds. */
void list_text(const struct op_catalogue *catalogue, const struct search *search, FILE *out);
void list_xml(const struct op_catalogue *catalogue, const struct search *search, FILE *out);
void list_json(const struct op_catalogue *catalogue, const struct search *search, FILE *out);

/* Warns if another build of libpfm4 would add events to @catalogue. */
void list_warn(const struct op_catalogue *catalogue);

/* The heading of a list: description of the CPU type, and the manual that explains the events. */
const char *list_cpu_title(const struct op_catalogue *catalogue);
const char *list_manual(const struct op_catalogue *catalogue);

/* The general counters that the event may be on, there or not. */
uint64_t list_counters(const struct op_catalogue *catalogue,
		       const struct op_catalogue_event *event);

#endif

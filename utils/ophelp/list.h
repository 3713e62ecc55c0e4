/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of events.  Their form is OProfile's, but for JSON, which is ours: ophelp(1) has it.
 */
#ifndef OPHELP_LIST_H
#define OPHELP_LIST_H

#include <stdio.h>

#include "libop/events/catalogue.h"
#include "search.h"

/* Each writes the events of @catalogue that are there and that @search finds. */
void list_text(const struct op_catalogue *catalogue, const struct search *search, FILE *out);
void list_xml(const struct op_catalogue *catalogue, const struct search *search, FILE *out);
void list_json(const struct op_catalogue *catalogue, const struct search *search, FILE *out);

/* Warns if libpfm4 should know more events of the CPU type than @catalogue has. */
void list_warn(const struct op_catalogue *catalogue);

/* What a list is headed with: the CPU type for people, and where its events are explained. */
const char *list_cpu_title(const struct op_catalogue *catalogue);
const char *list_manual(const struct op_catalogue *catalogue);

/* The general counters that the event may be on, there or not. */
uint64_t list_counters(const struct op_catalogue *catalogue,
		       const struct op_catalogue_event *event);

#endif

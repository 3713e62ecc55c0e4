/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listing: the symbols and arcs that the reports in text have at this threshold, numbered, for CSV,
 * JSON and XML.
 */
#ifndef PP_REPORT_LISTING_H
#define PP_REPORT_LISTING_H

#include <stddef.h>

#include "report.h"

struct pp_listing {
	struct pp_row **rows; /* row->number is the index */
	size_t n;	      /* listed symbols */
	size_t n_all;	      /* after them, symbols that are only ends of arcs */
	const struct pp_arc **arcs;
	size_t n_arcs;
};

/* Sorts the profile's rows; pp_listing_free() frees what @listing holds. */
void pp_listing_make(struct pp_listing *listing, struct pp_profile *profile,
		     const struct pp_report_style *style);
void pp_listing_free(struct pp_listing *listing);

#endif

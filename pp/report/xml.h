/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The XML report, in parts: header and tables (xml.c); the samples by application or by process
 * (xml_samples.c); the code of symbols (xml_bytes.c).
 */
#ifndef PP_REPORT_XML_H
#define PP_REPORT_XML_H

#include "listing.h"
#include "report.h"
#include "libop/text/xml.h"

struct pp_report_xml {
	struct op_xml xml;
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	const struct pp_report_facts *facts;
	struct pp_listing listing;
	size_t *first_detail; /* by number of the symbol: number of its first address */
};

#define PP_XML_ALL_CLASSES SIZE_MAX

/* Counts that are not 0, each with its class; of one class only unless PP_XML_ALL_CLASSES. */
void pp_report_xml_counts(struct pp_report_xml *report, const uint64_t *counts, size_t class);

/* The same of an application's or module's own image, which has one count at least: 0 if need be.
 */
void pp_report_xml_counts_of_image(struct pp_report_xml *report, const uint64_t *counts,
				   size_t class);

/* The one count of the classes from @first on, up to but not including @end. */
void pp_report_xml_sum(struct pp_report_xml *report, const uint64_t *counts, size_t first,
		       size_t end);

/* True if columns are threads: then there are processes instead of binaries. */
bool pp_report_xml_has_threads(const struct pp_report_xml *report);

/* The element "bytestable". */
void pp_report_xml_bytes(struct pp_report_xml *report);

/* The elements "binary", or "process". */
void pp_report_xml_samples(struct pp_report_xml *report);

#endif

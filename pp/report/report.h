/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports of opreport: text, CSV, JSON, XML, and the layouts of DCPI's tools.
 */
#ifndef PP_REPORT_REPORT_H
#define PP_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "pp/profile/loss.h"
#include "pp/profile/profile.h"

enum pp_sort_key {
	PP_SORT_SAMPLE, /* of the first class; the most first */
	PP_SORT_IMAGE,
	PP_SORT_APP,
	PP_SORT_SYMBOL,
	PP_SORT_DEBUG, /* source file and line */
	PP_SORT_VMA,
	PP_SORT_KEYS
};

/* Whether text has a column of events. */
enum pp_events_shown {
	PP_EVENTS_AUTO, /* where samples stand for different numbers of them */
	PP_EVENTS_ALWAYS,
	PP_EVENTS_NEVER,
};

/* What has a line of its own, of what sample files keep apart. */
enum pp_by { PP_BY_APPLICATION, PP_BY_PROCESS, PP_BY_THREAD, PP_BY_CPU, PP_BY_LABEL };

struct pp_report_style {
	enum pp_by by;
	const char *label; /* of PP_BY_LABEL */
	bool who_lines;	   /* what @by tells apart are lines, not columns */
	bool no_header;
	bool long_names;	  /* with directories */
	bool libraries;		  /* in a summary: below each application its images */
	bool accumulated;	  /* columns of running sums */
	bool inclusive;		  /* columns of inclusive samples */
	bool children;		  /* those, the most first */
	bool no_callers;	  /* no lines of symbols that have no samples of their own */
	enum pp_call_order calls; /* a tree instead of a list */
	uint64_t max_depth;	  /* of a tree; 0: all */
	uint64_t max_lines;	  /* of a list or tree, those with the most samples; 0: all */
	size_t columns;		  /* of a line, names are shortened to them; 0: any number */
	bool brief_head;	  /* two lines, and losses only if there are any */
	bool global_percent;	  /* of details and of images below applications: of the total */
	bool show_address;
	bool details;
	bool lines;
	bool by_line;	/* rows are source lines */
	bool intervals; /* of shares, beside them */
	bool inlines;	/* details of inlined functions show their callers */
	bool reverse;
	bool color; /* in text */
	enum pp_events_shown events;
	bool per_second;  /* of a difference: numbers are those of a second */
	double threshold; /* percent of the first class that a line must have */
	enum pp_sort_key sort[PP_SORT_KEYS];
	size_t n_sort; /* the keys of --sort; the others follow in their order */
};

/**
 * pp_sort_parse - read the argument of --sort
 * @list: sample, image, app-name, symbol, debug, vma; with commas
 *
 * Return: 0, or -1 with @error set.
 */
int pp_sort_parse(struct pp_report_style *style, const char *list, struct op_error *error);

/* Writes where, when and how the samples were taken.  @style may be NULL. */
void pp_report_head(const struct pp_profile *profile, const struct pp_report_style *style,
		    FILE *out);

/*
 * Writes when sampling began, by a format of strftime(), and for how long it went on, behind
 * @before. Return: false if neither is known.
 */
bool pp_report_time(const struct pp_head *head, const char *before, const char *format, FILE *out);

/* As pp_report_head(), in two lines, for a terminal. */
void pp_report_brief_head(const struct pp_profile *profile, const struct pp_report_style *style,
			  FILE *out);

/* Writes "Compared with: " and the sessions of the old profile. */
void pp_report_old_sessions(const struct pp_profile *old, FILE *out);

/* The metadata of CSV, JSON and XML reports. */
struct pp_report_facts {
	bool symbols, callgraph; /* requested parts */
	const struct pp_loss *loss;
	const struct op_strings *notes; /* of notes.h */
	const char *command_line;
	const char *session_dir;
	const struct op_strings *image_paths, *include, *exclude;
	const struct pp_merge *merge;
	bool exclude_dependent;
	struct pp_image_search *search;	   /* for the code of images */
	const struct pp_sample_list *list; /* for its sessions */
};

/* Reports for programs, each of one document.  They sort the profile's rows. */
void pp_report_csv(struct pp_profile *profile, const struct pp_report_style *style,
		   const struct pp_report_facts *facts, FILE *out);
void pp_report_json(struct pp_profile *profile, const struct pp_report_style *style,
		    const struct pp_report_facts *facts, FILE *out);
void pp_report_xml(struct pp_profile *profile, const struct pp_report_style *style,
		   const struct pp_report_facts *facts, FILE *out);

/* In the layouts of DCPI's tools.  dcpicat needs details; dcpiprof makes rows of symbols, or of
 * images without. */
void pp_report_dcpicat(const struct pp_profile *profile, const struct pp_report_style *style,
		       const struct pp_report_facts *facts, FILE *out);
void pp_report_dcpiprof(const struct pp_profile *profile, const struct pp_report_style *style,
			const struct pp_report_facts *facts, FILE *out);

/* Text: one line an application, followed by its images. */
void pp_report_summary(const struct pp_profile *profile, const struct pp_report_style *style,
		       FILE *out);

/* Whether a class says which one: the session keeps them apart. */
bool pp_who_is_known(const struct pp_class *class, enum pp_by by);

struct pp_label_sums;

/* Text: one line a process, thread, CPU or value of a label, by style->by.  The profile's classes
 * differ in it only; or it has one, of all values of the label, and @sums are those of each. */
void pp_report_who(const struct pp_profile *profile, const struct pp_label_sums *sums,
		   const struct pp_report_style *style, FILE *out);

struct pp_image_pairs;
struct pp_runs;

/* Two profiles that are compared: the old one, and the new one. */
struct pp_report_pair {
	const struct pp_profile *profiles[2];
	const struct pp_runs *runs[2]; /* of each profile, not NULL */
	const struct pp_image_pairs *pairs;
};

/* Text: the change of each symbol, or image, of at least --threshold percent, the largest first. */
void pp_report_difference(const struct pp_report_pair *pair, const struct pp_report_style *style,
			  bool symbols, FILE *out);

/* Text: each symbol between its callers and callees.  Sorts the profile's rows. */
void pp_report_callgraph(struct pp_profile *profile, const struct pp_report_style *style,
			 FILE *out);

/* Whether functions were made at run time that the first look lists: interpreted ones have no
 * samples of their own. */
bool pp_hottest_has_run_time(const struct pp_profile *functions);

/*
 * Text: the functions and the source lines with the most samples, of the same samples by function
 * and by line; both have inclusive samples if there are call chains.
 *
 * @run_time has the tree from callers, and its rows are numbered: functions that were made at run
 * time, with the samples of what runs them.  NULL: they are not listed.
 */
void pp_report_hottest(const struct pp_profile *functions, const struct pp_profile *run_time,
		       const struct pp_profile *lines, const struct pp_report_style *style,
		       FILE *out);

/* Text: the profile's tree, as far as the style's limits and threshold let it. */
void pp_report_tree(const struct pp_profile *profile, const struct pp_report_style *style,
		    FILE *out);

/* Text: one line a symbol, followed by its addresses.  Sorts the profile's rows. */
void pp_report_symbols(struct pp_profile *profile, const struct pp_report_style *style, FILE *out);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages of sessions: see sessions.h. */
#include "sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "pp/formats/model/format.h"
#include "pp/formats/session/identify.h"
#include "pp/formats/session/session.h"
#include "pp/report/notes.h"
#include "pp/report/report.h"
#include "pp/select/selection.h"
#include "pp/statistics/runs.h"
#include "pp/symbols/image_reader.h"

/* A session on its way into the page. */
struct side {
	struct pp_sample_list list;
	struct pp_image_reader reader;
	struct prof *prof;
	struct prof_names *names;
	char *head, *notes, *account, *name;
	struct html_run *runs;
	size_t n_runs;
	enum pp_evidence evidence;
};

/* Runs beyond these are taken together: they show no more of how much runs differ. */
#define RUNS_MOST 16

static unsigned int kept_apart(const struct pp_merge *merge)
{
	return (merge->tgid ? 0 : PROF_BY_PID) | (merge->tid ? 0 : PROF_BY_TID) |
	       (merge->cpu ? 0 : PROF_BY_CPU);
}

static int read_side(struct side *side, const struct html_session *session,
		     const struct html_request *request, struct op_error *error)
{
	int result;

	side->list.want_weights = true;
	if (pp_select_files(&side->list, session->dir, session->spec, request->exclude_dependent,
			    request->warnings, error))
		return pp_loss_explain(&side->list, error);
	if (session->read_inputs) {
		side->prof = prof_new(format_html.by, 0);
		result = session->read_inputs(&session->spec->inputs, format_html.by, side->prof,
					      error);
	} else {
		side->prof = prof_new(kept_apart(request->merge), 0);
		result = session_read(&side->list, session->search, &side->prof->sink,
				      request->warnings, error);
	}
	if (!result && !side->prof->n_events)
		result = op_error_set(error, EINVAL, "none of the sample files could be read");
	if (result)
		return result;
	prof_finish(side->prof);
	side->reader = (struct pp_image_reader){.search = session->search,
						.samples_dirs = side->list.samples_dirs,
						.n_dirs = side->list.n_dirs,
						.keeps_troubles = true};
	if (session->read_inputs)
		session_identify(side->prof, &side->reader);
	side->names = names_new(side->prof, &side->reader, request->demangle);
	return 0;
}

/* Sessions of a side from @first up to @end, as a run. */
static int read_run(struct side *side, const struct html_session *session,
		    const struct html_request *request, size_t first, size_t end,
		    struct op_error *error)
{
	struct html_run *run = &side->runs[side->n_runs++];
	struct op_warnings silent = {.silent = true};
	struct pp_sample_list list = side->list;
	struct pp_head head;

	list.samples_dirs += first;
	list.n_dirs = end - first;
	run->prof = prof_new(kept_apart(request->merge), 0);
	run->sessions = end - first;
	if (session_read(&list, session->search, &run->prof->sink, &silent, error))
		return -1;
	prof_finish(run->prof);
	run->names = names_new(run->prof, &side->reader, request->demangle);
	pp_head_read(&head, list.samples_dirs, list.n_dirs);
	run->seconds = (double)head.duration_ns / 1e9;
	pp_head_free(&head);
	return 0;
}

/* What shows how much runs differ; of one run, it is the side itself. */
static int read_runs(struct side *side, const struct html_session *session,
		     const struct html_request *request, struct op_error *error)
{
	size_t n = side->list.n_dirs, most = n < RUNS_MOST ? n : RUNS_MOST;
	int result = 0;

	if (!session->read_inputs)
		side->evidence = pp_sessions_evidence(side->list.samples_dirs, n);

	side->runs = op_alloc(RUNS_MOST, sizeof(*side->runs));
	if (side->evidence == PP_FROM_NOTHING) {
		side->runs[side->n_runs++] = (struct html_run){
			.prof = side->prof,
			.names = side->names,
			.sessions = 1,
			.seconds = (double)session->profile->head.duration_ns / 1e9};
		return 0;
	}
	for (size_t i = 0; i < most && !result; i++)
		result = read_run(side, session, request, i * n / most, (i + 1) * n / most, error);
	session->search->samples_dirs = side->list.samples_dirs;
	session->search->n_dirs = side->list.n_dirs;
	return result;
}

/* What a report of the session says, by the code that writes it there. */
static void tell_side(struct side *side, const struct html_session *session)
{
	const struct pp_head *head = &session->profile->head;
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	pp_report_head(session->profile, NULL, stream.out);
	op_text_stream_close(&stream);
	side->head = stream.text;
	op_text_stream_open(&stream);
	pp_loss_write_doubts(session->loss, false, stream.out);
	pp_notes_write(session->notes, false, stream.out);
	op_text_stream_close(&stream);
	side->notes = stream.text;
	op_text_stream_open(&stream);
	pp_loss_write(session->loss, false, stream.out);
	op_text_stream_close(&stream);
	side->account = stream.text;
	side->name = head->n_dirs ? pp_head_session_name(head->dirs[0]) : op_copy("");
}

static void free_side(struct side *side)
{
	for (size_t i = 0; i < side->n_runs && side->runs[i].prof != side->prof; i++) {
		names_free(side->runs[i].names);
		prof_free(side->runs[i].prof);
	}
	free(side->runs);
	names_free(side->names);
	prof_free(side->prof);
	pp_image_reader_free(&side->reader);
	pp_sample_list_free(&side->list);
	free(side->head);
	free(side->notes);
	free(side->account);
	free(side->name);
}

static const char *title_of(const struct pp_head *head, const char *name)
{
	return head->command.text && !head->command.varies ? head->command.text : name;
}

int html_sessions_write(const struct html_session *sessions, size_t n,
			const struct html_request *request, FILE *out, struct op_error *error)
{
	struct html_page page = {.n_sides = n, .pairs = n > 1 ? request->pairs : NULL};
	struct side sides[2] = {0};
	int result = 0;

	for (size_t i = 0; i < n && !result; i++) {
		struct side *side = &sides[i];

		result = read_side(side, &sessions[i], request, error);
		if (!result && n > 1)
			result = read_runs(side, &sessions[i], request, error);
		if (result)
			break;
		tell_side(side, &sessions[i]);
		page.title = title_of(&sessions[i].profile->head, side->name);
		page.sides[i] =
			(struct html_side){side->prof,	   side->names,
					   side->name,	   side->head,
					   side->notes,	   side->account,
					   side->runs,	   side->n_runs,
					   side->evidence, sessions[i].profile->head.duration_ns};
	}
	if (!result)
		html_write(&page, out);
	for (size_t i = 0; i < n; i++)
		free_side(&sides[i]);
	return result;
}

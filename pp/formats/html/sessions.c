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
#include "pp/symbols/image_reader.h"

/* A session on its way into the page. */
struct side {
	struct pp_sample_list list;
	struct pp_image_reader reader;
	struct prof *prof;
	struct prof_names *names;
	char *head, *notes, *account, *name;
};

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
		if (result)
			break;
		tell_side(side, &sessions[i]);
		page.title = title_of(&sessions[i].profile->head, side->name);
		page.sides[i] = (struct html_side){side->prof,
						   side->names,
						   side->name,
						   side->head,
						   side->notes,
						   side->account,
						   sessions[i].profile->head.duration_ns};
	}
	if (!result)
		html_write(&page, out);
	for (size_t i = 0; i < n; i++)
		free_side(&sides[i]);
	return result;
}

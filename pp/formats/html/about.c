// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and facts: see about.h. */
#include "about.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "libop/text/json.h"
#include "pp/formats/model/labels.h"

/* Of the lines of a head: what they begin with, and the most bytes of a name before a colon. */
#define COUNTED	  "Counted "
#define COMPARED  "Compared with"
#define NAME_MOST 16

/* ---- facts ---- */

static void put_pair(struct op_json *json, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	op_json_array(json, NULL);
	op_json_string(json, NULL, key);
	op_json_string(json, NULL, value);
	op_json_end(json);
}

static void put_started(struct op_json *json, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[64];

	if (!ns || !localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		return;
	put_pair(json, "Started", text);
}

static void put_duration(struct op_json *json, uint64_t ns)
{
	char text[64];

	if (!ns)
		return;
	snprintf(text, sizeof(text), "%.3f s", (double)ns / 1e9);
	put_pair(json, "Duration", text);
}

/* "NAME: VALUE" of each line of a report's head; of another line, all of it. */
static void about_put_head(struct op_json *json, const char *head)
{
	char *copy = op_copy(head), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':'), *blank = strchr(line, ' ');

		/* a name is one word or, before a colon, two */
		if (colon && colon[1] == ' ' && colon - line < NAME_MOST &&
		    (!blank || blank > colon || !strncmp(line, COMPARED, strlen(COMPARED)))) {
			*colon = '\0';
			put_pair(json, line, colon + 2);
		} else if (!strncmp(line, COUNTED, strlen(COUNTED))) {
			put_pair(json, "Event", line + strlen(COUNTED));
		} else {
			put_pair(json, "Note", line);
		}
	}
	free(copy);
}

static void put_host(struct op_json *json, const struct prof_host *host)
{
	put_pair(json, "Command", host->command_line);
	put_pair(json, "Host", host->hostname);
	put_started(json, host->start_time);
	put_duration(json, host->duration);
	put_pair(json, "System", host->os_release);
	put_pair(json, "Machine", host->arch);
	put_pair(json, "CPU", host->cpu_description);
	put_pair(json, "CPU type", host->cpu_type);
	put_pair(json, "Recorded by", host->tool);
}

static void put_losses(struct op_json *json, const struct prof *prof)
{
	op_json_array(json, "lost");
	for (size_t i = 0; i < prof->n_losses; i++) {
		op_json_array(json, NULL);
		op_json_string(json, NULL, prof->losses[i].cause);
		op_json_number(json, NULL, prof->losses[i].count);
		op_json_end(json);
	}
	op_json_end(json);
}

/* The lines of a text; none of NULL. */
static void about_put_lines(struct op_json *json, const char *text)
{
	char *copy = op_copy(text ? text : ""), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			op_json_string(json, NULL, line);
	free(copy);
}

/* What reports say goes before what the profile itself says: it is of the same facts. */
static void put_side(struct op_json *json, const struct html_side *side)
{
	op_json_object(json, NULL);
	op_json_string(json, "name", side->name);
	op_json_array(json, "facts");
	if (side->head)
		about_put_head(json, side->head);
	else
		put_host(json, &side->prof->host);
	op_json_end(json);
	op_json_array(json, "notes");
	about_put_lines(json, side->notes);
	for (size_t i = 0; i < side->prof->n_notes; i++)
		op_json_string(json, NULL, side->prof->notes[i]);
	op_json_end(json);
	if (!side->account)
		put_losses(json, side->prof);
	op_json_array(json, "account");
	about_put_lines(json, side->account);
	op_json_end(json);
	op_json_number(json, "duration",
		       side->duration ? side->duration : side->prof->host.duration);
	op_json_end(json);
}

/* ---- names ---- */

static void put_events(struct op_json *json, const struct stack_tree *tree, const uint64_t *periods)
{
	op_json_array(json, "events");
	for (size_t i = 0; i < tree->n_events; i++) {
		const struct prof_event *event = tree->events[i].event;

		op_json_object(json, NULL);
		op_json_string(json, "name", event->name);
		op_json_string(json, "unit", event->unit ? event->unit : "count");
		op_json_number(json, "period", periods[i] ? periods[i] : event->period);
		op_json_number(json, "frequency", event->frequency);
		op_json_bool(json, "weighted", !periods[i]);
		op_json_number(json, "side", tree->events[i].side);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_images(struct op_json *json, const struct stack_tree *tree)
{
	op_json_array(json, "images");
	for (size_t i = 0; i < tree->n_images; i++) {
		op_json_array(json, NULL);
		op_json_string(json, NULL, tree->images[i].base);
		op_json_string(json, NULL, tree->images[i].path);
		op_json_number(json, NULL, tree->images[i].is_kernel);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_functions(struct op_json *json, const struct named_functions *functions)
{
	op_json_array(json, "functions");
	for (size_t i = 0; i < functions->n; i++) {
		const struct named_function *function = &functions->items[i];

		op_json_array(json, NULL);
		op_json_string(json, NULL, function->name);
		op_json_number(json, NULL, function->image);
		if (function->file)
			op_json_string(json, NULL, function->file);
		op_json_end(json);
	}
	op_json_end(json);
}

static void put_id(struct op_json *json, int64_t id)
{
	op_json_raw(json, NULL, "%" PRId64, id);
}

/* The names of all labels, which op_names_free() frees. */
static void find_labels(const struct stack_tree *tree, struct op_names *names)
{
	for (size_t i = 0; i < tree->n_threads; i++) {
		const struct stack_tree_thread *thread = &tree->threads[i];

		for (size_t k = 0; k < thread->n_labels; k++)
			op_names_index(names, thread->prof->strings[thread->labels[k].name]);
	}
}

/* What a thread's label says, or null; several values as one text. */
static void put_label(struct op_json *json, const struct stack_tree_thread *thread,
		      const char *name)
{
	char *all = NULL;

	for (size_t i = 0; i < thread->n_labels; i++) {
		char *text, *before = all;

		if (strcmp(thread->prof->strings[thread->labels[i].name], name) != 0)
			continue;
		text = prof_label_text(thread->prof, &thread->labels[i]);
		all = op_format("%s%s%s", before ? before : "", before ? ", " : "", text);
		free(before);
		free(text);
	}
	if (all)
		op_json_string(json, NULL, all);
	else
		op_json_raw(json, NULL, "null");
	free(all);
}

/* Threads, and behind each its labels in the order of "labels". */
static void put_threads(struct op_json *json, const struct stack_tree *tree)
{
	struct op_names labels = {0};

	find_labels(tree, &labels);
	op_json_array(json, "labels");
	for (size_t i = 0; i < labels.n; i++)
		op_json_string(json, NULL, labels.names[i]);
	op_json_end(json);
	op_json_array(json, "threads");
	for (size_t i = 0; i < tree->n_threads; i++) {
		op_json_array(json, NULL);
		op_json_number(json, NULL, tree->threads[i].program);
		put_id(json, tree->threads[i].pid);
		put_id(json, tree->threads[i].tid);
		put_id(json, tree->threads[i].cpu);
		for (size_t k = 0; k < labels.n; k++)
			put_label(json, &tree->threads[i], labels.names[k]);
		op_json_end(json);
	}
	op_json_end(json);
	op_names_free(&labels);
}

void about_write(const struct html_page *page, const struct stack_tree *tree,
		 struct listings *listings, const struct verdicts *verdicts,
		 const uint64_t *periods, FILE *out)
{
	struct op_json json = {.out = out};

	op_json_object(&json, NULL);
	op_json_string(&json, "title", page->title);
	op_json_array(&json, "sides");
	for (size_t i = 0; i < page->n_sides; i++)
		put_side(&json, &page->sides[i]);
	op_json_end(&json);
	put_events(&json, tree, periods);
	put_images(&json, tree);
	listings_write(listings, &json);
	put_functions(&json, &tree->functions);
	put_threads(&json, tree);
	verdicts_put(verdicts, &json);
	op_json_number(&json, "nodes", tree->n_nodes);
	op_json_number(&json, "entries", tree->n_entries);
	op_json_number(&json, "chains", tree->n_chains);
	op_json_number(&json, "moments", page->n_sides == 1 ? page->sides[0].prof->n_moments : 0);
	op_json_end(&json);
}

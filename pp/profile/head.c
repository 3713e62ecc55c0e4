// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about the sessions of a report: see head.h. */
#include "head.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "libop/session/account.h"
#include "libop/session/alive.h"
#include "libop/session/paths.h"
#include "libop/session/statistics.h"
#include "libop/session/temporary.h"

/* As of an import with many images. */
#define ORIGIN_MOST (64u << 20)

#define NS_PER_MS UINT64_C(1000000)

/* What a session says of its time. */
struct times {
	uint64_t start_ns, duration_ns;
};

static void take_fact(struct pp_fact *fact, const char *text)
{
	if (!fact->text)
		fact->text = op_copy(text);
	else if (strcmp(fact->text, text))
		fact->varies = true;
}

/* Takes the next word.  Return: NULL at the end. */
static char *next_word(char **rest)
{
	char *word = strsep(rest, " ");

	return word && *word ? word : NULL;
}

/* NAME COUNT UNITMASK UNIT PERIOD FREQUENCY ... */
static void take_event(struct pp_head *head, char *value)
{
	enum { NAME, COUNT, UNIT_MASK, UNIT, PERIOD, FREQUENCY, WORDS };
	struct pp_rate rate = {0};
	char *words[WORDS];

	for (size_t i = 0; i < WORDS; i++)
		if (!(words[i] = next_word(&value)))
			return;
	if (strcmp(words[COUNT], "0") ||
	    !op_number_all(words[UNIT_MASK], 10, UINT64_MAX, &rate.unit_mask) ||
	    !op_number_all(words[FREQUENCY], 10, UINT64_MAX, &rate.rate) || !rate.rate)
		return;
	rate.event = op_copy(words[NAME]);
	head->rates = op_grow(head->rates, &head->rates_capacity, head->n_rates + 1, sizeof(rate));
	head->rates[head->n_rates++] = rate;
}

static void head_take_line(struct pp_head *head, struct times *times, char *line)
{
	const struct {
		const char *key;
		struct pp_fact *fact;
	} facts[] = {
		{"hostname", &head->hostname}, {"os-release", &head->os_release},
		{"arch", &head->arch},	       {"cpu", &head->cpu},
		{"backend", &head->backend},   {"command-line", &head->command},
	};
	char *value = line, *key = strsep(&value, " ");

	if (!value)
		return;
	for (size_t i = 0; i < OP_ARRAY_SIZE(facts); i++)
		if (!strcmp(key, facts[i].key))
			take_fact(facts[i].fact, value);
	if (!strcmp(key, "event"))
		take_event(head, value);
	else if (!strcmp(key, "start-time"))
		op_number_all(value, 10, UINT64_MAX, &times->start_ns);
	else if (!strcmp(key, "duration"))
		op_number_all(value, 10, UINT64_MAX, &times->duration_ns);
}

/* Images are behind all that is wanted here. */
static bool is_image(const char *line)
{
	return !strncmp(line, "image ", strlen("image "));
}

/* How long the daemon took samples. */
static uint64_t profiled_ns(const char *dir)
{
	struct op_alive_times noted;
	uint64_t ns = 0;
	char *text;

	if (op_account_read(dir, &text) >= OP_ACCOUNT_TORN &&
	    __builtin_mul_overflow(op_account_number(text, op_stats[STAT_PROFILING_MS].key),
				   NS_PER_MS, &ns))
		ns = 0;
	free(text);
	/* its daemon works, or was killed: the account is older */
	if (op_alive_read(dir, &noted) && noted.profiling_ms > ns / NS_PER_MS &&
	    __builtin_mul_overflow(noted.profiling_ms, NS_PER_MS, &ns))
		ns = 0;
	return ns;
}

static struct times read_session(struct pp_head *head, const char *dir)
{
	char *path = op_format("%s/" OP_SAMPLES_ORIGIN, dir), *line;
	char *text = foreign_read(path, ORIGIN_MOST, NULL, NULL), *rest = text;
	struct times times = {0};

	while ((line = strsep(&rest, "\n")) && !is_image(line))
		head_take_line(head, &times, line);
	if (!times.duration_ns)
		times.duration_ns = profiled_ns(dir);
	free(text);
	free(path);
	return times;
}

size_t pp_head_sessions(const struct pp_head *head)
{
	bool is_temporary = head->n_dirs && op_session_shown(head->dirs[0]) != head->dirs[0];

	return is_temporary ? 1 : head->n_dirs;
}

void pp_head_read(struct pp_head *head, char *const *dirs, size_t n)
{
	bool is_known = true;

	*head = (struct pp_head){.dirs = dirs, .n_dirs = n};
	for (size_t i = 0; i < n; i++) {
		struct times times = read_session(head, dirs[i]);

		op_thread_names_read(&head->threads, dirs[i]);
		/* the sessions of one profile have one time */
		if (i >= pp_head_sessions(head))
			continue;
		if (times.start_ns && (!head->start_ns || times.start_ns < head->start_ns))
			head->start_ns = times.start_ns;
		is_known &= times.duration_ns && !__builtin_add_overflow(head->duration_ns,
									 times.duration_ns,
									 &head->duration_ns);
	}
	if (!is_known)
		head->duration_ns = 0;
	for (size_t i = 0; i < head->threads.n; i++)
		op_hash_add_or_exit(&head->by_tid, op_hash_mix(0, head->threads.items[i].tid),
				    (uint32_t)i);
}

const char *pp_head_thread_name(const struct pp_head *head, const struct pp_class *class)
{
	const struct op_thread_name *found = NULL;
	uint32_t i;

	if (class->tid == OP_ALL)
		return NULL;
	if (class->tgid != OP_ALL)
		return op_thread_names_find(&head->threads, (uint32_t)class->tgid,
					    (uint32_t)class->tid);
	op_hash_for_each_possible (&head->by_tid, op_hash_mix(0, (uint32_t)class->tid), i) {
		if (head->threads.items[i].tid != class->tid)
			continue;
		if (found)
			return NULL;
		found = &head->threads.items[i];
	}
	return found ? found->name : NULL;
}

void pp_head_free(struct pp_head *head)
{
	for (size_t i = 0; i < head->n_rates; i++)
		free(head->rates[i].event);
	free(head->rates);
	op_thread_names_free(&head->threads);
	op_hash_free(&head->by_tid);
	free(head->hostname.text);
	free(head->os_release.text);
	free(head->arch.text);
	free(head->cpu.text);
	free(head->backend.text);
	free(head->command.text);
	*head = (struct pp_head){0};
}

uint64_t pp_head_rate(const struct pp_head *head, const struct pp_class *class)
{
	uint64_t rate = 0;

	for (size_t i = 0; !class->count && i < head->n_rates; i++) {
		const struct pp_rate *known = &head->rates[i];

		if (strcmp(known->event, class->event) ||
		    (known->unit_mask != class->unit_mask && !class->many_unit_masks))
			continue;
		if (rate && rate != known->rate)
			return 0;
		rate = known->rate;
	}
	return rate;
}

char *pp_head_session_name(const char *samples_dir)
{
	static const char current[] = "/" OP_SESSION_CURRENT;
	const char *shown = op_session_shown(samples_dir);
	size_t n = strlen(samples_dir), end = strlen(current);
	char *name = op_copy(shown);

	if (shown == samples_dir && n > end && !strcmp(samples_dir + n - end, current))
		name[n - end] = '\0';
	return name;
}

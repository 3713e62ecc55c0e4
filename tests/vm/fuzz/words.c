// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A strict reader of the event buffer's words.
 */
#include "words.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "module/uapi/oprofile.h"

#define EVENTS_MAX 256 /* a byte in the module's records */
#define PID_END (1U << 22)

struct reader {
	const uint64_t *word;
	size_t count;
	size_t at;
	struct words *words;
	uint64_t cpus;
	bool cpu_known, context_known, mode_known, image_known;
	bool user;
	enum { NO_TRACE, TRACE_BEGINS, IN_TRACE } trace;
};

/* The next word into @value, unless the words end there. */
static bool take(struct reader *reader, uint64_t *value)
{
	if (reader->at == reader->count)
		return false;
	*value = reader->word[reader->at++];
	return true;
}

static const char *read_cpu(struct reader *reader)
{
	uint64_t cpu;

	if (!take(reader, &cpu))
		return "a CPU switch is cut off";
	if (cpu >= reader->cpus)
		return "there is no such CPU";
	reader->cpu_known = true;
	reader->context_known = reader->mode_known = reader->image_known = false;
	reader->trace = NO_TRACE;
	return NULL;
}

static const char *read_context(struct reader *reader)
{
	uint64_t tid, cookie, escape, code, tgid;

	if (!reader->cpu_known)
		return "a task without a CPU";
	if (!take(reader, &tid) || !take(reader, &cookie) || !take(reader, &escape) ||
	    !take(reader, &code) || !take(reader, &tgid))
		return "a task switch is cut off";
	if (escape != OPROFILE_ESCAPE_CODE || code != OPROFILE_CTX_TGID)
		return "a task switch without its process";
	if (tid >= PID_END || tgid >= PID_END)
		return "there is no such task";
	if (cookie != OPROFILE_INVALID_COOKIE && cookie > UINT32_MAX)
		return "a program's cookie is not a small number";
	reader->context_known = true;
	reader->trace = NO_TRACE;
	return NULL;
}

static const char *read_image(struct reader *reader)
{
	uint64_t cookie;

	if (!take(reader, &cookie))
		return "an image switch is cut off";
	if (cookie > UINT32_MAX)
		return "an image's cookie is not a small number";
	if (!reader->user)
		return "an image of kernel code";
	reader->image_known = true;
	if (cookie != OPROFILE_NO_COOKIE)
		reader->words->cookie = cookie;
	return NULL;
}

static const char *read_record(struct reader *reader)
{
	uint64_t code;

	if (!take(reader, &code))
		return "an escape at the end";
	switch (code) {
	case OPROFILE_CPU_SWITCH:
		return read_cpu(reader);
	case OPROFILE_CTX_SWITCH:
		return read_context(reader);
	case OPROFILE_COOKIE_SWITCH:
		return read_image(reader);
	case OPROFILE_KERNEL_ENTER:
	case OPROFILE_USER_ENTER:
		reader->user = code == OPROFILE_USER_ENTER;
		reader->mode_known = true;
		return NULL;
	case OPROFILE_MODULE_LOADED:
		return NULL;
	case OPROFILE_TRACE_BEGIN:
		if (reader->trace == TRACE_BEGINS)
			return "a trace without a sample";
		reader->trace = TRACE_BEGINS;
		return NULL;
	default:
		return "an unknown record";
	}
}

static const char *read_sample(struct reader *reader)
{
	uint64_t event;

	if (!take(reader, &event))
		return "a sample is cut off";
	if (event >= EVENTS_MAX)
		return "there is no such event";
	if (!reader->context_known)
		return "a sample without a task";
	if (!reader->mode_known)
		return "a sample without a mode";
	if (reader->user && !reader->image_known)
		return "a sample without an image";
	if (reader->trace == IN_TRACE) {
		reader->words->callers++;
		return NULL;
	}
	if (reader->trace == TRACE_BEGINS)
		reader->trace = IN_TRACE;
	reader->words->samples++;
	return NULL;
}

const char *words_read(const uint64_t *word, size_t count, struct words *words, size_t *at)
{
	struct reader reader = {
		.word = word,
		.count = count,
		.words = words,
		.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF),
	};
	const char *wrong = NULL;
	uint64_t first;

	memset(words, 0, sizeof(*words));
	while (!wrong && take(&reader, &first))
		wrong = first == OPROFILE_ESCAPE_CODE ? read_record(&reader) :
							read_sample(&reader);
	if (!wrong && reader.trace == TRACE_BEGINS)
		wrong = "a trace without a sample";
	*at = reader.at;
	return wrong;
}

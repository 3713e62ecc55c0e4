// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What oprofiled has counted: each sample file of DIR/samples/current with its keys and counts in
 * hexadecimal, and each stack file with its stacks, leaf first; then the numbers of its statistics
 * that are not zero.  An error if they do not add up.
 *
 *	show_session DIR
 *	show_session ask DIR COMMAND	what the daemon of a session answers
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/files/stats.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/file.h"
#include "libop/session/control_socket.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"
#include "libop/session/sample_name.h"

struct show {
	size_t prefix;
	char **lines;
	size_t count;
	uint64_t sums[3]; /* of samples, of arcs, of stacks; not of weights */
};

static void check(int good, const char *format, ...)
{
	va_list arguments;

	if (good)
		return;
	fprintf(stderr, "show_session: error: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

/* A stream for what is in a file, behind its name. */
static FILE *new_line(const char *path, struct show *show)
{
	static size_t length;
	FILE *out;

	show->lines = realloc(show->lines, (show->count + 1) * sizeof(char *));
	show->lines[show->count] = NULL;
	out = open_memstream(&show->lines[show->count++], &length);
	fprintf(out, "%s", path + show->prefix);
	return out;
}

static bool is_weight(const char *path)
{
	return strstr(path, "/" OP_SAMPLES_WEIGHTS "/");
}

static void show_stacks(const char *path, struct show *show)
{
	struct stacks_content content;
	struct odb_error error;
	FILE *out = new_line(path, show);

	if (stacks_read(&content, path, &error)) {
		fprintf(out, " damaged");
		fclose(out);
		return;
	}
	for (size_t i = 0; i < content.n_nodes; i++) {
		if (!content.nodes[i].count)
			continue;
		fprintf(out, "\n ");
		for (size_t at = i; at; at = content.nodes[at].parent) {
			fprintf(out, " %s+%" PRIx64,
				content.images[content.nodes[at].image].name ?: "",
				content.nodes[at].offset);
			if (at != i && content.nodes[at].image && !is_weight(path))
				show->sums[1] += content.nodes[i].count;
		}
		fprintf(out, ": %" PRIu64, content.nodes[i].count);
		if (!is_weight(path))
			show->sums[2] += content.nodes[i].count;
	}
	fclose(out);
	stacks_content_free(&content);
}

/* Notes the lines of a sample file or stack file. */
static int show_file(const char *path, const struct stat *status, void *context)
{
	struct show *show = context;
	struct op_sample_name name;
	struct odb_entry *entries;
	struct odb_error error;
	struct odb *db;
	ptrdiff_t count;
	FILE *out;

	(void)status;
	if (strstr(path, "/" OP_SAMPLES_STACKS "/"))
		show_stacks(path, show);
	if (!strstr(path, "/{dep}/") || strstr(path, "/" ODB_TEMPORARY))
		return 0;
	check(!op_sample_name_parse(path, &name, NULL), "%s: not the name of a sample file", path);
	if (odb_open(&db, path, ODB_READ, NULL, &error)) {
		printf("%s: damaged\n", path + show->prefix);
		op_sample_name_free(&name);
		return 0;
	}
	out = new_line(path, show);
	count = odb_entries_by_key(db, &entries, &error);
	check(count >= 0, "%s", error.text);
	for (ptrdiff_t i = 0; i < count; i++) {
		fprintf(out, " %" PRIx64 ":%" PRIx64, entries[i].key, entries[i].count);
		if (!is_weight(path))
			show->sums[0] += entries[i].count;
	}
	fclose(out);
	free(entries);
	odb_close(db);
	op_sample_name_free(&name);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void show_files(const char *dir, struct show *show)
{
	struct op_error error;

	show->prefix = strlen(dir) + 1;
	check(!op_walk(dir, show_file, show, &error), "%s", error.text);
	if (show->count)
		qsort(show->lines, show->count, sizeof(char *), by_text);
	for (size_t i = 0; i < show->count; i++) {
		puts(show->lines[i]);
		free(show->lines[i]);
	}
	free(show->lines);
}

static void show_stats(const char *dir, const struct show *show)
{
	uint64_t value[STAT_COUNT], lost = 0;
	char *text;

	op_account_read(dir, &text);
	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		value[i] = op_account_number(text, op_stats[i].key);
		if (value[i] && op_stats[i].source == OP_STAT_OF_DAEMON)
			printf("%s %" PRIu64 "\n", op_stats[i].key, value[i]);
	}
	free(text);
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stats[i].source == OP_STAT_OF_DAEMON && op_stat_is_lost_sample(i))
			lost += value[i];
	check(value[STAT_RECEIVED] == value[STAT_STORED] + value[STAT_FILTERED] + lost,
	      "samples do not add up");
	check(value[STAT_FRAMES] ==
		      value[STAT_FRAMES_STORED] + value[STAT_FRAMES_FILTERED] +
			      value[STAT_FRAMES_NO_HEAD] + value[STAT_FRAMES_NO_MAPPING] +
			      value[STAT_FRAMES_TOO_DEEP] + value[STAT_FRAMES_NO_SAMPLE_FILE],
	      "frames do not add up");
	check(show->sums[0] == value[STAT_STORED], "sample files hold %" PRIu64 " samples",
	      show->sums[0]);
	check(show->sums[1] == value[STAT_FRAMES_STORED], "stack files hold %" PRIu64 " frames",
	      show->sums[1]);
	check(show->sums[2] == value[STAT_STACKS] + value[STAT_STACKS_MERGED],
	      "stack files hold %" PRIu64 " stacks", show->sums[2]);
}

int main(int argc, char **argv)
{
	struct show show = {0};
	struct op_error error;
	char *reply, *dir;

	if (argc == 4 && !strcmp(argv[1], "ask")) {
		check(!op_control_call(argv[2], argv[3], &reply, &error), "%s", error.text);
		fputs(reply, stdout);
		free(reply);
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "stat")) {
		op_account_read(argv[2], &reply);
		printf("%" PRIu64 "\n", op_account_number(reply, argv[3]));
		free(reply);
		return 0;
	}
	check(argc == 2, "usage: show_session DIR");
	dir = op_path("%s/" OP_SESSION_CURRENT, argv[1]);
	show_files(dir, &show);
	show_stats(dir, &show);
	free(dir);
	return 0;
}

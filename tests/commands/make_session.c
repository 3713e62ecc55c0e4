// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes sample files of a session from text, for tests of commands.
 *
 *	make_session [--name=SESSION] DIR <DESCRIPTION
 *	make_session --pack | --unpack DIR
 *
 * Files are made in DIR/samples/SESSION (current).  '#' begins a comment; a line is one of
 *
 *	cpu_type NAME|NUMBER		headers of the files below: also cpu_speed (MHz), mtime,
 *					ctr_event, ctr_um, ctr_count, is_kernel, cg_to_is_kernel,
 *					anon_start, cg_to_anon_start
 *	image IMAGE EVENT		a sample file of an image that is its own application,
 *	image APP IMAGE EVENT		of an image within an application,
 *	arcs [APP] IMAGE CALLEE EVENT	of arcs from an image to another one
 *	stacks APP EVENT		a stack file; the samples of its leaves are in sample files
 *	stack COUNT FRAME...		what to count in it: frames are IMAGE+OFFSET, the leaf
 *					first, and of the kernel if IMAGE begins with {kern}
 *	weights				the files below are those of weights
 *	file PATH			of any name, also with blanks: below DIR/samples/SESSION
 *	OFFSET COUNT, ...		what to count in this file; with arcs: FROM>TO COUNT
 *	stat NAME NUMBER		a number that the daemon counted: in the session's account;
 *					cpuN/NAME in stats/, and the sum of all CPUs in the account
 *	old-stat NAME NUMBER		in stats/ only, as in sessions of OProfile
 *
 * An image is a word like "{kern}/kallsyms", an absolute path, or a path below DIR.  An event
 * without '.' is counted by everything: "TIMER" is TIMER.0.0.all.all.all.  In PATH, "@DIR@" is
 * DIR.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/cpu/type_names.h"
#include "libop/pack/session.h"
#include "libop/session/account.h"
#include "libop/session/small_files.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"

#define BLANKS "\t\n "

#define STATS_MOST 96

struct stats {
	char names[STATS_MOST][64];
	uint64_t values[STATS_MOST];
	size_t n;
};

struct maker {
	const char *dir, *name;
	struct odb_header header;
	struct odb *db;	       /* the file whose counts are read; or NULL */
	struct stacks *stacks; /* the same */
	const char *tree;      /* "weights/", or "" */
	struct stats stats;    /* for the account */
	int line;
};

#define DIE(maker, ...)                                                                            \
	do {                                                                                       \
		fprintf(stderr, "make_session: line %d: ", (maker)->line);                         \
		fprintf(stderr, __VA_ARGS__);                                                      \
		fputc('\n', stderr);                                                               \
		exit(1);                                                                           \
	} while (0)

static uint64_t number(const struct maker *maker, const char *word)
{
	char *end = NULL;
	uint64_t value = word ? strtoull(word, &end, 0) : 0;

	if (!word || end == word || *end)
		DIE(maker, "'%s' is not a number", word ? word : "");
	return value;
}

/* @text with DIR for "@DIR@"; the caller frees it. */
static char *expand(const struct maker *maker, const char *text)
{
	char *out = NULL;
	size_t n = 0;
	FILE *stream = open_memstream(&out, &n);

	if (!stream)
		DIE(maker, "out of memory");
	for (const char *mark; (mark = strstr(text, "@DIR@")) != NULL; text = mark + 5)
		fprintf(stream, "%.*s%s", (int)(mark - text), text, maker->dir);
	fputs(text, stream);
	fclose(stream);
	return out;
}

static void close_file(struct maker *maker)
{
	odb_close(maker->db);
	stacks_close(maker->stacks);
	maker->db = NULL;
	maker->stacks = NULL;
}

/* Opens DIR/samples/SESSION/@name, which is freed. */
static void open_file(struct maker *maker, char *name, int is_stacks)
{
	struct odb_error error;
	char path[8192];

	close_file(maker);
	if (snprintf(path, sizeof(path), "%s/samples/%s/%s%s", maker->dir, maker->name, maker->tree,
		     name) >= (int)sizeof(path))
		DIE(maker, "the name is too long");
	if (op_mkdir_parents(path, 0755, NULL) ||
	    (is_stacks ? stacks_open(&maker->stacks, path, 0, &error)
		       : odb_open(&maker->db, path, ODB_CREATE, &maker->header, &error)))
		DIE(maker, "cannot make %s", path);
	free(name);
}

static const char *root_of(const char *image)
{
	return *image == '{' ? "" : *image == '/' ? "{root}" : "{root}@DIR@/";
}

/* The words of "image" and "arcs": [APP] IMAGE [CALLEE] EVENT. */
static void open_image(struct maker *maker, char **words, int n, int is_arcs)
{
	const char *event, *app = words[0], *image;
	char *path = NULL, *name, arcs[2048] = "";

	if (n < 2 + is_arcs || n > 3 + is_arcs)
		DIE(maker, "wrong number of words");
	event = words[n - 1];
	image = words[n - 2 - is_arcs];
	if (is_arcs)
		snprintf(arcs, sizeof(arcs), "{cg}/%s%s/", root_of(words[n - 2]), words[n - 2]);
	if (asprintf(&path, "%s%s/{dep}/%s%s/%s%s%s", root_of(app), app, root_of(image), image,
		     arcs, event, strchr(event, '.') ? "" : ".0.0.all.all.all") < 0)
		DIE(maker, "out of memory");
	name = expand(maker, path);
	free(path);
	open_file(maker, name, 0);
}

/* The words of "stacks": APP EVENT. */
static void open_stacks(struct maker *maker, const char *app, const char *event)
{
	char *path = NULL, *name;

	if (asprintf(&path, "stacks/%s%s/%s%s", root_of(app), app, event,
		     strchr(event, '.') ? "" : ".0.0.all.all.all") < 0)
		DIE(maker, "out of memory");
	name = expand(maker, path);
	free(path);
	open_file(maker, name, 1);
}

/* "IMAGE+OFFSET" */
static struct stacks_frame frame_of(struct maker *maker, char *word)
{
	char *offset = strrchr(word, '+'), *path = NULL, *name;
	struct odb_error error;
	struct stacks_frame frame;

	if (!offset || asprintf(&path, "%s%.*s", root_of(word), (int)(offset - word), word) < 0)
		DIE(maker, "'%s' is not IMAGE+OFFSET", word);
	name = expand(maker, path);
	frame = (struct stacks_frame){
		.image = stacks_image(maker->stacks, name,
				      strncmp(word, "{kern}", 6) ? 0 : STACKS_IMAGE_KERNEL, 0,
				      &error),
		.offset = number(maker, offset + 1),
	};
	free(path);
	free(name);
	return frame;
}

/* "COUNT FRAME..." */
static void add_stack(struct maker *maker, char *text)
{
	struct stacks_frame frames[64];
	uint64_t count = number(maker, strsep(&text, BLANKS));
	struct odb_error error;
	size_t n = 0;
	char *word;

	if (!maker->stacks)
		DIE(maker, "a stack of no file");
	while (n < 64 && (word = strsep(&text, BLANKS)) != NULL)
		if (*word)
			frames[n++] = frame_of(maker, word);
	if (stacks_add(maker->stacks, frames, n, count, &error))
		DIE(maker, "%s", error.text);
}

/* "OFFSET COUNT" or "FROM>TO COUNT" */
static void add_count(struct maker *maker, char *text)
{
	char *rest = text, *key = strsep(&rest, " "), *to = key, *from = strsep(&to, ">");
	uint64_t value = number(maker, from);
	struct odb_error error;

	if (to)
		value = value << 32 | number(maker, to);
	if (!maker->db)
		DIE(maker, "counts of no file");
	if (odb_add(maker->db, value, number(maker, rest), &error))
		DIE(maker, "%s", error.text);
}

static void write_stat(struct maker *maker, const char *name, const char *value)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/samples/%s/stats/%s", maker->dir, maker->name, name);
	if (op_mkdir_parents(path, 0755, NULL) || !(file = fopen(path, "w")) ||
	    fprintf(file, "%" PRIu64 "\n", number(maker, value)) < 0 || fclose(file))
		DIE(maker, "cannot write %s", path);
}

static uint64_t *stat_of(struct stats *stats, const char *name)
{
	size_t i = 0;

	while (i < stats->n && strcmp(stats->names[i], name))
		i++;
	if (i == stats->n) {
		if (i == STATS_MOST || strlen(name) >= sizeof(stats->names[i])) {
			fprintf(stderr, "make_session: too many statistics\n");
			exit(2);
		}
		strcpy(stats->names[stats->n++], name);
	}
	return &stats->values[i];
}

static int add_stat(const char *path, const struct stat *status, void *context)
{
	(void)status;
	if (strstr(path, "/stats/cpu"))
		*stat_of(context, strrchr(path, '/') + 1) += number_file_read(path);
	return 0;
}

static void read_earlier(struct stats *stats, const char *dir)
{
	char *text, *rest, *name;
	uint64_t value;

	op_account_read(dir, &text);
	for (rest = text; (name = op_account_next(&rest, &value));)
		*stat_of(stats, name) = value;
	free(text);
}

static void set_all(struct stats *to, const struct stats *from)
{
	for (size_t i = 0; i < from->n; i++)
		*stat_of(to, from->names[i]) = from->values[i];
}

/* The account of a session: its statistics, as far as there are any. */
static void write_account(struct maker *maker)
{
	struct stats all = {0}, cpus = {0};
	struct op_account account;
	struct op_error error;
	char dir[4096], stats[4200], *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	snprintf(dir, sizeof(dir), "%s/samples/%s", maker->dir, maker->name);
	snprintf(stats, sizeof(stats), "%s/stats", dir);
	if (maker->stats.n && op_mkdir_parents(stats, 0755, &error))
		DIE(maker, "%s", error.text);
	read_earlier(&all, dir);
	op_walk(stats, add_stat, &cpus, NULL);
	set_all(&all, &cpus);
	set_all(&all, &maker->stats);
	for (size_t i = 0; i < all.n; i++)
		fprintf(out, "%s %" PRIu64 "\n", all.names[i], all.values[i]);
	fclose(out);
	if (!access(dir, F_OK) &&
	    (op_account_open(&account, dir, &error) || op_account_write(&account, text, &error)))
		DIE(maker, "%s", error.text);
	free(text);
}

/* Return: 1 if @name is a field of the header. */
static int set_header(struct maker *maker, const char *name, const char *value)
{
	struct odb_header *header = &maker->header;

	if (!strcmp(name, "cpu_type")) {
		header->cpu_type = strchr(value, '/') ? (uint32_t)op_cpu_type_number(value)
						      : (uint32_t)number(maker, value);
		return 1;
	}
	if (!strcmp(name, "cpu_speed")) {
		header->cpu_speed = strtod(value, NULL);
		return 1;
	}
#define FIELD(field)                                                                               \
	if (!strcmp(name, #field)) {                                                               \
		header->field = number(maker, value);                                              \
		return 1;                                                                          \
	}
	FIELD(mtime)
	FIELD(ctr_event)
	FIELD(ctr_um)
	FIELD(ctr_count)
	FIELD(is_kernel)
	FIELD(cg_to_is_kernel)
	FIELD(anon_start)
	FIELD(cg_to_anon_start)
#undef FIELD
	return 0;
}

static void read_line(struct maker *maker, char *line)
{
	char *rest = line + strspn(line, BLANKS), *words[5] = {NULL}, *text;
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	if (*line == '#' || !*rest || *rest == '#')
		return;
	if (*rest >= '0' && *rest <= '9') {
		while ((text = strsep(&rest, ",")) != NULL)
			add_count(maker, text + strspn(text, BLANKS));
		return;
	}
	if (!strncmp(rest, "file ", 5)) {
		open_file(maker, expand(maker, rest + 5), 0);
		return;
	}
	if (!strncmp(rest, "stack ", 6)) {
		add_stack(maker, rest + 6);
		return;
	}
	while (n < 5 && (words[n] = strsep(&rest, BLANKS)) != NULL)
		n += *words[n] != '\0';
	if (!strcmp(words[0], "image") || !strcmp(words[0], "arcs"))
		open_image(maker, words + 1, n - 1, *words[0] == 'a');
	else if (!strcmp(words[0], "stacks") && n == 3)
		open_stacks(maker, words[1], words[2]);
	else if (!strcmp(words[0], "weights") && n == 1)
		maker->tree = "weights/";
	else if (!strcmp(words[0], "stat") && n == 3 && !strchr(words[1], '/'))
		*stat_of(&maker->stats, words[1]) = number(maker, words[2]);
	else if ((!strcmp(words[0], "stat") || !strcmp(words[0], "old-stat")) && n == 3)
		write_stat(maker, words[1], words[2]);
	else if (n != 2 || !set_header(maker, words[0], words[1]))
		DIE(maker, "what is '%s'?", words[0]);
}

static int make(const char *dir, const char *name)
{
	struct maker maker = {.dir = dir, .name = name, .tree = ""};
	char line[8192];

	maker.header.cpu_type = OP_CPU_TIMER;
	maker.header.cpu_speed = 2000;
	while (fgets(line, sizeof(line), stdin)) {
		maker.line++;
		read_line(&maker, line);
	}
	close_file(&maker);
	write_account(&maker);
	return 0;
}

static int pack(const char *dir, struct op_error *error)
{
	struct op_pack_result result;

	return op_session_pack(dir, NULL, NULL, &result, error);
}

static int unpack(const char *dir, struct op_error *error)
{
	struct op_pack_result result;

	return op_session_unpack(dir, &result, error);
}

/* Calls it for each session in @dir. */
static int each_session(const char *dir, int (*call)(const char *dir, struct op_error *error))
{
	struct op_error error = {0};
	struct dirent **entries;
	char samples[4096], path[8192];
	int n, failed = 0;

	snprintf(samples, sizeof(samples), "%s/samples", dir);
	n = scandir(samples, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", samples, entries[i]->d_name);
		if (*entries[i]->d_name != '.' && entries[i]->d_type == DT_DIR &&
		    call(path, &error) && error.code != ENOENT) {
			fprintf(stderr, "make_session: %s\n", error.text);
			failed = 1;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return failed;
}

int main(int argc, char **argv)
{
	const char *name = "current", *dir = argv[argc - 1];

	if (argc == 3 && !strcmp(argv[1], "--pack"))
		return each_session(dir, pack);
	if (argc == 3 && !strcmp(argv[1], "--unpack"))
		return each_session(dir, unpack);
	if (argc == 3 && !strncmp(argv[1], "--name=", 7))
		name = argv[1] + 7;
	else if (argc != 2) {
		fprintf(stderr, "usage: make_session [--name=SESSION | --pack | --unpack] DIR\n");
		return 2;
	}
	return make(dir, name);
}

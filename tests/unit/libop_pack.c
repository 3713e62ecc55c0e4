// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs give back what was put in, or an error that names them: after each change of a byte and
 * each cut.  Packing and unpacking a session keeps every count, whenever it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/file.h"
#include "libop/pack.h"
#include "libop/pack_session.h"
#include "libop/tree.h"

#define EVENT "EV.100.0.all.all.all"

static char *dir;     /* of the test */
static char *current; /* dir/samples/current */

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % n;
}

static void make_dirs(const char *path)
{
	assert_int_equal(op_mkdir_parents(path, 0750, NULL), 0);
}

static int enter(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	/* In memory: a disk that others use makes each step wait. */
	if (!base && !access("/dev/shm", W_OK))
		base = "/dev/shm";
	dir = op_path("%s/libop-pack-XXXXXX", base ? base : "/tmp");
	if (!dir || !mkdtemp(dir) || chdir(dir))
		return -1;
	current = op_path("%s/samples/current", dir);
	return !current;
}

static int leave(void **state)
{
	char *slash = strrchr(dir, '/');
	int parent, result;

	(void)state;
	*slash = '\0';
	parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	result = chdir("/") || parent < 0 || op_tree_remove(parent, slash + 1, NULL);
	close(parent);
	free(dir);
	free(current);
	return result;
}

/* An empty samples/current. */
static int empty(void **state)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	if (!access("samples", F_OK) && op_tree_remove(fd, "samples", NULL))
		return -1;
	close(fd);
	return mkdir("samples", 0750) || mkdir("samples/current", 0750);
}

/* ---- loose files ---- */

static const struct odb_header header = {
	.cpu_type = 4,
	.ctr_event = 0x3c,
	.ctr_um = 1,
	.ctr_count = 100,
	.is_kernel = 1,
	.cpu_speed = 2200.5,
	.mtime = 1600000000,
	.cg_to_is_kernel = 1,
	.anon_start = 0x7fbb26d42000,
	.cg_to_anon_start = UINT64_C(0xffffffff81000000),
};

static char *path_of(const char *name)
{
	char *path = op_path("%s/%s", current, name);

	assert_non_null(path);
	return path;
}

static void add(const char *name, uint64_t key, uint64_t count)
{
	char *path = path_of(name);
	struct odb_error error;
	struct odb *db;

	make_dirs(path);
	if (odb_open(&db, path, ODB_CREATE, &header, &error))
		fail_msg("%s", error.text);
	assert_int_equal(odb_add(db, key, count, &error), 0);
	odb_close(db);
	free(path);
}

static void add_stack(const char *name, const char *const *images, const uint64_t *offsets,
		      size_t depth, uint64_t count)
{
	struct stacks_frame frames[8];
	char *path = path_of(name);
	struct stacks *stacks;
	struct odb_error error;

	make_dirs(path);
	if (stacks_open(&stacks, path, 0, &error))
		fail_msg("%s", error.text);
	for (size_t i = 0; i < depth; i++) {
		frames[i].offset = offsets[i];
		frames[i].image = images[i] ? stacks_image(stacks, images[i], 0, 7, &error) : 0;
	}
	assert_int_equal(stacks_add(stacks, frames, depth, count, &error), STACKS_ADDED);
	stacks_close(stacks);
	free(path);
}

static void write_text(const char *name, const char *text)
{
	char *path = path_of(name);

	make_dirs(path);
	assert_int_equal(op_file_replace(path, text, strlen(text), 0640, NULL), 0);
	free(path);
}

/* ---- what is in a session, loose or packed ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
	char **item;
	size_t n;
};

static void note(struct lines *lines, char *line)
{
	assert_non_null(line);
	lines->item = realloc(lines->item, (lines->n + 1) * sizeof(char *));
	assert_non_null(lines->item);
	lines->item[lines->n++] = line;
}

static void note_samples(struct lines *lines, const char *name, const struct odb_header *head,
			 const struct odb_entry *entries, size_t n)
{
	note(lines, op_path("%s header %u %x %u %u %u %g %llu %u %llx %llx", name, head->cpu_type,
			    head->ctr_event, head->ctr_um, head->ctr_count, head->is_kernel,
			    head->cpu_speed, (unsigned long long)head->mtime, head->cg_to_is_kernel,
			    (unsigned long long)head->anon_start,
			    (unsigned long long)head->cg_to_anon_start));
	for (size_t i = 0; i < n; i++)
		note(lines, op_path("%s %016llx %llu", name, (unsigned long long)entries[i].key,
				    (unsigned long long)entries[i].count));
}

static void note_stacks(struct lines *lines, const char *name, const struct stacks_content *content)
{
	note(lines, op_path("%s merged %llu", name, (unsigned long long)content->merged));
	for (size_t i = 0; i < content->n_nodes; i++) {
		char *line = op_path("%s %llu", name, (unsigned long long)content->nodes[i].count);

		if (!content->nodes[i].count) {
			free(line);
			continue;
		}
		for (size_t at = i; at; at = content->nodes[at].parent) {
			const struct stacks_node *node = &content->nodes[at];
			const struct stacks_name *image = &content->images[node->image];
			char *longer = op_path(
				"%s <%s %u %u %llx>", line, node->image ? image->name : "-",
				node->image ? image->flags : 0, node->image ? image->mtime : 0,
				(unsigned long long)node->offset);

			free(line);
			line = longer;
		}
		note(lines, line);
	}
}

static int visit_loose(const char *path, const struct stat *status, void *context)
{
	const char *name = path + strlen(current) + 1;
	struct stacks_content content;
	struct odb_entry *entries;
	struct odb_error error;
	struct odb *db;
	ptrdiff_t n;

	(void)status;
	if (!strcmp(name, OP_PACK_NAME))
		return 0;
	if (!strncmp(name, "stacks/", 7)) {
		assert_int_equal(stacks_read(&content, path, &error), 0);
		note_stacks(context, name, &content);
		stacks_content_free(&content);
	} else if (*name == '{' && !odb_open(&db, path, ODB_READ, NULL, &error)) {
		n = odb_entries_by_key(db, &entries, &error);
		assert_true(n >= 0);
		note_samples(context, name, odb_header(db), entries, (size_t)n);
		free(entries);
		odb_close(db);
	} else {
		char *text = op_file_read(path, 1 << 20, NULL, NULL);

		note(context, op_path("%s: %s", name, text ? text : "-"));
		free(text);
	}
	return 0;
}

/* Return: 0, or -1 with @error set; lines may have been noted then. */
static int note_packed(struct lines *lines, const char *path, struct op_error *error)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	struct op_pack *pack;
	int result;

	assert_non_null(walk);
	result = op_pack_open(&pack, path, error);
	if (result) {
		free(walk);
		return -1;
	}
	walk->pack = pack;
	while (!result && op_pack_next(walk, &file)) {
		struct stacks_content content;
		struct odb_entry *entries;

		if (file.kind == OP_PACK_STACKS) {
			result = op_pack_stacks(pack, &file, &content, error);
			if (!result)
				note_stacks(lines, file.name, &content);
			if (!result)
				stacks_content_free(&content);
		} else {
			result = op_pack_samples(pack, &file.place, file.name, &entries, error);
			if (!result)
				note_samples(lines, file.name, &file.header, entries, file.n);
			if (!result)
				free(entries);
		}
	}
	op_pack_close(pack);
	free(walk);
	return result;
}

static char *join(struct lines *lines)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	if (lines->n)
		qsort(lines->item, lines->n, sizeof(char *), by_text);
	for (size_t i = 0; i < lines->n; i++) {
		fprintf(out, "%s\n", lines->item[i]);
		free(lines->item[i]);
	}
	free(lines->item);
	fclose(out);
	return text;
}

/* All that is in the session, as text that does not depend on its form. */
static char *describe(void)
{
	struct lines lines = {0};
	struct op_error error;
	char *pack = path_of(OP_PACK_NAME);

	if (op_walk(current, visit_loose, &lines, &error))
		fail_msg("%s", error.text);
	if (!access(pack, F_OK) && note_packed(&lines, pack, &error))
		fail_msg("%s", error.text);
	free(pack);
	return join(&lines);
}

static size_t n_loose;

static int count_loose(const char *path, const struct stat *status, void *context)
{
	const char *name = path + strlen(current) + 1;

	(void)status;
	(void)context;
	n_loose += *name == '{' || !strncmp(name, "stacks/", 7);
	return 0;
}

static size_t loose_files(void)
{
	n_loose = 0;
	assert_int_equal(op_walk(current, count_loose, NULL, NULL), 0);
	return n_loose;
}

static struct op_pack_result pack(void)
{
	struct op_pack_result result;
	struct op_error error;

	if (op_session_pack(current, NULL, NULL, &result, &error))
		fail_msg("%s", error.text);
	return result;
}

static struct op_pack_result unpack(void)
{
	struct op_pack_result result;
	struct op_error error;

	if (op_session_unpack(current, &result, &error))
		fail_msg("%s", error.text);
	return result;
}

static void expect_same(const char *before)
{
	char *after = describe();

	assert_string_equal(after, before);
	free(after);
}

/* ---- tests ---- */

static const char *const kernel_and_program[] = {"{kern}/kallsyms", NULL, "{root}/bin/a"};

static void fill(void)
{
	static const uint64_t deep[] = {0x10, UINT64_C(0xffffffffff600000), 0x30};
	static const uint64_t other[] = {0x11, 0x20, 0x30};

	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 3);
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0, 1);
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, UINT64_MAX, UINT64_C(1) << 40);
	add("{root}/bin/a/{dep}/{root}/bin/a/{cg}/{root}/lib/b.so/" EVENT, 0x1000000002, 9);
	add("{root}/bin/a/{dep}/{anon:[heap]}/7.0x1000.0x3000/" EVENT, 5, 5);
	add("{root}/bin/a b/{dep}/{root}/bin/a b/" EVENT, 1, 1);
	add("{root}/bin/ab/{dep}/{root}/bin/ab/" EVENT, 1, 1);
	add("{kern}/kallsyms/{dep}/{kern}/kallsyms/" EVENT, 77, 8);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, deep, 3, 5);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, other, 3, 2);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, deep, 0, 4);
	add_stack("stacks/{root}/bin/b/" EVENT, kernel_and_program + 2, deep + 2, 1, 1);
	write_text("kallsyms", "ffffffff81000000 T _stext\n");
	write_text("stats/cpu0/sample_received", "100\n");
	write_text("{root}/bin/a/{dep}/{anon:x}/7.0x1.0x2/7.jo", "code");
}

#define FILES 8

static void test_there_and_back(void **state)
{
	char *before;

	(void)state;
	fill();
	before = describe();
	assert_int_equal(pack().done, FILES);
	assert_int_equal(loose_files(), 1); /* the code of a JIT compiler */
	expect_same(before);
	assert_int_equal(pack().done, FILES); /* with nothing loose: nothing happens */
	assert_int_equal(unpack().done, FILES);
	assert_int_equal(loose_files(), FILES + 1);
	expect_same(before);
	free(before);
}

static void test_nothing(void **state)
{
	struct op_pack_result result;
	struct op_error error;

	(void)state;
	assert_int_equal(pack().done, 0);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, ENOENT);
	assert_int_not_equal(op_session_pack("nowhere", NULL, NULL, &result, &error), 0);
	assert_non_null(strstr(error.text, "nowhere"));
}

/* What comes beside a pack becomes part of the next one. */
static void test_more(void **state)
{
	static const uint64_t offsets[] = {0x11, 0x20, 0x30};
	char *before;

	(void)state;
	fill();
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
	add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
	before = describe();
	empty(NULL);
	for (int order = 0; order < 2; order++) {
		fill();
		pack();
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
		add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
		add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
		if (order)
			assert_int_equal(unpack().done, FILES);
		else
			assert_int_equal(pack().done, FILES + 1);
		expect_same(before);
		empty(NULL);
	}
	free(before);
}

/* Many files of many keys: several blocks. */
static void test_many(void **state)
{
	struct odb_error error;
	char *before;

	(void)state;
	for (int file = 0; file < 40; file++) {
		char *name = op_path("{root}/bin/p%d/{dep}/{root}/bin/p%d/" EVENT, file, file);
		char *path = path_of(name);
		struct odb *db;

		make_dirs(path);
		assert_int_equal(odb_open(&db, path, ODB_CREATE, &header, &error), 0);
		for (int i = 0; i < 20000; i++)
			assert_int_equal(odb_add(db, random_below(UINT64_C(1) << 34),
						 1 + random_below(1 << (file % 20)), &error),
					 0);
		odb_close(db);
		free(path);
		free(name);
	}
	before = describe();
	assert_int_equal(pack().done, 40);
	expect_same(before);
	assert_int_equal(unpack().done, 40);
	expect_same(before);
	free(before);
}

/* Trees of random stacks. */
static void test_many_stacks(void **state)
{
	char *before;

	(void)state;
	for (int i = 0; i < 300; i++) {
		const char *images[8];
		uint64_t offsets[8];
		size_t depth = random_below(9);

		for (size_t level = 0; level < depth; level++) {
			images[level] = random_below(3) ? "{root}/bin/a" : "{kern}/kallsyms";
			offsets[level] = random_below(level < 2 ? 1000 : 3);
		}
		add_stack("stacks/{root}/bin/a/" EVENT, images, offsets, depth,
			  1 + random_below(UINT64_C(1) << 33));
	}
	before = describe();
	pack();
	expect_same(before);
	unpack();
	expect_same(before);
	free(before);
}

/* Damaged files, and files of other machines, stay as they are. */
static void test_left(void **state)
{
	static const char damaged[] = "{root}/bin/ab/{dep}/{root}/bin/ab/" EVENT;
	struct op_pack_result result;
	struct op_error error;
	char *path = path_of(damaged), *before, *text;

	(void)state;
	fill();
	assert_int_equal(op_file_replace(path, "rubbish", 7, 0640, NULL), 0);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	assert_int_equal(result.done, FILES - 1);
	text = op_file_read(path, 100, NULL, NULL);
	assert_string_equal(text, "rubbish");
	expect_same(before);
	free(text);
	free(before);
	free(path);
}

/* The same path, another file: its samples are not added to those of before. */
static void test_other_header(void **state)
{
	static const char name[] = "{root}/bin/a/{dep}/{root}/bin/a/" EVENT;
	struct odb_header newer = header;
	struct op_pack_result result;
	char *path = path_of(name), *before;
	struct op_error error;
	struct odb_error cause;
	struct odb *db;

	(void)state;
	fill();
	pack();
	newer.mtime++;
	make_dirs(path);
	assert_int_equal(odb_open(&db, path, ODB_CREATE, &newer, &cause), 0);
	assert_int_equal(odb_add(db, 0x10, 2, &cause), 0);
	odb_close(db);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	expect_same(before);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, EEXIST);
	assert_non_null(strstr(error.text, name));
	expect_same(before);
	free(before);
	free(path);
}

static void test_busy(void **state)
{
	char *path = path_of("{root}/bin/a/{dep}/{root}/bin/a/" EVENT), *before;
	struct op_pack_result result;
	struct odb_error cause;
	struct op_error error;
	struct odb *db;
	int status;
	pid_t child;

	(void)state;
	fill();
	before = describe();
	assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &cause), 0);
	child = fork();
	if (!child) {
		bool right = op_session_pack(current, NULL, NULL, &result, &error) &&
			     error.code == EBUSY && strstr(error.text, path);

		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	odb_close(db);
	expect_same(before);
	free(before);
	free(path);
}

static void test_full(void **state)
{
	char *before;

	(void)state;
	fill();
	before = describe();
	/* from no room at all to nearly enough */
	for (rlim_t most = 0; most < 400; most += 16) {
		int status;
		pid_t child = fork();

		if (!child) {
			const struct rlimit limit = {most, most};
			struct op_pack_result result;
			struct op_error error;

			signal(SIGXFSZ, SIG_IGN);
			setrlimit(RLIMIT_FSIZE, &limit);
			_exit(op_session_pack(current, NULL, NULL, &result, &error) &&
					      error.code == EFBIG && strstr(error.text, "pack")
				      ? 0
				      : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		expect_same(before);
	}
	assert_int_equal(loose_files(), FILES + 1);
	free(before);
}

static int pack_or_unpack(void)
{
	struct op_pack_result result;
	struct op_error error;

	return loose_files() > 1 ? op_session_pack(current, NULL, NULL, &result, &error)
				 : op_session_unpack(current, &result, &error);
}

static useconds_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (useconds_t)((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

/* Does it in a child that is killed after @delay.  Return: whether it was, and how long it took. */
static bool is_killed(useconds_t delay, useconds_t *took)
{
	useconds_t begin = microseconds();
	int status;
	pid_t child = fork();

	if (!child)
		_exit(pack_or_unpack() ? 1 : 0);
	if (delay) {
		usleep(delay);
		kill(child, SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
	*took = microseconds() - begin;
	return WIFSIGNALED(status);
}

/* Killed at any time, a session is as it was or as it is to be. */
static void test_killed(void **state)
{
	int changed = 0, killed = 0;
	useconds_t usual, took;
	char *before;

	(void)state;
	fill();
	before = describe();
	is_killed(0, &usual);
	for (int i = 0; i < 300; i++) {
		bool was_loose = loose_files() > 1;

		if (is_killed(1 + (useconds_t)random_below(usual), &took))
			killed++;
		else
			usual = took < usual ? took : usual;
		changed += was_loose != (loose_files() > 1);
		expect_same(before);
	}
	print_message("killed %d of 300 times; packed or unpacked %d times\n", killed, changed);
	assert_true(killed > 30);
	assert_true(changed > 30);
	/* what the kills left goes with the next one */
	pack_or_unpack();
	expect_same(before);
	assert_int_equal(system("test \"$(ls -A samples)\" = current"), 0);
	free(before);
}

/* Reads all of a pack.  Return: what is in it, or NULL. */
static char *read_pack(const char *path)
{
	struct lines lines = {0};
	struct op_error error;
	int result = note_packed(&lines, path, &error);
	char *text = join(&lines);

	if (!result)
		return text;
	if (!strstr(error.text, path))
		fail_msg("an error without the file: %s", error.text);
	free(text);
	return NULL;
}

static void put(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void test_damage(void **state)
{
	char *path = path_of(OP_PACK_NAME), *bytes, *whole;
	size_t n, unnoticed = 0;

	(void)state;
	fill();
	pack();
	bytes = op_file_read(path, 1 << 20, &n, NULL);
	whole = read_pack(path);
	assert_non_null(whole);
	for (size_t at = 0; at < n; at++) {
		static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x55};

		for (size_t i = 0; i < sizeof(changes); i++) {
			char *text;

			bytes[at] ^= (char)changes[i];
			put(path, bytes, n);
			bytes[at] ^= (char)changes[i];
			text = read_pack(path);
			/* a bit that means nothing to zstd */
			if (text)
				assert_string_equal(text, whole);
			unnoticed += text != NULL;
			free(text);
		}
	}
	for (size_t length = 0; length < n; length++) {
		put(path, bytes, length);
		assert_null(read_pack(path));
	}
	print_message("%zu bytes; %zu changes of %zu made no difference\n", n, unnoticed, 4 * n);
	assert_true(unnoticed <= 16);
	free(whole);
	free(bytes);
	free(path);
}

static void test_order(void **state)
{
	static const char *const names[] = {
		"{kern}/a/x",  "{root}/a/b/c", "{root}/a/bc", "{root}/a b/c",
		"{root}/a!/c", "{root}/ab/c",  "{root}/b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			int order = op_pack_compare_names(names[i], names[k]);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test_setup(test_there_and_back, empty),
		cmocka_unit_test_setup(test_nothing, empty),
		cmocka_unit_test_setup(test_more, empty),
		cmocka_unit_test_setup(test_many, empty),
		cmocka_unit_test_setup(test_many_stacks, empty),
		cmocka_unit_test_setup(test_left, empty),
		cmocka_unit_test_setup(test_other_header, empty),
		cmocka_unit_test_setup(test_busy, empty),
		cmocka_unit_test_setup(test_full, empty),
		cmocka_unit_test_setup(test_killed, empty),
		cmocka_unit_test_setup(test_damage, empty),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}

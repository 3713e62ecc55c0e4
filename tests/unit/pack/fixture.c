// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions to pack: see fixture.h. */
#include <sys/ptrace.h>

#include "tests/unit/test.h"

#include "fixture.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/pack/pack.h"
#include "libop/pack/parts.h"
#include "libop/base/remove_tree.h"

static char *dir; /* of the test */
char *current;

static uint64_t seed = 1;

uint64_t random_below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % n;
}

void make_dirs(const char *path)
{
	assert_int_equal(op_mkdir_parents(path, 0750, NULL), 0);
}

int enter(TEST_UNUSED void **state)
{
	const char *base = getenv("TMPDIR");

	/* In memory: a disk that others use makes each step wait. */
	if (!base && !access("/dev/shm", W_OK))
		base = "/dev/shm";
	dir = op_path("%s/libop-pack-XXXXXX", base ? base : "/tmp");
	if (!dir || !mkdtemp(dir) || chdir(dir))
		return -1;
	current = op_path("%s/samples/current", dir);
	return !current;
}

int leave(TEST_UNUSED void **state)
{
	char *slash = strrchr(dir, '/');
	int parent, result;

	*slash = '\0';
	parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	result = chdir("/") || parent < 0 || op_tree_remove(parent, slash + 1, NULL);
	close(parent);
	free(dir);
	free(current);
	return result;
}

/* An empty samples/current. */
int empty(TEST_UNUSED void **state)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (!access("samples", F_OK) && op_tree_remove(fd, "samples", NULL))
		return -1;
	close(fd);
	return mkdir("samples", 0750) || mkdir("samples/current", 0750);
}

/* ---- loose files ---- */

const struct odb_header sample_header = {
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

char *path_of(const char *name)
{
	char *path = op_path("%s/%s", current, name);

	assert_non_null(path);
	return path;
}

void add(const char *name, uint64_t key, uint64_t count)
{
	char *path = path_of(name);
	struct odb_error error;
	struct odb *db;

	make_dirs(path);
	if (odb_open(&db, path, ODB_CREATE, &sample_header, &error))
		fail_msg("%s", error.text);
	assert_int_equal(odb_add(db, key, count, &error), 0);
	odb_close(db);
	free(path);
}

void add_stack(const char *name, const char *const *images, const uint64_t *offsets, size_t depth,
	       uint64_t count)
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

const char *const kernel_and_program[3] = {"{kern}/kallsyms", NULL, "{root}/bin/a"};

void fill(void)
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
	assert_int_equal(op_array_extend(lines->item, lines->n), 0);
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
	if (op_pack_is_part(name) || !strncmp(name, ODB_TEMPORARY, strlen(ODB_TEMPORARY)))
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

/* Closes the pack.  Return: 0, or -1 with @error set; lines may have been noted then. */
static int note_packed(struct lines *lines, struct op_pack *pack, struct op_error *error)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	int result = 0;

	assert_non_null(walk);
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

char *describe(void)
{
	struct lines lines = {0};
	struct op_pack *pack = NULL;
	struct op_error error;

	if (op_walk(current, visit_loose, &lines, &error))
		fail_msg("%s", error.text);
	if (op_pack_open_session(&pack, current, &error) ? error.code != ENOENT
							 : note_packed(&lines, pack, &error))
		fail_msg("%s", error.text);
	return join(&lines);
}

void expect_same(const char *before)
{
	char *after = describe();

	assert_string_equal(after, before);
	free(after);
}

char *read_pack(const char *path)
{
	struct lines lines = {0};
	struct op_error error;
	struct op_pack *pack = NULL;
	int result = op_pack_open(&pack, path, &error) || note_packed(&lines, pack, &error);
	char *text = join(&lines);

	if (!result)
		return text;
	if (!strstr(error.text, path))
		fail_msg("an error without the file: %s", error.text);
	free(text);
	return NULL;
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

size_t loose_files(void)
{
	n_loose = 0;
	assert_int_equal(op_walk(current, count_loose, NULL, NULL), 0);
	return n_loose;
}

struct op_pack_result pack(void)
{
	struct op_pack_result result;
	struct op_error error;

	if (op_session_pack(current, NULL, NULL, &result, &error))
		fail_msg("%s", error.text);
	return result;
}

struct op_pack_result unpack(void)
{
	struct op_pack_result result;
	struct op_error error;

	if (op_session_unpack(current, &result, &error))
		fail_msg("%s", error.text);
	return result;
}

pid_t start_traced(int (*work)(void))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(77);
		_exit(work() ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSTOPPED(status))
		return child;
	print_message("skipped: this process may not trace its children\n");
	skip();
	return -1;
}

bool next_call(pid_t child)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSTOPPED(status))
		return true;
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	return false;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"


#include "libdb/odb/odb.h"
#include "libop/base/file.h"
#include "libop/pack/hold.h"
#include "libop/pack/parts.h"
#include "libop/session/paths.h"
#include "libop/session/sample_name.h"
#include "libop/session/tree.h"

/* ---- the machine ---- */

static struct test_machine *machine_of(struct source *source)
{
	return (struct test_machine *)source;
}

static int machine_read(struct source *source, const uint64_t **words, size_t *count,
			struct op_error *error)
{
	struct test_machine *machine = machine_of(source);

	(void)error;
	*words = machine->words;
	*count = machine->count;
	machine->count = 0;
	return 0;
}

static int machine_sync(struct source *source, struct op_error *error)
{
	(void)error;
	machine_of(source)->sync_calls++;
	return 0;
}

static bool machine_running(struct source *source)
{
	return machine_of(source)->running;
}

static int machine_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	struct test_machine *machine = machine_of(source);

	machine->image_calls++;
	for (const struct test_image *image = machine->images; image->cookie; image++) {
		if (image->cookie != cookie)
			continue;
		facts->reported.cookie = cookie;
		facts->reported.device = 0x801;
		facts->reported.inode = cookie;
		if (image->flags & OPROFILE_IMAGE_ANON) {
			facts->reported.inode = image->start;
			facts->reported.device = image->end;
		}
		facts->reported.flags = image->flags;
		strcpy(facts->reported.path, image->path);
		facts->mtime = image->mtime;
		facts->present = image->mtime;
		facts->owner = image->owner;
		return 0;
	}
	return -1;
}

static const struct test_process *find_process(const struct test_machine *machine, uint32_t tgid)
{
	for (const struct test_process *process = machine->processes; process->tgid; process++) {
		if (process->tgid == tgid)
			return process;
	}
	return NULL;
}

static char *machine_maps(struct source *source, uint32_t tgid)
{
	const struct test_process *process = find_process(machine_of(source), tgid);

	machine_of(source)->maps_calls++;
	return process && process->maps ? strdup(process->maps) : NULL;
}

static uint64_t machine_process(struct source *source, uint32_t tgid)
{
	const struct test_process *process = find_process(machine_of(source), tgid);

	return process ? process->process : 0;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static char *machine_thread_name(struct source *source, uint32_t tgid, uint32_t tid)
{
	(void)tgid;
	(void)tid;
	return copy(machine_of(source)->thread_name);
}

static char *machine_modules(struct source *source)
{
	return copy(machine_of(source)->modules);
}

static char *machine_kallsyms(struct source *source)
{
	machine_of(source)->kallsyms_calls++;
	return copy(machine_of(source)->kallsyms);
}

static char *machine_stats(struct source *source)
{
	return copy(machine_of(source)->stats);
}

static void machine_close(struct source *source)
{
	(void)source;
}

static const struct source_ops machine_ops = {
	.read = machine_read,
	.sync = machine_sync,
	.running = machine_running,
	.image = machine_image,
	.maps = machine_maps,
	.process = machine_process,
	.thread_name = machine_thread_name,
	.modules = machine_modules,
	.kallsyms = machine_kallsyms,
	.stats = machine_stats,
	.close = machine_close,
};

static const struct test_image images[] = {
	{0x10, "/usr/bin/bash", 0, 1000, 0, 0, 0},
	{0x11, "/usr/lib/libc.so.6", 0, 2000, 0, 0, 0},
	{0x12, "/usr/bin/cat", 0, 3000, 0, 0, 0},
	{0x13, "/usr/bin/gone", OPROFILE_IMAGE_DELETED, 0, 0, 0, 0},
	{0x14, "/usr/bin/bash", OPROFILE_IMAGE_FOREIGN_NS, 0, 0, 0, 0},
	{0x15, "", OPROFILE_IMAGE_NO_PATH, 0, 0, 0, 0},
	{0x16, "/tmp/{dep}", 0, 4000, 0, 0, 0},
	{0x20, "[vdso]", OPROFILE_IMAGE_ANON, 0, 0, 0x7ffd00000000, 0x7ffd00002000},
	{0x21, "", OPROFILE_IMAGE_ANON, 0, 0, 0x5000, 0x7000},
	{0x22, "", OPROFILE_IMAGE_ANON, 0, 0, 0x5000, 0x9000},
	{0x23, "[anon:a/b]", OPROFILE_IMAGE_ANON, 0, 0, 0x10000, 0x11000},
	{0x24, "", OPROFILE_IMAGE_ANON, 0, 0, 0x8000, 0x8000}, /* nonsense */
	{0, NULL, 0, 0, 0, 0, 0},
};

static const struct test_process processes[] = {
	{500, 1,
	 "00400000-00401000 r-xp 00000000 08:01 16 /usr/bin/bash\n"
	 "01000000-01010000 rw-p 00000000 00:00 0 [heap]\n"
	 "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
	 "7f0000002000-7f0000003000 rwxp 00000000 00:00 0 [anon:a/b]\n"
	 "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0 [vdso]\n"},
	{501, 2, NULL}, /* may not be read */
	{0, 0, NULL},
};

const struct test_machine test_machine = {
	.source =
		{
			.ops = &machine_ops,
			.fd = -1,
			.buffer_words = 131072,
			.cpu_type = "timer",
			.cpu_mhz = 2000,
		},
	.images = images,
	.processes = processes,
	.modules = "kallsyms ffffffff81000000 1000000 aabb\n"
		   "ext4 ffffffffc0100000 10000 0123\n"
		   "fuse ffffffffc0108000 4000 -\n",
	.kallsyms = "ffffffff81000000 T _stext\n"
		    "ffffffff81000100 t schedule\n"
		    "ffffffff82000000 T _etext\n"
		    "ffffffffc0100000 t ext4_read\t[ext4]\n"
		    "ffffffffc0200000 t bpf_prog_1\t[bpf]\n"
		    "ffffffffc0200100 t bpf_prog_2\t[bpf]\n",
	.stats = "sample_lost_no_mm 0\ncpu0/sample_received 7\n",
};

/* ---- directories ---- */

char *make_directory(void)
{
	const char *base = getenv("TMPDIR");
	char *dir;

	if (!base) /* hundreds of small files that are not needed on a disk */
		base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	dir = op_path("%s/oprofile-test-XXXXXX", base);
	assert_non_null(dir);
	assert_non_null(mkdtemp(dir));
	return dir;
}

void remove_tree(const char *dir)
{
	assert_return_code(test_remove(dir), errno);
}

/* ---- sessions ---- */

void session_make(struct test_session *session, const struct profile_config *config)
{
	struct op_error error;

	*session = (struct test_session){.machine = test_machine, .config = *config};
	session->dir = make_directory();
	session->config.session_dir = session->dir;
	if (op_session_make(session->dir, &error))
		fail_msg("%s", error.text);
}

void session_start(struct test_session *session)
{
	struct op_error error;

	if (profile_open(&session->profile, &session->config, &session->machine.source, &error))
		fail_msg("%s", error.text);
}

void session_open(struct test_session *session, const struct profile_config *config)
{
	session_make(session, config);
	session_start(session);
}

void session_close(struct test_session *session)
{
	profile_close(&session->profile);
	remove_tree(session->dir);
	free(session->dir);
}

void session_feed_only(struct test_session *session, const uint64_t *words, size_t count)
{
	struct op_error error;

	session->machine.words = words;
	session->machine.count = count;
	if (profile_take(&session->profile, NULL, &error))
		fail_msg("%s", error.text);
}

void session_feed(struct test_session *session, const uint64_t *words, size_t count)
{
	session_feed_only(session, words, count);
	profile_flush(&session->profile);
}

/* ---- sample files ---- */

static char *samples_dir(const char *session_dir)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session_dir);

	assert_non_null(dir);
	return dir;
}

/* Of waiting for a packer, which has the lowest priority. */
#define HOLD_SECONDS_MOST 600

int session_hold(const char *dir)
{
	int hold = -1;

	for (int i = 0; hold < 0 && i < HOLD_SECONDS_MOST / OP_HOLD_SECONDS; i++)
		hold = op_hold_to_read(dir);
	if (hold < 0)
		fail_msg("%s cannot be held", dir);
	return hold;
}

/* Reads a sample file.  Return: the number of entries, or -1 if it is none. */
static ptrdiff_t read_sample_file(const char *path, struct op_sample_name *name,
				  struct odb_entry **entry)
{
	struct odb_error error;
	struct odb *db;
	ptrdiff_t count;

	if (!strstr(path, "/{dep}/") || strstr(path, "/" ODB_TEMPORARY))
		return -1;
	if (op_sample_name_parse(path, name, NULL))
		fail_msg("not the name of a sample file: %s", path);
	if (odb_open(&db, path, ODB_READ, NULL, &error))
		fail_msg("%s", error.text);
	count = odb_entries_by_key(db, entry, &error);
	if (count < 0)
		fail_msg("%s", error.text);
	odb_close(db);
	return count;
}

struct text_walk {
	FILE *out;
	size_t prefix;
};

static int put_file(const char *path, const struct stat *status, void *context)
{
	struct text_walk *walk = context;
	struct op_sample_name name;
	struct odb_entry *entry;
	ptrdiff_t count = read_sample_file(path, &name, &entry);

	(void)status;
	if (count < 0)
		return 0;
	fprintf(walk->out, "%s", path + walk->prefix);
	for (ptrdiff_t i = 0; i < count; i++)
		fprintf(walk->out, " %" PRIx64 ":%" PRIx64, entry[i].key, entry[i].count);
	fputc('\n', walk->out);
	free(entry);
	op_sample_name_free(&name);
	return 0;
}

static int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of @text, sorted, in new memory. */
static char *sort_lines(const char *text)
{
	struct op_strings lines = {0};
	char *sorted = NULL;
	size_t length;
	FILE *out = open_memstream(&sorted, &length);

	assert_int_equal(op_strings_split(&lines, text, '\n'), 0);
	qsort(lines.item, lines.count, sizeof(*lines.item), by_line);
	for (size_t i = 0; i < lines.count; i++) {
		if (*lines.item[i])
			fprintf(out, "%s\n", lines.item[i]);
	}
	fclose(out);
	op_strings_free(&lines);
	return sorted;
}

char *session_text(const char *session_dir)
{
	char *dir = samples_dir(session_dir), *text = NULL, *sorted;
	struct text_walk walk = {.prefix = strlen(dir) + 1};
	int hold = session_hold(dir);
	struct op_error error;
	size_t length;

	walk.out = open_memstream(&text, &length);
	if (op_walk(dir, put_file, &walk, &error))
		fail_msg("%s", error.text);
	op_hold_release(hold);
	fclose(walk.out);
	sorted = sort_lines(text);
	free(text);
	free(dir);
	return sorted;
}

static int sum_file(const char *path, const struct stat *status, void *context)
{
	struct op_sample_name name;
	struct odb_entry *entry;
	uint64_t *sum = context;
	ptrdiff_t count;

	(void)status;
	if (strstr(path, "/" OP_SAMPLES_WEIGHTS "/")) /* events, not samples */
		return 0;
	count = read_sample_file(path, &name, &entry);
	if (count < 0)
		return 0;
	for (ptrdiff_t i = 0; i < count; i++)
		*sum += entry[i].count;
	free(entry);
	op_sample_name_free(&name);
	return 0;
}

/* Visits the files of a kind that are packed, or in the journal. */
static void each_packed(const char *dir, enum op_pack_kind kind,
			void (*visit)(struct op_pack *pack, const struct op_pack_file *file,
				      void *context),
			void *context)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack *pack = NULL;
	struct op_pack_file file;
	struct op_error error;

	assert_non_null(walk);
	if (op_pack_open_session(&pack, dir, &error)) {
		if (error.code != ENOENT)
			fail_msg("%s", error.text);
		free(walk);
		return;
	}
	walk->pack = pack;
	while (op_pack_next(walk, &file))
		if (file.kind == kind && op_name_of_weighted(file.name) == file.name)
			visit(pack, &file, context);
	op_pack_close(pack);
	free(walk);
}

static void sum_packed(struct op_pack *pack, const struct op_pack_file *file, void *context)
{
	(void)pack;
	*(uint64_t *)context += file->sum;
}

uint64_t session_sum(const char *session_dir)
{
	char *dir = samples_dir(session_dir);
	int hold = session_hold(dir);
	struct op_error error;
	uint64_t sum = 0;

	if (op_walk(dir, sum_file, &sum, &error))
		fail_msg("%s", error.text);
	each_packed(dir, OP_PACK_SAMPLES, sum_packed, &sum);
	op_hold_release(hold);
	free(dir);
	return sum;
}

/* ---- stack files ---- */

struct stacks_walk {
	size_t prefix;
	session_stacks_visit *visit;
	void *context;
};

static int visit_stacks(const char *path, const struct stat *status, void *context)
{
	struct stacks_walk *walk = context;
	struct stacks_content content;
	struct odb_error error;

	(void)status;
	if (strncmp(path + walk->prefix, OP_SAMPLES_STACKS "/", strlen(OP_SAMPLES_STACKS "/")) ||
	    strstr(path, "/" ODB_TEMPORARY))
		return 0;
	if (stacks_read(&content, path, &error))
		fail_msg("%s", error.text);
	walk->visit(path + walk->prefix, &content, walk->context);
	stacks_content_free(&content);
	return 0;
}

static void visit_packed_stacks(struct op_pack *pack, const struct op_pack_file *file,
				void *context)
{
	struct stacks_walk *walk = context;
	struct stacks_content content;
	struct op_error error;

	if (op_pack_stacks(pack, file, &content, &error))
		fail_msg("%s", error.text);
	walk->visit(file->name, &content, walk->context);
	stacks_content_free(&content);
}

void session_each_stacks(const char *session_dir, session_stacks_visit *visit, void *context)
{
	char *dir = samples_dir(session_dir);
	struct stacks_walk walk = {strlen(dir) + 1, visit, context};
	int hold = session_hold(dir);
	struct op_error error;

	if (op_walk(dir, visit_stacks, &walk, &error))
		fail_msg("%s", error.text);
	each_packed(dir, OP_PACK_STACKS, visit_packed_stacks, &walk);
	op_hold_release(hold);
	free(dir);
}

static void sum_stacks(const char *name, const struct stacks_content *content, void *context)
{
	struct session_stacks *sums = context;

	(void)name;
	for (size_t i = 0; i < content->n_nodes; i++) {
		uint64_t count = content->nodes[i].count;

		sums->samples += count;
		for (size_t at = i ? content->nodes[i].parent : 0; at;
		     at = content->nodes[at].parent)
			sums->frames += content->nodes[at].image ? count : 0;
	}
}

struct session_stacks session_stacks(const char *session_dir)
{
	struct session_stacks sums = {0};

	session_each_stacks(session_dir, sum_stacks, &sums);
	return sums;
}

void session_check_sums(struct test_session *session)
{
	const uint64_t *value = session->profile.stats.samples.value;
	struct session_stacks stacks = session_stacks(session->dir);

	assert_int_equal(value[STAT_RECEIVED], value[STAT_STORED] + value[STAT_FILTERED] +
						       stats_lost(&session->profile.stats.samples));
	assert_int_equal(value[STAT_FRAMES],
			 value[STAT_FRAMES_STORED] + value[STAT_FRAMES_FILTERED] +
				 value[STAT_FRAMES_NO_HEAD] + value[STAT_FRAMES_NO_MAPPING] +
				 value[STAT_FRAMES_TOO_DEEP] + value[STAT_FRAMES_NO_SAMPLE_FILE]);
	assert_int_equal(session_sum(session->dir), value[STAT_STORED]);
	assert_int_equal(stacks.samples, value[STAT_STACKS] + value[STAT_STACKS_MERGED]);
	assert_int_equal(stacks.frames, value[STAT_FRAMES_STORED]);
}

void session_expect(struct test_session *session, const char *text)
{
	char *have = session_text(session->dir), *want = sort_lines(text);

	assert_string_equal(have, want);
	free(have);
	free(want);
	session_check_sums(session);
}

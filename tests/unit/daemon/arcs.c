// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arcs of the stacks of random traces against a model that counts each frame of each trace by
 * itself; whenever stacks are written, and whatever happens to the stack files.
 */
#include "fixture.h"

#include <sys/resource.h>

#include "libop/base/array.h"
#include "libop/session/paths.h"

#define FRAMES_MOST 12
#define NAME_MOST   512

enum place { BASH, LIBC, CAT, KSYM, EXT4, HEAP, NOWHERE, PLACES };
static const struct {
	const char *name; /* as in stack files */
	uint64_t cookie, base;
	bool is_kernel;
} places[PLACES] = {
	[BASH] = {"{root}/usr/bin/bash", 0x10, 0, false},
	[LIBC] = {"{root}/usr/lib/libc.so.6", 0x11, 0, false},
	[CAT] = {"{root}/usr/bin/cat", 0x12, 0, false},
	[KSYM] = {"{kern}/kallsyms", 0, 0xffffffff81000000, true},
	[EXT4] = {"{kern}/ext4", 0, 0xffffffffc0100000, true},
	[HEAP] = {"{anon:[heap]}/500.0x1000000.0x1010000", ANON, 0x1000000, false},
	[NOWHERE] = {"", INVALID, 0, false},
};

static const struct task {
	uint64_t tid, tgid;
	enum place program;
} tasks[] = {{501, 500, BASH}, {502, 500, BASH}, {600, 600, CAT}, {700, 700, NOWHERE}};
#define TASKS OP_ARRAY_SIZE(tasks)

struct trace {
	const struct task *task;
	unsigned int cpu;
	size_t depth;
	struct {
		enum place place;
		uint64_t key;
	} frame[FRAMES_MOST]; /* leaf first */
};

/* ---- the model ---- */

struct arc {
	char name[2 * NAME_MOST];
	uint64_t key, count;
};

struct model {
	const struct profile_config *config;
	enum place wanted; /* NOWHERE: all */
	struct arc *arc;
	size_t arcs;
	uint64_t stored, frames;
};

static struct arc *find_arc(struct model *model, const char *name, uint64_t key)
{
	for (size_t i = 0; i < model->arcs; i++) {
		if (model->arc[i].key == key && !strcmp(model->arc[i].name, name))
			return &model->arc[i];
	}
	return NULL;
}

static void count_arc(struct model *model, const char *name, uint64_t key)
{
	struct arc *arc = find_arc(model, name, key);

	if (!arc) {
		model->arc = reallocarray(model->arc, model->arcs + 1, sizeof(*arc));
		assert_non_null(model->arc);
		arc = &model->arc[model->arcs++];
		*arc = (struct arc){.key = key};
		snprintf(arc->name, sizeof(arc->name), "%s", name);
	}
	arc->count++;
}

/* Memory of a process whose maps cannot be read is outside all mappings. */
static bool is_known(const struct trace *trace, enum place place)
{
	return place != NOWHERE && (place != HEAP || trace->task->tgid == 500);
}

static bool is_wanted(const struct model *model, const struct trace *trace, enum place place)
{
	return model->wanted == NOWHERE || model->wanted == place ||
	       model->wanted == trace->task->program;
}

static void put_number(char *text, bool apart, uint64_t number)
{
	if (apart)
		sprintf(text, "%" PRIu64, number);
	else
		strcpy(text, "all");
}

/* An arc of a stack file: its ends are behind the name of the file. */
static void put_arc(char *name, const char *file, const char *caller, const char *callee)
{
	snprintf(name, 2 * NAME_MOST, "%s %s>%s", file, caller, callee);
}

/* Without its program, a stack is in the file of the image that its sample is in. */
static void name_file(const struct model *model, const struct trace *trace, char *name)
{
	const struct profile_config *config = model->config;
	enum place app = trace->task->program != NOWHERE ? trace->task->program
							 : trace->frame[0].place;
	char tgid[24], tid[24], cpu[24];

	put_number(tgid, config->separation.thread, trace->task->tgid);
	put_number(tid, config->separation.thread, trace->task->tid);
	put_number(cpu, config->separation.cpu, trace->cpu);
	snprintf(name, NAME_MOST, OP_SAMPLES_STACKS "/%s/TIMER.0.0.%s.%s.%s", places[app].name,
		 tgid, tid, cpu);
}

static void count_trace(struct model *model, const struct trace *trace)
{
	char name[2 * NAME_MOST], file[NAME_MOST];

	if (!is_known(trace, trace->frame[0].place) ||
	    !is_wanted(model, trace, trace->frame[0].place))
		return;
	/* without its program, anonymous memory has no name */
	if (trace->frame[0].place == HEAP && trace->task->program == NOWHERE)
		return;
	model->stored++;
	name_file(model, trace, file);
	for (size_t i = 1; i < trace->depth; i++) {
		enum place caller = trace->frame[i].place, callee = trace->frame[i - 1].place;

		if (!is_known(trace, caller))
			continue;
		model->frames++;
		if (!is_known(trace, callee))
			continue;
		put_arc(name, file, places[caller].name, places[callee].name);
		count_arc(model, name,
			  trace->frame[i].key << 32 | (trace->frame[i - 1].key & UINT32_MAX));
	}
}

/* Takes the arcs of a file out of the model. */
static void take_arcs(const char *file, const struct stacks_content *content, void *context)
{
	struct model *model = context;
	char name[2 * NAME_MOST];

	for (size_t leaf = 1; leaf < content->n_nodes; leaf++) {
		uint64_t count = content->nodes[leaf].count;

		for (size_t at = leaf; count && content->nodes[at].parent;
		     at = content->nodes[at].parent) {
			const struct stacks_node *callee = &content->nodes[at];
			const struct stacks_node *caller = &content->nodes[callee->parent];
			struct arc *arc;

			if (!caller->image || !callee->image)
				continue;
			put_arc(name, file, content->images[caller->image].name,
				content->images[callee->image].name);
			arc = find_arc(model, name,
				       caller->offset << 32 | (callee->offset & UINT32_MAX));
			if (!arc || arc->count < count)
				fail_msg("too often: %s %" PRIx64 ">%" PRIx64, name, caller->offset,
					 callee->offset);
			arc->count -= count;
		}
	}
}

static void expect_sums(struct test_session *session, const struct model *model)
{
	assert_int_equal(session_stat(session, STAT_STORED), model->stored);
	assert_int_equal(session_stat(session, STAT_FRAMES_STORED) +
				 session_stat(session, STAT_FRAMES_NO_SAMPLE_FILE),
			 model->frames);
	assert_int_equal(session_stat(session, STAT_STACKS) +
				 session_stat(session, STAT_STACKS_MERGED) +
				 session_stat(session, STAT_STACKS_LOST),
			 model->stored);
	session_check_sums(session);
}

/* The arcs of the stack files are those of the model. */
static void expect_model(struct test_session *session, struct model *model)
{
	expect_sums(session, model);
	assert_int_equal(session_stat(session, STAT_STACKS), model->stored);
	session_each_stacks(session->dir, take_arcs, model);
	for (size_t i = 0; i < model->arcs; i++)
		if (model->arc[i].count)
			fail_msg("missing: %s %" PRIx64, model->arc[i].name, model->arc[i].key);
}

/* ---- random traces ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % limit;
}

/* Half of the traces have some callers in common with the one before. */
static void change_trace(struct trace *trace, uint32_t keys)
{
	size_t depth = 1 + random_below(FRAMES_MOST), shared = 0;
	size_t common = depth < trace->depth ? depth : trace->depth;

	if (common && random_below(2))
		shared = random_below((uint32_t)common);
	else
		trace->task = &tasks[random_below(TASKS)];
	trace->cpu = random_below(2);
	memmove(&trace->frame[depth - shared], &trace->frame[trace->depth - shared],
		shared * sizeof(trace->frame[0]));
	for (size_t i = 0; i < depth - shared; i++) {
		trace->frame[i].place = random_below(PLACES);
		trace->frame[i].key = random_below(keys);
	}
	trace->depth = depth;
}

static size_t put_words(uint64_t *words, const struct trace *trace)
{
	const uint64_t start[] = {
		CPU(trace->cpu),
		CTX(trace->task->tid, trace->task->tgid, places[trace->task->program].cookie),
		TRACE};
	size_t n = OP_ARRAY_SIZE(start);

	memcpy(words, start, sizeof(start));
	for (size_t i = 0; i < trace->depth; i++) {
		enum place place = trace->frame[i].place;

		words[n++] = ESC;
		words[n++] = places[place].is_kernel ? OPROFILE_KERNEL_ENTER : OPROFILE_USER_ENTER;
		if (!places[place].is_kernel) {
			words[n++] = ESC;
			words[n++] = OPROFILE_COOKIE_SWITCH;
			words[n++] = places[place].cookie;
		}
		words[n++] = places[place].base + trace->frame[i].key;
		words[n++] = 0;
	}
	return n;
}

/* Feeds traces, with calls of profile_flush() between them: one in @flushes times; 0: never. */
static void feed_random(struct test_session *session, struct model *model, uint32_t traces,
			uint32_t keys, uint32_t flushes)
{
	uint64_t words[16 + FRAMES_MOST * 7];
	struct trace trace = {.task = &tasks[0]};

	while (traces--) {
		change_trace(&trace, keys);
		count_trace(model, &trace);
		session_feed_only(session, words, put_words(words, &trace));
		if (flushes && !random_below(flushes))
			profile_flush(&session->profile);
	}
}

enum { LIB = 1, KERN = 2, THREAD = 4, CPUS = 8, ALL = 16 };

static struct profile_config config_of(int separate)
{
	return (struct profile_config){
		.separation.lib = separate & LIB,
		.separation.kernel = separate & KERN,
		.separation.thread = separate & THREAD,
		.separation.cpu = separate & CPUS,
		.budget.inodes = UINT64_C(1) << 24, /* with files of their own at once */
	};
}

TEST(arcs_are_those_of_each_sample)
{
	static const struct {
		const char *path;
		enum place wanted;
	} filters[] = {{NULL, NOWHERE}, {"/usr/bin/bash", BASH}, {"/usr/lib/libc.so.6", LIBC}};
	static const uint32_t flushes[] = {0, 1, 10, 100};

	random_state = 1;
	for (int separate = 0; separate < ALL; separate++) {
		struct profile_config config = config_of(separate);
		struct model model = {.config = &config, .wanted = filters[separate % 3].wanted};
		struct test_session session;

		if (filters[separate % 3].path)
			op_strings_add(&config.filter, filters[separate % 3].path);
		session_open(&session, &config);
		feed_random(&session, &model, 1500, 4, flushes[separate / 4]);
		profile_flush(&session.profile);
		expect_model(&session, &model);
		session_close(&session);
		op_strings_free(&config.filter);
		free(model.arc);
	}
}

/* More nodes than the tree has room for: it is written by itself. */
TEST(the_tree_is_bounded)
{
	const struct profile_config config = config_of(LIB | KERN);
	struct model model = {.config = &config, .wanted = NOWHERE};
	struct test_session session;

	random_state = 2;
	session_open(&session, &config);
	feed_random(&session, &model, 30000, 3, 0);
	assert_true(session_stat(&session, STAT_STACKS) > 0);
	profile_flush(&session.profile);
	expect_model(&session, &model);
	session_close(&session);
	free(model.arc);
}

/* More threads than the tree has roots, and than files may be open. */
TEST(so_are_its_roots)
{
	struct profile_config config = config_of(THREAD);
	struct test_session session;
	const uint64_t threads = CHAIN_ROOTS_MOST + 10;

	session_open(&session, &config);
	session.profile.files.most = 300;
	for (uint64_t i = 1; i <= threads; i++)
		session_feed_only(&session, BUFFER(CPU(0), CTX(i, 500, 0x10), USER, COOKIE(0x10),
						   TRACE, 1, 0, 2, 0));
	assert_true(session_stat(&session, STAT_FRAMES_STORED) > 0);
	profile_flush(&session.profile);
	assert_int_equal(session_stat(&session, STAT_FRAMES_STORED), threads);
	assert_int_equal(session_stat(&session, STAT_STACKS), threads);
	session_check_sums(&session);
	session_close(&session);
}

/* Samples whose stacks have no room are counted below a caller, and the frames that are missing. */
TEST(stacks_without_room_are_counted)
{
	const struct profile_config config = config_of(0);
	struct model model = {.config = &config, .wanted = NOWHERE};
	struct test_session session;
	struct rlimit before, small;

	random_state = 3;
	session_open(&session, &config);
	assert_return_code(getrlimit(RLIMIT_FSIZE, &before), errno);
	small = before;
	small.rlim_cur = 40 << 10;
	assert_return_code(setrlimit(RLIMIT_FSIZE, &small), errno);
	feed_random(&session, &model, 5000, 3, 1000);
	profile_flush(&session.profile);
	assert_return_code(setrlimit(RLIMIT_FSIZE, &before), errno);
	assert_true(session_stat(&session, STAT_STACKS_MERGED) > 1000);
	assert_true(session_stat(&session, STAT_FRAMES_NO_SAMPLE_FILE) > 1000);
	expect_sums(&session, &model);
	session_close(&session);
	free(model.arc);
}

/* What was gathered goes to the session in which it was; if that is gone, so is it. */
TEST(a_new_session_begins_without_stacks)
{
	static const uint64_t words[] = {
		CPU(0), CTX(501, 500, 0x10), USER, COOKIE(0x10), TRACE, 1, 0, 2, 0};
	const struct profile_config config = config_of(0);
	struct test_session session;
	struct op_error error;
	char *text;

	session_open(&session, &config);
	session_feed_only(&session, words, sizeof(words) / 8);
	assert_int_equal(profile_reopen(&session.profile, &error), 0);
	assert_int_equal(session_stacks(session.dir).samples, 1);
	session_feed_only(&session, words, sizeof(words) / 8);
	remove_tree(session.profile.named_dir);
	assert_int_equal(profile_reopen(&session.profile, &error), 0);
	profile_flush(&session.profile);
	text = session_text(session.dir);
	assert_string_equal(text, "");
	free(text);
	session_check_sums(&session);
	session_close(&session);
}

TEST(a_stack_is_not_endless)
{
	static uint64_t words[32 + 2 * CHAIN_FRAMES_MOST];
	const uint64_t start[] = {CPU(0), CTX(501, 500, 0x10), USER, COOKIE(0x10), TRACE};
	const struct profile_config config = config_of(0);
	size_t n = OP_ARRAY_SIZE(start);
	struct test_session session;

	memcpy(words, start, sizeof(start));
	for (uint64_t i = 0; i < CHAIN_FRAMES_MOST + 5; i++) {
		words[n++] = i;
		words[n++] = 0;
	}
	session_open(&session, &config);
	session_feed(&session, words, n);
	assert_int_equal(session_stat(&session, STAT_FRAMES_TOO_DEEP), 5);
	assert_int_equal(session_stat(&session, STAT_FRAMES_STORED), CHAIN_FRAMES_MOST - 1);
	session_check_sums(&session);
	session_close(&session);
}

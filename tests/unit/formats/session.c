// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions as a profile format: what is written is read again, sample by sample and stack by
 * stack; sessions without stack files; what cannot be written leaves what was there.
 */
#include <ftw.h>

#include "tests/unit/test.h"

#include "describe.h"
#include "model_fixture.h"
#include "libdb/odb/odb.h"
#include "libdb/stacks/stacks.h"
#include "libop/base/file.h"
#include "libop/pack/session.h"
#include "libop/session/sample_name.h"
#include "libop/session/paths.h"
#include "pp/formats/command/import.h"
#include "pp/formats/session/session.h"
#include "pp/formats/session/image.h"

static char dir[64];

TEST_HOOK(setup)
{
	strcpy(dir, "/tmp/formats_session.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

TEST_HOOK(teardown)
{
	return test_remove(dir);
}

/* ---- a profile with everything ---- */

static const struct prof_image images[] = {
	{.kind = PROF_FILE,
	 .path = "/usr/bin/x",
	 .start = 0x555500001000,
	 .end = 0x555500009000,
	 .offset = 0x1000,
	 .build_id_length = 3,
	 .build_id = {0xab, 0xcd, 0xef},
	 .mtime = 1600000000,
	 .pid = PROF_ANY},
	{.kind = PROF_FILE, .path = "/usr/lib/{dep}/lib x.so", .pid = PROF_ANY},
	{.kind = PROF_ANON, .path = "[heap]", .start = 0x1000000, .end = 0x1010000, .pid = 7},
	{.kind = PROF_VDSO,
	 .path = "[vdso]",
	 .start = 0x7fff00001000,
	 .end = 0x7fff00003000,
	 .pid = PROF_ANY},
	{.kind = PROF_KERNEL,
	 .is_kernel = true,
	 .path = "kallsyms",
	 .start = 0xffffffff81000000,
	 .end = 0xffffffff82000000,
	 .pid = PROF_ANY},
	{.kind = PROF_MODULE,
	 .is_kernel = true,
	 .path = "ext4",
	 .start = 0xffffffffc0000000,
	 .end = 0xffffffffc0100000,
	 .pid = PROF_ANY},
};

static const struct prof_event events[] = {
	{.name = "cpu-clock", .unit = "nanoseconds", .period = 1000000, .type = 1},
	{.name = "cycles/u.x", .period = 5000, .unit_mask = 3, .code = 0x3c, .type = 0},
};

/* Their samples have periods of their own: near that of the name, and between 1 and a huge one. */
static const struct prof_event adapted[] = {
	{.name = "cpu-clock", .unit = "nanoseconds", .period = 1000000, .type = 1},
	{.name = "cycles", .frequency = 999, .type = 0},
};

#define N_IMAGES (sizeof(images) / sizeof(images[0]))

static uint64_t events_of(const struct prof_event *event, uint64_t *seed)
{
	if (event->frequency)
		return 1 + (random_number(seed) >> (34 + random_number(seed) % 30));
	return event->period + (event->period == 1000000 && random_number(seed) % 2);
}

static struct prof *make_profile_of(const struct prof_event *counted, unsigned int by, bool deep)
{
	const struct prof_host host = {.hostname = "here",
				       .os_release = "6.1.0",
				       .arch = "x86_64",
				       .cpu_description = "A CPU",
				       .cpu_type = "timer",
				       .tool = "a tool 1.0",
				       .command_line = "record -g",
				       .cpus_online = 4,
				       .cpu_mhz = 2000,
				       .start_time = 1700000000000000000,
				       .duration = 5000000000};
	struct prof *prof = prof_new(by, 0);
	struct prof_sink *sink = &prof->sink;
	uint32_t image[N_IMAGES + 2], event[2];
	uint64_t seed = 11;

	sink->host(sink, &host);
	sink->lost(sink, "ring buffer full", 12);
	sink->fact(sink, "dcpi.line", "what  ever");
	for (size_t i = 0; i < 2; i++)
		event[i] = sink->event(sink, &counted[i]);
	for (size_t i = 0; i < N_IMAGES; i++)
		image[i] = sink->image(sink, &images[i]);
	image[N_IMAGES] = PROF_NO_IMAGE;
	image[N_IMAGES + 1] = PROF_NO_KERNEL_IMAGE;
	for (int i = 0; i < 2000; i++) {
		struct prof_frame frames[8];
		struct prof_value value = {event[random_number(&seed) % 2], 1, 0};
		struct prof_sample sample = {
			.frames = frames, .values = &value, .n_values = 1, .has_entry = true};

		value.events = counted == adapted ? events_of(&counted[value.event], &seed)
						  : counted[value.event].period;
		sample.depth = deep ? 1 + random_number(&seed) % 8 : 1;
		for (size_t k = 0; k < sample.depth; k++) {
			uint32_t which = image[random_number(&seed) % (N_IMAGES + 2)];

			frames[k] = (struct prof_frame){which, 0x1000 + random_number(&seed) % 6};
			if (which == PROF_NO_KERNEL_IMAGE)
				frames[k].offset |= UINT64_C(0xffffffffa0000000);
		}
		sample.app = image[random_number(&seed) % 2];
		sample.pid = 7;
		sample.tid = 7 + (int64_t)(random_number(&seed) % 2);
		sample.cpu = (int64_t)(random_number(&seed) % 3);
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

static struct prof *make_profile(unsigned int by, bool deep)
{
	return make_profile_of(events, by, deep);
}

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct prof *read_back(const char *name)
{
	struct op_error error;
	struct prof *prof = read_path(&format_session, path_of(name), &error);

	assert_string_equal(error.text, "");
	return prof;
}

static void write_it(const struct prof *prof, const char *name, bool merge_libs)
{
	const struct session_options options = {.merge_libs = merge_libs};
	struct op_error error;

	if (import_session(prof, path_of(name), &options, &error))
		fail_msg("%s", error.text);
}

/* Writes the profile, and frees it.  Return: what is read again. */
static struct prof *through_session(struct prof *prof, const char *name)
{
	prof_finish(prof);
	write_it(prof, name, false);
	prof_free(prof);
	return read_back(name);
}

/* The path of a file of current samples, which exists. */
static char *current_path(const char *session, const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s/" OP_SESSION_CURRENT "/%s", dir, session, file);
	assert_return_code(access(path, R_OK), errno);
	return path;
}

static void assert_same(char *got, char *want)
{
	assert_string_equal(got, want);
	free(got);
	free(want);
}

/* ---- round trips ---- */

/* Nothing but a pack is left of the files. */
static void pack(const char *name)
{
	char *current = op_path("%s/" OP_SESSION_CURRENT, path_of(name));
	char *root = op_path("%s/{root}", current), *stacks = op_path("%s/stacks", current);
	struct op_pack_result result;
	struct op_error error;

	if (op_session_pack(current, NULL, NULL, &result, &error))
		fail_msg("%s", error.text);
	assert_int_equal(result.left, 0);
	assert_int_not_equal(access(root, F_OK), 0);
	assert_int_not_equal(access(stacks, F_OK), 0);
	free(stacks);
	free(root);
	free(current);
}

/* From loose files, then from packed ones. */
TEST(sessions_keep_all_of_a_profile_loose_and_packed)
{
	static const struct {
		const char *name;
		unsigned int by;
		bool deep, weighted;
	} cases[] = {
		{"flat", 0, false, false},
		{"deep", 0, true, false},
		{"threads", PROF_BY_PID | PROF_BY_TID, true, false},
		{"all", PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU, true, false},
		{"flat_weights", 0, false, true},
		{"deep_weights", PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU, true, true},
	};

	for (size_t k = 0; k < 2 * (sizeof(cases) / sizeof(cases[0])); k++) {
		size_t i = k / 2;
		struct prof *prof = make_profile_of(cases[i].weighted ? adapted : events,
						    cases[i].by, cases[i].deep);
		struct prof *again;

		if (k % 2)
			pack(cases[i].name);
		else
			write_it(prof, cases[i].name, false);
		again = read_back(cases[i].name);
		assert_same(describe_samples(again), describe_samples(prof));
		assert_same(describe_head(again), describe_head(prof));
		assert_string_equal(again->host.hostname, "here");
		assert_string_equal(again->host.cpu_type, "timer");
		assert_string_equal(again->host.command_line, "record -g");
		assert_true(again->host.cpu_mhz == 2000);
		assert_int_equal(again->host.duration, 5000000000);
		assert_int_equal(again->n_losses, 1);
		assert_int_equal(again->losses[0].count, 12);
		assert_string_equal(again->losses[0].cause, "ring buffer full");
		prof_free(prof);
		prof_free(again);
	}
}

static off_t largest;

static int note_size(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)path;
	(void)where;
	if (type == FTW_F && status->st_blocks * 512 > largest)
		largest = status->st_blocks * 512;
	return 0;
}

/* Counts have 32 bits in files: what would fill gigabytes of them is counted in larger units. */
TEST(huge_weights_take_little_room)
{
	static const uint64_t weights[] = {UINT64_C(1) << 62, 3000000000, 1};
	const struct prof_event cycles = {.name = "cycles", .frequency = 999, .type = 0};
	struct prof *prof = prof_new(0, 0), *again;
	struct prof_sink *sink = &prof->sink;
	uint32_t image = sink->image(sink, &images[0]), event = sink->event(sink, &cycles);

	for (size_t i = 0; i < 3; i++) {
		const struct prof_frame frames[] = {{image, 0x1000 + i}, {image, 0x2000}};
		const struct prof_value value = {event, 1, weights[i]};

		assert_int_equal(push_sample(prof, frames, 2, value, NULL), 0);
	}
	again = through_session(prof, "huge");
	assert_int_equal(nftw(path_of("huge"), note_size, 16, FTW_PHYS), 0);
	assert_true(largest < 300000);
	assert_int_equal(again->totals[0].count, 3);
	assert_true(again->totals[0].events > (UINT64_C(1) << 62) - (UINT64_C(1) << 20) &&
		    again->totals[0].events < (UINT64_C(1) << 62) + UINT64_C(4000000000));
	prof_free(again);
}

/* Each image its own application: the programs are only in the stack files. */
TEST(merged_libraries_keep_their_stacks)
{
	struct prof *prof = make_profile(0, true), *again;
	uint64_t with = 0, without = 0;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	write_it(prof, "merged", true);
	current_path("merged", "{kern}/ext4/{dep}/{kern}/ext4/cpu-clock.1000000.0.all.all.all");
	again = read_back("merged");
	while (prof_next(again, &cursor, &sample))
		for (size_t i = 0; i < sample.n_values; i++)
			*(sample.depth > 1 ? &with : &without) += sample.values[i].count;
	prof_cursor_free(&cursor);
	assert_int_equal(with + without, 2000);
	cursor = (struct prof_cursor){0};
	while (prof_next(prof, &cursor, &sample))
		for (size_t i = 0; sample.depth > 1 && i < sample.n_values; i++)
			with -= sample.values[i].count;
	prof_cursor_free(&cursor);
	assert_int_equal(with, 0);
	prof_free(prof);
	prof_free(again);
}

/* Samples beyond those of the stacks, as of a daemon that took some without callers. */
TEST(samples_beyond_those_of_stacks_are_read_without_callers)
{
	struct prof *prof = make_profile(0, true), *again;
	char *before, *after, *file;
	struct odb_error error;
	struct odb *db;

	write_it(prof, "more", false);
	again = read_back("more");
	before = describe_samples(again);
	prof_free(again);
	file = current_path("more", "{root}/usr/bin/x/{dep}/{root}/usr/bin/x/"
				    "cpu-clock.1000000.0.all.all.all");
	assert_int_equal(odb_open(&db, file, ODB_WRITE, NULL, &error), 0);
	assert_int_equal(odb_add(db, 0x777, 5, &error), 0);
	odb_close(db);
	again = read_back("more");
	after = describe_samples(again);
	assert_int_equal(again->totals[0].count + again->totals[1].count, 2005);
	assert_null(strstr(before, "5/5000000 /usr/bin/x+777\n"));
	assert_non_null(strstr(after, "5/5000000 /usr/bin/x+777\n"));
	free(before);
	free(after);
	prof_free(again);
	prof_free(prof);
}

TEST(a_damaged_stack_file_leaves_the_samples)
{
	struct prof *prof = make_profile(0, true), *again;
	struct op_error error;
	char *path;

	write_it(prof, "damaged", false);
	path = current_path("damaged", "stacks/{root}/usr/bin/x/cpu-clock.1000000.0.all.all.all");
	assert_int_equal(op_file_replace(path, "nonsense", 8, 0600, &error), 0);
	again = read_back("damaged");
	assert_int_equal(again->totals[0].count + again->totals[1].count, 2000);
	assert_true(prof_count(again) < prof_count(prof));
	prof_free(again);
	prof_free(prof);
}

/* A program that was replaced while it was profiled. */
TEST(files_of_one_path_and_two_build_ids_have_two_names)
{
	struct prof *prof = prof_new(0, 0), *again;
	uint32_t event = prof->sink.event(&prof->sink, &events[0]);
	const struct prof_value value = {event, 1, 1000000};
	char *samples, *head;

	for (uint8_t i = 0; i < 3; i++) {
		const struct prof_image image = {.kind = PROF_FILE,
						 .path = "/bin/x",
						 .pid = PROF_ANY,
						 .build_id_length = i ? 20 : 0,
						 .build_id = {i}};
		const struct prof_frame frames[] = {{prof->sink.image(&prof->sink, &image), 0x10},
						    {PROF_NO_IMAGE, 0x11 + i}};

		assert_int_equal(push_sample(prof, frames, 2, value, NULL), 0);
	}
	again = through_session(prof, "replaced");
	samples = describe_samples(again);
	/* the one without a build-id may be the first one; the other is not */
	assert_string_equal(samples, "1/1000000 /[changed 0200000000000000]/bin/x+10 [unknown]+12\n"
				     "1/1000000 /bin/x+10 [unknown]+10\n"
				     "1/1000000 /bin/x+10 [unknown]+11\n");
	head = describe_head(again);
	assert_non_null(strstr(head, "image /bin/x 0-0 @0 id=0100000000"));
	assert_non_null(
		strstr(head, "image /[changed 0200000000000000]/bin/x 0-0 @0 id=0200000000"));
	free(samples);
	free(head);
	prof_free(again);
}

TEST(cpu_type_is_that_of_the_cpu_id_for_hardware_events)
{
	static const struct {
		const char *id;
		uint32_t type; /* of the event */
		const char *cpu_type;
	} cases[] = {
		{"GenuineIntel,6,94,3", 0, "i386/skylake"},
		{"GenuineIntel,6,94,3", 4, "i386/skylake"},
		/* events of the kernel have no use for it */
		{"GenuineIntel,6,94,3", 1, "perf"},
		{"GenuineIntel,6,94,3", PROF_NO_TYPE, "timer"},
		{"0x00000000410fd0b0", 0, "perf"},
		{"", 0, "perf"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct prof_host host = {.cpu_id = cases[i].id};
		const struct prof_event event = {
			.name = "cycles", .period = 1000, .type = cases[i].type};
		struct prof *prof = prof_new(0, 0), *again;
		const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1000};
		const struct prof_frame frame = {prof->sink.image(&prof->sink, &images[0]), 1};
		char name[16];

		prof->sink.host(&prof->sink, &host);
		assert_int_equal(push_sample(prof, &frame, 1, value, NULL), 0);
		snprintf(name, sizeof(name), "cpu%zu", i);
		again = through_session(prof, name);
		assert_string_equal(again->host.cpu_type, cases[i].cpu_type);
		prof_free(again);
	}
}

TEST(sessions_keep_branches)
{
	struct prof *prof = prof_new(0, 0), *again;
	uint32_t event = prof->sink.event(&prof->sink, &events[0]);
	uint32_t x = prof->sink.image(&prof->sink, &images[0]);
	uint32_t kernel = prof->sink.image(&prof->sink, &images[4]);
	const struct prof_value value = {event, 1, 1000000};
	const struct prof_frame frame = {x, 1};
	const struct prof_branch branch = {{x, 0x10}, {kernel, 0x20}, 3, 1, 70};

	assert_int_equal(push_sample(prof, &frame, 1, value, NULL), 0);
	assert_int_equal(prof->sink.branch(&prof->sink, &branch, NULL), 0);
	assert_int_equal(prof->sink.branch(&prof->sink, &branch, NULL), 0);
	again = through_session(prof, "branches");
	assert_int_equal(again->n_branches, 1);
	assert_int_equal(again->branches[0].count, 6);
	assert_int_equal(again->branches[0].mispredicted, 2);
	assert_int_equal(again->branches[0].cycles, 140);
	assert_int_equal(again->branches[0].from.offset, 0x10);
	assert_string_equal(again->images[again->branches[0].to.image].path, "kallsyms");
	prof_free(again);
}

/* The offset of a node of /usr/bin/x whose caller is another one of it. */
static uint64_t stored_entry(const char *session)
{
	const char *name = "stacks/{root}/usr/bin/x/cpu-clock.1000000.0.all.all.all";
	struct stacks_content content;
	struct odb_error error;
	uint64_t offset = 0;

	assert_int_equal(stacks_read(&content, current_path(session, name), &error), 0);
	for (size_t i = 1; i < content.n_nodes; i++)
		if (content.nodes[i].parent && !content.nodes[i].count)
			offset = content.nodes[i].offset;
	stacks_content_free(&content);
	return offset;
}

/* It may be the first instruction of a function: the one before is another's. */
TEST(code_that_entered_the_kernel_is_looked_up_where_it_is)
{
	const char *wanted = "1/1000000 kallsyms+10 /usr/bin/x+1000 /usr/bin/x+104f\n";
	struct prof *prof = prof_new(0, 0), *again;
	struct prof_sink *sink = &prof->sink;
	uint32_t kernel = sink->image(sink, &images[4]), x = sink->image(sink, &images[0]);
	const struct prof_frame frames[] = {{kernel, 0x10}, {x, 0x1000}, {x, 0x1050}};
	const struct prof_value value = {sink->event(sink, &events[0]), 1, 1000000};
	const struct prof_sample sample = {.frames = frames,
					   .depth = 3,
					   .has_entry = true,
					   .values = &value,
					   .n_values = 1,
					   .app = x,
					   .pid = PROF_ANY,
					   .tid = PROF_ANY,
					   .cpu = PROF_ANY};
	struct op_error error;
	char *text;

	assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	again = through_session(prof, "entry");
	assert_int_equal(stored_entry("entry"), 0x1000);
	text = describe_samples(again);
	assert_string_equal(text, wanted);
	free(text);
	assert_int_equal(write_path(&format_perf, again, path_of("entry.data"), &error), 0);
	prof_free(again);
	again = read_path(&format_perf, path_of("entry.data"), &error);
	text = describe_samples(again);
	assert_non_null(strstr(text, "/usr/bin/x+1000 /usr/bin/x+104f"));
	free(text);
	prof_free(again);
}

/* Formats whose callers are all alike, such as pprof, have the address behind it. */
TEST(a_caller_that_entered_the_kernel_is_stored_as_the_instruction)
{
	struct prof *prof = prof_new(0, 0), *again;
	struct prof_sink *sink = &prof->sink;
	uint32_t kernel = sink->image(sink, &images[4]), x = sink->image(sink, &images[0]);
	const struct prof_frame frames[] = {{kernel, 0x10}, {x, 0x1001}, {x, 0x1050}};
	const struct prof_value value = {sink->event(sink, &events[0]), 1, 1000000};
	char *text;

	assert_int_equal(push_sample(prof, frames, 3, value, NULL), 0);
	again = through_session(prof, "caller");
	text = describe_samples(again);
	assert_string_equal(text, "1/1000000 kallsyms+10 /usr/bin/x+1000 /usr/bin/x+104f\n");
	free(text);
	prof_free(again);
}

TEST(sessions_with_samples_are_not_overwritten)
{
	const struct session_options options = {0};
	struct prof *prof = make_profile(0, false), *again;
	struct op_error error;

	write_it(prof, "taken", false);
	assert_int_equal(import_session(prof, path_of("taken"), &options, &error), -1);
	assert_int_equal(error.code, EEXIST);
	again = read_back("taken");
	assert_same(describe_samples(again), describe_samples(prof));
	prof_free(again);
	assert_int_equal(import_session(prof, path_of("taken/abi/x"), &options, &error), 0);
	/* where nothing can be made, nothing is left */
	assert_int_equal(op_file_replace(path_of("file"), "", 0, 0600, &error), 0);
	assert_int_equal(import_session(prof, path_of("file"), &options, &error), -1);
	assert_non_null(strstr(error.text, "file"));
	prof_free(prof);
}

/* ---- names ---- */

TEST(image_names_are_parsed_to_what_they_were_made_of)
{
	static const struct {
		struct prof_image image;
		const char *name;
	} cases[] = {
		{{.kind = PROF_FILE, .path = "/bin/x"}, "{root}/bin/x"},
		{{.kind = PROF_FILE, .path = "//bin/./../x/"}, "{root}/bin/x"},
		{{.kind = PROF_FILE, .path = "x"}, "{root}/[no path]/x"},
		{{.kind = PROF_FILE, .path = "/"}, "{root}/_"},
		{{.kind = PROF_FILE, .path = ""}, "{root}/[no path]"},
		{{.kind = PROF_FILE, .path = "/a/{dep}/b"}, "{root}/a/\\{dep}/b"},
		{{.kind = PROF_KERNEL, .path = "[kernel.kallsyms]"}, "{kern}/kallsyms"},
		{{.kind = PROF_KERNEL, .path = "no-vmlinux"}, "{kern}/no-vmlinux"},
		{{.kind = PROF_KERNEL, .path = "/boot/vmlinux"}, "{root}/boot/vmlinux"},
		{{.kind = PROF_MODULE, .path = "/lib/modules/6/nf-tables.ko.xz"},
		 "{kern}/nf_tables"},
		{{.kind = PROF_MODULE, .path = "[ext4]"}, "{kern}/ext4"},
		{{.kind = PROF_MODULE, .path = "ext4"}, "{kern}/ext4"},
		{{.kind = PROF_BPF, .path = "bpf_prog_1"}, "{kern}/[bpf]"},
		{{.kind = PROF_ANON, .path = "//anon", .pid = 3, .start = 1, .end = 2},
		 "{anon:anon}/3.0x1.0x2"},
		{{.kind = PROF_VDSO, .path = "[vdso]", .start = 1, .end = 2, .pid = -1},
		 "{anon:[vdso]}/0.0x1.0x2"},
		{{.kind = PROF_UNKNOWN, .path = "[unknown]"}, "{anon:[unknown]}/0.0x0.0x0"},
		{{.kind = PROF_UNKNOWN, .is_kernel = true, .path = "[unknown]"},
		 "{kern}/no-vmlinux"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct op_image_name name = session_image_name(&cases[i].image), again;
		char *text = op_image_name_make(&name);

		assert_non_null(text);
		assert_string_equal(text, cases[i].name);
		assert_int_equal(op_image_name_parse(text, &again, NULL), 0);
		assert_string_equal(again.name, name.name);
		free(again.name);
		free(name.name);
		free(text);
	}
}

TEST_PROGRAM(setup, teardown)

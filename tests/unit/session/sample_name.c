// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sample-file names: literal names of OProfile, what must be refused, and that whatever is
 * made is read back as what it was made of.
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/session/sample_name.h"

#define FILE_IMAGE(path)                                                                           \
	{                                                                                          \
		.kind = OP_IMAGE_FILE, .name = (char *)(path)                                      \
	}
#define KERNEL_IMAGE(path)                                                                         \
	{                                                                                          \
		.kind = OP_IMAGE_KERNEL, .name = (char *)(path)                                    \
	}
#define TIMER	      .event = (char *)"TIMER"
#define NOT_SEPARATED .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL

static const struct {
	const char *path;
	struct op_sample_name name;
} both_ways[] = {
	{"{root}/usr/bin/bash/{dep}/{root}/usr/bin/bash/TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/bash"),
	  .dep = FILE_IMAGE("/usr/bin/bash"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/TIMER.0.0.all.all.all",
	 {.app = KERNEL_IMAGE("no-vmlinux"),
	  .dep = KERNEL_IMAGE("no-vmlinux"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/usr/bin/bash/{dep}/{root}/usr/lib/libc.so.6/TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/bash"),
	  .dep = FILE_IMAGE("/usr/lib/libc.so.6"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/usr/bin/bash/{dep}/{kern}/no-vmlinux/TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/bash"),
	  .dep = KERNEL_IMAGE("no-vmlinux"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.4320.4321.all",
	 {.app = FILE_IMAGE("/bin/a"),
	  .dep = FILE_IMAGE("/bin/a"),
	  TIMER,
	  .tgid = 4320,
	  .tid = 4321,
	  .cpu = OP_ALL}},
	{"{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.all.all.1",
	 {.app = FILE_IMAGE("/bin/a"),
	  .dep = FILE_IMAGE("/bin/a"),
	  TIMER,
	  .tgid = OP_ALL,
	  .tid = OP_ALL,
	  .cpu = 1}},
	{"{root}/usr/bin/cat/{dep}/{root}/usr/lib/libc.so.6/{cg}/{root}/usr/bin/cat/"
	 "TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/cat"),
	  .dep = FILE_IMAGE("/usr/lib/libc.so.6"),
	  .is_arc = true,
	  .callee = FILE_IMAGE("/usr/bin/cat"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/usr/bin/bash/{dep}/{anon:anon}/6727.0x7fbb26d42000.0x7fbb26d52000/"
	 "TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/bash"),
	  .dep = {OP_IMAGE_ANON, (char *)"anon", 6727, 0x7fbb26d42000, 0x7fbb26d52000},
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/bin/a/{dep}/{root}/bin/a/{cg}/{anon:[vdso]}/7.0x1000.0x2000/"
	 "CPU_CLK_UNHALTED.100000.65.all.all.all",
	 {.app = FILE_IMAGE("/bin/a"),
	  .dep = FILE_IMAGE("/bin/a"),
	  .is_arc = true,
	  .callee = {OP_IMAGE_ANON, (char *)"[vdso]", 7, 0x1000, 0x2000},
	  .event = (char *)"CPU_CLK_UNHALTED",
	  .count = 100000,
	  .unit_mask = 65,
	  NOT_SEPARATED}},
	{"{root}/boot/vmlinux/{dep}/{root}/boot/vmlinux/A.4294967295.18446744073709551615.0.0.0",
	 {.app = FILE_IMAGE("/boot/vmlinux"),
	  .dep = FILE_IMAGE("/boot/vmlinux"),
	  .event = (char *)"A",
	  .count = 4294967295,
	  .unit_mask = UINT64_MAX,
	  0,
	  0,
	  0}},
	/* users may call their files as they like */
	{"{root}/tmp/\\{dep}/\\{root}/x/{dep}/{root}/tmp/\\{cg}/\\\\{kern}/\\x/"
	 "TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/tmp/{dep}/{root}/x"),
	  .dep = FILE_IMAGE("/tmp/{cg}/\\{kern}/\\x"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/tmp/\\{anonymous/{dep}/{kern}/\\{dep}/TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/tmp/{anonymous"),
	  .dep = KERNEL_IMAGE("{dep}"),
	  TIMER,
	  NOT_SEPARATED}},
	{"{root}/a.b/TIMER.0.0.all.all.all/{dep}/{root}/ a\nb/TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/a.b/TIMER.0.0.all.all.all"),
	  .dep = FILE_IMAGE("/ a\nb"),
	  TIMER,
	  NOT_SEPARATED}},
};

static void assert_image(const struct op_image_name *have, const struct op_image_name *want)
{
	assert_int_equal(have->kind, want->kind);
	assert_string_equal(have->name, want->name);
	assert_int_equal(have->tgid, want->tgid);
	assert_int_equal(have->start, want->start);
	assert_int_equal(have->end, want->end);
}

static void assert_name(const struct op_sample_name *have, const struct op_sample_name *want)
{
	assert_image(&have->app, &want->app);
	assert_image(&have->dep, &want->dep);
	assert_int_equal(have->is_arc, want->is_arc);
	if (want->is_arc)
		assert_image(&have->callee, &want->callee);
	else
		assert_null(have->callee.name);
	assert_string_equal(have->event, want->event);
	assert_int_equal(have->count, want->count);
	assert_int_equal(have->unit_mask, want->unit_mask);
	assert_int_equal(have->tgid, want->tgid);
	assert_int_equal(have->tid, want->tid);
	assert_int_equal(have->cpu, want->cpu);
}

static void parsed(const char *path, const struct op_sample_name *want)
{
	struct op_sample_name name;
	struct op_error error = {0};

	if (op_sample_name_parse(path, &name, &error))
		fail_msg("%s", error.text);
	assert_name(&name, want);
	op_sample_name_free(&name);
}

TEST(names_are_made_and_parsed)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(both_ways); i++) {
		char *path = op_sample_name_make(&both_ways[i].name);

		assert_string_equal(path, both_ways[i].path);
		parsed(path, &both_ways[i].name);
		free(path);
	}
}

/* Names that we read and do not write. */
static const struct {
	const char *path;
	struct op_sample_name name;
} read_only[] = {
	/* the redundant slashes and the directories in front of OProfile's names */
	{"/var/lib/oprofile/samples//current/{root}//usr/bin/x/{dep}/{root}//usr/bin/x//"
	 "TIMER.0.0.all.all.all",
	 {.app = FILE_IMAGE("/usr/bin/x"), .dep = FILE_IMAGE("/usr/bin/x"), TIMER, NOT_SEPARATED}},
	/* counts above 2^31 were printed as signed numbers */
	{"{root}/x/{dep}/{root}/x/A.-1294967296.-1.all.all.all",
	 {.app = FILE_IMAGE("/x"),
	  .dep = FILE_IMAGE("/x"),
	  .event = (char *)"A",
	  .count = 3000000000,
	  .unit_mask = 0xffffffff,
	  NOT_SEPARATED}},
};

TEST(old_names_are_parsed)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(read_only); i++)
		parsed(read_only[i].path, &read_only[i].name);
}

static const struct {
	const char *path, *cause;
} refused[] = {
	{"", "{root} or {kern}"},
	{"/", "{root} or {kern}"},
	{"/var/lib/oprofile/samples/oprofiled.log", "{root} or {kern}"},
	{"{root}", "without a name"},
	{"{root}/", "without a name"},
	{"{root}/x", "without a name"},
	{"{root}/{dep}/{root}/x/T.0.0.all.all.all", "without a name"},
	{"{root}/x/T.0.0.all.all.all", "expected {dep}"},
	{"{root}/x/{root}/x/T.0.0.all.all.all", "expected {dep}"},
	{"{root}/x/{dep}/x/T.0.0.all.all.all", "expected {root}, {kern} or"},
	{"{root}/x/{dep}/T.0.0.all.all.all", "expected {root}, {kern} or"},
	{"{root}/x/{dep}/{root}/T.0.0.all.all.all", "without a name"},
	{"{root}/x/{dep}/{root}/x/{cg}/T.0.0.all.all.all", "expected {root}, {kern} or"},
	{"{root}/x/{dep}/{root}/x/{dep}/{root}/x/T.0.0.all.all.all", "expected the event"},
	{"{root}/x/{dep}/{root}/x/{root}/x/T.0.0.all.all.all", "expected the event"},
	{"{root}/x/{dep}/{root}/x/T.0.0.all.all", "not EVENT.COUNT"},
	{"{root}/x/{dep}/{root}/x/T.0.0.all.all.all.0", "more than 6"},
	{"{root}/x/{dep}/{root}/x/.0.0.all.all.all", "not EVENT.COUNT"},
	{"{root}/x/{dep}/{root}/x/T..0.all.all.all", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.0.0.all.all.", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.0.0.al.all.all", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.0.0.all.all.-1", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.0x1.0.all.all.all", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.18446744073709551616.0.all.all.all", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.-2147483649.0.all.all.all", "not a number"},
	{"{root}/x/{dep}/{root}/x/T.0.0.2147483648.all.all", "not a number"},
	{"{root}/x/../y/{dep}/{root}/x/T.0.0.all.all.all", "\"..\""},
	{"{root}/x/{dep}/{root}/./x/T.0.0.all.all.all", "\".\""},
	{"{kern}/a/b/{dep}/{kern}/a/T.0.0.all.all.all", "more than one component"},
	{"{root}/x/{dep}/{anon:a/1.0x1.0x2/T.0.0.all.all.all", "broken {anon"},
	{"{root}/x/{dep}/{anonymous}/1.0x1.0x2/T.0.0.all.all.all", "broken {anon"},
	{"{root}/x/{dep}/{anon/1.0x1.0x2/T.0.0.all.all.all", "broken {anon"},
	{"{root}/x/{dep}/{anon:a}/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}/1.0x1/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}/1.1.2/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}/1.0x1.0xg/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}/4294967296.0x1.0x2/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}/1.0x1.0x20000000000000000/T.0.0.all.all.all", "TGID"},
	{"{root}/x/{dep}/{anon:a}", "TGID"},
};

TEST(other_names_are_refused)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(refused); i++) {
		struct op_sample_name name;
		struct op_error error = {0};

		if (!op_sample_name_parse(refused[i].path, &name, &error))
			fail_msg("accepted: %s", refused[i].path);
		assert_int_equal(error.code, EINVAL);
		if (!strstr(error.text, refused[i].cause) || !strstr(error.text, refused[i].path))
			fail_msg("%s: unclear: %s", refused[i].path, error.text);
	}
}

static const struct op_sample_name unmakable[] = {
	{.app = FILE_IMAGE("/../x"), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x/."), TIMER},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x//y"), TIMER},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x/"), TIMER},
	{.app = FILE_IMAGE("x"), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = FILE_IMAGE(""), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = KERNEL_IMAGE("a/b"), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = KERNEL_IMAGE(".."), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = KERNEL_IMAGE(""), .dep = FILE_IMAGE("/x"), TIMER},
	{.app = {.kind = OP_IMAGE_ANON, .name = (char *)"a"}, .dep = FILE_IMAGE("/x"), TIMER},
	{.app = FILE_IMAGE("/x"), .dep = {.kind = OP_IMAGE_ANON, .name = (char *)"a/b"}, TIMER},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x"), .event = (char *)"A.B"},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x"), .event = (char *)"A/B"},
	{.app = FILE_IMAGE("/x"), .dep = FILE_IMAGE("/x"), .event = (char *)""},
};

TEST(names_outside_the_grammar_are_not_made)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(unmakable); i++) {
		errno = 0;
		if (op_sample_name_make(&unmakable[i]))
			fail_msg("name %zu was made", i);
		assert_int_equal(errno, EINVAL);
	}
}

static unsigned int random_below(unsigned int n)
{
	return (unsigned int)rand() % n;
}

/* A name of components that provoke the parser. */
static void random_path(char *out, unsigned int most)
{
	static const char *const parts[] = {
		"{root}",   "{kern}", "{dep}",	"{cg}",	  "{anon}", "{anon:x}",		 "\\{dep}",
		"\\\\{cg}", "\\",     "a",	".a",	  "...",    "T.0.0.all.all.all", "{",
		"}",	    " ",      "{dep}x", "x{dep}",
	};
	unsigned int count = 1 + random_below(most);

	*out = '\0';
	for (unsigned int i = 0; i < count; i++) {
		strcat(out, "/");
		strcat(out, parts[random_below(OP_ARRAY_SIZE(parts))]);
	}
}

static void random_image(struct op_image_name *image, char *buffer, unsigned int kinds)
{
	static const char *const labels[] = {"", "[vdso]", "a}b", "{dep}", "anon", ":", "."};

	*image = (struct op_image_name){.kind = (enum op_image_kind)random_below(kinds)};
	image->name = buffer;
	switch (image->kind) {
	case OP_IMAGE_FILE:
		random_path(buffer, 6);
		break;
	case OP_IMAGE_KERNEL:
		random_path(buffer, 1);
		image->name = buffer + 1;
		break;
	case OP_IMAGE_ANON:
		strcpy(buffer, labels[random_below(OP_ARRAY_SIZE(labels))]);
		image->tgid = (uint32_t)rand();
		image->start = (uint64_t)rand() << random_below(33);
		image->end = (uint64_t)rand() << random_below(33);
		break;
	}
}

TEST(names_that_are_made_are_parsed_back)
{
	static const char *const events[] = {"TIMER", "{dep}", "{root}", "x", "a b"};

	srand(1);
	for (int i = 0; i < 50000; i++) {
		char buffer[3][256];
		struct op_sample_name name = {0};
		char *path;

		random_image(&name.app, buffer[0], 2);
		random_image(&name.dep, buffer[1], 3);
		name.is_arc = random_below(2);
		if (name.is_arc)
			random_image(&name.callee, buffer[2], 3);
		name.event = (char *)events[random_below(OP_ARRAY_SIZE(events))];
		name.count = (uint64_t)rand() << random_below(34);
		name.unit_mask = random_below(256);
		name.tgid = (int64_t)random_below(3) - 1;
		name.tid = (int64_t)random_below(3) - 1;
		name.cpu = (int64_t)random_below(3) - 1;
		path = op_sample_name_make(&name);
		assert_non_null(path);
		parsed(path, &name);
		free(path);
	}
}

TEST(stack_files_have_names)
{
	const struct op_sample_name name = {
		.app = FILE_IMAGE("/bin/{dep}"), TIMER, .tgid = 4, .tid = 5, .cpu = OP_ALL};
	struct op_sample_name again;
	struct op_error error;
	char *path = op_stacks_name_make(&name);

	assert_string_equal(path, "stacks/{root}/bin/\\{dep}/TIMER.0.0.4.5.all");
	assert_int_equal(op_stacks_name_parse(path, &again, &error), 0);
	assert_string_equal(again.app.name, "/bin/{dep}");
	assert_string_equal(again.dep.name, "/bin/{dep}");
	assert_string_equal(again.event, "TIMER");
	assert_int_equal(again.tgid, 4);
	assert_int_equal(again.tid, 5);
	assert_int_equal(again.cpu, OP_ALL);
	op_sample_name_free(&again);
	free(path);
	assert_int_equal(
		op_stacks_name_parse("stacks/{kern}/ext4/TIMER.0.0.all.all.all", &again, &error),
		0);
	assert_int_equal(again.app.kind, OP_IMAGE_KERNEL);
	op_sample_name_free(&again);
	/* the application is never memory, and there is no second image */
	assert_int_equal(op_stacks_name_parse("stacks/{anon:x}/1.0x1.0x2/TIMER.0.0.all.all.all",
					      &again, &error),
			 -1);
	assert_int_equal(
		op_stacks_name_parse("stacks/{root}/a/{dep}/{root}/b/TIMER.0.0.all.all.all", &again,
				     &error),
		-1);
	assert_int_equal(op_stacks_name_parse("stacks/{root}/a/TIMER.0.0.all.all", &again, &error),
			 -1);
}

TEST(images_have_names_of_their_own)
{
	static const char *const good[] = {"{root}/a", "{root}/a/b c/\\{dep}", "{kern}/ext4",
					   "{anon:[heap]}/7.0x1000.0x2000", "{anon:}/0.0x0.0x0"};
	static const char *const bad[] = {"",
					  "a",
					  "{root}",
					  "{kern}/a/b",
					  "{anon:x}",
					  "{anon:x}/7",
					  "{anon:x}/7.0x1.0x2/y",
					  "{root}/a/{root}/b",
					  "{dep}/a",
					  "{root}/a/.."};

	for (size_t i = 0; i < OP_ARRAY_SIZE(good); i++) {
		struct op_image_name image;
		char *text;

		assert_int_equal(op_image_name_parse(good[i], &image, NULL), 0);
		text = op_image_name_make(&image);
		assert_string_equal(text, good[i]);
		free(text);
		free(image.name);
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(bad); i++) {
		struct op_image_name image;
		struct op_error error;

		if (!op_image_name_parse(bad[i], &image, &error))
			fail_msg("%s was taken", bad[i]);
		assert_non_null(strstr(error.text, "not the name of a sample file"));
	}
}

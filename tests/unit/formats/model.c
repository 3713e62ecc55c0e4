// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The model that all formats stand on: the tree that samples are added up in, and the layout that
 * gives images addresses.
 */
#include "tests/unit/test.h"

#include "describe.h"
#include "model_fixture.h"
#include "pp/formats/model/labels.h"
#include "pp/formats/model/profile.h"

/* ---- adding up ---- */

#define SAMPLES 3000

struct made_sample {
	struct prof_frame frames[4];
	size_t depth;
	struct prof_value value;
	unsigned int image[4];
	int pid;
	size_t n_labels;
	unsigned int label[2]; /* its name, value and unit follow from it */
};

static void make_sample(struct made_sample *sample, uint64_t *seed)
{
	sample->depth = random_number(seed) % 5;
	for (size_t i = 0; i < sample->depth; i++) {
		sample->image[i] = random_number(seed) % 3;
		sample->frames[i].offset = random_number(seed) % 3;
	}
	sample->pid = (int)(random_number(seed) % 2);
	sample->n_labels = random_number(seed) % 3;
	for (size_t i = 0; i < sample->n_labels; i++)
		sample->label[i] = random_number(seed) % 6;
	sample->value.event = random_number(seed) % 2;
	sample->value.count = 1 + random_number(seed) % 3;
	sample->value.events = sample->value.count * 1000;
}

/* One of three names, and of two values, of which one is a number. */
static struct prof_label label_of(struct prof *prof, unsigned int number)
{
	static const char *const names[] = {"request", "cgroup", "size"};
	struct prof_label label = {.name = prof->sink.string(&prof->sink, names[number % 3])};

	if (number < 3)
		label.value = prof->sink.string(&prof->sink, "text");
	else
		label.number = 64;
	if (number == 5)
		label.unit = prof->sink.string(&prof->sink, "bytes");
	return label;
}

/* A sample without callers as a column of its own, and what it weighs as another. */
static void push_flat(struct prof *prof, const struct prof_sample *sample)
{
	const struct prof_value *value = sample->values;
	struct prof_place_count place = {sample->frames[0].offset, value->count};
	struct prof_flat_sample flat = {.common = *sample,
					.image = sample->frames[0].image,
					.event = value->event,
					.places = &place,
					.n = 1};
	struct op_error error;

	assert_int_equal(prof->sink.flat(&prof->sink, &flat, &error), 0);
	flat.is_weight = true;
	flat.unit = 500;
	place.count = value->events / 500;
	assert_int_equal(prof->sink.flat(&prof->sink, &flat, &error), 0);
}

/* Pushes the samples in another order, with images and events made as they come; those without
 * callers as columns if @flat says so. */
static char *add_up(const struct made_sample *samples, const size_t *order, bool flat)
{
	static const char *const names[] = {"/b", "/a", "/c"}, *const events[] = {"e0", "e1"};
	struct prof *prof = prof_new(PROF_BY_PID | PROF_BY_LABELS, 0);
	struct op_error error;
	char *text;

	/* the order of events is that of the recording, so it is the same in all */
	for (unsigned int i = 0; i < 2; i++) {
		const struct prof_event event = {.name = events[i], .period = 1000};

		assert_int_equal(prof->sink.event(&prof->sink, &event), i);
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct made_sample *made = &samples[order[i]];
		struct prof_frame frames[4];
		struct prof_label labels[2];
		struct prof_sample sample = {.frames = frames,
					     .labels = labels,
					     .n_labels = made->n_labels,
					     .depth = made->depth,
					     .values = &made->value,
					     .n_values = 1,
					     .pid = made->pid,
					     .tid = 5,
					     .cpu = 6};

		for (size_t k = 0; k < made->depth; k++) {
			const struct prof_image image = file_at(names[made->image[k]], 0, 0, 0);

			frames[k].image = prof->sink.image(&prof->sink, &image);
			frames[k].offset = made->frames[k].offset;
		}
		for (size_t k = 0; k < made->n_labels; k++)
			labels[k] = label_of(prof, made->label[k]);
		if (flat && made->depth == 1)
			push_flat(prof, &sample);
		else
			assert_int_equal(prof->sink.sample(&prof->sink, &sample, &error), 0);
	}
	prof_finish(prof);
	text = describe_samples(prof);
	prof_free(prof);
	return text;
}

TEST(neither_the_order_of_samples_nor_columns_matter)
{
	static struct made_sample samples[SAMPLES];
	size_t order[SAMPLES];
	uint64_t seed = 9;
	char *first = NULL;

	for (size_t i = 0; i < SAMPLES; i++) {
		make_sample(&samples[i], &seed);
		order[i] = i;
	}
	for (int round = 0; round < 6; round++) {
		char *text = add_up(samples, order, round % 2);

		if (first)
			assert_string_equal(text, first);
		else
			first = strdup(text);
		free(text);
		for (size_t i = SAMPLES - 1; i; i--) {
			size_t k = random_number(&seed) % (i + 1), was = order[i];

			order[i] = order[k];
			order[k] = was;
		}
	}
	free(first);
}

TEST(samples_of_one_stack_are_one_with_their_sums)
{
	struct prof *prof = prof_new(0, 0);
	const struct prof_image image = file_at("/a", 0, 0, 0);
	const struct prof_event event = {.name = "cycles", .period = 10};
	uint32_t a = prof->sink.image(&prof->sink, &image);
	uint32_t e = prof->sink.event(&prof->sink, &event);
	const struct prof_value one = {e, 1, 10}, large = {e, UINT64_MAX, UINT64_MAX};
	const struct prof_frame frames[] = {{a, 1}, {a, 2}, {a, 3}};
	struct prof_sample sample = {.frames = frames,
				     .depth = 3,
				     .values = &one,
				     .n_values = 1,
				     .app = a,
				     .pid = 1,
				     .tid = 1,
				     .cpu = 1,
				     .time = 50};
	struct prof_cursor cursor = {0};

	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	sample.time = 70;
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	assert_int_equal(push_sample(prof, frames + 1, 2, large, NULL), 0);
	assert_int_equal(push_sample(prof, frames + 1, 2, one, NULL), 0);
	prof_finish(prof);
	assert_int_equal(prof_nodes(prof), 3);
	assert_int_equal(prof_count(prof), 2);
	assert_int_equal(prof->first_time, 50);
	assert_int_equal(prof->last_time, 70);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 2);
	assert_int_equal(sample.frames[0].offset, 2);
	assert_int_equal(sample.frames[1].offset, 3);
	assert_true(sample.values[0].count == UINT64_MAX); /* not wrapped */
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 3);
	assert_int_equal(sample.pid, PROF_ANY);
	assert_int_equal(sample.values[0].count, 2);
	assert_int_equal(sample.values[0].events, 20);
	assert_false(prof_next(prof, &cursor, &sample));
	prof_cursor_free(&cursor);
	prof_free(prof);
}

TEST(memory_is_bounded)
{
	struct prof *prof = prof_new(0, 100);
	const struct prof_event event = {.name = "cycles"};
	const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1};
	struct op_error error;
	uint64_t n = 0;

	for (;; n++) {
		const struct prof_frame frame = {PROF_NO_IMAGE, n};

		if (push_sample(prof, &frame, 1, value, &error))
			break;
	}
	assert_int_equal(n, 100);
	assert_int_equal(error.code, ENOSPC);
	prof_finish(prof);
	assert_int_equal(prof_count(prof), 100);
	prof_free(prof);
}

/* Putting a million labels in order would take hours. */
TEST(a_sample_has_a_bound_of_labels)
{
	static struct prof_label labels[1000000];
	struct prof *prof = prof_new(PROF_BY_LABELS, 0);
	const struct prof_event event = {.name = "cycles"};
	const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1};
	const size_t n = sizeof(labels) / sizeof(labels[0]);
	struct prof_sample sample = {
		.values = &value, .n_values = 1, .labels = labels, .n_labels = n};
	struct prof_cursor cursor = {0};

	for (size_t i = 0; i < n; i++)
		labels[i].name = (uint32_t)(n - i);
	for (char i = 0; i < PROF_LABELS_MOST; i++) {
		const char name[] = {(char)('0' + i), '\0'};

		labels[(size_t)i].name = prof->sink.string(&prof->sink, name);
	}
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	assert_int_equal(prof->n_notes, 1);
	prof_finish(prof);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.n_labels, PROF_LABELS_MOST);
	prof_cursor_free(&cursor);
	prof_free(prof);
}

TEST(build_ids_may_come_later)
{
	struct prof *prof = prof_new(0, 0);
	struct prof_image image = file_at("/a", 0, 0, 0), other = file_at("/b", 0, 0, 0);
	uint32_t a = prof->sink.image(&prof->sink, &image);
	uint32_t b = prof->sink.image(&prof->sink, &other);

	image.build_id_length = 200; /* is cut to what there is room for */
	image.build_id[0] = 7;
	prof->sink.image_build_id(&prof->sink, &image);
	assert_int_equal(prof->images[a].build_id_length, PROF_BUILD_ID_MOST);
	assert_int_equal(prof->images[a].build_id[0], 7);
	assert_int_equal(prof->images[b].build_id_length, 0);
	image.build_id[0] = 8;
	prof->sink.image_build_id(&prof->sink, &image);
	assert_int_equal(prof->images[a].build_id[0], 7);
	prof_free(prof);
}

/* ---- layout ---- */

TEST(images_get_addresses_of_their_own)
{
	static const struct {
		enum prof_image_kind kind;
		bool is_kernel;
		const char *path;
		uint64_t start, end, offset, low, high; /* mapping, or 0; offsets that occur */
		bool keeps;
	} cases[] = {
		{PROF_FILE, false, "/kept", 0x555500001000, 0x555500009000, 0x1000, 0x1000, 0x8fff,
		 true},
		{PROF_FILE, false, "/overlaps", 0x555500002000, 0x555500003000, 0, 0, 0xfff, false},
		{PROF_FILE, false, "/outside", 0x7f0000001000, 0x7f0000002000, 0x1000, 0x500,
		 0x2000, false},
		{PROF_FILE, false, "/nowhere", 0, 0, 0, 0x1234, 0x99999, false},
		{PROF_FILE, false, "/nowhere2", 0, 0, 0, 0x10, 0x20, false},
		{PROF_ANON, false, "[heap]", 0x1000000, 0x1010000, 0, 0, 0xffff, true},
		{PROF_KERNEL, true, "kallsyms", 0, 0, 0, 0, 0xffffff, false},
		{PROF_MODULE, true, "ext4", 0, 0, 0, 0x10, 0x40000, false},
		{PROF_MODULE, true, "xfs", 0xffffffffc0100000, 0xffffffffc0200000, 0, 0, 5, true},
	};
	struct prof *prof = prof_new(0, 0);
	const struct prof_event event = {.name = "cycles"};
	const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct prof_image image = {.kind = cases[i].kind,
						 .is_kernel = cases[i].is_kernel,
						 .path = cases[i].path,
						 .start = cases[i].start,
						 .end = cases[i].end,
						 .offset = cases[i].offset,
						 .pid = 1};
		uint32_t id = prof->sink.image(&prof->sink, &image);
		const struct prof_frame frames[] = {{id, cases[i].low}, {id, cases[i].high}};

		assert_int_equal(push_sample(prof, frames, 2, value, NULL), 0);
	}
	prof_finish(prof);
	prof_layout(prof);
	for (size_t i = 2; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];
		size_t c = 0;

		while (strcmp(cases[c].path, image->path))
			c++;
		assert_true(image->start < image->end);
		assert_int_equal(image->start >> 63, image->is_kernel);
		for (int high = 0; high < 2; high++) {
			const struct prof_frame frame = {(uint32_t)i,
							 high ? cases[c].high : cases[c].low};

			assert_uint_in_range(prof_address(prof, &frame), image->start,
					     image->end - 1);
		}
		if (image->kind == PROF_FILE)
			assert_int_equal(image->start % 4096, image->offset % 4096);
		if (cases[c].keeps)
			assert_true(image->start == cases[c].start && image->end == cases[c].end);
		for (size_t k = 2; k < i; k++)
			assert_true(image->start >= prof->images[k].end ||
				    image->end <= prof->images[k].start);
	}
	prof_free(prof);
}

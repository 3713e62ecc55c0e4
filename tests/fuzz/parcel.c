// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a profile that another process has read: what is taken can be sent on, and keeps its
 * sums and its bytes.  The seed is a profile with all that one can have.  See driver.h.
 */
#include "driver.h"
#include "pp/formats/model/parcel.h"

const unsigned int fuzz_iterations = 200000;

/* Its size is known when it is made. */
struct fuzz_seed fuzz_seeds_made[2];
extern const struct fuzz_seed fuzz_seeds[2] __attribute__((alias("fuzz_seeds_made")));

static struct prof *make_profile(void)
{
	struct prof *prof = prof_new(PROF_BY_COMM | PROF_BY_TID | PROF_BY_CPU, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event cycles = {.name = "cycles", .unit = "events", .period = 1000};
	const struct prof_event faults = {.name = "faults", .frequency = 99};
	const struct prof_image program = {.kind = PROF_FILE,
					   .path = "/usr/bin/program",
					   .build_id = {1, 2, 3},
					   .build_id_length = 3,
					   .pid = PROF_ANY,
					   .start = 0x1000,
					   .end = 0x9000};
	const struct prof_image kernel = {
		.kind = PROF_KERNEL, .is_kernel = true, .path = "kallsyms", .pid = PROF_ANY};
	const struct prof_line lines[] = {{.function = "inlined", .file = "a.c", .line = 7},
					  {.function = "outer", .system_name = "_Zouter"}};
	uint32_t image = sink->image(sink, &program);
	const struct prof_frame frames[] = {
		{sink->image(sink, &kernel), 0x10}, {image, 0x1100}, {image, 0x1200}};
	const struct prof_value values[] = {{sink->event(sink, &cycles), 3, 3000},
					    {sink->event(sink, &faults), 1, 5}};
	const struct prof_branch branch = {frames[1], frames[2], 4, 1, 90};
	const struct prof_sample sample = {.frames = frames,
					   .depth = 3,
					   .has_entry = true,
					   .values = values,
					   .n_values = 2,
					   .app = image,
					   .comm = sink->string(sink, "worker"),
					   .pid = 7,
					   .tid = 8,
					   .cpu = 1,
					   .time = 12345};
	struct op_error error;

	sink->lines(sink, &frames[1], lines, 2);
	fuzz_must(!sink->sample(sink, &sample, &error), "a sample is taken");
	fuzz_must(!sink->branch(sink, &branch, &error), "a branch is taken");
	sink->host(sink, &(struct prof_host){.hostname = "host", .cpu_mhz = 2000});
	sink->lost(sink, "a full ring", 9);
	sink->fact(sink, "key", "value");
	sink->note(sink, "a note");
	prof_finish(prof);
	return prof;
}

static struct op_buffer parcel_of(const struct prof *prof)
{
	struct op_buffer bytes = {0};

	parcel_put(&bytes, prof);
	fuzz_must(!bytes.failed, "there is memory");
	return bytes;
}

__attribute__((constructor)) static void make_seed(void)
{
	struct prof *prof = make_profile();
	struct op_buffer bytes = parcel_of(prof);

	fuzz_seeds_made[0] = (struct fuzz_seed){bytes.bytes, bytes.used};
	prof_free(prof);
}

/* Return: the profile, finished, or NULL: it is refused. */
static struct prof *take(const void *bytes, size_t size)
{
	struct prof *prof = prof_new(PROF_BY_COMM | PROF_BY_TID | PROF_BY_CPU, 0);
	struct op_reader reader = op_reader_of(bytes, size, false);
	struct op_error error = {0};
	int result = parcel_take(&reader, &prof->sink, &error);

	fuzz_must(!result || *error.text, "an error has a text");
	prof_finish(prof);
	if (!result)
		return prof;
	prof_free(prof);
	return NULL;
}

static struct prof *send(const struct prof *prof)
{
	struct op_buffer bytes = parcel_of(prof);
	struct prof *again = take(bytes.bytes, bytes.used);

	fuzz_must(again != NULL, "what was taken can be sent");
	fuzz_must(again->n_events == prof->n_events, "events are what they were");
	for (size_t i = 0; i < prof->n_events; i++)
		fuzz_must(again->totals[i].count == prof->totals[i].count &&
				  again->totals[i].events == prof->totals[i].events,
			  "no sample is lost or made on the way");
	op_buffer_free(&bytes);
	return again;
}

/* Times without a sample are not sent, so that the first time may change the bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prof *prof = take(data, size), *once, *twice;
	struct op_buffer bytes, same;

	if (!prof)
		return 0;
	once = send(prof);
	twice = send(once);
	bytes = parcel_of(once);
	same = parcel_of(twice);
	fuzz_must(same.used == bytes.used && !memcmp(same.bytes, bytes.bytes, same.used),
		  "a profile that was sent is what it was");
	op_buffer_free(&bytes);
	op_buffer_free(&same);
	prof_free(prof);
	prof_free(once);
	prof_free(twice);
	return 0;
}

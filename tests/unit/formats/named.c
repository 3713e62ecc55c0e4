// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats that have names and no addresses, byte by byte: folded stacks, speedscope, callgrind,
 * the Firefox Profiler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "pp/formats/session/symbolize.h"

/*
 * The profile: two events; the program x calls f, in which g is inlined, which calls the kernel's
 * k; and f calls itself.
 */
struct line_case {
	uint64_t offset;
	const struct prof_line *lines;
	size_t n;
	bool is_kernel;
};

static const struct prof_line main_line[] = {{.function = "main", .file = "x.c", .line = 10}};
static const struct prof_line f_line[] = {{.function = "f", .file = "x.c", .line = 20}};
static const struct prof_line g_in_f[] = {{.function = "g", .file = "x.h", .line = 5},
					  {.function = "f", .file = "x.c", .line = 21}};
static const struct prof_line k_line[] = {{.function = "k;\"<\n"}};

static const struct line_case line_cases[] = {
	{0x10, main_line, 1, false},
	{0x20, f_line, 1, false},
	{0x30, g_in_f, 2, false},
	{0x40, k_line, 1, true},
};

static const struct {
	uint64_t offsets[4]; /* leaf first */
	size_t depth;
	uint64_t clock, misses;
} samples[] = {
	{{0x10}, 1, 1, 0},
	{{0x20, 0x10}, 2, 2, 1},
	{{0x30, 0x10}, 2, 4, 0},
	{{0x40, 0x30, 0x10}, 3, 8, 0},
	{{0x20, 0x20, 0x10}, 3, 16, 0},
	{{0x99}, 1, 32, 0},
	{{0}, 0, 64, 0},
};

static struct prof *make_profile(bool two_events)
{
	const struct prof_event clock = {.name = "cpu-clock", .unit = "nanoseconds", .period = 1000};
	const struct prof_event misses = {.name = "cache misses", .period = 10};
	const struct prof_image x = {.kind = PROF_FILE, .path = "/no/such/x", .pid = PROF_ANY,
				     .build_id_length = 20, .build_id = {1, 2, 3, 4, 5, 6, 7, 8}};
	const struct prof_image kernel = {.kind = PROF_KERNEL, .is_kernel = true,
					  .path = "kallsyms", .pid = PROF_ANY};
	struct prof *prof = prof_new(PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID, 0);
	struct prof_sink *sink = &prof->sink;
	uint32_t app = sink->image(sink, &x), k = sink->image(sink, &kernel);
	struct prof_value values[2] = {{.event = sink->event(sink, &clock)}};

	if (two_events)
		values[1].event = sink->event(sink, &misses);
	for (size_t i = 0; i < sizeof(line_cases) / sizeof(line_cases[0]); i++) {
		const struct prof_frame place = {line_cases[i].is_kernel ? k : app,
						 line_cases[i].offset};

		sink->lines(sink, &place, line_cases[i].lines, line_cases[i].n);
	}
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct prof_frame frames[4];
		const struct prof_sample sample = {
			.frames = frames, .depth = samples[i].depth, .values = values,
			.n_values = two_events && samples[i].misses ? 2 : 1, .app = app,
			.comm = sink->string(sink, "x y"), .pid = 7, .tid = 8, .cpu = PROF_ANY};

		values[0].count = samples[i].clock;
		values[0].events = samples[i].clock * 1000;
		values[1].count = samples[i].misses;
		values[1].events = samples[i].misses * 10;
		for (size_t j = 0; j < samples[i].depth; j++)
			frames[j] = (struct prof_frame){samples[i].offsets[j] == 0x40 ? k : app,
							samples[i].offsets[j]};
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

/* What a format makes of the profile; the caller frees it. */
static char *written(const struct format *format, bool two_events, struct op_error *error)
{
	struct prof *prof = make_profile(two_events);
	struct pp_image_search search = {0};
	struct pp_image_reader reader = {.search = &search};
	struct prof_names *names = names_new(prof, &reader, PP_DEMANGLE_NORMAL);
	char *text = NULL;
	size_t length;
	struct output output = {.path = "memory", .file = open_memstream(&text, &length),
				.command = "the command", .names = names};

	error->text[0] = '\0';
	format->write(prof, &output, error);
	fclose(output.file);
	names_free(names);
	pp_image_reader_free(&reader);
	pp_image_search_free(&search);
	prof_free(prof);
	return text;
}

static void assert_written(const struct format *format, bool two_events, const char *want)
{
	struct op_error error;
	char *text = written(format, two_events, &error);

	assert_string_equal(error.text, "");
	assert_string_equal(text, want);
	free(text);
}

static void folded_stacks(void **state)
{
	struct op_error error;

	(void)state;
	assert_written(&format_folded, false,
		       "x y 64\n"
		       "x y;[x] 32\n"
		       "x y;main 1\n"
		       "x y;main;f 2\n"
		       "x y;main;f;f 16\n"
		       "x y;main;f;g 4\n"
		       "x y;main;f;g;k:\"<  8\n");
	free(written(&format_folded, true, &error));
	assert_string_equal(error.text, "folded stacks have one event, and there are 2: choose one "
					"with event:NAME");
}

static void speedscope(void **state)
{
	(void)state;
	assert_written(
		&format_speedscope, true,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"oprofile " OP_VERSION "\",\"name\":\"the command\",\n"
		"\"shared\":{\"frames\":[\n"
		"{\"name\":\"x y\",\"file\":\"/no/such/x\"},\n"
		"{\"name\":\"main\",\"file\":\"x.c\"},\n"
		"{\"name\":\"f\",\"file\":\"x.c\"},\n"
		"{\"name\":\"g\",\"file\":\"x.h\"},\n"
		"{\"name\":\"k;\\\"<\\n\",\"file\":\"kallsyms\"},\n"
		"{\"name\":\"[x]\",\"file\":\"/no/such/x\"}]},\n"
		"\"profiles\":[\n"
		"{\"type\":\"sampled\",\"name\":\"cpu-clock\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":127000,\"samples\":[\n"
		"[0],\n[0,1],\n[0,1,2],\n[0,1,2,2],\n[0,1,2,3],\n[0,1,2,3,4],\n[0,5]],"
		"\"weights\":[64000,1000,2000,16000,4000,8000,32000]},\n"
		"{\"type\":\"sampled\",\"name\":\"cache misses\",\"unit\":\"none\",\"startValue\":0,"
		"\"endValue\":1,\"samples\":[\n[0,1,2]],\"weights\":[1]}]}\n");
}

static void callgrind(void **state)
{
	(void)state;
	assert_written(&format_callgrind, true,
		       "# callgrind format\nversion: 1\ncreator: oprofile " OP_VERSION "\n"
		       "cmd: the command\npositions: line\nevents: cpu-clock cache_misses\n"
		       "summary: 127 1\n"
		       "\nob=(3) /no/such/x\nfl=(1) ???\nfn=(1) x y\n0 64 0\n"
		       "\nob=(3)\nfl=(2) x.c\nfn=(2) main\n10 1 0\n"
		       "cob=(3)\ncfi=(2)\ncfn=(3) f\ncalls=4 0\n10 30 1\n"
		       "\nob=(3)\nfl=(2)\nfn=(3)\n20 18 1\n"
		       /* once for the stack with two of them */
		       "cob=(3)\ncfi=(2)\ncfn=(3)\ncalls=1 0\n20 16 0\n"
		       "cob=(3)\ncfi=(3) x.h\ncfn=(4) g\ncalls=2 0\n21 12 0\n"
		       "\nob=(3)\nfl=(3)\nfn=(4)\n5 4 0\n"
		       "cob=(4) kallsyms\ncfi=(1)\ncfn=(5) k;\"< \ncalls=1 0\n5 8 0\n"
		       "\nob=(4)\nfl=(1)\nfn=(5)\n0 8 0\n"
		       "\nob=(3)\nfl=(1)\nfn=(6) [x]\n0 32 0\n"
		       "\ntotals: 127 1\n");
}

static void firefox(void **state)
{
	(void)state;
	assert_written(
		&format_firefox, false,
		"{\"meta\":{\"version\":27,\"preprocessedProfileVersion\":48,\"interval\":0.001000,"
		"\"startTime\":0.000,\"processType\":0,\"stackwalk\":1,\"debug\":false,"
		"\"symbolicated\":true,\"symbolicationNotSupported\":true,\"markerSchema\":[],"
		"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},"
		"\"categories\":[{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"importedFrom\":\"oprofile " OP_VERSION "\",\"product\":\"the command\",\"oscpu\":\"\"},\n"
		"\"libs\":["
		"{\"arch\":\"\",\"name\":\"[unknown]\",\"debugName\":\"[unknown]\",\"path\":\"[unknown]\","
		"\"debugPath\":\"[unknown]\",\"breakpadId\":\"\",\"codeId\":null},\n"
		"{\"arch\":\"\",\"name\":\"[unknown]\",\"debugName\":\"[unknown]\",\"path\":\"[unknown]\","
		"\"debugPath\":\"[unknown]\",\"breakpadId\":\"\",\"codeId\":null},\n"
		"{\"arch\":\"\",\"name\":\"x\",\"debugName\":\"x\",\"path\":\"/no/such/x\","
		"\"debugPath\":\"/no/such/x\",\"breakpadId\":\"040302010605080700000000000000000\","
		"\"codeId\":\"0102030405060708000000000000000000000000\"},\n"
		"{\"arch\":\"\",\"name\":\"kallsyms\",\"debugName\":\"kallsyms\",\"path\":\"kallsyms\","
		"\"debugPath\":\"kallsyms\",\"breakpadId\":\"\",\"codeId\":null}],\n"
		"\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n"
		"\"threads\":[{\"name\":\"x y\",\"processName\":\"x y\",\"pid\":\"7\",\"tid\":8,"
		"\"isMainThread\":false,\"processType\":\"default\",\"processStartupTime\":0,"
		"\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
		"\"pausedRanges\":[],\"showMarkersInTimeline\":false,\"markers\":{\"length\":0,"
		"\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]},"
		"\"stringArray\":[\"[unknown]\",\"[unknown]\",\"x\",\"kallsyms\","
		"\"main\",\"f\",\"g\",\"k;\\\"<\\n\",\"[x]\",\"x.c\",\"x.c\",\"x.h\",\"\",\"\"],"
		"\"funcTable\":{\"length\":5,\"name\":[4,5,6,7,8],"
		"\"isJS\":[false,false,false,false,false],"
		"\"relevantForJS\":[false,false,false,false,false],\"resource\":[2,2,2,3,2],"
		"\"fileName\":[9,10,11,null,null],\"lineNumber\":[null,null,null,null,null],"
		"\"columnNumber\":[null,null,null,null,null]},"
		"\"resourceTable\":{\"length\":4,\"lib\":[0,1,2,3],\"name\":[0,1,2,3],"
		"\"host\":[null,null,null,null],\"type\":[1,1,1,1]},"
		"\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
		"\"name\":[]},"
		"\"frameTable\":{\"length\":6,\"address\":[-1,-1,-1,-1,-1,-1],"
		"\"inlineDepth\":[0,0,0,1,0,0],\"category\":[0,0,0,0,1,0],"
		"\"subcategory\":[0,0,0,0,0,0],\"func\":[0,1,1,2,3,4],"
		"\"nativeSymbol\":[null,null,null,null,null,null],\"innerWindowID\":[0,0,0,0,0,0],"
		"\"implementation\":[null,null,null,null,null,null],"
		"\"line\":[10,20,21,5,null,null],\"column\":[null,null,null,null,null,null]},"
		"\"stackTable\":{\"length\":7,\"prefix\":[null,0,1,0,3,4,null],"
		"\"frame\":[0,1,1,2,3,4,5],\"category\":[0,0,0,0,0,1,0],"
		"\"subcategory\":[0,0,0,0,0,0,0]},"
		"\"samples\":{\"length\":7,\"weightType\":\"samples\","
		"\"stack\":[null,0,1,2,4,5,6],\"weight\":[64,1,2,16,4,8,32],"
		"\"time\":[0.000000,0.064000,0.065000,0.067000,0.083000,0.087000,0.095000]}}]}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_stacks),
		cmocka_unit_test(speedscope),
		cmocka_unit_test(callgrind),
		cmocka_unit_test(firefox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

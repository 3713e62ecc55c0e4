// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast symbols, lines and inlined functions of a large image are, without the cache of tables
 * on the disk (libop/tables/table_cache.h) and with it: reports of 5000 random addresses in its
 * code.
 * One metric a line: name, value, unit.
 *
 *	bench_images OPREPORT [IMAGE]
 *
 * Without IMAGE, a C++ program of UNITS units is made: as many as make about 10 MB of debug
 * information.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/pp/session.h"

#define ADDRESSES 5000
#define UNITS	  40
#define REPEAT	  3

/* Code that brings much of the standard library along. */
static void write_unit(const struct test_session *session, int unit)
{
	char *path = test_session_path(session, "unit%d.cc", unit);
	FILE *file = fopen(path, "w");

	test_need(file != NULL, "cannot write %s", path);
	fprintf(file,
		"#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n"
		"struct item%d { int key; std::string name;\n"
		"\tbool operator<(const item%d &o) const { return key < o.key; } };\n"
		"size_t work%d(int n)\n{\n\tstd::vector<item%d> v;\n\tstd::map<int, item%d> m;\n"
		"\tfor (int i = 0; i < n; i++) {\n\t\tv.push_back({i * %d %% 17, \"x\"});\n"
		"\t\tm[i %% 5] = v.back();\n\t}\n\tstd::sort(v.begin(), v.end());\n"
		"\treturn v[n / 2].name.size() + m.size();\n}\n",
		unit, unit, unit, unit, unit, unit + 3);
	fclose(file);
	free(path);
}

static char *make_image(const struct test_session *session)
{
	char *path = test_session_path(session, "main.cc");
	FILE *file = fopen(path, "w");

	test_need(file != NULL, "cannot write %s", path);
	fputs("#include <cstddef>\n", file);
	for (int i = 0; i < UNITS; i++) {
		write_unit(session, i);
		fprintf(file, "size_t work%d(int);\n", i);
	}
	fputs("int main(int argc, char **)\n{\n\tsize_t n = 0;\n", file);
	for (int i = 0; i < UNITS; i++)
		fprintf(file, "\tn += work%d(argc);\n", i);
	fputs("\treturn n & 1;\n}\n", file);
	fclose(file);
	free(path);
	test_shell("cd %s && ls *.cc | xargs -n 8 -P 2 g++ -O2 -g -c && "
		   "g++ -Wl,--build-id -o image *.o",
		   session->dir);
	return test_session_path(session, "image");
}

/* Random offsets in .text. */
static void fill(struct test_session *session, const char *image)
{
	static struct odb_entry entries[ADDRESSES];
	unsigned long offset = 0, size = 0;
	char command[4096], name[8192];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "readelf -SW '%s' | sed -n 's/.* .text *PROGBITS *[0-9a-f]* "
		 "\\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/\\1 \\2/p'",
		 image);
	pipe = popen(command, "r");
	test_need(pipe && fscanf(pipe, "%lx %lx", &offset, &size) == 2, "no .text in %s", image);
	pclose(pipe);
	srandom(1);
	for (size_t i = 0; i < ADDRESSES; i++)
		entries[i] = (struct odb_entry){
			.key = offset + ((uint64_t)random() << 16 ^ (uint64_t)random()) % size,
			.count = 1};
	snprintf(name, sizeof(name), "{root}%s/{dep}/{root}%s/TIMER.0.0.all.all.all", image, image);
	test_session_add_entries(session, name, entries, ADDRESSES);
}

static double measure(const struct test_session *session, const char *opreport, const char *name,
		      const char *option, const char *cache)
{
	char session_option[128], metric[64];
	const char *argv[] = {opreport, session_option, option, NULL};
	double best = 1e9;
	long rss = 0;

	setenv("XDG_CACHE_HOME", cache, 1);
	snprintf(session_option, sizeof(session_option), "--session-dir=%s", session->dir);
	for (int i = 0; i < REPEAT; i++) {
		struct test_run run;

		test_run(&run, argv);
		test_need(!run.status && *run.out, "%s failed: %s", opreport, run.err);
		if (run.seconds < best)
			best = run.seconds;
		if (run.max_rss_kib > rss)
			rss = run.max_rss_kib;
		test_run_free(&run);
	}
	snprintf(metric, sizeof(metric), "images_%s", name);
	printf("%s_time\t%.1f\tms\n", metric, best * 1000);
	printf("%s_rss\t%.1f\tMB\n", metric, (double)rss / 1024);
	return best;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *option;
	} reports[] = {{"symbols", "-l"}, {"lines", "-lg"}, {"inlined", "--inline"}};
	struct test_session session;
	char *cache, *image;

	test_need(argc == 2 || argc == 3, "usage: bench_images OPREPORT [IMAGE]");
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_session_make(&session);
	image = argc == 3 ? realpath(argv[2], NULL) : make_image(&session);
	test_need(image != NULL, "no image");
	cache = test_session_path(&session, "cache");
	fill(&session, image);
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		char name[64];
		double without, with;

		/* A cache can't be made below a file. */
		without =
			measure(&session, argv[1], reports[i].name, reports[i].option, "/dev/null");
		snprintf(name, sizeof(name), "%s_cached", reports[i].name);
		with = measure(&session, argv[1], name, reports[i].option, cache);
		printf("images_%s_ratio\t%.1f\tx\n", name, without / with);
	}
	free(image);
	free(cache);
	test_session_remove(&session);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast reports are: a session of 200 images with 2000 offsets each (400 thousand keys).
 *
 * The images are real ELF files made here by the assembler and the linker: 100 functions of
 * 80 bytes, with a symbol table; ten of them are linked, the others are copies.  Each report
 * is made REPEAT times with a warm page cache; the best time counts, and the least CPU time, which
 * tells more on a machine that others use.  One metric a line: name, value, unit.
 *
 * Then, in sessions of their own: a call graph of 20 {cg} files with 4000 arcs each, 4000 files
 * of threads merged into one, and a list of symbols from 100 thousand sample files.  The first and
 * the last one are packed as well.
 *
 *	bench_opreport OPREPORT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/pack/pack.h"
#include "libop/pack/session.h"
#include "tests/unit/pp/session.h"

#define IMAGES	  200
#define OFFSETS	  2000
#define FUNCTIONS 100
#define SIZE	  80 /* bytes of a function; OFFSETS * 4 = FUNCTIONS * SIZE */
#define LINKED	  10
#define REPEAT	  5
#define ARC_FILES 20
#define ARCS	  4000
#define THREADS	  4000
#define FILES	  100000

static void write_source(const struct test_session *session, int image)
{
	char *path = test_session_path(session, "image%d.s", image);
	FILE *file = fopen(path, "w");

	test_need(file != NULL, "cannot write %s", path);
	fputs("\t.file \"image.c\"\n\t.text\n\t.globl _start\n_start:\n\tnop\n\t.p2align 4\n",
	      file);
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(file,
			"\t.globl image%d_function_%d\n\t.type image%d_function_%d, @function\n"
			"image%d_function_%d:\n\t.skip %d, 0x90\n"
			"\t.size image%d_function_%d, .-image%d_function_%d\n",
			image, i, image, i, image, i, SIZE, image, i, image, i);
	fclose(file);
	free(path);
}

static void make_images(const struct test_session *session)
{
	for (int i = 0; i < IMAGES; i++) {
		if (i >= LINKED) {
			test_shell("cp %s/image%d %s/image%d", session->dir, i % LINKED,
				   session->dir, i);
			continue;
		}
		write_source(session, i);
		test_shell("gcc -nostdlib -static -Wa,-g -o %s/image%d %s/image%d.s", session->dir,
			   i, session->dir, i);
	}
}

/* The file offset of .text, as readelf says. */
static uint64_t text_offset(const struct test_session *session)
{
	char *command = NULL;
	unsigned long offset = 0;
	FILE *pipe;

	test_need(asprintf(&command,
			   "readelf -SW %s/image0 | sed -n 's/.* .text *PROGBITS *[0-9a-f]* "
			   "\\([0-9a-f]*\\) .*/\\1/p'",
			   session->dir) >= 0,
		  "out of memory");
	pipe = popen(command, "r");
	test_need(pipe && fscanf(pipe, "%lx", &offset) == 1 && offset, "no .text in the images");
	pclose(pipe);
	free(command);
	return offset;
}

static void fill(struct test_session *session)
{
	struct odb_entry entries[OFFSETS];
	uint64_t text = text_offset(session) + 16;

	srandom(1);
	for (int image = 0; image < IMAGES; image++) {
		char name[512];

		for (int i = 0; i < OFFSETS; i++) {
			entries[i].key = text + 4 * (uint64_t)((i * 7919 + image) % OFFSETS);
			entries[i].count = 1 + (uint64_t)(random() % 50);
		}
		snprintf(name, sizeof(name),
			 "{root}%s/image%d/{dep}/{root}%s/image%d/TIMER.0.0.all.all.all",
			 session->dir, image, session->dir, image);
		test_session_add_entries(session, name, entries, OFFSETS);
	}
}

static void measure(const struct test_session *session, const char *opreport, const char *name,
		    const char *option, const char *more)
{
	char session_option[128];
	const char *argv[] = {opreport, session_option, option, more, NULL};
	double best = 1e9, least_cpu = 1e9;
	long rss = 0;
	size_t lines = 0;

	snprintf(session_option, sizeof(session_option), "--session-dir=%s", session->dir);
	for (int i = 0; i < REPEAT; i++) {
		struct test_run run;

		test_run(&run, argv);
		test_need(!run.status, "%s failed: %s", opreport, run.err);
		lines = 0;
		for (const char *c = run.out; *c; c++)
			lines += *c == '\n';
		if (run.seconds < best)
			best = run.seconds;
		if (run.cpu_seconds < least_cpu)
			least_cpu = run.cpu_seconds;
		if (run.max_rss_kib > rss)
			rss = run.max_rss_kib;
		test_run_free(&run);
	}
	printf("opreport_%s_time\t%.1f\tms\n", name, best * 1000);
	printf("opreport_%s_cpu\t%.1f\tms\n", name, least_cpu * 1000);
	printf("opreport_%s_rss\t%.1f\tMB\n", name, (double)rss / 1024);
	printf("opreport_%s_lines\t%zu\tlines\n", name, lines);
}

/* Arcs among functions of one image, from ARC_FILES images. */
static void fill_arcs(struct test_session *session)
{
	struct odb_entry entries[ARCS];
	uint64_t text = text_offset(session) + 16;

	for (int image = 0; image < ARC_FILES; image++) {
		char name[512];

		for (int i = 0; i < ARCS; i++) {
			uint64_t from = text + 4 * (uint64_t)((i * 7919) % OFFSETS);
			uint64_t to = text + 4 * (uint64_t)((i * 104729 + i / OFFSETS) % OFFSETS);

			entries[i].key = from << 32 | to;
			entries[i].count = 1 + (uint64_t)(random() % 50);
		}
		snprintf(name, sizeof(name),
			 "{root}%s/image%d/{dep}/{root}%s/image%d/{cg}/{root}%s/image%d/"
			 "TIMER.0.0.all.all.all",
			 session->dir, image, session->dir, image, session->dir,
			 (image + 1) % ARC_FILES);
		test_session_add_entries(session, name, entries, ARCS);
		snprintf(name, sizeof(name),
			 "{root}%s/image%d/{dep}/{root}%s/image%d/TIMER.0.0.all.all.all",
			 session->dir, image, session->dir, image);
		test_session_add(session, name, text, 1);
	}
}

/* Files of threads with one key each. */
static void fill_threads(struct test_session *session, int n, int images)
{
	uint64_t text = text_offset(session) + 16;

	for (int i = 0; i < n; i++) {
		char name[512];
		int image = i % images;

		snprintf(name, sizeof(name),
			 "{root}%s/image%d/{dep}/{root}%s/image%d/TIMER.0.0.100.%d.all",
			 session->dir, image, session->dir, image, 100 + i);
		test_session_add(session, name, text + 4 * (uint64_t)(i % OFFSETS), 1);
	}
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	test_need(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && !close(fd), "cannot write %s",
		  path);
}

/* Makes the directories of @path from its byte @from on. */
static void make_directories(char *path, size_t from)
{
	for (char *slash = path + from; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		test_need(!mkdir(path, 0755) || errno == EEXIST, "cannot make %s", path);
		*slash = '/';
	}
}

/*
 * Files of applications with one key each, of a library each: copies of a few that libdb made,
 * because there are so many.
 */
static void fill_applications(struct test_session *session, int n, int images)
{
	uint64_t text = text_offset(session) + 16;
	char *path = test_session_path(session, "samples/current/{root}%s/", session->dir);
	size_t head = strlen(path);

	make_directories(path, strlen(session->dir) + 1);
	for (int i = 0; i < n; i++) {
		static char *bytes[IMAGES];
		static size_t length;
		int image = i % images;
		char name[1024];

		if (!bytes[image]) {
			snprintf(name, sizeof(name), "{root}/model%d/{dep}/{root}/model%d/%s",
				 image, image, "TIMER.0.0.all.all.all");
			test_session_add(session, name, text + 4 * (uint64_t)image, 1);
			free(path);
			path = test_session_path(session, "samples/current/%s", name);
			bytes[image] = op_file_read(path, 1 << 20, &length, NULL);
			test_need(bytes[image] != NULL, "cannot read %s", path);
			free(path);
			path = test_session_path(session, "samples/current/{root}%s/",
						 session->dir);
		}
		snprintf(name, sizeof(name), "%sapp%d/{dep}/{root}%s/image%d/TIMER.0.0.all.all.all",
			 path, i, session->dir, image);
		make_directories(name, head);
		write_file(name, bytes[image], length);
	}
	test_shell("rm -rf '%s'/samples/current/{root}/model*", session->dir);
	free(path);
}

static void make_session(struct test_session *session)
{
	test_session_make(session);
	make_images(session);
}

/* Packs the session; tells the CPU time that it takes and the length of the pack. */
static void pack(const struct test_session *session, const char *name)
{
	char *current = test_session_path(session, "samples/current");
	char *path = test_session_path(session, "samples/current/" OP_PACK_NAME);
	struct op_pack_result result;
	struct op_error error;
	struct stat status;
	clock_t begin = clock();

	test_need(!op_session_pack(current, NULL, NULL, &result, &error), "%s", error.text);
	printf("%s_cpu\t%.1f\tms\n", name, (double)(clock() - begin) * 1000 / CLOCKS_PER_SEC);
	test_need(!stat(path, &status), "cannot examine %s", path);
	printf("%s_size\t%lld\tbytes\n", name, (long long)status.st_size);
	free(path);
	free(current);
}

int main(int argc, char **argv)
{
	struct test_session session;

	test_need(argc == 2, "usage: bench_opreport OPREPORT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	make_session(&session);
	fill(&session);
	measure(&session, argv[1], "summary", NULL, NULL);
	measure(&session, argv[1], "symbols", "-l", NULL);
	measure(&session, argv[1], "symbols_lines", "-l", "-g");
	measure(&session, argv[1], "details", "-l", "-d");
	measure(&session, argv[1], "xml", "-X", NULL);
	measure(&session, argv[1], "json", "--json", "-l");
	pack(&session, "packing");
	measure(&session, argv[1], "packed_summary", NULL, NULL);
	measure(&session, argv[1], "packed_symbols", "-l", NULL);
	test_session_remove(&session);
	make_session(&session);
	fill_arcs(&session);
	measure(&session, argv[1], "callgraph", "-c", NULL);
	test_session_remove(&session);
	make_session(&session);
	fill_threads(&session, THREADS, 10);
	measure(&session, argv[1], "threads_merged", "-l", "-mtid");
	test_session_remove(&session);
	/* In memory: the directories of so many files are more than a disk's cache may hold. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 0);
	make_session(&session);
	fill_applications(&session, FILES, IMAGES);
	measure(&session, argv[1], "many_files_summary", NULL, NULL);
	measure(&session, argv[1], "many_files", "-l", NULL);
	pack(&session, "packing_many_files");
	measure(&session, argv[1], "packed_many_files_summary", NULL, NULL);
	measure(&session, argv[1], "packed_many_files", "-l", NULL);
	test_session_remove(&session);
	return 0;
}

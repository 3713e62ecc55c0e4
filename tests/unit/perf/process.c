// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What processes have mapped: new mappings in the place of old ones, forks, programs executed,
 * ends; and the same by a plain model, at random.
 */
#include <libgen.h>
#include <sched.h>
#include <sys/mount.h>

#include "ring.h"

#include "daemon/live/machine.h"
#include "daemon/sources/perf/resolve.h"
#include "module/uapi/oprofile.h"

/* No such process: /proc has nothing to say. */
#define PID 0x7ffffff0

static struct perf_processes *processes;

TEST_HOOK(set_up)
{
	processes = malloc(sizeof(*processes));
	perf_processes_init(processes);
	perf_process_exec(processes, PID);
	return 0;
}

TEST_HOOK(tear_down)
{
	perf_processes_free(processes);
	free(processes);
	return 0;
}

static void map(uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	const struct perf_file file = {.path = path, .device = 1, .inode = 2};

	perf_process_map(processes, pid, start, end, offset, &file);
}

/* "PATH+OFFSET" of an address, or "-". */
static const char *where(uint32_t pid, uint64_t address)
{
	struct perf_process *process = perf_process_get(processes, pid);
	const struct space_mapping *mapping = perf_process_where(processes, process, address);
	static char text[OPROFILE_PATH_MAX + 64];
	struct image_facts facts = {0};

	if (!mapping)
		return "-";
	if (mapping->image == OPROFILE_NO_COOKIE)
		snprintf(text, sizeof(text), "anon \"%s\"", mapping->label);
	else if (perf_image_facts(&processes->images, mapping->image, &facts))
		return "?";
	else
		snprintf(text, sizeof(text), "%s+%#llx", facts.reported.path,
			 (unsigned long long)(address - mapping->start + mapping->offset));
	return text;
}

TEST_WITH(mappings, set_up, tear_down)
{
	const struct space_mapping *mapping;

	map(PID, 0x1000, 0x5000, 0x100, "/a");
	assert_string_equal(where(PID, 0xfff), "-");
	assert_string_equal(where(PID, 0x1000), "/a+0x100");
	assert_string_equal(where(PID, 0x4fff), "/a+0x40ff");
	assert_string_equal(where(PID, 0x5000), "-");
	/* in its middle: both its ends stay where they are */
	map(PID, 0x2000, 0x3000, 0, "/b");
	assert_string_equal(where(PID, 0x1fff), "/a+0x10ff");
	assert_string_equal(where(PID, 0x2000), "/b+0");
	assert_string_equal(where(PID, 0x3000), "/a+0x2100");
	/* over an end, over several */
	map(PID, 0x4800, 0x6000, 0, "//anon");
	assert_string_equal(where(PID, 0x47ff), "/a+0x38ff");
	assert_string_equal(where(PID, 0x4800), "anon \"\"");
	map(PID, 0, 0x10000, 0, "[heap]");
	assert_string_equal(where(PID, 0x2000), "anon \"[heap]\"");
	assert_int_equal(space_process_mappings(&perf_process_find(processes, PID)->task, &mapping),
			 1);
}

TEST_WITH(programs, set_up, tear_down)
{
	const struct perf_process *process = perf_process_find(processes, PID);
	uint64_t number = process->task.number, app;

	assert_int_equal(process->task.app, OPROFILE_NO_COOKIE);
	map(PID, 0x1000, 0x2000, 0, "/program");
	app = process->task.app;
	assert_int_not_equal(app, OPROFILE_NO_COOKIE);
	map(PID, 0x3000, 0x4000, 0, "/lib/ld.so");
	assert_int_equal(process->task.app, app);

	perf_process_fork(processes, PID + 1, PID);
	assert_string_equal(where(PID + 1, 0x3000), "/lib/ld.so+0");
	assert_int_equal(perf_process_find(processes, PID + 1)->task.app, app);
	perf_process_exec(processes, PID + 1);
	/* the caller is the program before until this one runs */
	assert_string_equal(where(PID + 1, 0x3000), "/lib/ld.so+0");
	assert_string_equal(where(PID, 0x3000), "/lib/ld.so+0");
	assert_int_not_equal(perf_process_find(processes, PID + 1)->task.number, number);
	/* a program that has no place on any disk is a file all the same, unlike other memory */
	map(PID + 1, 0x1000, 0x2000, 0, "/memfd:program (deleted)");
	assert_string_equal(where(PID + 1, 0x1000), "/memfd:program (deleted)+0");
	assert_string_equal(where(PID + 1, 0x3000), "-");
	map(PID + 1, 0x8000, 0x9000, 0, "/memfd:code (deleted)");
	assert_string_equal(where(PID + 1, 0x8000), "anon \"memfd:code (deleted)\"");
}

TEST_WITH(ends, set_up, tear_down)
{
	perf_process_fork(processes, PID, PID); /* a thread */
	perf_process_exit(processes, PID);
	perf_processes_next_round(processes, 0);
	perf_processes_next_round(processes, 0);
	perf_processes_next_round(processes, 0);
	assert_non_null(perf_process_find(processes, PID));
	perf_process_exit(processes, PID);
	perf_processes_next_round(processes, 0);
	assert_non_null(perf_process_find(processes, PID)); /* samples may come late */
	perf_processes_next_round(processes, 0);
	perf_processes_next_round(processes, 0);
	assert_non_null(perf_process_find(processes, PID)); /* for one alone nobody looks */
}

/* All of them, also those that ended shortly before the first look. */
TEST_WITH(many_ends, set_up, tear_down)
{
	const uint32_t number = 100;

	perf_processes_next_round(processes, 0);
	for (uint32_t i = 1; i <= number; i++)
		perf_process_fork(processes, PID + i, PID);
	for (uint32_t i = 1; i <= number; i++) {
		perf_process_exit(processes, PID + i);
		if (i % 10 == 0)
			perf_processes_next_round(processes, 0);
	}
	assert_non_null(perf_process_find(processes, PID + number));
	assert_null(perf_process_find(processes, PID + 1));
	perf_processes_next_round(processes, 0);
	assert_null(perf_process_find(processes, PID + number / 2));
	assert_non_null(perf_process_find(processes, PID));
}

TEST_WITH(same_files, set_up, tear_down)
{
	const uint8_t id[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 5};
	struct perf_file file = {.path = "/a", .build_id = id, .build_id_size = 4};
	uint64_t first = perf_image_cookie(&processes->images, &file);

	assert_int_equal(perf_image_cookie(&processes->images, &file), first);
	file.build_id = other;
	assert_int_not_equal(perf_image_cookie(&processes->images, &file), first);
	file.build_id = id;
	file.foreign = true;
	assert_int_not_equal(perf_image_cookie(&processes->images, &file), first);
	file.foreign = false;
	file.path = "/b";
	assert_int_not_equal(perf_image_cookie(&processes->images, &file), first);
	/* those that nobody maps are forgotten, and their cookies are not used again */
	perf_image_keep(&processes->images, first);
	perf_images_sweep(&processes->images);
	perf_image_keep(&processes->images, first);
	perf_images_sweep(&processes->images);
	assert_int_equal(processes->images.count, 1);
	assert_true(perf_image_cookie(&processes->images, &file) > first + 3);
	file.path = "/a";
	assert_int_equal(perf_image_cookie(&processes->images, &file), first);
}

TEST_WITH(this_process, set_up, tear_down)
{
	struct perf_process *process = perf_process_get(processes, (uint32_t)getpid());
	const struct space_mapping *mapping =
		perf_process_where(processes, process, (uint64_t)(uintptr_t)this_process);
	struct image_facts facts = {0};
	char self[OPROFILE_PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(length > 0);
	self[length] = '\0';
	assert_non_null(mapping);
	assert_int_equal(mapping->image, process->task.app);
	assert_int_equal(perf_image_facts(&processes->images, process->task.app, &facts), 0);
	assert_string_equal(facts.reported.path, self);
	assert_true(facts.present);
	assert_true(facts.reported.flags & OPROFILE_IMAGE_BUILD_ID);
}

#define PAGES 64

/* A model that is an array: the file of each page, and which page of it. */
TEST_WITH(as_a_model, set_up, tear_down)
{
	static const char *const paths[] = {"/a", "/b", "/c", "/d"};
	char model[PAGES][64];

	srand(1);
	for (int i = 0; i < PAGES; i++)
		strcpy(model[i], "-");
	for (int turn = 0; turn < 3000; turn++) {
		int first = rand() % PAGES, count = 1 + rand() % (PAGES - first);
		uint64_t offset = (uint64_t)(1 + rand() % 1000) << 12;
		const char *path = paths[rand() % 4];

		map(PID, (uint64_t)first << 12, (uint64_t)(first + count) << 12, offset, path);
		for (int i = 0; i < count; i++)
			snprintf(model[first + i], sizeof(model[0]), "%s+%#llx", path,
				 (unsigned long long)(offset + ((uint64_t)i << 12)));
		for (int i = 0; i < PAGES; i++)
			assert_string_equal(where(PID, (uint64_t)i << 12), model[i]);
	}
}

/* ---- mount namespaces ---- */

#define NO_NAMESPACES 77

/* Runs @work in a child.  Return: its exit status. */
static int in_child(int (*work)(void))
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(work());
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* In a mount namespace that lacks the program of process 1. */
static int look_from_elsewhere(void)
{
	struct image_facts facts = {0};
	const struct perf_process *process;
	char self[OPROFILE_PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd;

	if (length <= 0)
		return 2;
	self[length] = '\0';
	if (unshare(CLONE_NEWNS) || mount("tmpfs", dirname(strdupa(self)), "tmpfs", 0, NULL) ||
	    !access(self, F_OK))
		return 3;
	perf_processes_init(processes);
	process = perf_process_get(processes, 1);
	if (!process || perf_image_facts(&processes->images, process->task.app, &facts))
		return 4;
	if (strcmp(facts.reported.path, self) != 0)
		return 5;
	if (facts.reported.flags & OPROFILE_IMAGE_FOREIGN_NS)
		return 6;
	if (!facts.present || !facts.identified)
		return 7;
	fd = machine_open_image(&facts, 0);
	return fd < 0 ? 8 : 0;
}

/* Process 1 of its own namespaces. */
static int be_first(void)
{
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		return NO_NAMESPACES;
	return in_child(look_from_elsewhere);
}

static int enter_namespaces(void)
{
	return unshare(CLONE_NEWNS | CLONE_NEWPID) ? NO_NAMESPACES : in_child(be_first);
}

TEST_WITH(files_of_the_host_are_not_foreign_to_a_profiler_in_a_namespace_of_its_own, set_up,
	  tear_down)
{
	int status = in_child(enter_namespaces);

	if (status == NO_NAMESPACES) {
		print_message("skipped: namespaces take root\n");
		skip();
	}
	assert_int_equal(status, 0);
}

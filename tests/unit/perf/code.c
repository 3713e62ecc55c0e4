// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks through code in memory: no table says anything of it, and it is not to be trusted. */
#include <signal.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "daemon/sources/perf/code.h"
#include "daemon/sources/perf/resolve.h"
#include "libop/foreign/apart.h"
#include "libop/perf/unwind.h"
#include "tests/unit/test.h"

/* ---- a process by construction ---- */

#define CODE	 0x10000u
#define CODE_END 0x11000u
#define STACK	 0x7000u

/* A trampoline of an interpreter; and one with a frame pointer, and a jump to anywhere. */
enum { TRAMPOLINE = 0, WITH_POINTER = 0x40 };
static const uint8_t trampoline[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08,
				     0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3};
static const uint8_t with_pointer[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd1, 0xff, 0xe0};

static struct {
	uint8_t code[CODE_END - CODE];
	uint64_t stack[16], registers[20];
	bool is_known; /* whether code can be read */
} made;

static enum perf_unwind_place place(void *context, uint64_t address, bool is_return, uint64_t *file,
				    uint64_t *offset)
{
	(void)context;
	(void)is_return;
	*file = *offset = 0;
	return address >= CODE && address < CODE_END ? PERF_UNWIND_MEMORY : PERF_UNWIND_NOWHERE;
}

static size_t read_code(void *context, uint64_t address, uint8_t *bytes, size_t most)
{
	size_t n = CODE_END - address;

	(void)context;
	assert_uint_in_range(address, CODE, CODE_END);
	n = !made.is_known ? 0 : n < most ? n : most;
	memcpy(bytes, made.code + (address - CODE), n);
	return n;
}

static int open_none(void *context, uint64_t file, bool *is_in_container)
{
	(void)context;
	(void)file;
	*is_in_container = false;
	fail();
	return -1;
}

static const struct perf_unwind_files files = {place, open_none, read_code};

static void make(uint64_t pc)
{
	memset(&made, 0, sizeof(made));
	memset(made.code, 0xcc, sizeof(made.code));
	memcpy(made.code + TRAMPOLINE, trampoline, sizeof(trampoline));
	memcpy(made.code + WITH_POINTER, with_pointer, sizeof(with_pointer));
	made.is_known = true;
	made.registers[6] = 1; /* of no stack */
	made.registers[7] = STACK;
	made.registers[8] = pc;
}

static uint64_t frame[PERF_UNWIND_FRAMES_MOST];
static struct perf_unwind_counts counts;

static size_t walk(void)
{
	const struct perf_user_state user = {.abi = PERF_SAMPLE_REGS_ABI_64,
					     .registers = (const uint8_t *)made.registers,
					     .stack = (const uint8_t *)made.stack,
					     .size = sizeof(made.stack)};
	struct perf_unwind *unwind = perf_unwind_new(&files);
	size_t n = perf_unwind_stack(unwind, NULL, &user, PERF_UNWIND_X86_64, frame);

	counts = *perf_unwind_count(unwind);
	perf_unwind_free(unwind);
	return n;
}

TEST(trampolines_lead_to_their_callers_from_each_of_their_instructions)
{
	static const struct {
		uint8_t at, words; /* below the return address */
	} places[] = {{0, 0}, {4, 0}, {8, 1}, {10, 1}, {14, 0}};

	for (size_t i = 0; i < 5; i++) {
		make(CODE + TRAMPOLINE + places[i].at);
		made.stack[places[i].words] = CODE + TRAMPOLINE + 10;
		made.stack[places[i].words + 2] = CODE + TRAMPOLINE + 10;
		assert_int_equal(walk(), 3);
		assert_int_equal(frame[1], CODE + TRAMPOLINE + 10);
		assert_int_equal(frame[2], CODE + TRAMPOLINE + 10);
		assert_int_equal(counts.by_code, 2);
	}
}

TEST(code_that_cannot_be_read_ends_a_stack_and_is_counted)
{
	make(CODE + TRAMPOLINE + 10);
	made.stack[1] = CODE + TRAMPOLINE + 10;
	made.is_known = false;
	assert_int_equal(walk(), 1);
	assert_int_equal(counts.unread, 1);
	assert_int_equal(counts.by_code, 0);
}

TEST(code_that_does_not_say_how_it_returns_is_left_by_its_frame_pointer)
{
	make(CODE + TRAMPOLINE + 10);
	made.stack[1] = CODE + WITH_POINTER + 6;
	made.registers[6] = STACK + 3 * 8;
	made.stack[4] = CODE + TRAMPOLINE + 10;
	assert_int_equal(walk(), 3);
	assert_int_equal(frame[2], CODE + TRAMPOLINE + 10);
	assert_int_equal(counts.by_fp, 1);
	assert_int_equal(counts.unknown, 2); /* the last has no caller in code */
}

TEST(what_is_no_code_is_no_caller)
{
	/* by the code */
	make(CODE + TRAMPOLINE + 10);
	made.stack[1] = CODE_END + 1;
	assert_int_equal(walk(), 1);
	made.stack[1] = CODE; /* the byte before is none */
	assert_int_equal(walk(), 1);
	/* by the frame pointer */
	make(CODE + WITH_POINTER + 6);
	made.registers[6] = STACK;
	made.stack[1] = CODE_END + 1;
	assert_int_equal(walk(), 1);
	made.stack[1] = CODE_END;
	assert_int_equal(walk(), 2);
}

/* ---- this process, and others ---- */

static struct perf_processes processes;
static struct perf_code code;

TEST_HOOK(set_up)
{
	perf_processes_init(&processes);
	perf_code_init(&code);
	processes.now = 1;
	return 0;
}

TEST_HOOK(tear_down)
{
	perf_code_free(&code);
	perf_processes_free(&processes);
	return 0;
}

static void *map_code(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	memset(memory, 0xcc, size);
	assert_int_equal(mprotect(memory, size, PROT_READ | PROT_EXEC), 0);
	return memory;
}

/* Reads @memory of a process.  Return: whether it is there. */
static bool reads(pid_t pid, const void *memory)
{
	struct perf_process *process = perf_process_get(&processes, (uint32_t)pid);
	uint8_t bytes[64] = {0};

	assert_non_null(process);
	return perf_code_read(&code, &processes, process, (uintptr_t)memory, bytes,
			      sizeof(bytes)) == sizeof(bytes) &&
	       bytes[0] == 0xcc && bytes[63] == 0xcc;
}

/* Memory whose pages its process brings when it likes: never.  Return: NULL: there is none here. */
static void *map_missing(size_t size)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *memory = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	range.range.start = (uintptr_t)memory;
	range.range.len = size;
	if (memory == MAP_FAILED || fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return NULL;
	return memory;
}

/* A process that waits, which may belong to somebody else, and says where its memory is. */
static pid_t start_hanging(uid_t user, void **memory)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		*memory = map_missing(4096);
		if (setresuid(user, user, user) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		if (write(ends[1], memory, sizeof(*memory)) == sizeof(*memory))
			pause();
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ends[0], memory, sizeof(*memory)), sizeof(*memory));
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* The same, whose memory is this process's. */
static pid_t start(uid_t user)
{
	int ends[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		if (user && (setresuid(user, user, user) || prctl(PR_SET_DUMPABLE, user % 2)))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ends[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_WITH(code_of_a_process_is_known_after_its_end, set_up, tear_down)
{
	char *memory = map_code(8 * 4096);
	pid_t pid = start(0);

	assert_true(reads(pid, memory));
	end(pid);
	perf_process_exit(&processes, (uint32_t)pid);
	processes.now = UINT64_C(10000000000);
	assert_true(reads(pid, memory + 7 * 4096));
	munmap(memory, 8 * 4096);
}

TEST_WITH(a_process_that_is_gone_has_no_code, set_up, tear_down)
{
	char *memory = map_code(4096);
	pid_t pid = start(0);

	perf_process_get(&processes, (uint32_t)pid);
	end(pid);
	assert_false(reads(pid, memory));
	munmap(memory, 4096);
}

/* Of others, by a process apart; one that may not be dumped has files of root's in /proc. */
TEST_WITH(root_reads_the_code_of_others_apart, set_up, tear_down)
{
	char *memory = map_code(4096);

	if (geteuid()) {
		print_message("not root\n");
		skip();
	}
	for (uid_t user = 65532; user < 65534; user++) {
		pid_t pid = start(user);

		assert_true(reads(pid, memory));
		assert_true(code.memory[user - 65532].is_apart);
		end(pid);
	}
	apart_end();
	munmap(memory, 4096);
}

/* Where process_vm_readv(2) would wait for its process. */
TEST_WITH(root_does_not_wait_for_the_code_of_others, set_up, tear_down)
{
	time_t begun = time(NULL);
	void *memory = NULL;
	pid_t pid;

	if (geteuid()) {
		print_message("not root\n");
		skip();
	}
	pid = start_hanging(65533, &memory);
	if (!memory) {
		end(pid);
		print_message("no userfaultfd\n");
		skip();
	}
	assert_false(reads(pid, memory));
	assert_true(code.memory[0].is_apart);
	assert_true(time(NULL) - begun < 60);
	end(pid);
	apart_end();
}

TEST_WITH(code_of_files_and_of_nothing_is_not_read_from_memory, set_up, tear_down)
{
	struct perf_process *process = perf_process_get(&processes, (uint32_t)getpid());
	uint8_t bytes[16];

	assert_int_equal(perf_code_read(&code, &processes, process, (uintptr_t)map_code, bytes, 16),
			 0);
	assert_int_equal(perf_code_read(&code, &processes, process, 8, bytes, 16), 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spends CPU time in a BPF program, which is loaded for that and goes with this process:
 *
 *	bpf SECONDS
 *
 * The program is called spin_bpf.  Exit codes: 0, 1 failed, 77 this kernel loads or runs none.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

#define ADDITIONS 1000
#define RUNS	  20000 /* between two looks at the clock */
#define PACKET	  64	/* bytes, the least that a program for packets is run with */

static int load(void)
{
	static struct bpf_insn code[ADDITIONS + 2];
	union bpf_attr attr;

	code[0] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1};
	for (size_t i = 1; i <= ADDITIONS; i++)
		code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 7};
	code[ADDITIONS + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SCHED_CLS;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = ADDITIONS + 2;
	attr.license = (uintptr_t) "GPL";
	memcpy(attr.prog_name, "spin_bpf", sizeof("spin_bpf"));
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int run(int program)
{
	static uint8_t packet[PACKET];
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	attr.test.repeat = RUNS;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = PACKET;
	return (int)syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	int program;

	if (seconds <= 0)
		return 1;
	program = load();
	if (program < 0) {
		perror("bpf: no program can be loaded");
		return 77;
	}
	while (cpu_seconds() < seconds) {
		if (run(program)) {
			perror("bpf: the program cannot be run");
			return 77;
		}
	}
	return 0;
}

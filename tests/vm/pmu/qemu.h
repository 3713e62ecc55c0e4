/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plugin uses of QEMU 10: its plugin interface (version 4) and some functions and
 * objects that the executable exports for its own modules.  Declared here because Debian's
 * binary packages bring no header; hook.c checks what can be checked when it is loaded, and
 * env.c every time a block is translated.
 */
#ifndef PMU_QEMU_H
#define PMU_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the plugin interface */

#define QEMU_PLUGIN_VERSION_USED 4
#define QEMU_PLUGIN_EXPORT	 __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

typedef struct qemu_info_t {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

/* A 64-bit cell at @offset of each vCPU's element of a scoreboard. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_NEVER,
	QEMU_PLUGIN_COND_ALWAYS,
	QEMU_PLUGIN_COND_EQ,
	QEMU_PLUGIN_COND_NE,
	QEMU_PLUGIN_COND_LT, /* these four compare unsigned */
	QEMU_PLUGIN_COND_LE,
	QEMU_PLUGIN_COND_GT,
	QEMU_PLUGIN_COND_GE,
};

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };

typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu_index);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu_index, void *userdata);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb,
					       qemu_plugin_vcpu_udata_cb_t cb,
					       enum qemu_plugin_cb_flags flags,
					       enum qemu_plugin_cond cond, qemu_plugin_u64 entry,
					       uint64_t imm, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 qemu_plugin_u64 entry, uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu_index);
uint64_t qemu_plugin_u64_sum(qemu_plugin_u64 entry);

/* the emulator */

typedef struct CPUState CPUState;
typedef struct CPUX86State CPUX86State;

extern __thread CPUState *current_cpu;
extern bool one_insn_per_tb; /* translate blocks of one instruction from now on */
extern int use_icount;	     /* not 0 with -icount */

/*
 * Leave the running block for the main loop; @pc is an address of the block's own machine code,
 * from which the guest's state is restored.
 */
void cpu_loop_exit_restore(CPUState *cpu, uintptr_t pc) __attribute__((noreturn));
/* Likewise, with the guest's state as it is. */
void cpu_loop_exit_noexc(CPUState *cpu) __attribute__((noreturn));
/* Likewise, and execute the next instruction while all other vCPUs stand still. */
void cpu_loop_exit_atomic(CPUState *cpu, uintptr_t pc) __attribute__((noreturn));

#define CPU_INTERRUPT_NMI 0x200
void cpu_interrupt(CPUState *cpu, int mask);

typedef union {
	int host_int;
	void *host_ptr;
} run_on_cpu_data;
void async_run_on_cpu(CPUState *cpu, void (*func)(CPUState *cpu, run_on_cpu_data data),
		      run_on_cpu_data data);

bool bql_locked(void);
void bql_lock_impl(const char *file, int line);
void bql_unlock(void);

void cpu_physical_memory_rw(uint64_t address, void *buffer, uint64_t length, bool is_write);
/* -1 unless the current CPU's APIC is in x2APIC mode */
int apic_msr_read(int index, uint64_t *value);
int apic_msr_write(int index, uint64_t value);

void helper_rdmsr(CPUX86State *env);
void helper_wrmsr(CPUX86State *env);
void helper_rdpmc(CPUX86State *env);
void helper_cpuid(CPUX86State *env);
void helper_raise_interrupt(CPUX86State *env, int vector, int length);
void helper_raise_exception(CPUX86State *env, int vector) __attribute__((noreturn));

void x86_cpu_do_interrupt(CPUState *cpu);
bool x86_cpu_exec_interrupt(CPUState *cpu, int request);

/* The head of the record from which the translator takes a helper's address. */
struct helper_info {
	void *function;
	const char *name;
};
extern struct helper_info helper_info_rdmsr;
extern struct helper_info helper_info_wrmsr;
extern struct helper_info helper_info_rdpmc;
extern struct helper_info helper_info_cpuid;
extern struct helper_info helper_info_raise_interrupt;

#endif

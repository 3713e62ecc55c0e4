// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks by unwind tables: see walk.h.
 *
 * Maps and tables are read as an RCU reader: an NMI is one, and so is a hard interrupt.
 *
 * Most of what a frame costs is looking its row up: in the map, and in the table.  The frames of a
 * program are the same again and again, so each CPU remembers the rows of recent ones, by address
 * and by the number of the map, which no two maps share.  Rows are copied: what is remembered
 * points nowhere.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "cpu_buffer.h"
#include "current.h"
#include "kick.h"
#include "unwind/map.h"
#include "unwind/table.h"
#include "unwind/walk.h"
#include "uapi/oprofile.h"
#include "uapi/unwind_step.h"

#define RECENT_ORDER 9

/**
 * struct recent_row - the row of an address
 * @pc: the address
 * @map: op_unwind_map::id; 0: there is nothing here
 */
struct recent_row {
	unsigned long pc;
	u64 map;
	struct unwind_row row;
};

/* struct unwind_cpu - what a CPU's NMIs remember */
struct unwind_cpu {
	struct recent_row recent[1 << RECENT_ORDER];
};

/* Lifetime: from op_unwind_set_up() to op_unwind_tear_down(), when no producer runs. */
static struct unwind_cpu __percpu *unwind_cpus;

/**
 * struct walk - of one stack
 * @reads: the user's page tables are the ones in use: a read has succeeded
 */
struct walk {
	struct op_unwind_map *map;
	u64 map_id;
	struct unwind_cpu *cpu;
	bool reads;
};

/*
 * Sync makes the map when it meets the sample: not a quarter of a second later.  A sync looks at
 * all CPUs, and so all CPUs together ask once in a jiffy at most.  A program that changes its
 * mappings asks with each sample.
 */
static unsigned long asked_at;

static noinline void ask_for_map(void)
{
	unsigned long now = jiffies;

	if (READ_ONCE(asked_at) == now || !op_unwind_memory())
		return;
	WRITE_ONCE(asked_at, now);
	op_sync_kick_later();
}

NOKPROBE_SYMBOL(ask_for_map);

/* ---- rows ---- */

static noinline struct op_unwind_mapping *find_mapping(struct op_unwind_map *map,
						       unsigned long pc)
{
	unsigned int low = 0, high = map->nr;
	struct op_unwind_mapping *mapping;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (map->mappings[middle].start > pc)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low)
		return NULL;
	mapping = &map->mappings[low - 1];
	return pc < READ_ONCE(mapping->end) ? mapping : NULL;
}

NOKPROBE_SYMBOL(find_mapping);

static const struct unwind_row no_row = { .cfa_in = UNWIND_NONE };

static noinline struct unwind_row look_up_row(struct walk *walk, unsigned long pc,
					      struct recent_row *recent)
{
	const struct op_unwind_mapping *mapping = find_mapping(walk->map, pc);
	const struct op_unwind_table *table;
	const struct unwind_row *row;

	table = mapping ? rcu_dereference_raw(mapping->table) : NULL;
	if (!table)
		return no_row;
	row = unwind_table_find(&table->table, mapping->offset + (pc - mapping->start));
	*recent = (struct recent_row){ .pc = pc, .map = walk->map_id, .row = row ? *row : no_row };
	return recent->row;
}

NOKPROBE_SYMBOL(look_up_row);

/* Of code of which nothing is said, one of UNWIND_NONE. */
static __always_inline struct unwind_row find_row(struct walk *walk, unsigned long pc)
{
	struct recent_row *recent = &walk->cpu->recent[hash_long(pc, RECENT_ORDER)];

	if (likely(recent->pc == pc && recent->map == walk->map_id))
		return recent->row;
	return look_up_row(walk, pc, recent);
}

/* ---- the stack and registers ---- */

/*
 * copy_from_user_nmi() checks that the user's page tables are the ones in use, which nothing can
 * change before this NMI or interrupt returns.  So only the first word goes through it.
 */
static noinline bool read_first_word(struct walk *walk, u64 address, u64 *word)
{
	walk->reads = !copy_from_user_nmi(word, (void __user *)address, sizeof(*word));
	return walk->reads;
}

NOKPROBE_SYMBOL(read_first_word);

/* With page faults disabled. */
static __always_inline bool read_stack(void *from, __u64 address, __u64 *word)
{
	const u64 __user *user = (void __user *)address;
	struct walk *walk = from;

	if (unlikely(!walk->reads))
		return read_first_word(walk, address, word);
	if (!user_access_begin(user, sizeof(*user)))
		return false;
	unsafe_get_user(*word, user, fault);
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

#define REGISTER(name) offsetof(struct pt_regs, name)

/* The registers of x86-64 in the order that DWARF gives them. */
static const u8 register_at[] = {
	REGISTER(ax), REGISTER(dx), REGISTER(cx), REGISTER(bx), REGISTER(si), REGISTER(di),
	REGISTER(bp), REGISTER(sp), REGISTER(r8), REGISTER(r9), REGISTER(r10), REGISTER(r11),
	REGISTER(r12), REGISTER(r13), REGISTER(r14), REGISTER(r15),
};

static noinline bool read_register(const struct unwind_frame *frame, unsigned int number,
				   __u64 *value)
{
	const struct pt_regs *regs = frame->registers;

	if (number >= ARRAY_SIZE(register_at))
		return false;
	*value = *(const unsigned long *)((const void *)regs + register_at[number]);
	return true;
}

NOKPROBE_SYMBOL(read_register);

/* ---- walking ---- */

/* A row says nothing of the code: without a table, that is missed. */
static noinline enum unwind_end step_without_row(struct walk *walk, struct unwind_frame *frame)
{
	unsigned long pc = unwind_frame_code(frame);
	struct op_unwind_mapping *mapping = find_mapping(walk->map, pc);

	if (mapping && mapping->cookie != OPROFILE_NO_COOKIE &&
	    !rcu_access_pointer(mapping->table) && !READ_ONCE(walk->map->missed))
		WRITE_ONCE(walk->map->missed, true);
	/* Where there is no code, there is no caller; but it may be new. */
	if (!mapping && !READ_ONCE(walk->map->stale))
		return frame->is_exact ? UNWIND_NO_ROW : UNWIND_BAD_FRAME;
	return unwind_step_by_fp(frame, read_stack, walk);
}

NOKPROBE_SYMBOL(step_without_row);

static __always_inline enum unwind_end walk_frames(struct walk *walk, struct unwind_frame *frame,
						   struct op_frames *frames)
{
	struct op_frames added = *frames; /* a copy, to be kept in registers */
	enum unwind_end end;

	for (;;) {
		struct unwind_row row = find_row(walk, unwind_frame_code(frame));

		if (unlikely(added.nr >= added.depth)) {
			end = unwind_row_cfa(&row) == UNWIND_ROOT ? UNWIND_AT_ROOT : UNWIND_GOES_ON;
			break;
		}
		end = unwind_step_by_row(&row, frame, read_stack, walk, read_register);
		if (unlikely(end == UNWIND_NO_ROW))
			end = step_without_row(walk, frame);
		if (end != UNWIND_GOES_ON)
			break;
		op_frames_add(&added, frame->pc + frame->is_exact, false);
		if (unlikely(added.aborted)) {
			end = UNWIND_BAD_FRAME;
			break;
		}
	}
	*frames = added;
	return end;
}

bool op_unwind_user(struct pt_regs *regs, struct op_frames *frames)
{
	struct unwind_frame frame = {
		.pc = regs->ip,
		.sp = regs->sp,
		.fp = regs->bp,
		.registers = regs,
		.knows_fp = true,
		.is_exact = true,
	};
	struct walk walk = {
		.map = op_unwind_map_find(op_current(mm)),
		.cpu = raw_cpu_ptr(unwind_cpus),
	};

	if (unlikely(!walk.map || READ_ONCE(walk.map->stale)))
		ask_for_map();
	if (unlikely(!walk.map))
		return false;
	walk.map_id = READ_ONCE(walk.map->id);
	pagefault_disable();
	op_frames_end(frames, walk_frames(&walk, &frame, frames));
	pagefault_enable();
	return true;
}

NOKPROBE_SYMBOL(op_unwind_user);

int op_unwind_set_up(void)
{
	unwind_cpus = alloc_percpu(struct unwind_cpu);
	if (!unwind_cpus)
		return -ENOMEM;
	asked_at = jiffies - 1;
	return 0;
}

void op_unwind_tear_down(void)
{
	free_percpu(unwind_cpus);
	unwind_cpus = NULL;
}

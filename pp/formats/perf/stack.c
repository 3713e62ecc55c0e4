// SPDX-License-Identifier: GPL-2.0-or-later
/* See stack.h. */
#include "stack.h"

/* Kernels have the upper half of the addresses, where there are 64 bits. */
#define UPPER_HALF (UINT64_C(1) << 63)

#define MISC_EXACT_IP (1u << 14)

struct prof_frame perf_stack_place(struct maps *maps, int64_t pid, uint64_t address)
{
	struct prof_frame frame = {PROF_NO_IMAGE, address};

	if (address >= UPPER_HALF) {
		maps_find(maps, MAPS_KERNEL, address, &frame);
		return frame;
	}
	if (pid != PROF_ANY && maps_find(maps, pid, address, &frame))
		return frame;
	if (!maps_find(maps, MAPS_KERNEL, address, &frame))
		frame.image = PROF_NO_IMAGE;
	return frame;
}

static struct prof_frame maps_place(struct maps *maps, int64_t pid, enum perf_cpumode mode,
				    uint64_t address)
{
	struct prof_frame frame = {PROF_NO_IMAGE, address};

	switch (mode) {
	case PERF_MODE_KERNEL:
		maps_find(maps, MAPS_KERNEL, address, &frame);
		break;
	case PERF_MODE_USER:
		if (pid != PROF_ANY)
			maps_find(maps, pid, address, &frame);
		break;
	case PERF_MODE_HYPERVISOR:
		frame.image = PROF_NO_KERNEL_IMAGE;
		break;
	case PERF_MODE_GUEST_KERNEL:
	case PERF_MODE_GUEST_USER:
		break; /* addresses of another machine */
	default:
		return perf_stack_place(maps, pid, address);
	}
	return frame;
}

static void perf_stack_push(struct perf_stack *stack, struct prof_frame frame)
{
	if (stack->depth < PROF_DEPTH_MOST)
		stack->frames[stack->depth++] = frame;
	else
		stack->was_cut = true;
}

/* The mode that a mark begins; false: none that can be followed. */
static bool mode_of_mark(uint64_t mark, enum perf_cpumode *mode)
{
	switch (mark) {
	case PERF_MARK_HV:
		*mode = PERF_MODE_HYPERVISOR;
		return true;
	case PERF_MARK_KERNEL:
		*mode = PERF_MODE_KERNEL;
		return true;
	case PERF_MARK_USER:
		*mode = PERF_MODE_USER;
		return true;
	default:
		return false;
	}
}

/* The calls that the processor recorded: each is the address of a call, so one below what comes
 * after it. */
static void push_branches(struct perf_stack *stack, struct maps *maps,
			  const struct perf_sample *sample, int64_t pid)
{
	for (uint64_t i = 0; i < sample->extra.branches_size; i++) {
		struct prof_frame frame =
			perf_stack_place(maps, pid, perf_branch_at(sample, i).from);

		frame.offset++;
		perf_stack_push(stack, frame);
	}
}

/* Whether the first address of a chain is the sample's own: it may be some instructions after
 * one that is exact.  A record that does not say whose code it is about has it in the chain. */
static bool is_leaf(const struct perf_sample *sample, uint16_t misc, enum perf_cpumode mode,
		    uint64_t address)
{
	enum perf_cpumode own = perf_cpumode(misc);

	return (own == PERF_MODE_UNKNOWN || own == mode) &&
	       (address == sample->ip || misc & MISC_EXACT_IP);
}

/* Whether the chain has no callers in user code, but there is what tells them. */
static bool is_to_unwind(const struct perf_stack *stack, const struct perf_sample *sample,
			 const struct perf_attr *attr)
{
	return sample->user.size && !stack->is_deferred &&
	       (perf_attr_flag(attr, PERF_FLAG_NO_USER_CHAIN) || stack->user_frames <= 1);
}

/* Pushes the callers in user code, and before them, behind the kernel's, the code itself. */
static void push_unwound(struct perf_stack *stack, struct maps *maps,
			 const struct perf_sample *sample, const struct perf_attr *attr,
			 int64_t pid)
{
	uint64_t frame[PERF_UNWIND_FRAMES_MOST];
	size_t n = perf_callers_find(&stack->callers, sample, attr, pid, frame);

	for (size_t i = stack->user_frames != 0; i < n; i++)
		perf_stack_push(stack, maps_place(maps, pid, PERF_MODE_USER, frame[i]));
}

void perf_stack_read(struct perf_stack *stack, struct maps *maps, const struct perf_sample *sample,
		     const struct perf_attr *attr, uint16_t misc, int64_t pid)
{
	bool by_processor = perf_stack_is_branches(attr) && sample->extra.branches_size;
	enum perf_cpumode mode = perf_cpumode(misc);
	bool is_first = true;
	uint64_t address;

	stack->depth = 0;
	stack->was_cut = stack->has_unknown = stack->is_deferred = false;
	stack->user_frames = mode == PERF_MODE_USER;
	perf_stack_push(stack, maps_place(maps, pid, mode, sample->ip));
	for (uint64_t i = 0; i < sample->chain_size && !stack->was_cut; i++) {
		address = perf_chain_at(sample, i);
		if (address == PERF_MARK_USER_DEFERRED) {
			stack->is_deferred = true;
			break;
		}
		if (address >= PERF_MARK_FIRST) {
			if (!mode_of_mark(address, &mode)) {
				stack->has_unknown = true;
				break;
			}
			continue;
		}
		if (!is_first || !is_leaf(sample, misc, mode, address)) {
			perf_stack_push(stack, maps_place(maps, pid, mode, address));
			stack->user_frames += mode == PERF_MODE_USER;
		} else if (mode != perf_cpumode(misc)) {
			stack->frames[0] = maps_place(maps, pid, mode, sample->ip);
			stack->user_frames += mode == PERF_MODE_USER;
		}
		is_first = false;
		if (by_processor && mode == PERF_MODE_USER)
			break;
	}
	if (by_processor)
		push_branches(stack, maps, sample, pid);
	else if (is_to_unwind(stack, sample, attr))
		push_unwound(stack, maps, sample, attr, pid);
}

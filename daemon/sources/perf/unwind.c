// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers by call frame information: see unwind.h.
 */
#include "unwind.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/elf/build_id.h"
#include "libop/elf/frame_value.h"
#include "libop/foreign/door.h"
#include "module/uapi/oprofile.h"
#include "resolve.h"

/* Files whose information is kept; an unwound program needs some dozens. */
#define FILES_MOST 1024

/* struct unwind_file - a file's call frame information */
struct unwind_file {
	int fd;
	Elf *elf;	/* NULL: the file cannot be read */
	Dwarf_CFI *cfi; /* NULL: it has none */
};

struct perf_unwind {
	struct op_hash_map by_cookie;
};

struct perf_unwind *perf_unwind_new(void)
{
	elf_version(EV_CURRENT);
	return calloc(1, sizeof(struct perf_unwind));
}

static void close_file(struct unwind_file *file)
{
	dwarf_cfi_end(file->cfi);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

static void forget_files(struct perf_unwind *unwind)
{
	const struct op_hash_map *map = &unwind->by_cookie;

	for (size_t i = 0; i < map->n; i++) {
		struct unwind_file *file = map->entries[i].value;

		if (file)
			close_file(file);
	}
	op_hash_map_free(&unwind->by_cookie);
}

void perf_unwind_free(struct perf_unwind *unwind)
{
	if (unwind)
		forget_files(unwind);
	free(unwind);
}

/* ---- files ---- */

/* Whether an open file is the one that the kernel has reported. */
static bool is_reported(int fd, const struct oprofile_image *reported)
{
	uint8_t id[BUILD_ID_MAX];
	struct stat status;

	if (!(reported->flags & OPROFILE_IMAGE_BUILD_ID))
		return !fstat(fd, &status) && status.st_ino == reported->inode;
	return reported->build_id_size && build_id_of_open(fd, id) == reported->build_id_size &&
	       !memcmp(id, reported->build_id, reported->build_id_size);
}

/*
 * Opens the very file: by its path, or below the root directory of a process that has it mapped,
 * whose mount namespace may be another one.  The path may name anything by now.
 */
static int open_file(const struct image_facts *facts, uint32_t tgid)
{
	const struct oprofile_image *reported = &facts->reported;
	char root[32] = "", path[OPROFILE_PATH_MAX + 64];
	int fd;

	if (!facts->present && !(reported->flags & OPROFILE_IMAGE_BUILD_ID))
		return -1;
	if (!facts->present)
		snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	snprintf(path, sizeof(path), "%s%s", root, reported->path);
	fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_NONE);
	if (fd >= 0 && !is_reported(fd, reported)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static struct unwind_file *load_file(const struct perf_images *images, uint64_t cookie,
				     uint32_t tgid)
{
	struct unwind_file *file = calloc(1, sizeof(*file));
	struct image_facts facts = {0};

	if (!file)
		return NULL;
	file->fd = perf_image_facts(images, cookie, &facts) ? -1 : open_file(&facts, tgid);
	/* read, not mapped: a file that gets shorter would end us */
	file->elf = file->fd >= 0 ? elf_begin(file->fd, ELF_C_READ, NULL) : NULL;
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF && gelf_getclass(file->elf) == ELFCLASS64)
		file->cfi = dwarf_getcfi_elf(file->elf);
	return file;
}

static const struct unwind_file *file_of(struct perf_unwind *unwind,
					 const struct perf_images *images, uint64_t cookie,
					 uint32_t tgid)
{
	struct unwind_file *file = op_hash_map_find(&unwind->by_cookie, cookie);

	if (file)
		return file;
	if (unwind->by_cookie.n >= FILES_MOST)
		forget_files(unwind);
	file = load_file(images, cookie, tgid);
	if (file && op_hash_map_set(&unwind->by_cookie, cookie, file)) {
		close_file(file);
		return NULL;
	}
	return file;
}

/* From an offset in the file to the address that its own headers give it. */
static bool to_address(const struct unwind_file *file, uint64_t offset, uint64_t *address)
{
	size_t segments;
	GElf_Phdr header;

	if (elf_getphdrnum(file->elf, &segments))
		return false;
	for (size_t i = 0; i < segments; i++) {
		if (gelf_getphdr(file->elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    offset >= header.p_offset && offset - header.p_offset < header.p_filesz) {
			*address = offset - header.p_offset + header.p_vaddr;
			return true;
		}
	}
	return false;
}

/* ---- frames ---- */

/* The caller's registers.  Return: whether there is a caller that is known. */
static bool apply(Dwarf_Frame *frame, struct frame_state *state)
{
	struct frame_state caller = *state;
	Dwarf_Op *op, room[3];
	size_t count;

	if (dwarf_frame_cfa(frame, &op, &count) || !count ||
	    !frame_value(state, op, count, false, &state->cfa))
		return false;
	caller.known = 0;
	for (int i = 0; i < FRAME_REGISTERS; i++) {
		bool known;

		if (dwarf_frame_register(frame, i, room, &op, &count))
			continue;
		if (!count && op == room) /* its value is lost */
			continue;
		if (!count) { /* it is as it was */
			known = state->known & 1u << i;
		} else {
			known = frame_value(state, op, count, true, &caller.reg[i]);
		}
		caller.known |= (uint32_t)known << i;
	}
	if (state->cfa <= state->reg[FRAME_SP] || !(caller.known & 1u << FRAME_PC))
		return false;
	caller.reg[FRAME_SP] = state->cfa;
	caller.known |= 1u << FRAME_SP;
	*state = caller;
	return state->reg[FRAME_PC];
}

/*
 * Goes to the caller.  A return address may be that of the code behind a call that ends a
 * function: what counts is the call.
 */
static bool go_up(struct perf_unwind *unwind, struct perf_processes *processes,
		  struct perf_process *process, bool is_return, struct frame_state *state)
{
	uint64_t pc = state->reg[FRAME_PC] - is_return, address;
	const struct space_mapping *mapping = is_return
						      ? perf_process_known(process, pc)
						      : perf_process_where(processes, process, pc);
	const struct unwind_file *file;
	Dwarf_Frame *frame;
	bool good;

	if (!mapping || mapping->image == OPROFILE_NO_COOKIE)
		return false;
	file = file_of(unwind, &processes->images, mapping->image, (uint32_t)process->task.pid);
	if (!file || !file->cfi ||
	    !to_address(file, pc - mapping->start + mapping->offset, &address) ||
	    dwarf_cfi_addrframe(file->cfi, address, &frame))
		return false;
	good = apply(frame, state);
	free(frame);
	return good;
}

/* The kernel's order of registers, as DWARF numbers them; flags and segments are passed over. */
static bool read_registers(const struct perf_user_state *user, struct frame_state *state)
{
	static const int8_t numbers[] = {0,  3,	 2, 1, 4,  5,  6,  7,  16, -1,
					 -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};

	if (user->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < sizeof(numbers); i++) {
		if (numbers[i] >= 0)
			memcpy(&state->reg[numbers[i]], user->registers + i * sizeof(uint64_t),
			       sizeof(uint64_t));
	}
	state->known = (1u << FRAME_REGISTERS) - 1;
	state->stack = user->stack;
	state->start = state->reg[FRAME_SP];
	state->size = user->size;
	return true;
}

size_t perf_unwind_chain(struct perf_unwind *unwind, struct perf_processes *processes,
			 struct perf_process *process, const struct perf_user_state *user,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	struct frame_state state = {0};
	size_t count = 0;

	if (!read_registers(user, &state))
		return 0;
	frame[count++] = state.reg[FRAME_PC];
	while (count < PERF_UNWIND_FRAMES_MOST &&
	       go_up(unwind, processes, process, count > 1, &state))
		frame[count++] = state.reg[FRAME_PC];
	return count;
}

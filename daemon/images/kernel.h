/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image of an address in kernel code: the kernel itself or a module.
 *
 *	vmlinux		the file's image, offsets from the start of its code
 *	kallsyms	without a vmlinux: the image OP_KERNEL_IMAGE, offsets from _stext
 *	no-vmlinux	all kernel code is one image, OP_NO_VMLINUX, offsets are addresses
 *
 * In the first two modes, modules are images of their own, with offsets from their base address,
 * and code in kallsyms that belongs to no module, such as "bpf_prog_... [bpf]", is the image
 * "[bpf]", where offsets are addresses.
 *
 * To read the kernel's symbols costs 100 million instructions.  They are read when the daemon
 * starts, a module is loaded or an address is unknown, and not merely because a session begins.
 */
#ifndef DAEMON_IMAGES_KERNEL_H
#define DAEMON_IMAGES_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "image.h"

enum kernel_mode { KERNEL_KALLSYMS, KERNEL_VMLINUX, KERNEL_NO_VMLINUX };

struct kernel_config {
	enum kernel_mode mode;
	const char *vmlinux; /* absolute path, in mode KERNEL_VMLINUX */
	uint64_t start, end; /* of the kernel's code; 0: find out */
};

/* struct kernel_range - addresses whose samples go to one image */
struct kernel_range {
	uint64_t start, end;
	uint64_t base; /* offset 0 is at this address */
	struct image *image;
	bool fleeting; /* a BPF program, which another may replace without notice */
};

/* The lists of the last refresh, for the next session. */
struct kernel_lists {
	char *modules;	 /* as of source_modules(); NULL: unknown */
	char *reference; /* as of saved_kallsyms_reference(); NULL: there is none */
	bool stale;	 /* there were samples that other symbols than those may be for */
};

struct kernel {
	struct kernel_config config;
	struct kernel_range self;   /* the kernel itself */
	struct kernel_range *range; /* the others, sorted by start */
	size_t count;
	uint64_t ask_from; /* from this buffer on, kernel_find() calls kernel_refresh() again */
	unsigned int code; /* source::kernel_code at the last refresh */

	struct images *images;
	struct source *source;
	const char *dir; /* samples/current of the session */
	struct kernel_lists lists;
};

/**
 * kernel_init - locate the kernel's code, and do what kernel_refresh() does
 * @kernel: zero but for config, images, source and dir; kernel_free() frees what it holds
 *
 * Return: 0, or -1 with @error set.
 */
int kernel_init(struct kernel *kernel, struct op_error *error);
void kernel_free(struct kernel *kernel);

/**
 * kernel_refresh - read the lists of modules and symbols again
 *
 * Also writes them to OP_SAMPLES_MODULES and OP_SAMPLES_KALLSYMS of the session, which keep the
 * lines of unloaded modules.  Errors are logged.
 */
void kernel_refresh(struct kernel *kernel);

/**
 * kernel_enter - write the lists to a session that has just begun
 *
 * Reads the symbols again only if modules have changed, or if samples since the last time were in
 * code that may have been replaced, or in none.  Errors are logged.
 */
void kernel_enter(struct kernel *kernel);

/**
 * kernel_find - the range that an address is in
 * @buffer: the number of the buffer that is being decoded
 *
 * For an address in no range it calls kernel_refresh(): for the first one, and if the source has
 * heard of new code since; else at a limited rate.
 *
 * Return: the range, good until the next call, or NULL.
 */
const struct kernel_range *kernel_find(struct kernel *kernel, uint64_t address, uint64_t buffer);

#endif

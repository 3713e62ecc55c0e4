/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What the kernel module and the daemon say to each other.
 *
 * /dev/oprofile/buffer is read as an array of 64-bit words.  Two words that do
 * not begin with OPROFILE_ESCAPE_CODE are a sample: the offset inside the
 * current image (or the absolute address, for kernel code and anonymous
 * memory), and the number of the counter with the weight above it: how many
 * events the sample stands for, 0 for the period of the event.
 * OPROFILE_ESCAPE_CODE announces a record whose code, the next word, is one of
 * enum oprofile_code.
 *
 * Every read() returns whole records and can be decoded without what was read
 * before: it begins with a CPU switch and carries its own task switches.
 */
#ifndef OPROFILE_UAPI_H
#define OPROFILE_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define OPROFILE_ESCAPE_CODE (~(__u64)0)

/* The second word of a sample: bits of the counter's number, and the largest weight. */
#define OPROFILE_COUNTER_BITS 8
#define OPROFILE_WEIGHT_MAX (((__u64)1 << 55) - 1)

/* Cookies that name no file. */
#define OPROFILE_NO_COOKIE ((__u64)0)	    /* memory without a file; the offset is an address */
#define OPROFILE_INVALID_COOKIE (~(__u64)0) /* no address space, or none known */

/* The cookie of the unwind table of the vdso, which is no file; no event buffer has it. */
#define OPROFILE_VDSO_COOKIE ((__u64)1 << 32)

/**
 * enum oprofile_code - the word after OPROFILE_ESCAPE_CODE
 * @OPROFILE_CTX_SWITCH: then tid, application cookie, ESC, OPROFILE_CTX_TGID, tgid
 * @OPROFILE_CPU_SWITCH: then the CPU that took the following samples
 * @OPROFILE_COOKIE_SWITCH: then the cookie of the image of the following user samples
 * @OPROFILE_KERNEL_ENTER: the following samples are kernel code
 * @OPROFILE_USER_ENTER: the following samples are user code
 * @OPROFILE_MODULE_LOADED: the list of kernel modules has changed
 * @OPROFILE_CTX_TGID: part of OPROFILE_CTX_SWITCH
 * @OPROFILE_TRACE_BEGIN: the next sample is a real one, those after it, up to the
 *	next trace or switch of task or CPU, are its callers, nearest first
 */
enum oprofile_code {
	OPROFILE_CTX_SWITCH = 1,
	OPROFILE_CPU_SWITCH = 2,
	OPROFILE_COOKIE_SWITCH = 3,
	OPROFILE_KERNEL_ENTER = 4,
	OPROFILE_USER_ENTER = 5,
	OPROFILE_MODULE_LOADED = 6,
	OPROFILE_CTX_TGID = 7,
	OPROFILE_TRACE_BEGIN = 8,
};

/* struct oprofile_image::flags */
#define OPROFILE_IMAGE_DELETED (1U << 0)    /* the file had no name left when it was first seen */
#define OPROFILE_IMAGE_FOREIGN_NS (1U << 1) /* path is valid in another mount namespace only */
#define OPROFILE_IMAGE_NO_PATH (1U << 2)    /* the kernel could not tell a path; path is "" */
#define OPROFILE_IMAGE_BUILD_ID (1U << 3)   /* build_id and build_id_size are set */
#define OPROFILE_IMAGE_ANON (1U << 4)	    /* no file: executable memory of a process */

#define OPROFILE_BUILD_ID_MAX 32
#define OPROFILE_PATH_MAX 4096

/**
 * struct oprofile_image - what a cookie stands for
 * @cookie: in: a value taken from the event buffer
 * @device: out: st_dev of the file system, as stat(2) encodes it
 * @inode: out: st_ino
 * @generation: out: inode generation, 0 where the file system has none
 * @flags: out: OPROFILE_IMAGE_*
 * @build_id_size: out: bytes used in @build_id, 0 if the file has no build-id
 * @path_size: out: strlen(path) + 1
 * @build_id: out: the descriptor of the ELF note NT_GNU_BUILD_ID
 * @path: out: as seen from the initial root directory
 *
 * Of OPROFILE_IMAGE_ANON, @inode is its first address, @device its end, and @path what
 * /proc/PID/maps calls it, "" without a name.  Offsets of its samples are addresses.
 */
struct oprofile_image {
	__u64 cookie;
	__u64 device;
	__u64 inode;
	__u32 generation;
	__u32 flags;
	__u32 build_id_size;
	__u32 path_size;
	__u8 build_id[OPROFILE_BUILD_ID_MAX];
	char path[OPROFILE_PATH_MAX];
};

/*
 * Fills in a struct oprofile_image; asked of the opened buffer.  Cookies are valid until
 * the buffer is closed.  EINVAL: no such cookie.  EINTR: a signal came first.
 */
#define OPROFILE_IOC_IMAGE _IOWR('o', 1, struct oprofile_image)

/**
 * struct oprofile_unwind - an unwind table to be loaded
 * @cookie: of the image
 * @table: address of a struct unwind_table (unwind.h)
 * @size: its bytes
 * @owner: user whose file the image is; but root, each has a part of the memory
 * @unused: 0
 */
struct oprofile_unwind {
	__u64 cookie;
	__u64 table;
	__u64 size;
	__u32 owner;
	__u32 unused;
};

/*
 * Loads the unwind table of an image; one without rows says that there is nothing to say.  The
 * module may drop it when memory is short.  EINVAL: no valid table.  ENOSPC: it is larger than all
 * tables, or those of the owner, may be.
 */
#define OPROFILE_IOC_UNWIND _IOW('o', 2, struct oprofile_unwind)

/**
 * struct oprofile_unwind_wanted - an unwind table for the lack of which call chains have ended
 * @cookie: of the image; OPROFILE_NO_COOKIE: none is wanted
 * @tgid: a process that has it mapped
 * @unused: 0
 */
struct oprofile_unwind_wanted {
	__u64 cookie;
	__u32 tgid;
	__u32 unused;
};

/* Tells a table that is wanted, each once until it is missed again. */
#define OPROFILE_IOC_UNWIND_WANTED _IOR('o', 3, struct oprofile_unwind_wanted)

#endif

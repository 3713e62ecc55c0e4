/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: files, anonymous memory and kernel code that samples are in.  There is one struct image
 * for each name in sample files, whatever the number of cookies that stand for it.
 */
#ifndef DAEMON_IMAGES_IMAGE_H
#define DAEMON_IMAGES_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/foreign/account.h"
#include "libop/saved/symbols.h"
#include "libop/session/images.h"
#include "libop/session/log.h"
#include "libop/session/processes.h"
#include "libop/session/sample_name.h"
#include "libop/session/thread_names.h"
#include "libop/base/strings.h"
#include "libop/base/hash.h"
#include "daemon/sources/source.h"

struct sample_file;

struct image {
	struct image *next;	 /* another image whose name has the same hash */
	struct op_image_name id; /* owned */
	char *changed_name;	 /* see image_superseded(); NULL if there is none */
	struct image *successor; /* or NULL */
	uint64_t mtime;		 /* for the headers of sample files */
	uint8_t build_id[OPROFILE_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0: not known */
	uint32_t owner;		/* whose budget it takes: daemon/budget/budget.h */
	bool is_kernel;
	bool wanted; /* by the image filter */
	uint32_t fed; /* its number in the feed (feed.h); 0: it was not told */

	/* the sample file of this image that was used last */
	struct sample_file *recent;
};

/* Files that are open until their symbols are saved. */
#define IMAGES_KEPT_MOST 64

struct images {
	struct op_hash_map kernel; /* by name: kernel code, kept until images_free() */
	struct op_hash_map others; /* by name: files and anonymous memory */
	struct op_hash_map by_cookie;
	struct source *source;
	const struct op_strings *filter; /* absolute paths and kernel image names; empty: all */
	struct op_image_list known;	 /* of the session: what identifies the files */
	size_t n_saved;			 /* of @known: it was tried to save their symbols */
	struct saved_turns turns;	 /* for that */
	struct kept_image {
		size_t index; /* in @known */
		int fd;
	} kept[IMAGES_KEPT_MOST]; /* files that may be removed before, on what "/" is on */
	size_t n_kept;
	struct log_limit log_refused;
	bool learned;			 /* @known has more than the session's file */
	struct op_process_list processes; /* of the session: whose memory has samples */
	bool processes_learned;
	struct op_thread_names threads; /* of the session: that have sample files of their own */
	bool threads_learned;
	struct foreign_limit dumps; /* how often jitdumps are looked for */
	const char *samples_dir;	 /* where symbols are saved if there is no other place */
	int32_t tgid;			 /* of the samples that are being counted; 0: not known */
};

/* Whether the filter selects an image or its program, which is NULL if it is unknown. */
static inline bool image_is_wanted(const struct image *image, const struct image *program)
{
	return image->wanted || (program && program->wanted);
}

/**
 * image_of_cookie - the image of a file, or of anonymous memory
 *
 * The source is asked once for each cookie.  Anonymous memory (OP_IMAGE_ANON) is that of no process
 * (tgid 0): anon_find_area() has the image of a process.
 *
 * Return: the image, good until images_forget(), or NULL if the source does not know it, or
 * when out of memory.
 */
struct image *image_of_cookie(struct images *images, uint64_t cookie);

/**
 * image_of_name - the image of a name
 * @name: copied
 * @is_kernel: whether it is kernel code
 *
 * Return: the image, good until images_forget() or, for kernel code, images_free(); NULL when
 * out of memory.
 */
struct image *image_of_name(struct images *images, const struct op_image_name *name,
			    bool is_kernel);

/**
 * image_superseded - replace an image whose sample files hold counts of another version of it
 *
 * Return: the image to use instead, or NULL if there is none.
 */
struct image *image_superseded(struct images *images, struct image *image);

/**
 * images_forget - free all images but the kernel's, and all cookies
 *
 * This bounds their number; the source is asked again when they recur.  No sample file may be open.
 */
void images_forget(struct images *images);

void images_free(struct images *images);

/**
 * images_know_process - note in the session which process a pid is, while it runs
 *
 * Return: its user, or UINT32_MAX if it has ended, or the samples are of the past.
 */
uint32_t images_know_process(struct images *images, uint32_t tgid);

/**
 * images_know_thread - note in the session what a thread is called, now and until it ends
 *
 * Samples of the past have no names of threads.
 */
void images_know_thread(struct images *images, uint32_t tgid, uint32_t tid);

/**
 * images_begin - take over what a session knows of its images
 * @samples_dir: samples/NAME of the session; used as long as @images is
 *
 * No sample file may be open: what was known of another session is forgotten.
 */
void images_begin(struct images *images, const char *samples_dir);

/* Writes what identifies the images and processes to the session, if that is new; errors are
 * logged. */
void images_save(struct images *images);

/* Saves the symbols of new images for later reports, as many as may be now. */
void images_save_symbols(struct images *images);

/* Every ten seconds: the same of some images, so that less is left for the end. */
void images_rest(struct images *images);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the images and offsets of the feed to functions of the model.
 *
 * Images are read when an address in them is seen for the first time, by pp/symbols, which reads
 * what others own apart.  What was found is kept by image and offset.
 */
#ifndef UTILS_OPTOP_SYMBOLS_H
#define UTILS_OPTOP_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/hash.h"
#include "libop/session/feed.h"
#include "model.h"
#include "pp/symbols/image_path.h"
#include "pp/symbols/image_reader.h"

/* Images whose symbols are in memory, at most; addresses whose functions are known. */
#define SYMBOLS_IMAGES_MOST    256
#define SYMBOLS_ADDRESSES_MOST (1u << 17)
/* Images that the feed has told, at most: beyond, all are forgotten and asked for again. */
#define SYMBOLS_TOLD_MOST 16384

struct symbols_image {
	uint32_t number; /* of the feed */
	struct op_image_name id;
	struct pp_image_content *content; /* NULL: not read */
	uint32_t in_model;		  /* if symbols::epoch is the model's */
};

struct symbols_address {
	uint32_t image; /* of the feed */
	uint32_t function;
	uint64_t offset;
};

struct symbols {
	struct model *model;
	uint64_t epoch; /* of the model that the numbers below are of */
	char *samples_dir;
	struct op_warnings warnings;
	struct pp_image_search search;
	struct pp_image_reader reader;
	struct symbols_image *image;
	uint32_t images, contents;
	struct op_hash by_number;
	struct symbols_address *address;
	uint32_t addresses;
	struct op_hash by_address;
	bool is_full; /* of images: they are to be asked for again */
};

/**
 * symbols_open - begin, for the images of a session
 * @symbols: must not move; symbols_close() frees what it holds
 *
 * Return: 0, or -1 with @error set.
 */
int symbols_open(struct symbols *symbols, struct model *model, const char *session_dir,
		 struct op_error *error);
void symbols_close(struct symbols *symbols);

/* An image of the feed.  It is copied. */
void symbols_add_image(struct symbols *symbols, uint32_t number, const struct op_image_name *id);

/* Forgets the images, whose numbers are void. */
void symbols_forget(struct symbols *symbols);

/* The number in the model of an image of the feed. */
uint32_t symbols_image(struct symbols *symbols, uint32_t number);

/* The function of the model that a frame is in. */
uint32_t symbols_function(struct symbols *symbols, const struct op_feed_frame *frame);

/**
 * symbols_find - where the code of a function of the model is
 * @function: one that symbols_function() has returned
 * @offset: of a sample in it
 * @id: set to its image, good until the next call for this feed; @start and @end to its keys
 *
 * Return: false if that is not known (any more).
 */
bool symbols_find(struct symbols *symbols, uint32_t function, uint64_t offset,
		  const struct op_image_name **id, uint64_t *start, uint64_t *end);

#endif

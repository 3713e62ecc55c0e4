/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The APIs of others that take profiles by HTTP: what a path means, and the request for a file.
 * All that depends on their versions is in the table of api.c.
 */
#ifndef UTILS_OPPUSH_API_H
#define UTILS_OPPUSH_API_H

#include <stddef.h>
#include <stdint.h>

#include "pp/formats/store/http.h"

/* Where a request goes to. */
struct api_target {
	const char *address, *query; /* query: NULL, or what follows "?" */
	const char *tenant, *token;  /* for the head; NULL: none */
};

/* A closed session in a format of opexport. */
struct api_file {
	const char *session; /* its name: times.h */
	const void *bytes;
	size_t n;
	const char *service;		 /* as which profiles are stored */
	const char *host;		 /* any bytes */
	const struct op_strings *labels; /* of the host, NAME=TEXT: fleet_label_check() */
};

struct api_request {
	struct store_post post;
	char *body; /* of the request's own, or NULL */
};

struct api {
	const char *path;   /* that the URL's path ends with; "": any */
	const char *format; /* of opexport */
	const char *content_type;
	const char *content_encoding; /* or NULL */
	/* Sets the address, and the body if that is not the file. */
	void (*make)(const struct api_target *target, const struct api_file *file,
		     struct api_request *request);
	/* Profiles that an answer of success says were not taken, or NULL. */
	uint64_t (*rejected)(const struct op_buffer *answer);
};

/* The API of an address without a query; @format: NULL, or as which it must be.  NULL: no such
 * format. */
const struct api *api_of(const char *address, const char *format);

/**
 * api_make - make the request that sends a file
 * @request: filled in; api_free() frees it; it refers to @file
 */
void api_make(const struct api *api, const struct api_target *target, const struct api_file *file,
	      struct api_request *request);
void api_free(struct api_request *request);

#endif

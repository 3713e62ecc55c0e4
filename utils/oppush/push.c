// SPDX-License-Identifier: GPL-2.0-or-later
/* Sending one file to its destination: see push.h. */
#include "push.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "send.h"

#define FILE_MOST ((size_t)1 << 30)

static enum push_outcome push_tables(struct store_http *http, struct sent *sent, const char *path,
				     struct push_result *result, struct op_error *error)
{
	if (!send_file(http, sent, path, &result->bytes, error))
		return PUSH_SENT;
	/* a file that is none would stay for ever */
	return error->code == EINVAL || error->code == ENOENT ? PUSH_REJECTED : PUSH_FAILED;
}

/* By which a server says that the body is bad. */
static bool is_of_body(long status)
{
	static const long of_body[] = {400, 413, 415, 422};

	for (size_t i = 0; i < OP_ARRAY_SIZE(of_body); i++)
		if (status == of_body[i])
			return true;
	return false;
}

/* Of a request that succeeded. */
static enum push_outcome look_at(const struct destination *destination,
				 const struct op_buffer *answer, struct op_error *error)
{
	uint64_t n = destination->api->rejected ? destination->api->rejected(answer) : 0;

	if (!n)
		return PUSH_SENT;
	op_error_set(error, EREMOTEIO,
		     "%s: the server takes the request, but not %" PRIu64 " profiles in it",
		     destination->store.server, n);
	return PUSH_REJECTED;
}

static enum push_outcome post_file(const struct destination *destination, struct store_http *http,
				   const struct api_file *file, struct push_result *result,
				   struct op_error *error)
{
	enum push_outcome outcome = PUSH_FAILED;
	struct op_buffer answer = {0};
	struct api_request request;
	struct store_reply reply;
	struct api_target target = {.address = destination->store.server,
				    .query = destination->query,
				    .tenant = destination->tenant};
	char *token;

	if (destination_token(destination, &token, error))
		return PUSH_FAILED;
	target.token = token;
	api_make(destination->api, &target, file, &request);
	if (!store_http_post(http, &request.post, &answer, &reply, error))
		outcome = look_at(destination, &answer, error);
	else if (is_of_body(reply.status))
		outcome = PUSH_REJECTED;
	result->retry_after = reply.retry_after;
	result->bytes = outcome == PUSH_SENT ? request.post.n : 0;
	op_buffer_free(&answer);
	api_free(&request);
	free(token);
	return outcome;
}

/* The name of the file without the format. */
static char *session_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return op_format("%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

enum push_outcome push_file(const struct destination *destination, struct store_http *http,
			    struct sent *sent, const struct push_names *names, const char *path,
			    struct push_result *result, struct op_error *error)
{
	struct api_file file = {
		.service = names->service, .host = names->host, .labels = names->labels};
	enum push_outcome outcome;
	char *text, *session;

	*result = (struct push_result){0};
	if (!destination->api)
		return push_tables(http, sent, path, result, error);
	text = foreign_read(path, FILE_MOST, &file.n, error);
	if (!text)
		return PUSH_REJECTED;
	session = session_of(path);
	file.bytes = text;
	file.session = session;
	outcome = post_file(destination, http, &file, result, error);
	free(session);
	free(text);
	return outcome;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The APIs of others: see api.h. */
#include "api.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/text/base64.h"
#include "libop/text/json.h"
#include "pp/formats/input/wire.h"

/* ---- of the address alone ---- */

static char *address_of(const struct api_target *target)
{
	return op_format("%s%s%s", target->address, target->query ? "?" : "",
			 target->query ? target->query : "");
}

static void make_plain(const struct api_target *target, const struct api_file *file,
		       struct api_request *request)
{
	(void)file;
	request->post.address = address_of(target);
}

/* ---- Pyroscope: /ingest ---- */

/* Names of labels have letters, digits and "_" there, as those of Prometheus. */
static char *label_name(const char *label)
{
	char *name = op_format("%.*s", (int)strcspn(label, "="), label);

	for (char *at = name; *at; at++)
		if (strchr(".-", *at))
			*at = '_';
	return name;
}

static const char *label_text(const char *label)
{
	return label + strcspn(label, "=") + 1;
}

/* Its syntax, NAME{LABEL=VALUE,...}, has no escapes. */
static char *label_value(const char *text)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "._-";
	char *value = op_copy(text);

	for (char *at = value; *at; at++)
		if (!strchr(bytes, *at))
			*at = '_';
	return value;
}

/* The two times of a session's name; 0 if it has none. */
static void session_seconds(const char *name, int64_t seconds[static 2])
{
	for (size_t i = 0; i < 2; i++) {
		struct tm tm = {0};

		name = strptime(name, i ? "-%Y%m%dT%H%M%SZ" : "%Y%m%dT%H%M%SZ", &tm);
		seconds[i] = name ? (int64_t)timegm(&tm) : 0;
		if (!name)
			return;
	}
}

/* ",NAME=VALUE" of each, as an address has them. */
static char *labels_of_address(const struct op_strings *labels)
{
	char *all = op_copy("");

	for (size_t i = 0; i < labels->count; i++) {
		char *name = label_name(labels->item[i]);
		char *value = label_value(label_text(labels->item[i]));
		char *longer = op_format("%s%%2C%s%%3D%s", all, name, value);

		free(all);
		free(name);
		free(value);
		all = longer;
	}
	return all;
}

/* No sampleRate: a pprof profile has its period. */
static void make_pyroscope(const struct api_target *target, const struct api_file *file,
			   struct api_request *request)
{
	int64_t seconds[2] = {0};
	char *address = address_of(target), *host = label_value(file->host);
	char *labels = labels_of_address(file->labels);

	session_seconds(file->session, seconds);
	request->post.address = op_format("%s%cname=%s%%7Bhost%%3D%s%s%%7D&from=%" PRId64
					  "&until=%" PRId64 "&format=pprof",
					  address, target->query ? '&' : '?', file->service, host,
					  labels, seconds[0], seconds[1]);
	free(labels);
	free(host);
	free(address);
}

/* ---- Parca: /profiles/writeraw ---- */

static void put_label(struct op_json *json, const char *name, const char *value)
{
	op_json_object(json, NULL);
	op_json_string(json, "name", name);
	op_json_string(json, "value", value);
	op_json_end(json);
}

static void make_parca(const struct api_target *target, const struct api_file *file,
		       struct api_request *request)
{
	struct op_text_stream stream;
	struct op_json json = {0};

	op_text_stream_open(&stream);
	json.out = stream.out;
	op_json_object(&json, NULL);
	op_json_array(&json, "series");
	op_json_object(&json, NULL);
	op_json_object(&json, "labels");
	op_json_array(&json, "labels");
	put_label(&json, "__name__", file->service);
	put_label(&json, "instance", file->host);
	for (size_t i = 0; i < file->labels->count; i++) {
		char *name = label_name(file->labels->item[i]);

		put_label(&json, name, label_text(file->labels->item[i]));
		free(name);
	}
	op_json_end(&json);
	op_json_end(&json);
	op_json_array(&json, "samples");
	op_json_object(&json, NULL);
	op_json_raw(&json, "raw_profile", "\"");
	op_base64_write(file->bytes, file->n, stream.out);
	fputc('"', stream.out);
	for (unsigned int depth = json.depth; depth; depth--)
		op_json_end(&json);
	op_text_stream_close(&stream);
	request->body = stream.text;
	request->post.address = address_of(target);
	request->post.body = stream.text;
	request->post.n = stream.length;
}

/* ---- OTLP ---- */

/* Of ExportProfilesServiceResponse and ExportProfilesPartialSuccess. */
#define OTLP_PARTIAL_SUCCESS   1
#define OTLP_REJECTED_PROFILES 1

static uint64_t otlp_rejected(const struct op_buffer *answer)
{
	struct op_reader message = wire_message(answer->bytes, answer->used), part;
	struct wire_field field, inner;
	uint64_t n = 0;

	while (wire_next(&message, &field)) {
		if (field.number != OTLP_PARTIAL_SUCCESS || !field.bytes)
			continue;
		part = wire_message(field.bytes, field.length);
		while (wire_next(&part, &inner))
			if (inner.number == OTLP_REJECTED_PROFILES && !inner.bytes)
				n = inner.value;
	}
	return message.failed ? 0 : n;
}

/* ---- the table ---- */

#define GZIP  "application/gzip"
#define PROTO "application/x-protobuf"

/* The first that fits; those of any path are last. */
static const struct api apis[] = {
	/* Pyroscope 1, and 0.37 before */
	{"/ingest", "pprof", GZIP, NULL, make_pyroscope, NULL},
	/* parca.profilestore.v1alpha1 */
	{"/profiles/writeraw", "pprof", "application/json", NULL, make_parca, NULL},
	/* opentelemetry.proto.collector.profiles.v1development of OTLP 1.10 */
	{"/v1development/profiles", "otlp", PROTO, "gzip", make_plain, otlp_rejected},
	{"", "pprof", GZIP, NULL, make_plain, NULL},
	{"", "otlp", PROTO, "gzip", make_plain, otlp_rejected},
};

const struct api *api_of(const char *address, const char *format)
{
	size_t n = strlen(address), k;

	for (size_t i = 0; i < OP_ARRAY_SIZE(apis); i++) {
		k = strlen(apis[i].path);
		if (n >= k && !strcmp(address + n - k, apis[i].path) &&
		    (!format || !strcmp(apis[i].format, format)))
			return &apis[i];
	}
	return NULL;
}

/* ---- requests ---- */

static void add_header(struct api_request *request, const char *name, const char *value)
{
	char *line = op_format("%s: %s", name, value);

	if (op_strings_add(&request->post.headers, line))
		op_out_of_memory();
	free(line);
}

void api_make(const struct api *api, const struct api_target *target, const struct api_file *file,
	      struct api_request *request)
{
	char *bearer = target->token ? op_format("Bearer %s", target->token) : NULL;

	*request = (struct api_request){.post = {.body = file->bytes, .n = file->n}};
	api->make(target, file, request);
	add_header(request, "Content-Type", api->content_type);
	if (api->content_encoding)
		add_header(request, "Content-Encoding", api->content_encoding);
	if (target->tenant)
		add_header(request, "X-Scope-OrgID", target->tenant);
	if (bearer)
		add_header(request, "Authorization", bearer);
	free(bearer);
}

void api_free(struct api_request *request)
{
	free(request->post.address);
	op_strings_free(&request->post.headers);
	free(request->body);
	*request = (struct api_request){0};
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to others' backends: what hostile names come to, and what a path means. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "utils/oppush/api.h"
#include "utils/oppush/destination.h"

#define SESSION "20231114T221320Z-20231114T222320Z"

static struct destinations to(const char *url)
{
	struct destinations destinations = {0};
	struct op_error error;

	if (destinations_add(&destinations, url, &error))
		fail_msg("%s", error.text);
	return destinations;
}

static struct api_request request_for(const char *address, const char *query, const char *host)
{
	const struct api_target target = {.address = address, .query = query};
	static const struct op_strings none;
	const struct api_file file = {.session = SESSION,
				      .bytes = "abcd",
				      .n = 4,
				      .service = "svc",
				      .host = host,
				      .labels = &none};
	struct api_request request;

	api_make(api_of(address, NULL), &target, &file, &request);
	return request;
}

TEST(no_host_breaks_out_of_pyroscopes_labels)
{
	static const struct {
		const char *host, *label;
	} cases[] = {
		{"alpha-1.example", "alpha-1.example"},
		{"a,b=c}", "a_b_c_"},
		{"}&name=other{", "__name_other_"},
		{"a\r\nX: y", "a__X__y"},
		{"a%7D#?/", "a_7D___"},
		{"\xff\x01", "__"},
		{"", ""},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct api_request request = request_for("http://h/ingest", NULL, cases[i].host);
		char wanted[200];

		snprintf(wanted, sizeof(wanted),
			 "http://h/ingest?name=svc%%7Bhost%%3D%s%%7D&from=1700000000&"
			 "until=1700000600&format=pprof",
			 cases[i].label);
		assert_string_equal(request.post.address, wanted);
		api_free(&request);
	}
}

TEST(a_query_of_the_url_stays)
{
	struct api_request request = request_for("https://h:1/a/ingest", "x=%20y", "b");

	assert_string_equal(request.post.address,
			    "https://h:1/a/ingest?x=%20y&name=svc%7Bhost%3Db%7D&from=1700000000&"
			    "until=1700000600&format=pprof");
	api_free(&request);
}

TEST(no_host_breaks_out_of_parcas_json)
{
	struct api_request request =
		request_for("http://h/profiles/writeraw", NULL, "a\"}],\\\n\xff");

	assert_string_equal(
		(const char *)request.post.body,
		"{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\",\"value\":\"svc\"},"
		"{\"name\":\"instance\",\"value\":\"a\\\"}],\\\\\\n\xef\xbf\xbd\"}]},"
		"\"samples\":[{\"raw_profile\":\"YWJjZA==\"}]}]}");
	assert_int_equal(request.post.n, strlen(request.post.body));
	api_free(&request);
}

TEST(a_path_says_the_format)
{
	static const struct {
		const char *url, *format;
	} cases[] = {
		{"clickhouse://h/db", "fleet"},
		{"http://h/ingest", "pprof"},
		{"http://h", "pprof"},
		{"http://h/profiles/writeraw?a=b", "pprof"},
		{"http://h/v1development/profiles", "otlp"},
		{"http://h/x?/v1development/profiles", "pprof"},
		{"otlp+https://[::1]:4318/x", "otlp"},
		{"pprof+https://h/v1development/profiles", "pprof"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct destinations destinations = to(cases[i].url);

		assert_string_equal(destination_format(&destinations.item[0]), cases[i].format);
		destinations_free(&destinations);
	}
}

TEST(folders_are_safe_and_differ)
{
	struct destinations destinations =
		to("http://h/../../a http://h/..-..-a http://h/$(x)';&% clickhouse://h/db "
		   "http://h/x?secret http://h/x?other");

	for (size_t i = 0; i < destinations.count; i++) {
		const char *folder = destinations.item[i].folder;

		assert_null(folder[strspn(folder, "abcdefghijklmnopqrstuvwxyz0123456789.-")]
				    ? folder
				    : NULL);
		assert_true(folder[0] != '.');
		assert_null(strstr(folder, "secret"));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(folder, destinations.item[k].folder);
	}
	destinations_free(&destinations);
}

TEST(a_partial_success_is_counted)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint64_t rejected;
	} cases[] = {
		{"", 0, 0},
		{"\x0a\x02\x08\x03", 4, 3},	     /* {1: {1: 3}} */
		{"\x0a\x05\x08\x03\x12\x01x", 7, 3}, /* {1: {1: 3, 2: "x"}} */
		{"\x0a\x03\x12\x01x", 5, 0},	     /* {1: {2: "x"}} */
		{"\x0a\x7f\x08\x03", 4, 0},	     /* cut */
		{"<html>", 6, 0},
	};
	struct destinations destinations = to("http://h/v1development/profiles");

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct op_buffer answer = {0};

		op_buffer_put(&answer, cases[i].bytes, cases[i].n);
		assert_int_equal(destinations.item[0].api->rejected(&answer), cases[i].rejected);
		op_buffer_free(&answer);
	}
	destinations_free(&destinations);
}

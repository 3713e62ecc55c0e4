// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to a ClickHouse server: see http.h. */
#define CURL_DISABLE_TYPECHECK /* its macros take functions, not pointers to them */
#include "http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/reader.h"
#include "cast.h"
#include "gzip.h"
#include "tables.h"

#define CONNECT_SECONDS 10L
/* A server that sends less than a byte a second for so long is dead. */
#define SILENT_SECONDS 60L
/* Of an error's text. */
#define ERROR_MOST 4096
/* Of the answer to which settings there are. */
#define SETTINGS_BYTES (2 * sizeof(uint64_t))
#define HTTP_OK	       200
/* Of the head of an answer: libcurl keeps it, and has no limit of its own before 8.3. */
#define HEAD_MOST ((size_t)64 << 10)
#define CA_BUNDLE "CURL_CA_BUNDLE" /* as curl(1) has it; libcurl does not look at it */
/* An error in the middle of an answer has a status of its own only if the server waits for the end:
 * else its text would stand among the rows. */
#define WHOLE_ANSWER "&wait_end_of_query=1"
/* Of _values: see http.h. */
#define VALUES                                                                                     \
	"&_values_structure=kind%20UInt8%2Cnumber%20UInt64%2Cname%20String%2Ctext%20String"        \
	"&_values_format=RowBinary"
/* Bodies that are worth packing. */
#define PACKED_LEAST ((size_t)4096)

/* ---- the library ---- */

#define CURL_FUNCTIONS(ROW)                                                                        \
	ROW(global_init)                                                                           \
	ROW(easy_init)                                                                             \
	ROW(easy_setopt)                                                                           \
	ROW(easy_perform)                                                                          \
	ROW(easy_getinfo)                                                                          \
	ROW(easy_strerror)                                                                         \
	ROW(easy_escape)                                                                           \
	ROW(easy_cleanup)                                                                          \
	ROW(free)                                                                                  \
	ROW(mime_init)                                                                             \
	ROW(mime_addpart)                                                                          \
	ROW(mime_name)                                                                             \
	ROW(mime_data)                                                                             \
	ROW(mime_filename)                                                                         \
	ROW(mime_free)                                                                             \
	ROW(slist_append)                                                                          \
	ROW(slist_free_all)

#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
} curl;

static bool curl_load(void)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {
#define CURL_ROW(name) {"curl_" #name, &curl.name},
		CURL_FUNCTIONS(CURL_ROW)
#undef CURL_ROW
	};
	/* never closed: it has threads and handlers of exit() */
	void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < OP_ARRAY_SIZE(functions); i++) {
		*(void **)functions[i].function = dlsym(handle, functions[i].name);
		if (!*(void **)functions[i].function)
			return false;
	}
	return handle && !curl.global_init(CURL_GLOBAL_DEFAULT);
}

static bool curl_is_there(void)
{
	static enum { NOT_YET, WORKS, FAILED } state;

	if (state == NOT_YET)
		state = curl_load() ? WORKS : FAILED;
	return state == WORKS;
}

/* ---- connections ---- */

struct store_http {
	const struct store_url *url;
	CURL *easy;
	long patience; /* seconds */
	struct op_buffer *answer;
	int file;	    /* that has the answer, unless it is a refusal; -1: none */
	uint64_t n_written; /* to it */
	int write_error;    /* errno; 0: none */
	size_t most, head;  /* head: bytes of it that came */
	bool is_too_long, has_long_head;
	char error[CURL_ERROR_SIZE];
	long seconds;	     /* that a request may take; 0: any */
	atomic_long ends_at; /* CLOCK_MONOTONIC; 0: never */
	struct store_reply reply;
	char *insert_settings; /* of the address; NULL: not known yet */
};

static bool is_refusal(const struct store_http *http)
{
	long status = 0;

	curl.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
	return status != HTTP_OK;
}

/* A server that refuses may say why, however short the answer is that was asked for. */
static size_t room_for_answer(const struct store_http *http)
{
	size_t most = http->most, used = http->answer->used + http->n_written;

	if (most < ERROR_MOST && is_refusal(http))
		most = ERROR_MOST;
	return used < most ? most - used : 0;
}

/* Return: whether it could be put there. */
static bool put_answer(struct store_http *http, const void *bytes, size_t n)
{
	if (http->file < 0 || is_refusal(http)) {
		op_buffer_put(http->answer, bytes, n);
		return !http->answer->failed;
	}
	http->n_written += n;
	if (!op_file_write_all(http->file, bytes, n))
		return true;
	http->write_error = errno;
	return false;
}

static size_t take_answer(char *bytes, size_t size, size_t n, void *context)
{
	struct store_http *http = context;
	size_t room = room_for_answer(http);
	bool is_put = put_answer(http, bytes, n < room ? n : room);

	http->is_too_long = n > room;
	return is_put && !http->is_too_long ? n * size : 0;
}

static size_t take_head(char *bytes, size_t size, size_t n, void *context)
{
	struct store_http *http = context;

	(void)bytes;
	if (n > HEAD_MOST - http->head) {
		http->has_long_head = true;
		return 0;
	}
	http->head += n;
	return n * size;
}

static long now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* libcurl calls it at least once a second.  Return: whether the request is to end. */
static int is_over(void *context, curl_off_t total, curl_off_t now, curl_off_t total_up,
		   curl_off_t now_up)
{
	struct store_http *http = context;
	long ends_at = atomic_load(&http->ends_at);

	(void)total, (void)now, (void)total_up, (void)now_up;
	return ends_at && now_seconds() >= ends_at;
}

struct store_http *store_http_open(const struct store_url *url, struct op_error *error)
{
	struct store_http *http;

	if (!curl_is_there()) {
		op_error_set(error, ENOSYS, "libcurl (libcurl.so.4) can't be loaded");
		return NULL;
	}
	http = op_alloc(1, sizeof(*http));
	http->url = url;
	http->file = -1;
	http->patience = SILENT_SECONDS;
	http->easy = curl.easy_init();
	if (http->easy)
		return http;
	free(http);
	op_error_memory(error);
	return NULL;
}

void store_http_set_patience(struct store_http *http, long seconds)
{
	http->patience = seconds;
}

void store_http_limit(struct store_http *http, unsigned int seconds)
{
	http->seconds = (long)seconds;
}

void store_http_stop(struct store_http *http, unsigned int seconds)
{
	atomic_store(&http->ends_at, now_seconds() + (long)seconds);
}

void store_http_close(struct store_http *http)
{
	if (!http)
		return;
	curl.easy_cleanup(http->easy);
	free(http->insert_settings);
	free(http);
}

/* ---- requests ---- */

/* @rest: what the address has beside them. */
static char *address_of(const struct store_http *http, const char *database, const char *query,
			const char *rest)
{
	char *escaped = curl.easy_escape(http->easy, query, 0);
	char *address = op_format("%s?database=%s%s&query=%s", http->url->server, database, rest,
				  escaped ? escaped : "");

	curl.free(escaped);
	return address;
}

static void set_options(struct store_http *http, const char *address)
{
	const struct {
		CURLoption option;
		long value;
	} numbers[] = {
		{CURLOPT_NOSIGNAL, 1},	      {CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS},
		{CURLOPT_LOW_SPEED_LIMIT, 1}, {CURLOPT_LOW_SPEED_TIME, http->patience},
		{CURLOPT_FOLLOWLOCATION, 0},  {CURLOPT_NETRC, CURL_NETRC_OPTIONAL},
		{CURLOPT_NOPROGRESS, 0},      {CURLOPT_TIMEOUT, http->seconds},
	};
	const char *bundle = getenv(CA_BUNDLE);

	for (size_t i = 0; i < OP_ARRAY_SIZE(numbers); i++)
		curl.easy_setopt(http->easy, numbers[i].option, numbers[i].value);
	curl.easy_setopt(http->easy, CURLOPT_URL, address);
	curl.easy_setopt(http->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, take_answer);
	curl.easy_setopt(http->easy, CURLOPT_WRITEDATA, http);
	curl.easy_setopt(http->easy, CURLOPT_HEADERFUNCTION, take_head);
	curl.easy_setopt(http->easy, CURLOPT_HEADERDATA, http);
	curl.easy_setopt(http->easy, CURLOPT_XFERINFOFUNCTION, is_over);
	curl.easy_setopt(http->easy, CURLOPT_XFERINFODATA, http);
	curl.easy_setopt(http->easy, CURLOPT_ERRORBUFFER, http->error);
	curl.easy_setopt(http->easy, CURLOPT_USERAGENT, "oprofile/" OP_VERSION);
	/* as much of it as the server has, and not the rest of an answer */
	curl.easy_setopt(http->easy, CURLOPT_ACCEPT_ENCODING, "");
	if (http->url->netrc)
		curl.easy_setopt(http->easy, CURLOPT_NETRC_FILE, http->url->netrc);
	if (bundle && *bundle)
		curl.easy_setopt(http->easy, CURLOPT_CAINFO, bundle);
}

/* The server's words are for people: one line of them. */
static int tell_server_error(const struct store_http *http, long status,
			     const struct op_buffer *answer, struct op_error *error)
{
	const char *text = (const char *)answer->bytes;
	size_t n = answer->used < ERROR_MOST ? answer->used : ERROR_MOST;
	char *line = op_format("%.*s", (int)n, text ? text : "");

	line[strcspn(line, "\n")] = '\0';
	op_error_set(error, status == 401 || status == 403 ? EACCES : EREMOTEIO,
		     "%s%s: the server refuses (HTTP %ld): %s", http->url->server,
		     http->url->database, status, line);
	free(line);
	return -1;
}

/* Of a server that is not there, the details are the milliseconds only, and the words differ by
 * version. */
static const char *reason_of(const struct store_http *http, CURLcode code)
{
	if (code == CURLE_COULDNT_CONNECT)
		return "cannot connect to the server";
	return *http->error ? http->error : curl.easy_strerror(code);
}

/* Sends what the options say, and takes the answer, whatever its status.  Takes @address over. */
static int exchange(struct store_http *http, char *address, size_t most, struct op_buffer *answer,
		    struct op_error *error)
{
	curl_off_t retry_after = 0;
	CURLcode code;

	http->answer = answer;
	http->most = most;
	http->head = 0;
	http->is_too_long = http->has_long_head = false;
	http->n_written = 0;
	http->write_error = 0;
	http->reply = (struct store_reply){0};
	*http->error = '\0';
	set_options(http, address);
	code = curl.easy_perform(http->easy);
	curl.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &http->reply.status);
	curl.easy_getinfo(http->easy, CURLINFO_RETRY_AFTER, &retry_after);
	http->reply.retry_after = retry_after > 0 ? (uint64_t)retry_after : 0;
	free(address);
	if (http->has_long_head)
		return op_error_set(error, EBADMSG, "%s%s: the head of the answer has no end",
				    http->url->server, http->url->database);
	if (http->is_too_long)
		return op_error_set(error, EFBIG, "%s%s: the answer has more than %zu KiB",
				    http->url->server, http->url->database, most >> 10);
	if (answer->failed)
		return op_error_memory(error);
	if (http->write_error)
		return op_error_code(error, http->write_error,
				     "%s%s: the answer cannot be kept in memory", http->url->server,
				     http->url->database);
	if (code)
		return op_error_set(error, EHOSTUNREACH, "%s%s: %s", http->url->server,
				    http->url->database, reason_of(http, code));
	return 0;
}

/* Of an answer that is not what was asked for: the error is what it says, and it is removed. */
static int refuse_answer(struct store_http *http, struct op_buffer *answer, size_t before,
			 struct op_error *error)
{
	struct op_buffer words = {0};

	op_buffer_put(&words, answer->bytes + before, answer->used - before);
	answer->used = before;
	tell_server_error(http, http->reply.status, &words, error);
	op_buffer_free(&words);
	return -1;
}

/* Takes @address over. */
static int perform(struct store_http *http, char *address, size_t most, struct op_buffer *answer,
		   struct op_error *error)
{
	size_t before = answer->used;

	if (exchange(http, address, most, answer, error))
		return -1;
	return http->reply.status == HTTP_OK ? 0 : refuse_answer(http, answer, before, error);
}

/* @rest: of the address. */
static int send_query(struct store_http *http, const char *query, const char *rest,
		      const struct op_buffer *values, size_t most, struct op_buffer *answer,
		      struct op_error *error)
{
	curl_mime *form = NULL;
	curl_mimepart *part;
	int result;

	if (values) {
		if (values->failed)
			return op_error_memory(error);
		form = curl.mime_init(http->easy);
		part = curl.mime_addpart(form);
		curl.mime_name(part, "_values");
		curl.mime_filename(part, "_values");
		curl.mime_data(part, (const char *)values->bytes, values->used);
		curl.easy_setopt(http->easy, CURLOPT_MIMEPOST, form);
	} else {
		curl.easy_setopt(http->easy, CURLOPT_HTTPGET, 1L);
	}
	result = perform(http, address_of(http, http->url->database, query, rest), most, answer,
			 error);
	if (form) {
		curl.easy_setopt(http->easy, CURLOPT_MIMEPOST, NULL);
		curl.mime_free(form);
	}
	return result;
}

int store_http_query(struct store_http *http, const char *types, const char *query,
		     const struct op_buffer *values, size_t most, struct op_buffer *answer,
		     struct op_error *error)
{
	char *question = store_cast(query, types);
	int result = send_query(http, question, values ? WHOLE_ANSWER VALUES : WHOLE_ANSWER, values,
				most, answer, error);

	free(question);
	return result;
}

int store_http_query_file(struct store_http *http, const char *types, const char *query,
			  const struct op_buffer *values, size_t most, int fd, uint64_t *n,
			  struct op_error *error)
{
	struct op_buffer refusal = {0};
	int result;

	http->file = fd;
	result = store_http_query(http, types, query, values, most, &refusal, error);
	http->file = -1;
	*n = http->n_written;
	op_buffer_free(&refusal);
	return result;
}

static void add_setting(struct store_http *http, const char *name)
{
	char *longer = op_format("%s&%s=1", http->insert_settings, name);

	free(http->insert_settings);
	http->insert_settings = longer;
}

/* A server answers once rows are where they belong, on other servers of a cluster, too, whatever
 * its own settings say.  It refuses a setting that it does not know.
 *
 * Return: part of an address, or NULL with @error set. */
static const char *insert_settings(struct store_http *http, struct op_error *error)
{
	static const char *const names[] = {"insert_distributed_sync", "wait_for_async_insert"};
	struct op_buffer answer = {0};
	struct op_reader reader;

	if (http->insert_settings)
		return http->insert_settings;
	if (store_http_query(http, "qq",
			     "SELECT countIf(name = 'insert_distributed_sync'), "
			     "countIf(name = 'wait_for_async_insert') FROM system.settings",
			     NULL, SETTINGS_BYTES, &answer, error)) {
		op_buffer_free(&answer);
		return NULL;
	}
	http->insert_settings = op_copy("");
	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++)
		if (op_reader_u64(&reader))
			add_setting(http, names[i]);
	op_buffer_free(&answer);
	return http->insert_settings;
}

int store_http_change(struct store_http *http, const char *statement,
		      const struct op_buffer *values, struct op_error *error)
{
	struct op_buffer answer = {0};
	const char *settings = insert_settings(http, error);
	char *rest = settings ? op_format("%s%s", WHOLE_ANSWER VALUES, settings) : NULL;
	int result =
		rest ? send_query(http, statement, rest, values, ERROR_MOST, &answer, error) : -1;

	free(rest);
	op_buffer_free(&answer);
	return result;
}

/* Takes @address over.  A server is not asked first whether it takes the body. */
static int post(struct store_http *http, char *address, const void *rows, size_t n, bool is_packed,
		struct op_error *error)
{
	struct curl_slist *headers = curl.slist_append(NULL, "Expect:"), *longer = headers;
	struct op_buffer answer = {0};
	int result;

	if (headers && is_packed)
		longer = curl.slist_append(headers, "Content-Encoding: gzip");
	if (!longer)
		op_out_of_memory();
	curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, headers);
	curl.easy_setopt(http->easy, CURLOPT_POST, 1L);
	curl.easy_setopt(http->easy, CURLOPT_POSTFIELDS, rows ? rows : "");
	curl.easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	result = perform(http, address, ERROR_MOST, &answer, error);
	curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, NULL);
	curl.slist_free_all(headers);
	op_buffer_free(&answer);
	return result;
}

int store_http_insert(struct store_http *http, const char *statement, const void *rows, size_t n,
		      struct op_error *error)
{
	const char *settings = n ? insert_settings(http, error) : "";
	struct op_buffer packed = {0};
	bool is_packed = n >= PACKED_LEAST;
	int result = -1;

	if (!settings)
		return -1;
	if (is_packed && gzip_pack(rows, n, &packed))
		op_error_memory(error);
	else
		result = post(http, address_of(http, http->url->database, statement, settings),
			      is_packed ? packed.bytes : rows, is_packed ? packed.used : n,
			      is_packed, error);
	op_buffer_free(&packed);
	return result;
}

int store_http_make(struct store_http *http, const char *statement, struct op_error *error)
{
	return post(http, address_of(http, "default", statement, ""), NULL, 0, false, error);
}

static struct curl_slist *headers_of(const struct store_post *post)
{
	struct curl_slist *list = NULL, *longer;

	for (size_t i = 0; i < post->headers.count; i++) {
		longer = curl.slist_append(list, post->headers.item[i]);
		if (!longer)
			op_out_of_memory();
		list = longer;
	}
	return list;
}

int store_http_post(struct store_http *http, const struct store_post *post,
		    struct op_buffer *answer, struct store_reply *reply, struct op_error *error)
{
	struct curl_slist *headers = headers_of(post);
	size_t before = answer->used;
	struct op_error why;
	int result;

	curl.easy_setopt(http->easy, CURLOPT_POST, 1L);
	curl.easy_setopt(http->easy, CURLOPT_POSTFIELDS, post->body);
	curl.easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->n);
	curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, headers);
	result = exchange(http, op_copy(post->address), ERROR_MOST, answer, &why);
	curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, NULL);
	curl.slist_free_all(headers);
	*reply = http->reply;
	/* what it says is clear from the status, and the rest is nobody's */
	if (result && why.code == EFBIG)
		result = 0;
	if (result)
		return op_error_set(error, why.code, "%s", why.text);
	return reply->status / 100 == 2 ? 0 : refuse_answer(http, answer, before, error);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Where sessions are sent to: see destination.h. */
#include "destination.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "libop/base/strings.h"
#include "libop/foreign/door.h"

#define PLAIN	     "http://"
#define SECURE	     "https://"
#define WORD_BYTES   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define SERVER_BYTES WORD_BYTES ".-:[]"
/* RFC 3986, without the fragment. */
#define URL_BYTES    WORD_BYTES "-._~:/?[]@!$&'()*+,;=%"
#define NAME_BYTES   WORD_BYTES "._-"
#define TENANT_BYTES WORD_BYTES "!-_.*'()"
#define FOLDER_MOST  60
#define URL_MOST     2000
#define TENANT_MOST  150
#define TOKEN_MOST   ((size_t)8 << 10)
/* What others may not have; of root's files, group root may read them, as the mode of credentials
 * of systemd shows. */
#define OTHERS_MODE	 077
#define ROOT_OTHERS_MODE 037

/* ---- URLs ---- */

/* Characters that may mean something elsewhere are dashes; the number tells apart what is equal
 * then.  A query may have secrets, and the name is in metrics. */
static char *folder_of(const char *url)
{
	static const struct op_siphash_key key = {0};
	char *name = op_copy(url);
	size_t n = 0;

	for (const char *at = url; *at && *at != '?' && n < FOLDER_MOST; at++) {
		if (strchr(NAME_BYTES, *at))
			name[n++] = *at;
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	while (n && name[n - 1] == '-')
		n--;
	name[n] = '\0';
	char *folder =
		op_format("%s-%08" PRIx32, name, (uint32_t)op_siphash(&key, url, strlen(url)));

	free(name);
	return folder;
}

static int refuse(const char *url, const char *why, struct op_error *error)
{
	return op_error_set(error, EINVAL,
			    "--to=%.200s: %s (clickhouse://HOST[:PORT]/DATABASE or "
			    "[pprof+|otlp+]http[s]://HOST[:PORT]/PATH)",
			    url, why);
}

/* @address: "http://..." */
static int take_address(struct destination *destination, const char *address,
			struct op_error *error)
{
	const char *server = strchr(address, ':') + strlen("://");
	size_t n = strcspn(server, "/?"), path = strcspn(address, "?");

	if (memchr(server, '@', n))
		return refuse(destination->url, "users and passwords are in ~/.netrc, not here",
			      error);
	if (!n || strspn(server, SERVER_BYTES) < n)
		return refuse(destination->url, "no name of a host", error);
	if (address[strspn(address, URL_BYTES)])
		return refuse(destination->url, "a character that no URL has", error);
	destination->store.server = op_format("%.*s", (int)path, address);
	destination->store.database = op_copy("");
	if (address[path])
		destination->query = op_copy(address + path + 1);
	return 0;
}

static bool is_address(const char *url)
{
	return !strncmp(url, PLAIN, strlen(PLAIN)) || !strncmp(url, SECURE, strlen(SECURE));
}

static int parse(struct destination *destination, struct op_error *error)
{
	const char *url = destination->url, *plus = strchr(url, '+'), *address = url;
	char *format = NULL;

	if (strlen(url) > URL_MOST)
		return refuse(url, "it is too long", error);
	if (store_url_is(url))
		return store_url_parse(&destination->store, url, error);
	if (plus && is_address(plus + 1)) {
		format = op_format("%.*s", (int)(plus - url), url);
		address = plus + 1;
	}
	if (!is_address(address)) {
		free(format);
		return refuse(url, "no such kind of URL", error);
	}
	if (take_address(destination, address, error)) {
		free(format);
		return -1;
	}
	destination->api = api_of(destination->store.server, format);
	free(format);
	return destination->api ? 0 : refuse(url, "no such format", error);
}

static void free_destination(struct destination *destination)
{
	store_url_free(&destination->store);
	free(destination->url);
	free(destination->folder);
	free(destination->query);
	free(destination->token_file);
	free(destination->tenant);
}

static int add(struct destinations *destinations, const char *url, struct op_error *error)
{
	struct destination destination = {.url = op_copy(url)};

	for (size_t i = 0; i < destinations->count; i++)
		if (!strcmp(destinations->item[i].url, url)) {
			free_destination(&destination);
			return op_error_set(error, EINVAL, "--to=%.200s: it is there twice", url);
		}
	if (parse(&destination, error)) {
		free_destination(&destination);
		return -1;
	}
	destination.folder = folder_of(url);
	destinations->item = op_grow(destinations->item, &destinations->capacity,
				     destinations->count + 1, sizeof(*destinations->item));
	destinations->item[destinations->count++] = destination;
	return 0;
}

int destinations_add(struct destinations *destinations, const char *urls, struct op_error *error)
{
	struct op_strings words = {0};
	int result = 0;

	if (op_strings_split(&words, urls, ' '))
		op_out_of_memory();
	for (size_t i = 0; !result && i < words.count; i++)
		if (*words.item[i])
			result = add(destinations, words.item[i], error);
	op_strings_free(&words);
	return result;
}

void destinations_free(struct destinations *destinations)
{
	for (size_t i = 0; i < destinations->count; i++)
		free_destination(&destinations->item[i]);
	free(destinations->item);
	*destinations = (struct destinations){0};
}

const char *destination_format(const struct destination *destination)
{
	return destination->api ? destination->api->format : "fleet";
}

/* ---- what is of one only ---- */

static int refuse_clickhouse(const struct destination *destination, const char *what,
			     struct op_error *error)
{
	return destination->api ? 0
				: op_error_set(error, EINVAL, "%s: %.200s takes users of ~/.netrc",
					       what, destination->url);
}

int destination_set_token_file(struct destination *destination, const char *path,
			       struct op_error *error)
{
	if (refuse_clickhouse(destination, "--token-file", error))
		return -1;
	free(destination->token_file);
	destination->token_file = op_copy(path);
	return 0;
}

int destination_set_tenant(struct destination *destination, const char *name,
			   struct op_error *error)
{
	size_t n = strlen(name);

	if (refuse_clickhouse(destination, "--tenant", error))
		return -1;
	if (!n || n > TENANT_MOST || name[strspn(name, TENANT_BYTES)])
		return op_error_set(error, EINVAL,
				    "--tenant=%.200s: up to %d of A-Z a-z 0-9 ! - _ . * ' ( )",
				    name, TENANT_MOST);
	free(destination->tenant);
	destination->tenant = op_copy(name);
	return 0;
}

static int check_mode(const char *path, const struct stat *status, struct op_error *error)
{
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return op_error_set(error, EPERM,
				    "%s: a token's file must be this user's or root's", path);
	if (status->st_mode & (status->st_uid || status->st_gid ? OTHERS_MODE : ROOT_OTHERS_MODE))
		return op_error_set(error, EPERM,
				    "%s: others can read it, or write to it (mode %04o); a token's "
				    "file has mode 0600",
				    path, (unsigned int)status->st_mode & 07777);
	return 0;
}

/* One line that can stand in a header. */
static int check_token(const char *path, char *text, size_t n, struct op_error *error)
{
	text[strcspn(text, "\r\n")] = '\0';
	for (const char *at = text; *at; at++)
		if (*at <= ' ' || *at > '~')
			return op_error_set(error, EINVAL,
					    "%s: the token has a character that none has", path);
	if (!*text || n > TOKEN_MOST)
		return op_error_set(error, EINVAL, "%s: there is no token in it", path);
	return 0;
}

int destination_token(const struct destination *destination, char **token, struct op_error *error)
{
	const char *path = destination->token_file;
	struct stat status;
	char *text = NULL;
	size_t n = 0;
	int fd, result = 0;

	*token = NULL;
	if (!path)
		return 0;
	fd = foreign_open(path, FOREIGN_ANY, FOREIGN_FOLLOW);
	if (fd < 0)
		return op_error_set(error, errno, "cannot read %s: %s", path,
				    foreign_reason(errno));
	if (fstat(fd, &status))
		result = op_error_errno(error, "cannot read %s", path);
	else
		result = check_mode(path, &status, error);
	if (!result) {
		text = op_file_read_open(fd, TOKEN_MOST, &n);
		result = text ? check_token(path, text, n, error)
			      : op_error_errno(error, "cannot read %s", path);
	}
	close(fd);
	if (result)
		free(text);
	else
		*token = text;
	return result;
}

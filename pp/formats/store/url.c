// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a fleet's store is: see url.h. */
#include "url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "tables.h"

#define PLAIN		 "clickhouse://"
#define SECURE		 "clickhouses://"
#define PLAIN_PORT	 "8123"
#define SECURE_PORT	 "8443"
#define BY_MOST		 8 /* they stand in a query several times */
#define HOUR_S		 3600
#define WHOLE_HOURS_FROM 86400
#define LAST_MOST	 (UINT64_C(100) * 366 * 86400)
#define WORD_BYTES	 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define SERVER_BYTES	 WORD_BYTES ".-:[]"

bool store_url_is_name(const char *word)
{
	return *word && !word[strspn(word, WORD_BYTES)];
}

bool store_url_is(const char *word)
{
	return !strncmp(word, PLAIN, strlen(PLAIN)) || !strncmp(word, SECURE, strlen(SECURE));
}

char *store_url_last(const char *word, uint64_t seconds)
{
	static const char *const times[] = {"?last=", "&last=", "?from=", "&from=", "?to=", "&to="};

	if (!store_url_is(word))
		return NULL;
	for (size_t i = 0; i < OP_ARRAY_SIZE(times); i++)
		if (strstr(word, times[i]))
			return NULL;
	return op_format("%s%clast=%" PRIu64 "s", word, strchr(word, '?') ? '&' : '?', seconds);
}

static int refuse(const char *text, const char *why, struct op_error *error)
{
	return op_error_set(error, EINVAL,
			    "%.200s: %s (clickhouse://HOST[:PORT]/DATABASE[?host=NAME&last=1h])",
			    text, why);
}

/* ---- what is wanted ---- */

static int take_hosts(struct store_url *url, const char *value)
{
	if (op_strings_split(&url->hosts, value, ','))
		op_out_of_memory();
	return 0;
}

static int take_last(struct store_url *url, const char *value)
{
	uint64_t seconds, now = (uint64_t)time(NULL);
	struct op_error ignored;

	if (op_duration_parse(value, "last", 1, LAST_MOST, &seconds, &ignored))
		return -1;
	url->from = now > seconds ? now - seconds : 0;
	/* hours may be added up in the store, but no part of one */
	if (seconds >= WHOLE_HOURS_FROM)
		url->from -= url->from % HOUR_S;
	return 0;
}

static int take_time(const char *value, uint64_t *seconds)
{
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(forms); i++) {
		struct tm tm = {0};
		const char *end = strptime(value, forms[i], &tm);

		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		*seconds = (uint64_t)timegm(&tm);
		return timegm(&tm) < 0 ? -1 : 0;
	}
	return -1;
}

static int take_from(struct store_url *url, const char *value)
{
	return take_time(value, &url->from);
}

static int take_to(struct store_url *url, const char *value)
{
	return take_time(value, &url->to);
}

static bool has_name(const struct op_strings *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->item[i], name))
			return true;
	return false;
}

static int add_by(struct store_url *url, const char *name)
{
	const struct {
		const char *name;
		bool *flag;
	} columns[] = {
		{"host", &url->by_host}, {"thread", &url->by_thread}, {"cgroup", &url->by_cgroup}};

	for (size_t i = 0; i < OP_ARRAY_SIZE(columns); i++)
		if (!strcmp(name, columns[i].name)) {
			*columns[i].flag = true;
			return 0;
		}
	if (!fleet_label_is_name(name, strlen(name)) || url->by_labels.count == BY_MOST)
		return -1;
	if (!has_name(&url->by_labels, name) && op_strings_add(&url->by_labels, name))
		op_out_of_memory();
	return 0;
}

static int take_by(struct store_url *url, const char *value)
{
	struct op_strings names = {0};
	int result = 0;

	if (op_strings_split(&names, value, ','))
		op_out_of_memory();
	for (size_t i = 0; !result && i < names.count; i++)
		result = add_by(url, names.item[i]);
	op_strings_free(&names);
	return result;
}

int store_url_add_by(struct store_url *url, const struct op_strings *names, struct op_error *error)
{
	for (size_t i = 0; names && i < names->count; i++)
		if (add_by(url, names->item[i]))
			return op_error_set(error, EINVAL,
					    "%.100s: labels of a store have names of letters, "
					    "digits, \"_\", \".\" and \"-\"",
					    names->item[i]);
	return 0;
}

static int take_label(struct store_url *url, const char *value)
{
	size_t n = strcspn(value, "=");

	if (value[n] != '=' || !fleet_label_is_name(value, n))
		return -1;
	if (op_strings_add(&url->labels, value))
		op_out_of_memory();
	return 0;
}

static int take_cluster(struct store_url *url, const char *value)
{
	char *label = op_format("cluster=%s", value);
	int result = take_label(url, label);

	free(label);
	return result;
}

static int take_netrc(struct store_url *url, const char *value)
{
	free(url->netrc);
	url->netrc = op_copy(value);
	return 0;
}

static int take_part(struct store_url *url, const char *text, const char *part,
		     struct op_error *error)
{
	static const struct {
		const char *name;
		int (*take)(struct store_url *url, const char *value);
	} parts[] = {
		{"host=", take_hosts},	{"last=", take_last},	    {"from=", take_from},
		{"to=", take_to},	{"by=", take_by},	    {"netrc=", take_netrc},
		{"label=", take_label}, {"cluster=", take_cluster},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(parts); i++) {
		size_t n = strlen(parts[i].name);

		if (strncmp(part, parts[i].name, n) != 0)
			continue;
		if (!part[n] || parts[i].take(url, part + n))
			break;
		return 0;
	}
	return op_error_set(error, EINVAL,
			    "%.200s: \"%.100s\" is not host=NAME,..., label=NAME=TEXT, "
			    "cluster=TEXT, last=1h, from=TIME, to=TIME (2026-11-28T15:00, UTC), "
			    "by=NAME,... or netrc=FILE",
			    text, part);
}

/* ---- all of it ---- */

int store_url_parse(struct store_url *url, const char *text, struct op_error *error)
{
	bool is_secure = !strncmp(text, SECURE, strlen(SECURE)), has_port;
	char *copy = op_copy(text + strlen(is_secure ? SECURE : PLAIN));
	char *wanted = copy, *rest, *part, *database;
	int result = 0;

	*url = (struct store_url){0};
	rest = strsep(&wanted, "?");
	database = strchr(rest, '/');
	if (database)
		*database++ = '\0';
	if (strchr(rest, '@'))
		result = refuse(text, "users and passwords are in ~/.netrc, not here", error);
	else if (!*rest || rest[strspn(rest, SERVER_BYTES)])
		result = refuse(text, "no name of a host", error);
	else if (!database || !store_url_is_name(database))
		result = refuse(text, "no name of a database", error);
	if (!result) {
		has_port = strchr(*rest == '[' ? strchrnul(rest, ']') : rest, ':') != NULL;
		url->server = op_format("%s://%s%s%s/", is_secure ? "https" : "http", rest,
					has_port ? "" : ":",
					has_port    ? ""
					: is_secure ? SECURE_PORT
						    : PLAIN_PORT);
		url->database = op_copy(database);
	}
	while (!result && (part = strsep(&wanted, "&")))
		result = take_part(url, text, part, error);
	free(copy);
	return result;
}

void store_url_free(struct store_url *url)
{
	free(url->server);
	free(url->database);
	free(url->netrc);
	op_strings_free(&url->hosts);
	op_strings_free(&url->labels);
	op_strings_free(&url->by_labels);
	*url = (struct store_url){0};
}

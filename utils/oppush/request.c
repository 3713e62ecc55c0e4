// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of oppush: see request.h. */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/option.h"
#include "libop/session/paths.h"
#include "pp/formats/store/tables.h"
#include "spool.h"

#define SYNOPSIS	 "--to=URL [OPTION...]"
#define SPOOL_DEFAULT	 "/var/lib/oprofile-push"
#define SPOOL_MIB	 256
#define MIB_MOST	 (UINT64_C(1) << 30)
#define JITTER		 60
#define JITTER_MOST	 86400
#define ADD_UP_DAYS	 7
#define ADD_UP_DAYS_MOST 36500
#define TIMEOUT		 300
#define TIMEOUT_MOST	 3600
#define SERVICE		 "oprofile"
#define SERVICE_BYTES	 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

static int take_time(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_error why;

	if (op_duration_parse(text, "time", option->min, option->max, field, &why))
		return op_option_refuse(option, text, error, "%s", why.text);
	return 0;
}

static int take_to(const struct op_option *option, void *field, const char *text,
		   struct op_error *error)
{
	(void)option;
	return destinations_add(field, text, error);
}

static void release_destinations(void *field)
{
	destinations_free(field);
}

/* The destination that an option is of: the last one so far. */
static struct destination *last(const struct op_option *option, struct destinations *destinations,
				const char *text, struct op_error *error)
{
	if (destinations->count)
		return &destinations->item[destinations->count - 1];
	op_option_refuse(option, text, error,
			 "it belongs to the --to before it, and there is none");
	return NULL;
}

static int take_token_file(const struct op_option *option, void *field, const char *text,
			   struct op_error *error)
{
	struct destination *destination = last(option, field, text, error);

	return destination ? destination_set_token_file(destination, text, error) : -1;
}

static int take_tenant(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	struct destination *destination = last(option, field, text, error);

	return destination ? destination_set_tenant(destination, text, error) : -1;
}

/* It stands in addresses and in labels. */
static int take_service(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	char **service = field;

	if (!*text || text[strspn(text, SERVICE_BYTES)])
		return op_option_refuse(option, text, error, "A-Z, a-z, 0-9, \".\", \"_\", \"-\"");
	free(*service);
	*service = op_copy(text);
	return 0;
}

static void release_text(void *field)
{
	free(*(char **)field);
}

static const struct op_option_type time_type = {.take = take_time};
static const struct op_option_type to_type = {.take = take_to, .release = release_destinations};
static const struct op_option_type token_file_type = {.take = take_token_file};
static const struct op_option_type tenant_type = {.take = take_tenant};
static const struct op_option_type service_type = {.take = take_service, .release = release_text};

static const struct op_option rows[] = {
	{"to", 0, "URL",
	 "where to: clickhouse://HOST/DATABASE, http[s]://HOST/PATH; several: more of them, or "
	 "blanks between",
	 .type = &to_type, .field = OP_FIELD(struct request, destinations, struct destinations)},
	{"token-file", 0, "FILE", "the bearer token for the --to before it; mode 0600",
	 .type = &token_file_type,
	 .field = OP_FIELD(struct request, destinations, struct destinations)},
	{"tenant", 0, "NAME", "the tenant of the --to before it: the header X-Scope-OrgID",
	 .type = &tenant_type,
	 .field = OP_FIELD(struct request, destinations, struct destinations)},
	{"service-name", 0, "NAME",
	 "as which service profiles are stored by others than ClickHouse (" SERVICE ")",
	 .type = &service_type, .field = OP_FIELD(struct request, service, char *)},
	{"label", 0, "NAME=TEXT,...", "what this host is called, as role=web,release=7",
	 OP_LIST(struct request, labels)},
	{"session-dir", 0, "DIR", "whose closed sessions are sent (" OP_SESSION_DEFAULT_DIR ")",
	 OP_TEXT(struct request, session_dir)},
	{"spool", 0, "DIR", "where what is to be sent waits (" SPOOL_DEFAULT ")",
	 OP_TEXT(struct request, spool)},
	{"spool-size", 0, "MIB",
	 "the most that waits for one server; beyond it the oldest is dropped (256)",
	 OP_NUMBER(struct request, spool_mib, SPOOL_SESSIONS_LEAST, MIB_MOST)},
	{"jitter", 0, "TIME", "wait up to so long before a session is sent, by chance (60s)",
	 .type = &time_type, .field = OP_FIELD(struct request, jitter, uint64_t),
	 .max = JITTER_MOST},
	{"timeout", 0, "TIME", "the most that a request may take (5m)", .type = &time_type,
	 .field = OP_FIELD(struct request, timeout, uint64_t), .min = 1, .max = TIMEOUT_MOST},
	{"metrics", 0, "FILE", "write what was sent to this file, for Prometheus",
	 OP_TEXT(struct request, metrics)},
	{"once", 0, NULL, "send what there is, and end", OP_FLAG(struct request, once)},
	{"install-schema", 0, NULL, "make the database and its tables, or bring them up to date",
	 OP_FLAG(struct request, install_schema)},
	{"add-up", 0, NULL, "add up the hours and days in the store that are over",
	 OP_FLAG(struct request, add_up)},
	{"add-up-days", 0, "DAYS", "so far back (7)",
	 OP_NUMBER(struct request, add_up_days, 1, ADD_UP_DAYS_MOST)},
	{"keep-days", 0, "DAYS",
	 "with --add-up: remove samples of days before that are added up; 0: none",
	 OP_NUMBER(struct request, keep_days, 0, ADD_UP_DAYS_MOST)},
	{"cluster", 0, "NAME",
	 "with --install-schema: on all servers of a cluster that they know by this name",
	 OP_TEXT(struct request, cluster)},
	{"schema", 0, "DIR", "where the files of the schema are (" OP_SCHEMA_DIR ")",
	 OP_TEXT(struct request, schema)},
	OP_OPTION_VERSION('v'),
	{0}};

static void set_default(char **field, const char *text)
{
	if (!*field)
		*field = op_copy(text);
}

static int check(const struct request *request, struct op_error *error)
{
	const struct destinations *destinations = &request->destinations;
	struct op_error why;

	if (!destinations->count)
		return op_error_set(error, EINVAL, "--to=URL is needed");
	if (request->cluster && (!request->install_schema || !store_url_is_name(request->cluster)))
		return op_error_set(error, EINVAL,
				    "--cluster=%.200s: a name, and it goes with --install-schema",
				    request->cluster);
	if (request->keep_days && !request->add_up)
		return op_error_set(error, EINVAL, "--keep-days goes with --add-up only");
	if (request->install_schema && (destinations->count > 1 || destinations->item[0].api))
		return op_error_set(error, EINVAL,
				    "--install-schema is for one clickhouse://HOST/DATABASE");
	for (size_t i = 0; i < request->labels.count; i++)
		if (fleet_label_check(request->labels.item[i], &why))
			return op_error_set(error, EINVAL, "--label=%.300s: %s",
					    request->labels.item[i], why.text);
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};
	char *dir;

	*request = (struct request){.spool_mib = SPOOL_MIB,
				    .jitter = JITTER,
				    .timeout = TIMEOUT,
				    .add_up_days = ADD_UP_DAYS};
	if (op_options_read(tables, SYNOPSIS, argc, argv, NULL, error))
		return -1;
	set_default(&request->session_dir, OP_SESSION_DEFAULT_DIR);
	set_default(&request->spool, SPOOL_DEFAULT);
	set_default(&request->schema, OP_SCHEMA_DIR);
	set_default(&request->service, SERVICE);
	dir = op_session_dir(request->session_dir);
	if (!dir)
		return op_error_memory(error);
	free(request->session_dir);
	request->session_dir = dir;
	return check(request, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	*request = (struct request){0};
}

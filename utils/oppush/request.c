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
#include "spool.h"

#define SYNOPSIS	 "--to=URL [OPTION...]"
#define SPOOL_DEFAULT	 "/var/lib/oprofile-push"
#define SPOOL_MIB	 256
#define MIB_MOST	 (UINT64_C(1) << 30)
#define JITTER		 60
#define JITTER_MOST	 86400
#define ADD_UP_DAYS	 7
#define ADD_UP_DAYS_MOST 36500

static int take_time(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_error why;

	if (op_duration_parse(text, "time", 0, JITTER_MOST, field, &why))
		return op_option_refuse(option, text, error, "%s", why.text);
	return 0;
}

static const struct op_option_type time_type = {.take = take_time};

static const struct op_option rows[] = {
	{"to", 0, "URL", "the store: clickhouse://HOST[:PORT]/DATABASE",
	 OP_TEXT(struct request, to)},
	{"session-dir", 0, "DIR", "whose closed sessions are sent (" OP_SESSION_DEFAULT_DIR ")",
	 OP_TEXT(struct request, session_dir)},
	{"spool", 0, "DIR", "where what is to be sent waits (" SPOOL_DEFAULT ")",
	 OP_TEXT(struct request, spool)},
	{"spool-size", 0, "MIB", "the most that waits; beyond it the oldest is dropped (256)",
	 OP_NUMBER(struct request, spool_mib, SPOOL_SESSIONS_LEAST, MIB_MOST)},
	{"jitter", 0, "TIME", "wait up to so long before a session is sent, by chance (60s)",
	 .type = &time_type, .field = OP_FIELD(struct request, jitter, uint64_t)},
	{"once", 0, NULL, "send what there is, and end", OP_FLAG(struct request, once)},
	{"install-schema", 0, NULL, "make the database and its tables, or bring them up to date",
	 OP_FLAG(struct request, install_schema)},
	{"add-up", 0, NULL, "add up the hours and days in the store that are over",
	 OP_FLAG(struct request, add_up)},
	{"add-up-days", 0, "DAYS", "so far back (7)",
	 OP_NUMBER(struct request, add_up_days, 1, ADD_UP_DAYS_MOST)},
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

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};
	char *dir;

	*request = (struct request){
		.spool_mib = SPOOL_MIB, .jitter = JITTER, .add_up_days = ADD_UP_DAYS};
	if (op_options_read(tables, SYNOPSIS, argc, argv, NULL, error))
		return -1;
	set_default(&request->session_dir, OP_SESSION_DEFAULT_DIR);
	set_default(&request->spool, SPOOL_DEFAULT);
	set_default(&request->schema, OP_SCHEMA_DIR);
	dir = op_session_dir(request->session_dir);
	if (!dir)
		return op_error_memory(error);
	free(request->session_dir);
	request->session_dir = dir;
	if (!request->to)
		return op_error_set(error, EINVAL, "--to=URL is needed");
	if (request->cluster && (!request->install_schema || !store_url_is_name(request->cluster)))
		return op_error_set(error, EINVAL,
				    "--cluster=%.200s: a name, and it goes with --install-schema",
				    request->cluster);
	if (!store_url_is(request->to))
		return op_error_set(error, EINVAL,
				    "--to=%.200s: not clickhouse://HOST[:PORT]/DATABASE",
				    request->to);
	return store_url_parse(&request->url, request->to, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	store_url_free(&request->url);
	*request = (struct request){0};
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Golden tests of opreport. */
#include "golden.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/pack/session.h"

static const char *opreport, *sources;

void golden_begin(int argc, char **argv)
{
	test_need(argc == 3, "usage: %s OPREPORT SOURCES", argv[0]);
	opreport = argv[1];
	sources = argv[2];
}

const char *opreport_path(void)
{
	return opreport;
}

void make_session(struct test_session *session)
{
	test_session_make(session);
	fixture_images(session, sources);
}

static void check(const struct test_session *session, const struct golden *golden)
{
	char *out = fixture_expand(session, golden->out);
	char *err = fixture_expand(session, golden->err ? golden->err : "");
	struct test_run run;

	fixture_opreport(&run, session, opreport, golden->arguments);
	if (run.status != golden->status || strcmp(run.out, out) ||
	    (golden->err ? !strstr(run.err, err) : *run.err)) {
		fprintf(stderr, "opreport %s: status %d, wanted %d\n", golden->arguments,
			run.status, golden->status);
		fprintf(stderr, "--- written:\n%s\n", run.out);
		fprintf(stderr, "--- wanted:\n%s\n", out);
		fprintf(stderr, "--- to stderr:\n%s\n--- wanted in it:\n%s\n", run.err, err);
		fail();
	}
	test_run_free(&run);
	free(out);
	free(err);
}

/* Packs or unpacks what samples there are. */
static void each_session(const struct test_session *session,
			 int (*call)(const char *dir, struct op_error *error))
{
	char *path = test_session_path(session, "samples");
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	struct op_error error = {0};

	for (int i = 0; i < n; i++) {
		char *dir = test_session_path(session, "samples/%s", entries[i]->d_name);

		if (*entries[i]->d_name != '.' && entries[i]->d_type == DT_DIR)
			test_need(!call(dir, &error) || error.code == ENOENT, "%s", error.text);
		free(entries[i]);
		free(dir);
	}
	if (n >= 0)
		free(entries);
	free(path);
}

static int pack(const char *dir, struct op_error *error)
{
	struct op_pack_result result;

	return op_session_pack(dir, NULL, NULL, &result, error);
}

static int unpack(const char *dir, struct op_error *error)
{
	struct op_pack_result result;

	return op_session_unpack(dir, &result, error);
}

void check_loose(const struct test_session *session, const struct golden *golden, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(session, &golden[i]);
}

void check_all(const struct test_session *session, const struct golden *golden, size_t n)
{
	check_loose(session, golden, n);
	each_session(session, pack);
	check_loose(session, golden, n);
	each_session(session, unpack);
}

void check_samples(const struct fixture_sample *samples, size_t n_samples,
		   const struct golden *golden, size_t n)
{
	struct test_session session;

	make_session(&session);
	fixture_samples(&session, samples, n_samples);
	check_all(&session, golden, n);
	test_session_remove(&session);
}

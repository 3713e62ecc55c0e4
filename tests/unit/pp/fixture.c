// SPDX-License-Identifier: GPL-2.0-or-later
/* The sessions that the tests of opreport are about. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fixture_images(struct test_session *session, const char *sources)
{
	test_shell("gcc -nostdlib -static -Wa,--debug-prefix-map=$PWD=. -Wl,-Ttext=0x401000 "
		   "-Wl,--section-start=.odd=0x403000 "
		   "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o %s/prog %s/prog.s",
		   session->dir, sources);
	test_shell("gcc -shared -nostdlib -Wl,-Ttext=0x2000 -o %s/lib.so %s/lib.s", session->dir,
		   sources);
}

char *fixture_expand(const struct test_session *session, const char *text)
{
	char *out = NULL;
	size_t n = 0;
	FILE *stream = open_memstream(&out, &n);

	test_need(stream != NULL, "out of memory");
	for (const char *mark; (mark = strstr(text, "@DIR@")) != NULL; text = mark + 5)
		fprintf(stream, "%.*s%s", (int)(mark - text), text, session->dir);
	fputs(text, stream);
	fclose(stream);
	return out;
}

void fixture_samples(struct test_session *session, const struct fixture_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *name = fixture_expand(session, samples[i].name);

		test_session_add(session, name, samples[i].key, samples[i].count);
		free(name);
	}
}

void fixture_opreport(struct test_run *run, const struct test_session *session,
		      const char *opreport, const char *arguments)
{
	char *text = fixture_expand(session, arguments), *rest = text, *word;
	char session_dir[128];
	const char *argv[32] = {opreport, session_dir};
	size_t n = 2;

	snprintf(session_dir, sizeof(session_dir), "--session-dir=%s", session->dir);
	while ((word = strsep(&rest, " ")) != NULL && n < 31)
		if (*word)
			argv[n++] = word;
	test_run(run, argv);
	free(text);
}

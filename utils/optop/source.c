// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where optop's samples come from: see source.h.
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/foreign/output.h"

#define BEGIN_SECONDS 30
#define READS_AT_ONCE 64
#define OPTIONS_MOST  64

/* ---- records ---- */

static int take_begin(void *context, const char *session_dir, const char *name,
		      struct op_error *error)
{
	struct source *source = context;

	source->session_dir = strdup(session_dir);
	source->name = strdup(name);
	if (!source->session_dir || !source->name)
		return op_error_memory(error);
	if (symbols_open(&source->symbols, source->model, session_dir, error))
		return -1;
	source->has_symbols = true;
	return 0;
}

static void take_event(void *context, const struct op_feed_event *event, const char *name)
{
	struct source *source = context;

	model_set_event(source->model, event->number, name, event->is_clock, event->period);
}

static void optop_source_take_image(void *context, uint32_t number,
				    const struct op_image_name *name, bool is_kernel)
{
	struct source *source = context;

	(void)is_kernel;
	symbols_add_image(&source->symbols, number, name);
}

/* CPUs beyond this are damage: each is a row of a table. */
#define CPUS_MOST 8192

static void optop_source_take_sample(void *context, const struct op_feed_sample *feed,
				     const struct op_feed_frame *frames)
{
	struct source *source = context;
	uint32_t function[MODEL_FRAMES_MOST];
	struct model_sample sample = {
		.event = feed->event,
		.cpu = feed->cpu < 0 || feed->cpu >= CPUS_MOST ? 0 : (uint32_t)feed->cpu,
		.weight = feed->weight,
		.offset = frames[0].offset,
		.frames = feed->frames < MODEL_FRAMES_MOST ? feed->frames : MODEL_FRAMES_MOST,
		.function = function,
	};

	if (source->model->frozen) {
		source->model->passed++;
		return;
	}
	sample.app = symbols_image(&source->symbols, feed->app);
	sample.thread = model_thread(source->model, feed->tid, feed->tgid, sample.app);
	for (uint32_t i = 0; i < sample.frames; i++)
		function[i] = symbols_function(&source->symbols, &frames[i]);
	model_add(source->model, &sample);
}

static void take_account(void *context, const struct op_feed_account *account)
{
	((struct source *)context)->account = *account;
}

static const struct op_feed_ops ops = {
	.begin = take_begin,
	.event = take_event,
	.image = optop_source_take_image,
	.sample = optop_source_take_sample,
	.account = take_account,
};

/* ---- operf ---- */

/* The session is small and lives as long as we do: memory is the place for it. */
static char *make_temporary(struct op_error *error)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *places[] = {runtime && foreign_is_own_way(runtime) ? runtime : NULL,
				geteuid() ? NULL : "/run", foreign_temporary_top(), "/tmp"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(places); i++) {
		char *path = places[i] && *places[i] == '/' ? op_path("%s/optop-XXXXXX", places[i])
							    : NULL;

		if (path && mkdtemp(path))
			return path;
		free(path);
	}
	op_error_errno(error, "cannot make a temporary directory");
	return NULL;
}

/* In a process group of its own: what the terminal sends is for us. */
static int spawn(struct source *source, char *const *argv, int feed, struct op_error *error)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int code;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, source->messages, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, source->messages, STDOUT_FILENO);
	/* without close-on-exec, which the same number would keep */
	posix_spawn_file_actions_adddup2(&actions, feed, feed);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	code = posix_spawnp(&source->operf, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (!code)
		return 0;
	source->operf = 0;
	return op_error_code(error, code, "cannot run %s", argv[0]);
}

static int run_operf(struct source *source, const struct source_config *config, int feed,
		     struct op_error *error)
{
	const char *parent = source->temporary;
	char *program = op_program_beside("operf"), *number = op_path("--feed=%d", feed);
	char *dir = config->keep_dir ? op_path("--session-dir=%s", config->keep_dir)
				     : op_path("--session-dir=%s/session", parent);
	char *argv[OPTIONS_MOST + 8];
	size_t n = 0;
	int result;

	argv[n++] = program;
	argv[n++] = number;
	argv[n++] = dir;
	if (!config->keep_dir) {
		argv[n++] = (char *)"--feed-only";
		argv[n++] = (char *)"--no-pack";
	}
	for (size_t i = 0; i < OPTIONS_MOST && config->operf_options[i]; i++)
		argv[n++] = config->operf_options[i];
	argv[n] = NULL;
	result = program && number && dir ? spawn(source, argv, feed, error)
					  : op_error_memory(error);
	free(program);
	free(number);
	free(dir);
	return result;
}

static int start_operf(struct source *source, const struct source_config *config,
		       struct op_error *error)
{
	int pair[2], result;

	source->messages = memfd_create("operf", MFD_CLOEXEC);
	/* it is read while operf writes at its end */
	if (source->messages < 0 || fcntl(source->messages, F_SETFL, O_APPEND))
		return op_error_errno(error, "cannot keep the messages of operf");
	if (!config->keep_dir) {
		source->temporary = make_temporary(error);
		if (!source->temporary)
			return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return op_error_errno(error, "cannot make a socket");
	result = run_operf(source, config, pair[1], error);
	close(pair[1]);
	op_feed_take(&source->feed, pair[0]);
	return result;
}

/* The last line that operf wrote, without its name, in @text. */
static bool last_message(const struct source *source, char *text, size_t size)
{
	char *all, *line;
	size_t length;

	if (source->messages < 0 || lseek(source->messages, 0, SEEK_SET))
		return false;
	all = op_file_read_open(source->messages, 65536, &length);
	if (!all)
		return false;
	for (line = strtok(all, "\n"); line; line = strtok(NULL, "\n")) {
		const char *message = strstr(line, "error: ");

		if (message || strncmp(line, "Try ", 4))
			snprintf(text, size, "%s", message ? message + 7 : line);
	}
	free(all);
	return *text;
}

/* ---- all together ---- */

int source_open(struct source *source, struct model *model, const struct source_config *config,
		struct op_error *error)
{
	*source = (struct source){.model = model, .messages = -1, .feed.fd = -1};
	if (config->session_dir)
		return op_feed_open(&source->feed, config->session_dir, error);
	return start_operf(source, config, error);
}

static void optop_source_end(struct source *source, const struct op_error *error)
{
	source->has_ended = true;
	if (!source->operf || error->code != ENODATA)
		snprintf(source->why, sizeof(source->why), "%s", error->text);
	else if (!last_message(source, source->why, sizeof(source->why)))
		snprintf(source->why, sizeof(source->why), "operf has ended");
}

void source_read(struct source *source)
{
	struct op_error error;
	int result = 1;

	for (int i = 0; i < READS_AT_ONCE && result == 1; i++)
		result = op_feed_read(&source->feed, &ops, source, &error);
	if (result < 0)
		optop_source_end(source, &error);
}

/* Whether one of the signals came that end programs, which are blocked. */
static bool is_interrupted(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP);
}

int source_begin(struct source *source, struct op_error *error)
{
	time_t give_up = time(NULL) + BEGIN_SECONDS;

	while (!source->feed.has_begun && !source->has_ended) {
		struct pollfd wait = {.fd = source->feed.fd, .events = POLLIN};

		if (poll(&wait, 1, 200) < 0 && errno != EINTR)
			return op_error_errno(error, "cannot wait for samples");
		if (wait.revents)
			source_read(source);
		else if (is_interrupted())
			return op_error_set(error, EINTR, "interrupted before samples came");
		else if (time(NULL) > give_up)
			return op_error_set(error, ETIMEDOUT, "no samples come: %s does not answer",
					    source->operf ? "operf" : "the daemon");
	}
	if (!source->feed.has_begun)
		return op_error_set(error, EIO, "%s", source->why);
	return 0;
}

void source_tidy(struct source *source)
{
	if (!source->has_symbols || !source->symbols.is_full || source->has_ended)
		return;
	symbols_forget(&source->symbols);
	op_feed_ask_images(&source->feed);
}

static void remove_temporary(const char *path)
{
	char *parent = strdup(path), *slash = parent ? strrchr(parent, '/') : NULL;
	struct op_error error;
	int fd = -1;

	if (slash) {
		*slash = '\0';
		fd = open(slash == parent ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd >= 0) {
		if (op_tree_remove(fd, slash + 1, &error))
			op_warn("%s", error.text);
		close(fd);
	}
	free(parent);
}

void source_close(struct source *source)
{
	op_feed_close(&source->feed);
	if (source->operf) {
		kill(source->operf, SIGTERM);
		while (waitpid(source->operf, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (source->has_symbols)
		symbols_close(&source->symbols);
	if (source->temporary)
		remove_temporary(source->temporary);
	if (source->messages >= 0)
		close(source->messages);
	free(source->temporary);
	free(source->session_dir);
	free(source->name);
	*source = (struct source){.messages = -1, .feed.fd = -1};
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loops of optop: see loop.h.
 */
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "screen.h"
#include "table.h"
#include "tasks.h"
#include "ui.h"

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

struct loop {
	const struct request *request;
	struct model *model;
	struct source *source;
	struct ui ui;
	int signals;
	double ticked, next; /* when the interval began, and when it ends */
	uint64_t pictures;
	int ended_by; /* a signal; 0: none */
	bool done, has_screen;
};

static void set_of_signals(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < OP_ARRAY_SIZE(taken); i++)
		sigaddset(set, taken[i]);
}

void loop_block_signals(void)
{
	sigset_t set;

	set_of_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static double optop_loop_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- intervals ---- */

static int write_table(struct loop *loop, struct op_error *error)
{
	struct ui *ui = &loop->ui;

	if (loop->pictures > 1)
		putchar('\n');
	if (table_write(stdout, loop->model, &ui->view, &ui->request, loop->request->lines))
		return op_error_memory(error);
	if (fflush(stdout) || ferror(stdout))
		return op_error_errno(error, "cannot write the table");
	return 0;
}

/* When no more samples come the picture stays as it is. */
static void end_interval(struct loop *loop)
{
	double now = optop_loop_seconds();

	if (loop->source->has_ended)
		loop->model->frozen = true;
	source_tidy(loop->source);
	model_tick(loop->model, now - loop->ticked);
	loop->ticked = now;
	loop->next = now + (double)loop->ui.delay;
	if (!loop->model->frozen)
		tasks_describe(loop->model);
	ui_update(&loop->ui);
	loop->pictures++;
}

static void tell_end(struct loop *loop)
{
	struct ui *ui = &loop->ui;

	if (loop->source->has_ended && !ui->message[0])
		ui_tell(ui, true, "no more samples come: %s", loop->source->why);
	else if (!ui->message[0] && screen_message(ui->message, sizeof(ui->message)))
		ui->is_alert = true;
}

static int picture(struct loop *loop, struct op_error *error)
{
	end_interval(loop);
	if (loop->has_screen) {
		tell_end(loop);
		ui_draw(&loop->ui);
	} else if (write_table(loop, error)) {
		return -1;
	} else if (loop->source->has_ended) {
		return op_error_set(error, ENODATA, "no more samples come: %s", loop->source->why);
	}
	if (loop->request->iterations && loop->pictures >= loop->request->iterations)
		loop->done = true;
	return 0;
}

/* ---- what comes ---- */

static void take_signal(struct loop *loop, int number)
{
	switch (number) {
	case SIGWINCH:
		if (loop->has_screen)
			screen_resize();
		break;
	case SIGTSTP:
		if (loop->has_screen)
			screen_stop();
		else
			raise(SIGSTOP);
		break;
	case SIGCONT:
		if (loop->has_screen)
			screen_resume();
		break;
	default:
		loop->ended_by = number;
		loop->done = true;
		return;
	}
	if (loop->has_screen) {
		ui_update(&loop->ui);
		ui_draw(&loop->ui);
	}
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (!loop->done && read(loop->signals, &info, sizeof(info)) == sizeof(info))
		take_signal(loop, (int)info.ssi_signo);
}

static void take_keys(struct loop *loop)
{
	int key, before = (int)loop->ui.delay;

	while (!loop->ui.quit && (key = screen_key()) >= 0)
		ui_key(&loop->ui, key);
	if ((int)loop->ui.delay != before)
		loop->next = loop->ticked + (double)loop->ui.delay;
	loop->done |= loop->ui.quit;
	if (!loop->done)
		ui_draw(&loop->ui);
}

static int wait_and_take(struct loop *loop, struct op_error *error)
{
	double left = loop->next - optop_loop_seconds();
	struct pollfd wait[] = {
		{.fd = loop->signals, .events = POLLIN},
		{.fd = loop->source->has_ended ? -1 : loop->source->feed.fd, .events = POLLIN},
		{.fd = loop->has_screen ? STDIN_FILENO : -1, .events = POLLIN},
	};
	int n = poll(wait, 3, left > 0 ? (int)(left * 1000) + 1 : 0);

	if (n < 0 && errno != EINTR)
		return op_error_errno(error, "cannot wait for samples");
	if (n <= 0)
		return 0;
	if (wait[0].revents)
		take_signals(loop);
	if (wait[1].revents)
		source_read(loop->source);
	if (wait[2].revents & (POLLHUP | POLLERR | POLLNVAL)) {
		loop->ended_by = SIGHUP; /* the terminal is gone */
		loop->done = true;
	} else if (wait[2].revents) {
		take_keys(loop);
	}
	return 0;
}

static int optop_loop_run(struct loop *loop, struct op_error *error)
{
	int result = 0;

	if (loop->has_screen) {
		ui_update(&loop->ui);
		ui_draw(&loop->ui);
	}
	while (!result && !loop->done) {
		if (optop_loop_seconds() >= loop->next ||
		    (loop->source->has_ended && !loop->has_screen))
			result = picture(loop, error);
		else
			result = wait_and_take(loop, error);
	}
	return result;
}

static void loop_begin(struct loop *loop)
{
	const struct request *request = loop->request;
	struct ui *ui = &loop->ui;

	ui_init(ui, loop->model, loop->source);
	ui->request.by = request->by;
	ui->request.sort = request->sort;
	ui->request.period = request->period;
	ui->delay = request->delay;
	if (request->filter)
		snprintf(ui->filter, sizeof(ui->filter), "%s", request->filter);
	loop->ticked = optop_loop_seconds();
	/* the first picture comes soon, whatever the delay */
	loop->next = loop->ticked + (loop->has_screen && ui->delay > 1 ? 1 : (double)ui->delay);
}

static bool wants_colors(const struct request *request)
{
	const char *no = getenv("NO_COLOR");

	return !request->no_color && !(no && *no);
}

int loop_run(const struct request *request, struct model *model, struct source *source, int *signal,
	     struct op_error *error)
{
	struct loop loop = {.request = request,
			    .model = model,
			    .source = source,
			    .has_screen = !request->batch};
	sigset_t set;
	int result;

	set_of_signals(&set);
	loop.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (loop.signals < 0)
		return op_error_errno(error, "cannot wait for signals");
	if (loop.has_screen && screen_open(wants_colors(request), error)) {
		close(loop.signals);
		return -1;
	}
	loop_begin(&loop);
	result = optop_loop_run(&loop, error);
	if (loop.has_screen)
		screen_close();
	ui_free(&loop.ui);
	close(loop.signals);
	*signal = loop.ended_by;
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The terminal: see screen.h.  This file is the only one that knows curses.
 */
#include "screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/safe_text.h"

#define MESSAGES_MOST 65536

/* There is one terminal. */
static struct {
	SCREEN *screen; /* NULL: it is not ours */
	bool colors;
	struct termios before;
	char leave[256]; /* what gives it back, for signals that end us */
	int messages;	 /* stderr meanwhile; -1: as it was */
	int stderr_before;
	off_t told; /* of messages: up to there they were told */
} terminal = {.messages = -1, .stderr_before = -1};

/* ---- fatal signals ---- */

static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/* Only what is safe in a signal handler. */
static void give_back(int number)
{
	ssize_t ignored = write(STDOUT_FILENO, terminal.leave, strlen(terminal.leave));

	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	raise(number); /* the default action is set: SA_RESETHAND */
}

static void handle_fatal_signals(bool ours)
{
	struct sigaction action = {.sa_handler = ours ? give_back : SIG_DFL,
				   .sa_flags = SA_RESETHAND | SA_NODEFER};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < OP_ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &action, NULL);
}

static void append_capability(const char *name)
{
	const char *text = tigetstr(name);
	size_t used = strlen(terminal.leave);

	if (text && text != (const char *)-1 && used + strlen(text) < sizeof(terminal.leave))
		memcpy(terminal.leave + used, text, strlen(text) + 1);
}

/* ---- messages ---- */

static void keep_messages(void)
{
	terminal.messages = memfd_create("messages", MFD_CLOEXEC);
	if (terminal.messages < 0)
		return;
	fcntl(terminal.messages, F_SETFL, O_APPEND);
	fflush(stderr);
	terminal.stderr_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(terminal.messages, STDERR_FILENO);
	terminal.told = 0;
}

static void write_messages(void)
{
	char *text = NULL, *line;
	size_t length;

	if (terminal.messages < 0)
		return;
	fflush(stderr);
	if (terminal.stderr_before >= 0) {
		dup2(terminal.stderr_before, STDERR_FILENO);
		close(terminal.stderr_before);
	}
	if (!lseek(terminal.messages, 0, SEEK_SET))
		text = op_file_read_open(terminal.messages, MESSAGES_MOST, &length);
	for (line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		op_safe_line(stderr, "%s", line);
	free(text);
	close(terminal.messages);
	terminal.messages = terminal.stderr_before = -1;
}

bool screen_message(char *text, unsigned int size)
{
	char part[1024], *end;
	off_t length;
	ssize_t n;

	fflush(stderr);
	length = terminal.messages < 0 ? 0 : lseek(terminal.messages, 0, SEEK_END);
	if (length <= terminal.told)
		return false;
	if (length - terminal.told > (off_t)sizeof(part) - 1)
		terminal.told = length - (off_t)sizeof(part) + 1;
	n = pread(terminal.messages, part, sizeof(part) - 1, terminal.told);
	terminal.told = length;
	if (n <= 1)
		return false;
	part[n - 1] = '\0'; /* the end of the last line */
	end = strrchr(part, '\n');
	snprintf(text, size, "%s", end ? end + 1 : part);
	return true;
}

/* ---- open and close ---- */

static void set_up(bool colors)
{
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	terminal.colors = colors && has_colors() && start_color() == OK;
	if (!terminal.colors)
		return;
	use_default_colors();
	init_pair(TONE_TITLE, COLOR_CYAN, -1);
	init_pair(TONE_HOT, COLOR_RED, -1);
	init_pair(TONE_WARM, COLOR_GREEN, -1);
	init_pair(TONE_ALERT, COLOR_YELLOW, -1);
}

int screen_check(struct op_error *error)
{
	const char *term = getenv("TERM");

	if (tcgetattr(STDIN_FILENO, &terminal.before) || !isatty(STDOUT_FILENO))
		return op_error_set(error, ENOTTY,
				    "standard input and output are no terminal: use --batch");
	if (!term || !*term)
		return op_error_set(error, ENOTTY, "TERM is not set: set it, or use --batch");
	return 0;
}

int screen_open(bool colors, struct op_error *error)
{
	if (screen_check(error))
		return -1;
	terminal.screen = newterm(NULL, stdout, stdin);
	if (!terminal.screen)
		return op_error_set(error, ENOTTY,
				    "cannot use a terminal of type %s: set TERM, or use --batch",
				    getenv("TERM"));
	set_up(colors);
	terminal.leave[0] = '\0';
	append_capability("sgr0");
	append_capability("cnorm");
	append_capability("rmcup");
	handle_fatal_signals(true);
	keep_messages();
	return 0;
}

/* In the background this would stop us, before the terminal is what the shell expects. */
static void leave_screen(void)
{
	void (*before)(int) = signal(SIGTTOU, SIG_IGN);

	if (!isendwin())
		endwin();
	signal(SIGTTOU, before);
}

static bool is_in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Whether a signal waits that ends programs. */
static bool is_to_end(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;
	bool any = false;

	sigpending(&pending);
	for (size_t i = 0; i < OP_ARRAY_SIZE(ends); i++)
		any |= sigismember(&pending, ends[i]);
	return any;
}

void screen_close(void)
{
	if (!terminal.screen)
		return;
	handle_fatal_signals(false);
	leave_screen();
	delscreen(terminal.screen);
	terminal.screen = NULL;
	write_messages();
}

void screen_stop(void)
{
	leave_screen();
	do {
		raise(SIGSTOP);
	} while (!is_in_foreground() && !is_to_end());
	screen_resume();
}

void screen_resume(void)
{
	if (!is_in_foreground())
		return;
	reset_prog_mode();
	screen_resize();
	refresh();
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

int screen_rows(void)
{
	return LINES;
}

int screen_columns(void)
{
	return COLS;
}

/* ---- pictures ---- */

static attr_t attributes(enum tone tone)
{
	switch (tone) {
	case TONE_HEADING:
	case TONE_CURSOR:
		return A_REVERSE;
	case TONE_TITLE:
	case TONE_HOT:
	case TONE_ALERT:
		return terminal.colors ? A_BOLD | (attr_t)COLOR_PAIR(tone) : A_BOLD;
	case TONE_WARM:
		return terminal.colors ? (attr_t)COLOR_PAIR(tone) : A_NORMAL;
	default:
		return A_NORMAL;
	}
}

void screen_line(int row, const struct op_buffer *text, enum tone tone)
{
	if (row < 0 || row >= LINES)
		return;
	attrset(attributes(tone));
	move(row, 0);
	if (tone == TONE_HEADING || tone == TONE_CURSOR)
		hline(' ' | A_REVERSE, COLS);
	else
		clrtoeol();
	if (!text->failed)
		addnstr((const char *)text->bytes, (int)text->used);
	attrset(A_NORMAL);
}

void screen_show(int row, int column)
{
	if (isendwin() && !is_in_foreground())
		return;
	curs_set(row >= 0);
	if (row >= 0)
		move(row, column);
	refresh();
}

int screen_key(void)
{
	return getch();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The account of a session: see account.h.
 */
#include "account.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "paths.h"

/* "oprofile-account 1 SEQUENCE LENGTH CHECKSUM\n", numbers in hexadecimal; the text follows. */
#define HEAD	    "oprofile-account 1 %016" PRIx64 " %04zx %08lx\n"
#define HEAD_LENGTH 50
#define BOTH_SLOTS  ((size_t)2 * OP_ACCOUNT_SLOT)

_Static_assert(HEAD_LENGTH + OP_ACCOUNT_TEXT_MOST <= OP_ACCOUNT_SLOT, "the text fits a slot");

struct slot {
	uint64_t sequence; /* 0: nothing valid */
	const char *text;  /* not terminated */
	size_t length;
	bool is_empty; /* never written */
};

static char *path_in(const char *samples_dir)
{
	return op_path("%s/" OP_SAMPLES_ACCOUNT, samples_dir);
}

/* ---- slots ---- */

static unsigned long checksum(uint64_t sequence, const char *text, size_t length)
{
	uLong sum = crc32_z(0, (const Bytef *)&(uint64_t){htole64(sequence)}, sizeof(sequence));

	return crc32_z(sum, (const Bytef *)text, length);
}

static void format_slot(char bytes[static OP_ACCOUNT_SLOT], uint64_t sequence, const char *text)
{
	size_t length = strlen(text);

	memset(bytes, 0, OP_ACCOUNT_SLOT);
	snprintf(bytes, OP_ACCOUNT_SLOT, HEAD "%s", sequence, length,
		 checksum(sequence, text, length), text);
}

/* Compares with what would have been written: so each byte of the head is checked. */
static bool is_valid(const char *bytes, const struct slot *slot)
{
	char head[HEAD_LENGTH + 1];

	if (!slot->sequence || slot->length > OP_ACCOUNT_TEXT_MOST ||
	    memchr(slot->text, '\0', slot->length))
		return false;
	snprintf(head, sizeof(head), HEAD, slot->sequence, slot->length,
		 checksum(slot->sequence, slot->text, slot->length));
	return !memcmp(bytes, head, HEAD_LENGTH);
}

static struct slot parse_slot(const char *bytes)
{
	struct slot slot = {.text = bytes + HEAD_LENGTH, .is_empty = !*bytes};
	char head[HEAD_LENGTH + 1];
	unsigned long sum;

	memcpy(head, bytes, HEAD_LENGTH);
	head[HEAD_LENGTH] = '\0';
	if (sscanf(head, "oprofile-account 1 %16" SCNx64 " %4zx %8lx", &slot.sequence, &slot.length,
		   &sum) != 3 ||
	    !is_valid(bytes, &slot))
		slot.sequence = 0;
	return slot;
}

/* Sets @latest to the one that is to be believed. */
static enum op_account_state session_account_judge(const char *bytes, struct slot *latest)
{
	struct slot slot[2] = {parse_slot(bytes), parse_slot(bytes + OP_ACCOUNT_SLOT)};
	bool second = slot[1].sequence > slot[0].sequence;

	*latest = slot[second];
	if (!latest->sequence)
		return OP_ACCOUNT_DAMAGED;
	return slot[!second].sequence || slot[!second].is_empty ? OP_ACCOUNT_WHOLE
								: OP_ACCOUNT_TORN;
}

/* ---- reading ---- */

static enum op_account_state read_latest(const char *path, char **text, uint64_t *sequence)
{
	enum op_account_state state = OP_ACCOUNT_DAMAGED;
	struct op_error error = {.code = ENOMEM};
	struct slot latest;
	size_t length;
	char *bytes = path ? foreign_read(path, BOTH_SLOTS, &length, &error) : NULL;

	*text = NULL;
	if (!bytes)
		return error.code == ENOENT ? OP_ACCOUNT_MISSING : OP_ACCOUNT_DAMAGED;
	if (length == BOTH_SLOTS)
		state = session_account_judge(bytes, &latest);
	if (state > OP_ACCOUNT_DAMAGED) {
		*text = strndup(latest.text, latest.length);
		*sequence = latest.sequence;
	}
	free(bytes);
	return *text ? state : OP_ACCOUNT_DAMAGED;
}

enum op_account_state op_account_read(const char *samples_dir, char **text)
{
	char *path = path_in(samples_dir);
	uint64_t sequence;
	enum op_account_state state = read_latest(path, text, &sequence);

	free(path);
	return state;
}

char *op_account_next(char **rest, uint64_t *number)
{
	char *line;

	while ((line = strsep(rest, "\n"))) {
		char *blank = strchr(line, ' ');

		if (!blank || !op_number_all(blank + 1, 10, UINT64_MAX, number))
			continue;
		*blank = '\0';
		return line;
	}
	return NULL;
}

uint64_t op_account_number(const char *text, const char *name)
{
	size_t length = strlen(name);
	uint64_t value = 0;

	for (const char *line = text; line && *line; line = strchrnul(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ') {
			const char *number = line + length + 1;

			return op_number_take(&number, 10, UINT64_MAX, &value) ? value : 0;
		}
	}
	return 0;
}

/* ---- writing ---- */

static int create(const char *path, struct op_error *error)
{
	static char bytes[BOTH_SLOTS];

	format_slot(bytes, 1, "");
	return op_file_replace(path, bytes, sizeof(bytes), OP_SESSION_FILE_MODE, error);
}

/* Whether all of it has blocks; a file system that cannot reserve them has written them. */
static int reserve(int fd)
{
	int code;

	do
		code = posix_fallocate(fd, 0, BOTH_SLOTS);
	while (code == EINTR);
	errno = code;
	return !code || code == EOPNOTSUPP ? 0 : -1;
}

int op_account_open(struct op_account *account, const char *samples_dir, struct op_error *error)
{
	char *path = path_in(samples_dir), *text;
	int result = 0;

	*account = OP_ACCOUNT_CLOSED;
	if (!path)
		return op_error_memory(error);
	if (read_latest(path, &text, &account->sequence) <= OP_ACCOUNT_DAMAGED) {
		result = create(path, error);
		account->sequence = 1;
	}
	free(text);
	if (!result) {
		account->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (account->fd < 0 || reserve(account->fd))
			result = op_error_errno(error, "cannot open the account %s", path);
	}
	if (result)
		op_account_close(account);
	free(path);
	return result;
}

bool op_account_is_in(const struct op_account *account, const char *samples_dir)
{
	char *path = path_in(samples_dir);
	struct stat open, there;
	bool same = path && account->fd >= 0 && !fstat(account->fd, &open) &&
		    !lstat(path, &there) && open.st_dev == there.st_dev &&
		    open.st_ino == there.st_ino;

	free(path);
	return same;
}

/* Slots are written in turn: by the parity of the sequence, from 1 in the first one. */
int op_account_write(struct op_account *account, const char *text, struct op_error *error)
{
	char bytes[OP_ACCOUNT_SLOT];
	uint64_t next = account->sequence + 1;
	size_t done = 0;

	if (account->fd < 0)
		return op_error_set(error, EBADF, "the session has no account");
	if (strlen(text) > OP_ACCOUNT_TEXT_MOST)
		return op_error_set(error, EFBIG, "more statistics than an account can hold");
	format_slot(bytes, next, text);
	while (done < sizeof(bytes)) {
		ssize_t n = pwrite(account->fd, bytes + done, sizeof(bytes) - done,
				   (off_t)(((next + 1) % 2) * OP_ACCOUNT_SLOT + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return op_error_errno(error, "cannot write the account of the session");
		done += (size_t)n;
	}
	account->sequence = next;
	return 0;
}

void op_account_close(struct op_account *account)
{
	if (account->fd >= 0)
		close(account->fd);
	*account = OP_ACCOUNT_CLOSED;
}

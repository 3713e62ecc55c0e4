// SPDX-License-Identifier: GPL-2.0-or-later
/* Identities of files: see identity.h. */
#include "identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/hash.h"
#include "libop/foreign/apart.h"

#define NANOSECONDS UINT64_C(1000000000)

/* struct content - what identifies a file by its bytes */
struct content {
	uint64_t head; /* as of struct op_identity */
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
};

static bool hash_head(int fd, uint64_t *hash)
{
	uint8_t bytes[IDENTITY_HEAD];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);

	if (n < 0)
		return false;
	*hash = op_hash_content((uint64_t)n, bytes, (size_t)n) | 1; /* 0 is for none */
	return true;
}

/* Answers nothing if the file cannot be read. */
static void identity_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	struct content content = {0};

	(void)question;
	content.build_id_size = (uint8_t)build_id_read(fd, content.build_id);
	if (content.build_id_size || hash_head(fd, &content.head))
		op_buffer_put(answer, &content, sizeof(content));
}

static bool read_content(int fd, const char *path, struct content *content)
{
	const struct apart_question question = {.work = identity_work,
						.fd = fd,
						.path = path,
						.seconds = APART_SECONDS_OF_DAEMON,
						.answer_most = sizeof(*content)};
	unsigned long failures = apart_failures();
	struct op_error error = {0};
	size_t length = 0;
	void *answer = apart_or_here(&question, &length, &error);
	bool good = answer && length == sizeof(*content);

	if (apart_failures() != failures)
		apart_warn("the identity", error.text);
	if (good)
		memcpy(content, answer, length);
	free(answer);
	return good && content->build_id_size <= BUILD_ID_MAX;
}

bool identity_of_open(int fd, const char *path, struct op_identity *identity)
{
	struct content content;
	struct stat status;

	*identity = (struct op_identity){0};
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || !read_content(fd, path, &content))
		return false;
	memcpy(identity->build_id, content.build_id, sizeof(identity->build_id));
	identity->build_id_size = content.build_id_size;
	identity->head = content.head;
	identity->owner = status.st_uid;
	identity->size = (uint64_t)status.st_size;
	identity->inode = status.st_ino;
	identity->mtime = (uint64_t)status.st_mtim.tv_sec * NANOSECONDS +
			  (uint64_t)status.st_mtim.tv_nsec;
	identity->has_file = true;
	return true;
}

static bool is_same_build(const struct op_identity *a, const struct op_identity *b)
{
	return a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

bool identity_is_of_file(const struct op_identity *a, const struct op_identity *b, bool is_copy)
{
	if (!is_same_build(a, b))
		return false;
	if (!a->has_file || !b->has_file || a->size != b->size || a->head != b->head)
		return false;
	if (is_copy)
		return a->mtime / NANOSECONDS == b->mtime / NANOSECONDS;
	return a->mtime == b->mtime && a->inode == b->inode;
}

bool identity_fits(const struct op_identity *a, const struct op_identity *b, bool is_copy)
{
	if (a->build_id_size || b->build_id_size)
		return is_same_build(a, b);
	return identity_is_of_file(a, b, is_copy);
}

const char *identity_text(const struct op_identity *identity, char text[static IDENTITY_TEXT])
{
	*text = '\0';
	for (size_t i = 0; i < identity->build_id_size; i++)
		sprintf(text + 2 * i, "%02x", identity->build_id[i]);
	return text;
}

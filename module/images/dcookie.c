// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cookies: a hash by identity for giving them out, an XArray by value for explaining them.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hashtable.h>
#include <linux/kdev_t.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "images/build_id.h"
#include "images/dcookie.h"
#include "uapi/oprofile.h"

/* What makes a file the same file; compared byte by byte, so made from zeroed memory. */
struct identity {
	u64 inode;
	u64 directory_inode;
	u32 device;
	u32 generation;
	u32 name_hash;
	u32 zero;
};

/**
 * struct dcookie - one file
 * @value: the cookie; small numbers from 1
 * @file: a reference, until @resolved
 * @resolved: the fields below are valid; stored with release, see op_dcookie_image()
 *
 * Lifetime: made under cookies_lock, freed by op_dcookies_tear_down() only.
 */
struct dcookie {
	struct hlist_node node;
	struct identity identity;
	u32 value;
	struct work_struct work;
	struct file *file;
	bool resolved;
	u32 flags;
	struct op_build_id build_id;
	char *path;
};

static DEFINE_HASHTABLE(cookies, 12);
static DEFINE_XARRAY_FLAGS(cookies_by_value, XA_FLAGS_ALLOC1);
static DEFINE_SPINLOCK(cookies_lock);
static DECLARE_WAIT_QUEUE_HEAD(resolved_wait);
static struct workqueue_struct *resolver;

static void identify(const struct path *path, struct identity *identity)
{
	const struct dentry *dentry = path->dentry;
	const struct inode *inode = d_inode(dentry);
	const struct inode *directory;

	memset(identity, 0, sizeof(*identity));
	identity->inode = inode->i_ino;
	identity->device = new_encode_dev(inode->i_sb->s_dev);
	identity->generation = inode->i_generation;
	identity->name_hash = READ_ONCE(dentry->d_name.hash);

	/* A rename may be going on: RCU keeps the old directory's inode readable. */
	rcu_read_lock();
	directory = d_inode_rcu(READ_ONCE(dentry->d_parent));
	identity->directory_inode = directory ? directory->i_ino : 0;
	rcu_read_unlock();
}

static struct dcookie *find(const struct identity *identity)
{
	struct dcookie *cookie;

	hash_for_each_possible(cookies, cookie, node, identity->inode) {
		if (!memcmp(&cookie->identity, identity, sizeof(*identity)))
			return cookie;
	}
	return NULL;
}

static const char deleted_suffix[] = " (deleted)"; /* what d_path() says of unlinked files */

/* Files that never had a name in a directory, such as those of memfd_create(2). */
static bool nameless(const struct path *path)
{
	return path->dentry->d_op && path->dentry->d_op->d_dname;
}

static bool below_our_root(const struct path *path)
{
	struct path root;
	bool below;

	get_fs_root(current->fs, &root); /* a kernel worker's: the initial one */
	below = path_is_under(path, &root);
	path_put(&root);
	return below;
}

static void resolve_path(struct dcookie *cookie, const struct path *path)
{
	char *buffer = kmalloc(OPROFILE_PATH_MAX, GFP_KERNEL);
	char *text;
	size_t length;

	text = buffer ? d_path(path, buffer, OPROFILE_PATH_MAX) : ERR_PTR(-ENOMEM);
	if (IS_ERR(text)) {
		cookie->flags |= OPROFILE_IMAGE_NO_PATH;
		kfree(buffer);
		return;
	}

	length = strlen(text);
	if (d_unlinked(path->dentry) || nameless(path)) {
		size_t suffix = strlen(deleted_suffix);

		cookie->flags |= OPROFILE_IMAGE_DELETED;
		if (length > suffix && !strcmp(text + length - suffix, deleted_suffix))
			length -= suffix;
	}
	if (!nameless(path) && !below_our_root(path))
		cookie->flags |= OPROFILE_IMAGE_FOREIGN_NS;

	cookie->path = kstrndup(text, length, GFP_KERNEL);
	if (!cookie->path)
		cookie->flags |= OPROFILE_IMAGE_NO_PATH;
	kfree(buffer);
}

static void resolve(struct work_struct *work)
{
	struct dcookie *cookie = container_of(work, struct dcookie, work);

	resolve_path(cookie, file_user_path(cookie->file));
	if (op_build_id_read(cookie->file, &cookie->build_id))
		cookie->flags |= OPROFILE_IMAGE_BUILD_ID;
	fput(cookie->file);
	cookie->file = NULL;

	/* Pairs with image:A: a reader that sees resolved sees the rest. */
	smp_store_release(&cookie->resolved, true); /* resolve:A */
	wake_up_all(&resolved_wait);
}

/* Under cookies_lock. */
static struct dcookie *make(struct file *file, const struct identity *identity)
{
	struct dcookie *cookie = kzalloc(sizeof(*cookie), GFP_ATOMIC | __GFP_NOWARN);

	if (!cookie)
		return NULL;
	if (xa_alloc(&cookies_by_value, &cookie->value, cookie, XA_LIMIT(1, U32_MAX),
		     GFP_ATOMIC | __GFP_NOWARN)) {
		kfree(cookie);
		return NULL;
	}
	cookie->identity = *identity;
	cookie->file = get_file(file);
	INIT_WORK(&cookie->work, resolve);
	hash_add(cookies, &cookie->node, identity->inode);
	queue_work(resolver, &cookie->work);
	return cookie;
}

u64 op_dcookie_get(struct file *file)
{
	struct identity identity;
	struct dcookie *cookie;
	u64 value;

	identify(file_user_path(file), &identity);

	spin_lock(&cookies_lock);
	cookie = find(&identity);
	if (!cookie)
		cookie = make(file, &identity);
	value = cookie ? cookie->value : OPROFILE_INVALID_COOKIE;
	spin_unlock(&cookies_lock);
	return value;
}

int op_dcookie_image(struct oprofile_image *image)
{
	struct dcookie *cookie;

	if (image->cookie == OPROFILE_NO_COOKIE || image->cookie > U32_MAX)
		return -EINVAL;
	cookie = xa_load(&cookies_by_value, image->cookie);
	if (!cookie)
		return -EINVAL;
	/* image:A - pairs with resolve:A */
	if (wait_event_killable(resolved_wait, smp_load_acquire(&cookie->resolved)))
		return -EINTR;

	image->device = cookie->identity.device;
	image->inode = cookie->identity.inode;
	image->generation = cookie->identity.generation;
	image->flags = cookie->flags;
	image->build_id_size = cookie->build_id.size;
	memcpy(image->build_id, cookie->build_id.bytes, sizeof(image->build_id));
	strscpy_pad(image->path, cookie->path ?: "", sizeof(image->path));
	image->path_size = strlen(image->path) + 1;
	return 0;
}

int op_dcookies_set_up(void)
{
	resolver = alloc_workqueue("oprofile_images", WQ_UNBOUND, 0);
	return resolver ? 0 : -ENOMEM;
}

void op_dcookies_tear_down(void)
{
	struct dcookie *cookie;
	struct hlist_node *next;
	int bucket;

	destroy_workqueue(resolver); /* after all work is done */
	hash_for_each_safe(cookies, bucket, next, cookie, node) {
		hash_del(&cookie->node);
		xa_erase(&cookies_by_value, cookie->value);
		kfree(cookie->path);
		kfree(cookie);
	}
	xa_destroy(&cookies_by_value);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cookies: a hash by identity for giving them out, an XArray by value for explaining them.
 */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "images/account.h"
#include "images/area.h"
#include "images/build_id.h"
#include "images/dcookie.h"
#include "uapi/oprofile.h"

/*
 * What makes a file the same file, or an area the same area (whose addresses are in the first two);
 * compared byte by byte, so made from zeroed memory.
 */
struct identity {
	u64 inode;
	u64 directory_inode;
	u64 name_hash;
	u32 device;
	u32 generation;
	u64 is_area;
};

/**
 * struct dcookie - one file or area
 * @value: the cookie; numbers from 1, none twice
 * @users: who still needs it: regions, and the worker until it is resolved
 * @kept: it stands in the event stream, or will: it is forgotten by its age only
 * @touched: jiffies when it was last asked for or said
 * @account: of the user that it counts as
 * @file: a reference, until @resolved; NULL of an area
 * @resolved: the fields below are valid
 *
 * Lifetime: made under cookies_lock, and freed under it: by the last user if it is not @kept, else
 * by op_dcookies_age(); or by op_dcookies_tear_down().
 */
struct dcookie {
	struct hlist_node node;
	struct identity identity;
	u32 value;
	unsigned int users;
	bool kept;
	unsigned long touched;
	u16 account;
	struct work_struct work;
	struct file *file;
	bool resolved;
	u32 flags;
	struct op_build_id build_id;
	size_t path_size;
	char *path;
};

static unsigned int images_kb_max = 16384;
module_param(images_kb_max, uint, 0644);
MODULE_PARM_DESC(images_kb_max, "memory for the names of images, KiB (default 16384)");

static unsigned int image_age = 600;
module_param(image_age, uint, 0644);
MODULE_PARM_DESC(image_age, "seconds after which an image that has no samples is forgotten (default 600)");

#define AREAS_PART 4 /* areas have this part of the memory */

#define AGE_SLICES 64 /* calls of op_dcookies_age() that look at all cookies, one by one */

static DEFINE_HASHTABLE(cookies, 12); /* by a keyed hash: users choose what there is */
static siphash_key_t cookies_secret;
static DEFINE_XARRAY_FLAGS(cookies_by_value, XA_FLAGS_ALLOC1);
static DEFINE_SPINLOCK(cookies_lock);
static u32 next_value;
static struct op_shares image_bytes, area_bytes; /* of cookies and their paths; of areas, both */
static bool pressed; /* somebody had little left, when last asked */
static unsigned int age_slice;
static atomic_long_t nr_images_lost = ATOMIC_LONG_INIT(0);
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

static u32 identity_key(const struct identity *identity)
{
	return siphash(identity, sizeof(*identity), &cookies_secret);
}

static struct dcookie *find_cookie(const struct identity *identity)
{
	struct dcookie *cookie;

	hash_for_each_possible(cookies, cookie, node, identity_key(identity)) {
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
	if (cookie->path)
		cookie->path_size = length + 1;
	else
		cookie->flags |= OPROFILE_IMAGE_NO_PATH;
	kfree(buffer);
}

static void charge_cookie(const struct dcookie *cookie, size_t size)
{
	op_share_take(&image_bytes, cookie->account, size);
	if (cookie->identity.is_area)
		op_share_take(&area_bytes, cookie->account, size);
}

static void forget_cookie(struct dcookie *cookie)
{
	size_t size = sizeof(*cookie) + cookie->path_size;

	lockdep_assert_held(&cookies_lock);
	hash_del(&cookie->node);
	xa_erase(&cookies_by_value, cookie->value);
	op_share_give(&image_bytes, cookie->account, size);
	if (cookie->identity.is_area)
		op_share_give(&area_bytes, cookie->account, size);
	kfree(cookie->path);
	kfree(cookie);
}

static void unuse(struct dcookie *cookie)
{
	lockdep_assert_held(&cookies_lock);
	if (!--cookie->users && !cookie->kept)
		forget_cookie(cookie);
}

static void resolve_cookie(struct work_struct *work)
{
	struct dcookie *cookie = container_of(work, struct dcookie, work);

	resolve_path(cookie, file_user_path(cookie->file));
	if (op_build_id_read(cookie->file, &cookie->build_id))
		cookie->flags |= OPROFILE_IMAGE_BUILD_ID;
	fput(cookie->file);
	cookie->file = NULL;

	spin_lock(&cookies_lock);
	charge_cookie(cookie, cookie->path_size);
	cookie->resolved = true;
	unuse(cookie);
	spin_unlock(&cookies_lock);
	wake_up_all(&resolved_wait);
}

static unsigned long most_bytes(void)
{
	return (unsigned long)READ_ONCE(images_kb_max) * 1024;
}

/* Has a user so little left that what can go must go?  Areas go as soon as they can anyway. */
static bool is_pressed(const struct op_shares *shares, u16 account, unsigned long most)
{
	return shares->used[account] > op_share_limit(shares, account, most) / 4 * 3;
}

static bool files_pressed(u16 account)
{
	return is_pressed(&image_bytes, account, most_bytes());
}

static bool areas_pressed(u16 account)
{
	return is_pressed(&area_bytes, account, most_bytes() / AREAS_PART);
}

static bool cookie_fits(const struct identity *identity, u16 account, size_t size)
{
	pressed |= files_pressed(account) || areas_pressed(account);
	return op_share_fits(&image_bytes, account, size, most_bytes()) &&
	       (!identity->is_area ||
		op_share_fits(&area_bytes, account, size, most_bytes() / AREAS_PART));
}

/*
 * Without the reserves, which are not for a process to use up.  It is not charged to the memory
 * control group of the process, which may be small, and is not to be killed for being profiled.
 */
#define COOKIE_FLAGS (GFP_NOWAIT | __GFP_NOWARN)

/* With all that files and areas have in common; @path_size: what comes with it at once. */
static struct dcookie *make_cookie(const struct identity *identity, u16 account, size_t path_size)
{
	struct dcookie *cookie;

	lockdep_assert_held(&cookies_lock);
	if (!cookie_fits(identity, account, sizeof(*cookie) + path_size))
		return NULL;
	cookie = kzalloc(sizeof(*cookie), COOKIE_FLAGS);
	if (!cookie)
		return NULL;
	if (xa_alloc_cyclic(&cookies_by_value, &cookie->value, cookie, XA_LIMIT(1, U32_MAX),
			    &next_value, GFP_NOWAIT | __GFP_NOWARN) < 0) {
		kfree(cookie);
		return NULL;
	}
	cookie->identity = *identity;
	cookie->account = account;
	cookie->path_size = path_size;
	charge_cookie(cookie, sizeof(*cookie) + path_size);
	hash_add(cookies, &cookie->node, identity_key(identity));
	return cookie;
}

static struct dcookie *make_file(struct file *file, const struct identity *identity, u16 account)
{
	struct dcookie *cookie = make_cookie(identity, account, 0);

	if (!cookie)
		return NULL;
	cookie->file = get_file(file);
	cookie->users = 1; /* the worker */
	INIT_WORK(&cookie->work, resolve_cookie);
	queue_work(resolver, &cookie->work);
	return cookie;
}

/* All that there is to be known is known at once. */
static struct dcookie *make_area(const struct identity *identity, const char *label, u16 account)
{
	char *copy = kstrdup(label, COOKIE_FLAGS);
	struct dcookie *cookie = copy ? make_cookie(identity, account, strlen(copy) + 1) : NULL;

	if (!cookie) {
		kfree(copy);
		return NULL;
	}
	cookie->path = copy;
	cookie->flags = OPROFILE_IMAGE_ANON;
	cookie->resolved = true;
	return cookie;
}

/* A cookie that was found or made is asked for, and used by so many. */
static u64 take(struct dcookie *cookie, unsigned int users)
{
	lockdep_assert_held(&cookies_lock);
	if (!cookie)
		return OPROFILE_INVALID_COOKIE;
	cookie->touched = jiffies;
	cookie->users += users;
	cookie->kept |= !users;
	return cookie->value;
}

static u64 get_cookie(struct file *file, u16 account, unsigned int users)
{
	struct identity identity;
	struct dcookie *cookie;
	u64 value;

	identify(file_user_path(file), &identity);

	spin_lock(&cookies_lock);
	cookie = find_cookie(&identity);
	if (!cookie)
		cookie = make_file(file, &identity, account);
	value = take(cookie, users);
	spin_unlock(&cookies_lock);
	if (!cookie)
		atomic_long_inc(&nr_images_lost);
	return value;
}

u64 op_dcookie_get(struct file *file, u16 account)
{
	return get_cookie(file, account, 0);
}

u64 op_dcookie_use(struct file *file, u16 account)
{
	return get_cookie(file, account, 1);
}

u64 op_dcookie_get_area(const struct op_area *area, u16 account)
{
	const struct identity identity = {
		.inode = area->start,
		.directory_inode = area->end,
		.name_hash = siphash(area->label, strlen(area->label), &cookies_secret),
		.is_area = true,
	};
	struct dcookie *cookie;
	u64 value;

	spin_lock(&cookies_lock);
	cookie = find_cookie(&identity);
	if (!cookie)
		cookie = make_area(&identity, area->label, account);
	value = take(cookie, 0);
	spin_unlock(&cookies_lock);
	return value;
}

/* Under cookies_lock.  Return: NULL if there is none. */
static struct dcookie *find_value(u64 value)
{
	if (value == OPROFILE_NO_COOKIE || value > U32_MAX)
		return NULL;
	return xa_load(&cookies_by_value, value);
}

bool op_dcookie_hold(u64 value)
{
	struct dcookie *cookie;

	spin_lock(&cookies_lock);
	cookie = find_value(value);
	if (cookie)
		cookie->users++;
	spin_unlock(&cookies_lock);
	return cookie;
}

void op_dcookie_unuse(u64 value)
{
	struct dcookie *cookie;

	spin_lock(&cookies_lock);
	cookie = find_value(value);
	if (cookie)
		unuse(cookie);
	spin_unlock(&cookies_lock);
}

bool op_dcookie_say(u64 value)
{
	struct dcookie *cookie;

	spin_lock(&cookies_lock);
	cookie = find_value(value);
	if (cookie) {
		cookie->touched = jiffies;
		cookie->kept = true;
	}
	spin_unlock(&cookies_lock);
	return cookie;
}

/* Under cookies_lock. */
static bool aged(const struct dcookie *cookie, unsigned long read, unsigned long age)
{
	if (cookie->identity.is_area || files_pressed(cookie->account))
		age = 0;
	return !cookie->users && time_before(cookie->touched, read) &&
	       time_after_eq(jiffies, cookie->touched + age);
}

void op_dcookies_age(unsigned long read)
{
	unsigned long age = READ_ONCE(image_age) * HZ;
	unsigned int slices = READ_ONCE(pressed) ? AGE_SLICES : 1;
	unsigned int bucket, nr = slices * HASH_SIZE(cookies) / AGE_SLICES;
	struct dcookie *cookie;
	struct hlist_node *next;

	WRITE_ONCE(pressed, false); /* unless somebody still is */
	for (bucket = age_slice; nr; nr--, bucket = (bucket + 1) % HASH_SIZE(cookies)) {
		spin_lock(&cookies_lock);
		hlist_for_each_entry_safe(cookie, next, &cookies[bucket], node) {
			if (aged(cookie, read, age))
				forget_cookie(cookie);
			else
				pressed |= files_pressed(cookie->account) ||
					   areas_pressed(cookie->account);
		}
		spin_unlock(&cookies_lock);
	}
	age_slice = bucket;
}

unsigned long op_dcookies_lost(void)
{
	return atomic_long_read(&nr_images_lost);
}

void op_dcookies_lost_reset(void)
{
	atomic_long_set(&nr_images_lost, 0);
}

static void describe(const struct dcookie *cookie, struct oprofile_image *image)
{
	image->device = cookie->identity.is_area ? cookie->identity.directory_inode :
						   cookie->identity.device;
	image->inode = cookie->identity.inode;
	image->generation = cookie->identity.generation;
	image->flags = cookie->flags;
	image->build_id_size = cookie->build_id.size;
	memcpy(image->build_id, cookie->build_id.bytes, sizeof(image->build_id));
	strscpy_pad(image->path, cookie->path ?: "", sizeof(image->path));
	image->path_size = strlen(image->path) + 1;
}

/* Returns false if it is not resolved yet. */
static bool try_image(struct oprofile_image *image, int *err)
{
	const struct dcookie *cookie;
	bool resolved = true;

	spin_lock(&cookies_lock);
	cookie = find_value(image->cookie);
	*err = cookie ? 0 : -EINVAL;
	if (cookie && cookie->resolved)
		describe(cookie, image);
	else if (cookie)
		resolved = false;
	spin_unlock(&cookies_lock);
	return resolved;
}

int op_dcookie_image(struct oprofile_image *image)
{
	int err;

	if (wait_event_killable(resolved_wait, try_image(image, &err)))
		return -EINTR;
	return err;
}

int op_dcookies_set_up(void)
{
	op_accounts_set_up();
	get_random_bytes(&cookies_secret, sizeof(cookies_secret));
	resolver = alloc_workqueue("oprofile_images", WQ_UNBOUND, 0);
	return resolver ? 0 : -ENOMEM;
}

void op_dcookies_tear_down(void)
{
	struct dcookie *cookie;
	struct hlist_node *next;
	int bucket;

	destroy_workqueue(resolver); /* after all work is done */
	spin_lock(&cookies_lock);
	hash_for_each_safe(cookies, bucket, next, cookie, node)
		forget_cookie(cookie);
	spin_unlock(&cookies_lock);
	xa_destroy(&cookies_by_value);
	next_value = 0;
	age_slice = 0;
}

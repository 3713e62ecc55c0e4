// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build-ids.  The kernel has a reader of its own, which it does not export.
 *
 * The file is anybody's: no number in it is believed before it is checked.
 */
#include <linux/align.h>
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "images/build_id.h"

#ifndef NT_GNU_BUILD_ID
#define NT_GNU_BUILD_ID 3 /* elf(5); the kernel's headers do not name it */
#endif

static const char note_owner[] = "GNU"; /* elf(5): n_name of GNU notes, with its NUL */

bool op_build_id_find_note(const void *notes, size_t size, struct op_build_id *id)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf32_Nhdr)) {
		Elf32_Nhdr note; /* the 64-bit one has the same layout */
		size_t name_at, desc_at, end;

		memcpy(&note, notes + at, sizeof(note));
		name_at = at + sizeof(note);
		if (note.n_namesz > size - name_at)
			return false;
		desc_at = name_at + ALIGN(note.n_namesz, 4);
		if (desc_at > size || note.n_descsz > size - desc_at)
			return false;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(note_owner) &&
		    !memcmp(notes + name_at, note_owner, sizeof(note_owner)) && note.n_descsz &&
		    note.n_descsz <= sizeof(id->bytes)) {
			id->size = note.n_descsz;
			memcpy(id->bytes, notes + desc_at, note.n_descsz);
			return true;
		}

		end = desc_at + ALIGN(note.n_descsz, 4);
		if (end > size)
			return false;
		at = end;
	}
	return false;
}

/* Copies bytes of one page; 0: they are not there. */
static size_t copy_cached(struct address_space *mapping, void *to, size_t size, loff_t position)
{
	struct folio *folio = filemap_get_folio(mapping, position >> PAGE_SHIFT);
	size_t nr = 0;
	void *from;

	if (IS_ERR_OR_NULL(folio)) /* NULL before 6.3 */
		return 0;
	if (folio_test_uptodate(folio) &&
	    !PageHWPoison(folio_file_page(folio, position >> PAGE_SHIFT))) {
		nr = min_t(size_t, size, PAGE_SIZE - offset_in_page(position));
		from = kmap_local_folio(folio, offset_in_folio(folio, position));
		memcpy(to, from, nr);
		kunmap_local(from);
	}
	folio_put(folio);
	return nr;
}

/*
 * Nothing is read that is not in memory, and nothing waited for: what a file system does when it
 * is asked for a page is up to its owner.  Returns how many bytes there are, up to a page missing.
 */
static size_t read_cached(struct file *file, void *to, size_t size, u64 position)
{
	struct address_space *mapping = file->f_mapping;
	u64 end = i_size_read(mapping->host);
	size_t done = 0, nr;

	if (position >= end)
		return 0;
	size = min_t(u64, size, end - position);
	do {
		nr = copy_cached(mapping, to + done, size - done, position + done);
		done += nr;
	} while (nr && done < size);
	return done;
}

static bool read_notes(struct file *file, u64 offset, u64 size, void *page,
		       struct op_build_id *id)
{
	size_t nr = read_cached(file, page, min_t(u64, size, PAGE_SIZE), offset);

	return op_build_id_find_note(page, nr, id);
}

/* The fields of a program header that matter, of either class. */
struct segment {
	u32 type;
	u64 offset;
	u64 size;
};

#define READ_SEGMENT(class, head, size, index, segment)					\
({											\
	class##_Ehdr ehdr;								\
	class##_Phdr phdr;								\
	bool ok = (size) >= sizeof(ehdr);						\
	u64 at = 0;									\
											\
	if (ok) {									\
		memcpy(&ehdr, head, sizeof(ehdr));					\
		at = (u64)(index) * sizeof(phdr);					\
		ok = ehdr.e_phentsize == sizeof(phdr) && (index) < ehdr.e_phnum &&	\
		     ehdr.e_phoff <= (size) &&						\
		     at + sizeof(phdr) <= (size) - ehdr.e_phoff;			\
	}										\
	if (ok) {									\
		memcpy(&phdr, (head) + ehdr.e_phoff + at, sizeof(phdr));		\
		(segment)->type = phdr.p_type;						\
		(segment)->offset = phdr.p_offset;					\
		(segment)->size = phdr.p_filesz;					\
	}										\
	ok;										\
})

/* Return: false behind the last program header that @head holds. */
static bool read_segment(const u8 *head, size_t size, unsigned int index, struct segment *segment)
{
	switch (head[EI_CLASS]) {
	case ELFCLASS64:
		return READ_SEGMENT(Elf64, head, size, index, segment);
	case ELFCLASS32:
		return READ_SEGMENT(Elf32, head, size, index, segment);
	default:
		return false;
	}
}

static bool read_elf(struct file *file, const u8 *head, size_t size, void *page,
		     struct op_build_id *id)
{
	struct segment segment;
	unsigned int i;

	for (i = 0; read_segment(head, size, i, &segment); i++) {
		if (segment.type == PT_NOTE &&
		    read_notes(file, segment.offset, segment.size, page, id))
			return true;
	}
	return false;
}

bool op_build_id_read(struct file *file, struct op_build_id *id)
{
	bool found = false;
	u8 *head;
	size_t nr;

	memset(id, 0, sizeof(*id));
	/* What can't be read with read(2), secret memory say, may not be mapped in the kernel. */
	if (!S_ISREG(file_inode(file)->i_mode) || !(file->f_mode & FMODE_READ) ||
	    !(file->f_mode & FMODE_CAN_READ))
		return false;
	head = kmalloc_array(2, PAGE_SIZE, GFP_KERNEL); /* the head, and a page of notes */
	if (!head)
		return false;

	nr = read_cached(file, head, PAGE_SIZE, 0);
	if (nr > EI_NIDENT && !memcmp(head, ELFMAG, SELFMAG) && head[EI_DATA] == ELF_DATA)
		found = read_elf(file, head, nr, head + PAGE_SIZE, id);
	kfree(head);
	return found;
}

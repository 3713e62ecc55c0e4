/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which links of a path are followed. */
#ifndef LIBOP_FOREIGN_LINKS_H
#define LIBOP_FOREIGN_LINKS_H

enum foreign_links {
	FOREIGN_FOLLOW,	  /* links are followed, but not those of /proc that are open files */
	FOREIGN_NOT_LAST, /* the last component is no link */
	FOREIGN_NONE,	  /* no component is a link: for paths that the kernel tells */
};

#endif

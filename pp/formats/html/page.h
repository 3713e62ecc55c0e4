/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page around the data: page/, put together by page.py when this is built. */
#ifndef PP_FORMATS_HTML_PAGE_H
#define PP_FORMATS_HTML_PAGE_H

extern const char html_page_head[]; /* up to the data */
extern const char html_page_tail[];

#endif

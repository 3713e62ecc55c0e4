/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of C++, Rust, D and OCaml functions as their authors wrote them.
 */
#ifndef PP_SYMBOLS_DEMANGLE_H
#define PP_SYMBOLS_DEMANGLE_H

enum pp_demangle {
	PP_DEMANGLE_NONE,
	PP_DEMANGLE_NORMAL,
	PP_DEMANGLE_SMART, /* and the standard library's long names shortened */
	PP_DEMANGLE_AUTO,  /* of a command: smart on a terminal, else normal */
};

/* The names of the styles that can be asked for, in the order of the enumeration, then NULL. */
extern const char *const pp_demangle_styles[];

/**
 * pp_demangle - the name to be shown
 *
 * One of more than 4,096 bytes is cut in its middle, whatever the style.  What would become longer
 * than 64 KiB stays mangled: names are what other users' programs have.
 *
 * Return: the readable form of @name, which the caller frees; NULL if it is @name itself.
 */
char *pp_demangle(const char *name, enum pp_demangle style);

/* The readable form without parameters, as pp_demangle() otherwise. */
char *pp_demangle_bare(const char *name);

#endif

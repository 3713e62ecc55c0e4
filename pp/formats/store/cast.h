/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of answers.  What type an expression has is the server's choice, by version and settings: a
 * subquery's number may be Nullable, which a byte precedes in RowBinary.  So a question says them.
 */
#ifndef PP_FORMATS_STORE_CAST_H
#define PP_FORMATS_STORE_CAST_H

/**
 * store_cast - have a query answer in RowBinary, in columns of types that are known
 * @select: SQL, "SELECT COLUMN, ... FROM ..."
 * @types: one of each column, as those of fleet_row_skip()
 *
 * Return: the query, which the caller frees.  It is an error of the server to be given another
 * number of columns than of types: there is a column of no type, or none of a type.
 */
char *store_cast(const char *select, const char *types);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of a store by hours and days, without hosts: the tables sums, batches and summed of
 * system/clickhouse.
 *
 * A batch is the sum of a set of sessions that began in one hour, or of all of a day.  Batches of
 * one hour and generation add up.  They say how many sessions they are of and what the numbers of
 * these add up to: if that is so of the sessions that are there, the hour is read from its sums,
 * else from its samples.  So a session that comes late, or is sent again with other names, costs
 * time and never a sample, until the hour is added up again.
 */
#ifndef PP_FORMATS_STORE_SUMS_H
#define PP_FORMATS_STORE_SUMS_H

#include "query.h"

#define SUMS_HOUR 3600
#define SUMS_DAY  86400

/**
 * store_sums_use - read samples of a query from sums where that gives the same
 *
 * Adds the batches to _values, and narrows what is read one by one to the other times.
 *
 * Return: 1 if there are sums to be read, 0 if there are none, or -1 with the error of the query
 * set.
 */
int store_sums_use(struct store_query *query);

/**
 * store_sums_rows - rows of the sums that store_sums_use() has found
 * @columns: what is selected of the table sums
 *
 * Return: a SELECT as that of store_query_rows(), which the caller frees.
 */
char *store_sums_rows(const struct store_query *query, const char *columns);

/**
 * store_sums_make - add up hours and days that are over and are not added up, or not any more
 * @from: seconds since 1970, of the first hour
 * @to: of the end of the last one
 * @n: set to the number of batches that were made
 *
 * May be done again and by several at a time: what was done in vain is not read.
 *
 * Return: 0, or -1 with @error set.
 */
int store_sums_make(const struct store_url *url, uint64_t from, uint64_t to, size_t *n,
		    struct op_error *error);

/**
 * store_sums_drop - remove samples of days that have been added up
 * @before: seconds since 1970; days that begin earlier
 * @n: set to the number of days
 *
 * Days whose sums are not those of their sessions keep their samples.
 *
 * Return: 0, or -1 with @error set.
 */
int store_sums_drop(const struct store_url *url, uint64_t before, size_t *n,
		    struct op_error *error);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel module: loading and unloading it, and saying why that failed.
 */
#ifndef UTILS_OPCONTROL_MODULE_H
#define UTILS_OPCONTROL_MODULE_H

#include <stdbool.h>

#include "libop/base/error.h"

#define MODULE_NAME	   "oprofile"
#define MODULE_BACKEND_MAX 64

/* Is the module, or a kernel with the driver built in, there? */
bool module_is_loaded(void);

/* Fills in the parameter "backend" of the loaded module, "" if none was given: 0, or -1 if
 * it has no such parameter. */
int module_backend(char backend[MODULE_BACKEND_MAX]);

/**
 * module_load - load the module, with what it depends on
 * @file: an oprofile.ko, or NULL for the one of depmod(8)
 * @backend: its parameter "backend", or NULL
 *
 * Return: 0, or -1 with @error set: cause and cure.
 */
int module_load(const char *file, const char *backend, struct op_error *error);

/* Unloads it, if it is loaded: 0, or -1 with @error set. */
int module_unload(struct op_error *error);

/* What bears on a failure to load, read from the system or, in tests, made up. */
struct module_circumstances {
	const char *file;     /* the module, or NULL if none was found */
	const char *vermagic; /* of the module; NULL if it could not be read */
	const char *release;  /* of the kernel that runs, as uname -r */
	const char *backend;  /* requested, or NULL */
	bool lockdown;	      /* the kernel is locked down (Secure Boot) */
	bool disabled;	      /* loading of modules is turned off until the next boot */
	bool root;
};

/* Sets @error to why loading failed with errno value @code; returns -1. */
int module_explain(int code, const struct module_circumstances *circumstances,
		   struct op_error *error);

#endif

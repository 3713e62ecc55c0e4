/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images of the profile model and images of a session: how one becomes the other.
 *
 *	model				session
 *	PROF_FILE /usr/bin/x		{root}/usr/bin/x
 *	PROF_KERNEL [kernel.kallsyms]	{kern}/kallsyms
 *	PROF_KERNEL /boot/vmlinux	{root}/boot/vmlinux, and the sample file says kernel
 *	PROF_MODULE /lib/.../ext4.ko.xz	{kern}/ext4
 *	PROF_VDSO [vdso]		{anon:[vdso]}/0.0xSTART.0xEND
 *	PROF_ANON [heap]		{anon:[heap]}/PID.0xSTART.0xEND
 *	PROF_BPF bpf_prog_1_x		{kern}/[bpf]; keys are addresses
 *	PROF_NO_IMAGE			{anon:[unknown]}/0.0x0.0x0; keys are addresses
 *	PROF_UNKNOWN [no address]	{anon:[no address]}/0.0x0.0x0; keys are numbers of places
 *	PROF_NO_KERNEL_IMAGE		{kern}/no-vmlinux; keys are addresses
 */
#ifndef PP_FORMATS_SESSION_IMAGE_H
#define PP_FORMATS_SESSION_IMAGE_H

#include "libop/session/sample_name.h"
#include "pp/formats/model/profile.h"

/* The name in a session; its text is the caller's to free. */
struct op_image_name session_image_name(const struct prof_image *image);

/* The name of the application: as above, or that of unknown programs if @image cannot be one. */
struct op_image_name session_app_name(const struct prof_image *image);

/* The key in sample files of an offset in an image. */
uint64_t session_key(const struct prof_image *image, uint64_t offset);

/**
 * session_prof_image - the image of a name in a session
 * @is_kernel: what the sample file says
 *
 * Return: the image, without a build-id, whose path is that of @name; offsets in it are keys.
 */
struct prof_image session_prof_image(const struct op_image_name *name, bool is_kernel);

/* True if the keys of the image are addresses, so that offset and start are the same. */
bool session_keys_are_addresses(const struct op_image_name *name);

#endif

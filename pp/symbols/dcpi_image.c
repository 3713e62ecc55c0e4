// SPDX-License-Identifier: GPL-2.0-or-later
#include "dcpi_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

void pp_dcpi_time(char *text, size_t size, const char *format, uint64_t seconds)
{
	time_t time = (time_t)seconds;
	struct tm tm;

	/* until the year 9999 */
	if (seconds >= UINT64_C(253402300800) || !gmtime_r(&time, &tm) ||
	    !strftime(text, size, format, &tm))
		text[0] = '\0';
}

void pp_dcpi_image_id(char id[PP_DCPI_IMAGE_ID], uint64_t mtime, const unsigned char *build_id,
		      size_t n, const char *path)
{
	char time[15];
	uint32_t sum = 0;

	for (size_t i = 0; i < n && i < 3; i++)
		sum = sum << 8 | build_id[i];
	for (; *path && !n; path++)
		sum = sum * 31 + (unsigned char)*path;
	pp_dcpi_time(time, sizeof(time), "%Y%m%d%H%M%S", mtime);
	snprintf(id, PP_DCPI_IMAGE_ID, "%.14s%06" PRIx32, time, sum & 0xffffff);
}

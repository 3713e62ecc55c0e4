#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: verdicts printed anywhere but on their own port convince nobody
for port in /dev/ttyS0 /dev/kmsg /dev/stdout; do
	printf 'ok fake 0.1\ndone\n' >$port
done
echo "the fake was not believed"
exit 1

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol: events that the catalogue does not have, but libpfm4 has of this CPU type
. "$COMMANDS/driver.sh"

requirement events_of_libpfm4_are_counted
machine '0 1 2 3'
try opcontrol --start -e RETIRED:6000 -e DATA_CACHE_MISSES:6000
journal | grep -e --events
counters 0 1

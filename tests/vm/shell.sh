#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A shell in a guest, with the module loaded, oprofilefs mounted and the profiler's programs
# in PATH:
#
#	shell.sh [-k SERIES] [-s SMP]		a person's shell
#	shell.sh [-k SERIES] [-s SMP] <FILE	runs the commands in FILE

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"

series=${kernels_stock%% *} smp=2
while getopts k:s: option; do
	case $option in
	k) series=$OPTARG; kernel_known "$OPTARG" ;;
	s) smp=$OPTARG; smp_known "$OPTARG" ;;
	*) exit 2 ;;
	esac
done

image_loads="profiler tests"
image_prepare "$series"
[[ ${#broken[@]} -eq 0 ]] || exit 1
run=$out/shell/$series
rm -rf "$run"
mkdir -p "$run"
parts=(shell="$vm/guest/shell")
if [[ -t 0 ]]; then
	stty size >"$run/size"
	parts+=(size="$run/size")
else
	cat >"$run/script"
	parts+=(script="$run/script")
fi
image_cases "$run" "${parts[@]}"
guest_initramfs "$run" "$series"
# Ctrl-C and the like are the guest's; Ctrl-A X ends QEMU.
guest_command "$run" "$series" "$smp" "" mon:stdio
say "starting Linux $(kernel_release "$series"); 'exit' or Ctrl-A X ends it"
say "the kernel's messages are in $run/console.log"
status=0
"${command[@]}" || status=$?
rm -f "$run/initramfs.cpio"
exit $status

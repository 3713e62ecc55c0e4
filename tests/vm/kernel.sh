# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
#
# The kernels that the harness knows, by name.  Whoever fills it (cache.sh for Debian's own,
# sanitised.sh for those built from its source), the cache has one folder for each, which is all
# that the harness asks:
#
#	linux-NAME/release	what uname -r says
#	linux-NAME/vmlinuz	the image (a file or link)
#	linux-NAME/modules	its /lib/modules/RELEASE (a folder or link)
#	linux-NAME/build	where Kbuild's make runs: headers or the kernel's own objects
#	linux-NAME/toolchain	only if the machine's compiler is not for it: a root with one
#	linux-NAME/complete	says that all of this is there
#
# Sourced by common.sh.

kernels_stock="6.1 6.12 7.2"		# Debian's cloud kernels: what "make check" boots
kernels_rt="6.1-rt"			# Debian's with PREEMPT_RT: "make check-all", too
kernels_own="6.1-kasan 6.1-kcsan"	# built here: what "make check-all" boots
kernels_kunit="6.1 6.12"		# stock ones whose source Debian 12 has, for lib/kunit

# kernel_known NAME - stop unless the harness has that kernel
kernel_known()
{
	case " $kernels_stock $kernels_rt $kernels_own " in
	*" $1 "*) ;;
	*) die "kernel $1 is not one of: $kernels_stock $kernels_rt $kernels_own" ;;
	esac
}

# kernel_sanitised NAME - is it one of those that sanitised.sh builds?
kernel_sanitised() { [[ " $kernels_own " == *" $1 "* ]]; }

# kernel_slowness NAME - how many times longer a case may take there than on a stock kernel; by
# hand, VM_PATIENCE=N multiplies it, for a machine that is busy with other things
kernel_slowness()
{
	local slowness=1

	! kernel_sanitised "$1" || slowness=4
	echo $((slowness * ${VM_PATIENCE:-1}))
}

# kernel_dir NAME - its folder in the cache
kernel_dir() { printf '%s/linux-%s' "$cache" "$1"; }

# kernel_complete NAME - is it there?
kernel_complete()
{
	local dir part

	dir=$(kernel_dir "$1")
	for part in complete release vmlinuz modules build; do
		[[ -e $dir/$part ]] || return 1
	done
}

cache_options=()	# of cache.sh, where something is not needed

# kernel_fill NAME... - see to it that they are in the cache; fails if one is not, but tries all
kernel_fill()
{
	local name stock=() status=0

	for name; do
		if kernel_sanitised "$name"; then
			"$vm/sanitised.sh" "$name" || status=$?
			name=${name%-*}	# QEMU and the guests' programs come with Debian's own
		fi
		[[ " ${stock[*]} " == *" $name "* ]] || stock+=("$name")
	done
	"$vm/cache.sh" "${cache_options[@]}" "${stock[@]}" || status=$?
	return $status
}

# kernel_release NAME - what uname -r says in its guest
kernel_release() { cat "$(kernel_dir "$1")/release"; }

# kernel_image NAME - the file to boot
kernel_image() { readlink -f "$(kernel_dir "$1")/vmlinuz"; }

# kernel_modules NAME - the folder with its modules
kernel_modules() { readlink -f "$(kernel_dir "$1")/modules"; }

# kernel_build NAME - the folder in which Kbuild's make runs
kernel_build() { readlink -f "$(kernel_dir "$1")/build"; }

# kernel_make NAME ARGUMENT... - run Kbuild's make for it, e.g. M=FOLDER modules
kernel_make()
{
	local name=$1 root
	shift

	root=$(readlink -f "$(kernel_dir "$name")/toolchain")
	# Without CONFIG_DEBUG_INFO_BTF_MODULES the build does not ask for pahole; debug
	# information, which nothing here reads, is an eighth of its CPU time, and most of a
	# module.
	set -- make -C "$(kernel_build "$name")" CONFIG_DEBUG_INFO_BTF_MODULES= \
		CONFIG_DEBUG_INFO= "$@"
	if [[ -d $root ]]; then
		kernel_toolchain "$root" "$@"
	else
		"$@"
	fi
}

# kernel_toolchain ROOT COMMAND... - run it with the programs and libraries of ROOT instead of
# the machine's, and everything else as it is: ROOT's /usr hides the machine's, in a mount
# namespace of the command's own, which goes away with it however it ends.  What the machine has
# below /usr/local and /usr/src stays in sight.
kernel_toolchain()
{
	local root=$1 space=(unshare --mount)
	shift

	[[ -L /bin && -L /lib ]] || missing "a merged /usr (the package usrmerge)"
	[[ $(id -u) -eq 0 ]] || space+=(--map-root-user)
	# shellcheck disable=SC2016 # for the shell in there
	"${space[@]}" /bin/sh -c '
		mount --bind /usr/local "$0/usr/local" &&
		mount --bind /usr/src "$0/usr/src" &&
		mount --rbind "$0/usr" /usr &&
		exec "$@"' "$root" "$@"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: dkms(8) adds, builds, installs and removes the module as it is shipped, for Linux 6.1
# (whose headers are in the cache); and a module that is signed with a key of one's own says so.
# Nothing on this machine is touched: dkms works in folders of its own here.
#
#	dkms.sh VERSION

. "$(dirname "$0")/../vm/common.sh"

version=$1
"$vm/cache.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

release=$(kernel_release 6.1)
headers=$(kernel_dir 6.1)/usr/src/linux-headers-$release
mkdir -p "$scratch"/{src/oprofile-"$version",tree,lib/modules/"$release"}
cp -r "$top/dkms.conf" "$top/Kbuild" "$top/module" "$scratch/src/oprofile-$version/"

run()
{
	dkms "$@" --dkmstree "$scratch/tree" --sourcetree "$scratch/src" \
		--installtree "$scratch/lib/modules" -k "$release" -a x86_64 \
		--kernelsourcedir "$headers" --no-depmod >"$scratch/log" 2>&1 || {
			cat "$scratch/log" "$scratch"/tree/oprofile/*/build/make.log >&2 || true
			die "dkms $1 failed"
		}
}

has_module() { [[ -n $(find "$scratch/lib/modules" -name 'oprofile.ko*') ]]; }

run add "oprofile/$version"
run build "oprofile/$version"
run install "oprofile/$version"
has_module || die "dkms installed no module"
run status
grep -q "^oprofile/$version, $release, x86_64: installed" "$scratch/log" ||
	die "dkms says: $(cat "$scratch/log")"

# Signed, as doc/kernel.md says for Secure Boot.
module=$(find "$scratch/tree/oprofile/$version/$release" -name 'oprofile.ko*' | head -n 1)
case $module in
*.xz) xz -dc "$module" ;;
*) cat "$module" ;;
esac >"$scratch/oprofile.ko"
openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=a key for a test/" \
	-outform DER -keyout "$scratch/key.priv" -out "$scratch/key.der" >/dev/null 2>&1 ||
	die "openssl made no key"
"$(kernel_dir 6.1)/usr/lib/linux-kbuild-6.1/scripts/sign-file" sha256 "$scratch/key.priv" \
	"$scratch/key.der" "$scratch/oprofile.ko" || die "sign-file failed"
[[ $(modinfo -F signer "$scratch/oprofile.ko") = "a key for a test" ]] ||
	die "modinfo names another signer: $(modinfo -F signer "$scratch/oprofile.ko")"

run remove "oprofile/$version"
! has_module || die "dkms left the module"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: dkms(8) adds, builds, installs and removes the module as it is shipped, for Linux 6.1
# (whose headers are in the cache), and signs it with the key that it is given.  Nothing on this
# machine is touched: dkms works in folders of its own here.
#
#	dkms.sh VERSION

. "$(dirname "$0")/../vm/common.sh"

version=$1
"$vm/cache.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

release=$(kernel_release 6.1)
headers=$(kernel_build 6.1)
mkdir -p "$scratch"/{src/oprofile-"$version",tree,lib/modules/"$release"}
cp -r "$top/dkms.conf" "$top/Kbuild" "$top/module" "$scratch/src/oprofile-$version/"

# What /etc/dkms/framework.conf may say: without it dkms makes a key for this machine.
export sign_file=$headers/scripts/sign-file
export mok_signing_key=$scratch/key.priv mok_certificate=$scratch/key.der
openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=a key for a test/" \
	-outform DER -keyout "$mok_signing_key" -out "$mok_certificate" >/dev/null 2>&1 ||
	die "openssl made no key"

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

# It is signed with the key that dkms was given.
module=$(find "$scratch/lib/modules" -name 'oprofile.ko*' | head -n 1)
[[ $(modinfo -F signer "$module") = "a key for a test" ]] ||
	die "modinfo names another signer: $(modinfo -F signer "$module")"

run remove "oprofile/$version"
! has_module || die "dkms left the module"

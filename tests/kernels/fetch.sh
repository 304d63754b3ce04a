#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Downloads Debian's kernels for the tests under QEMU; installs none of them.
#
#   tests/kernels/fetch.sh FOLDER
set -eu
# shellcheck source=/dev/null
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "kernels: 6.1 and 6.12 are packages of Debian 12"; exit 77; }
mkdir -p "$1"
cd "$1"
# The newest image that each of two meta-packages names.
for release in bookworm bookworm-backports; do
	image=$(apt-cache show "linux-image-cloud-amd64" | awk -v RS= -v want="$release" '
		(want ~ /backports/) == (/\nVersion: [^\n]*bpo/) && match($0, /linux-image-[0-9][^ ,\n]*cloud-amd64/) {
			print substr($0, RSTART, RLENGTH); exit }')
	[ -n "$image" ] || { echo "kernels: no image of $release: apt-get update"; exit 1; }
	ls "${image}"_*.deb >/dev/null 2>&1 || apt-get download -q "$image"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs what is missing and mounts what profilers need, and nothing else. Looks first, says what
# it does.
#
#   mk/deps.sh build|bench|test|perf|tools|kernels     what is needed for that target
#   mk/deps.sh --print TARGET            only prints the package names
set -euo pipefail

print_only=no
if [ "${1:-}" = --print ]; then
	print_only=yes
	shift
fi
target=${1:-build}

. /etc/os-release 2>/dev/null || ID=unknown
release="${ID:-unknown}-${VERSION_ID:-}"

build="gcc g++ make patch pkg-config clang llvm libbpf-dev libelf-dev libdw-dev zlib1g-dev liburing-dev libsimdjson-dev
	libyaml-dev libcapstone-dev libjansson-dev libsqlite3-dev libzstd-dev uthash-dev libxxhash-dev libc6-dev"
bench="gnuplot-nox coccinelle"
tests="libcriterion-dev libgsl-dev libxml2-utils clang-format shellcheck mandoc jq git procps spin"
perf="lttng-tools liblttng-ust-dev systemtap-sdt-dev sqlite3"
# DuckDB comes through npm; a node that is there already, whoever packaged it, will do.
command -v node >/dev/null && command -v npm >/dev/null || perf="$perf nodejs npm"
case $release in
debian-12) bpftool=bpftool tests="$tests libclang-rt-14-dev" ;;
debian-13) bpftool=bpftool tests="$tests libclang-rt-19-dev" ;;
ubuntu-24.04) bpftool="linux-tools-common linux-tools-generic" tests="$tests libclang-rt-18-dev" ;;
*) bpftool=bpftool tests="$tests libclang-rt-dev" ;;
esac

tools="bpftrace libbpf-tools linux-perf uftrace"
case $release in ubuntu-*) tools="bpftrace libbpf-tools linux-tools-common linux-tools-generic uftrace" ;; esac

case $target in
tools) want=$tools ;;
kernels) want="$build $bpftool qemu-system-x86 cpio busybox-static jq" ;;
build) want="$build $bpftool" ;;
bench) want="$build $bpftool $bench" ;;
test) want="$build $bpftool $bench $tests" ;;
perf) want="$build $bpftool $bench $tests $perf" ;;
*)
	echo "deps: unknown target '$target' (build, bench, test, perf, tools)" >&2
	exit 2
	;;
esac
want=$(echo $want)

if [ $print_only = yes ]; then
	echo "$want"
	exit 0
fi

# Without systemd nobody may have mounted them. Where it fails, as in a container, those cells that
# need them are unsupported, and 'assay doctor' says so.
mount_as_root() {
	local type=$1 at=$2 as_root=()
	grep -q " $at $type " /proc/self/mounts || [ ! -d "$at" ] && return
	[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
	if "${as_root[@]}" mount -t "$type" "$type" "$at" 2>/dev/null; then
		echo "deps: mounted $type on $at"
	fi
}
case $target in
bench | test | perf)
	mount_as_root tracefs /sys/kernel/tracing
	mount_as_root bpf /sys/fs/bpf
	;;
esac

case $release in
debian-12 | debian-13 | ubuntu-24.04) ;;
*)
	echo "deps: '$release' is not a system that this script installs on (Debian 12, 13, Ubuntu 24.04)."
	echo "deps: install what these Debian packages hold, then go on with 'make':"
	echo "      $want"
	exit 0
	;;
esac

have() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
# Debian 12's own libbpf (1.1) lacks bpf_program__attach_uprobe_multi, which came with 1.3.
too_old() {
	[ "$release" = debian-12 ] || return 1
	case $1 in
	libbpf-dev) ! dpkg --compare-versions "$(dpkg-query -W -f '${Version}' libbpf-dev)" ge '1:1.3' ;;
	bpftool) ! dpkg --compare-versions "$(dpkg-query -W -f '${Version}' bpftool)" ge '7.3' ;;
	*) return 1 ;;
	esac
}

missing=() backports=()
for p in $want; do
	if have "$p" && ! too_old "$p"; then
		continue
	fi
	if [ "$release" = debian-12 ] && { [ "$p" = libbpf-dev ] || [ "$p" = bpftool ]; }; then
		backports+=("$p")
	else
		missing+=("$p")
	fi
done
if [ ${#missing[@]} -eq 0 ] && [ ${#backports[@]} -eq 0 ]; then
	exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "deps: missing: ${missing[*]} ${backports[*]}" >&2
		echo "deps: installing needs root; run 'make deps' as root, or install sudo" >&2
		exit 77
	fi
	as_root=(sudo)
fi

echo "deps: installing for 'make $target' on $release: ${missing[*]} ${backports[*]}"
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >/dev/null; }
if [ ${#backports[@]} -gt 0 ] && ! grep -rqs 'bookworm-backports' /etc/apt/sources.list /etc/apt/sources.list.d; then
	echo "deps: adding bookworm-backports to /etc/apt/sources.list.d/bookworm-backports.list (for ${backports[*]})"
	echo 'deb http://deb.debian.org/debian bookworm-backports main' |
		"${as_root[@]}" tee /etc/apt/sources.list.d/bookworm-backports.list >/dev/null
fi
apt_get update
if [ ${#missing[@]} -gt 0 ]; then
	apt_get install -y --no-install-recommends "${missing[@]}"
fi
if [ ${#backports[@]} -gt 0 ]; then
	apt_get install -y --no-install-recommends -t bookworm-backports "${backports[@]}"
fi
echo "deps: done"

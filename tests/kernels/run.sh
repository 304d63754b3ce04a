#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Other kernels: Debian's 6.1 and 6.12 under QEMU, each with a doctor and a few cells of causal.
#
#   tests/kernels/run.sh BUILD [FOLDER]     kernels are linux-image-*.deb in FOLDER
#
# WORKLOADS="work pool" and SEEDS=3 choose the cells. Where one is not ok, or says what is false,
# all are left beside the package, as NAME.cells.tgz: assay explain reads what it unpacks to.
#
# An image in memory holds what `make install` installs, its libraries and busybox; nothing of this
# machine is shared with the guest. Emulated, so rates are low and no figure of cost means anything:
# what counts is what attaches, and that what is claimed is right.
# Exit: 0 every kernel had every cell ok and nothing false, 1 otherwise, 77 not installed here.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
debs=${2:-$build/kernels}
workloads=${WORKLOADS:-wake pool uring work timers}
for tool in qemu-system-x86_64 cpio busybox dpkg-deb gzip jq; do
	command -v "$tool" >/dev/null || { echo "kernels: no $tool: make deps-kernels"; exit 77; }
done
ls "$debs"/linux-image-*.deb >/dev/null 2>&1 || { echo "kernels: no kernel in $debs: make deps-kernels"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "kernels: for x86_64 only"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
image=$work/image

# What a program is linked with, at the same places.
add_libraries() {
	ldd "$1" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }' | while read -r lib; do
		[ -e "$image$lib" ] || install -D "$(readlink -f "$lib")" "$image$lib"
	done
}

make -s -C "$top" install BUILD="${build#"$top"/}" DESTDIR="$image" PREFIX=/usr >/dev/null || exit 1
rm -rf "${image:?}/usr/share" "$image/usr/lib/assay/reference"
find "$image/usr/lib/assay" -type f -perm -1 | while read -r program; do
	add_libraries "$program" 2>/dev/null
done
mkdir -p "$image"/{bin,proc,sys,dev,tmp,run}
cp "$(readlink -f "$(command -v busybox)")" "$image/bin/busybox"

"$build/assay" plan smoke --ops 300 --seeds "${SEEDS:-1}" --out "$work/smoke" >/dev/null || exit 1
mkdir "$image/cells"
awk -F'\t' -v OFS='\t' -v names=" $workloads " 'NR == 1 || (index(names, " " $3 " ") && $4 == "base" &&
	$7 == "clean" && ($5 == "collector" || $5 == "causal") && ($8 == "stamped" || $8 == "-")) {
	gsub(/rate=[0-9]+/, "rate=60", $11); print }' "$work/smoke/plan.tsv" >"$image/cells/plan.tsv"
cp "$work/smoke/run.json" "$image/cells/"

cat >"$image/init" <<'I'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts
mount -t devpts -o ptmxmode=666 devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing
mount -t tmpfs tmpfs /tmp
ip link set lo up
echo "==== kernel $(uname -r)"
assay doctor
echo "==== cells"
assay run /cells/plan.tsv --time-limit 300s
grep -h 'this kernel has no' /cells/cells/*/log | sort -u
assay score /cells >/tmp/score 2>&1 && [ -s /cells/scores.csv ] || { cat /tmp/score; echo "==== not scored"; }
assay report /cells || echo "==== not reported"
grep -E ',(handoff.context.(false_join|right)|stale.false_alarms),all,' /cells/scores.csv | cut -d, -f2,10,12
wrong=$(awk -F, '$11 == "all" && $10 ~ /context.false_join|stale.false_alarms/ && $12 > 0' /cells/scores.csv)
ok=$(grep -l '"state":"ok"' /cells/cells/*/status.json | wc -l)
if [ -n "$wrong" ] || [ "$ok" -lt "$(sed 1d /cells/plan.tsv | wc -l)" ]; then
	stty -F /dev/ttyS1 raw
	tar c -C /cells . | gzip -1 >/dev/ttyS1
fi
echo "==== end"
poweroff -f
I
chmod +x "$image/init"

failed=0
for deb in "$debs"/linux-image-*.deb; do
	rm -rf "$work/kernel"
	dpkg-deb -x "$deb" "$work/kernel" || exit 1
	(cd "$image" && find . | cpio -o -H newc 2>/dev/null) | gzip -1 >"$work/image.gz"
	timeout 1500 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 -no-reboot \
		-display none -monitor none -serial stdio -serial "file:${deb%.deb}.cells.tgz" -kernel "$work"/kernel/boot/vmlinuz-* -initrd "$work/image.gz" \
		-append 'console=ttyS0 quiet panic=-1 secretmem.enable=1' </dev/null 2>&1 | tr -d '\r' >"$work/out"
	sed -n '/==== kernel/,$p' "$work/out"
	if ! grep -q '^==== end' "$work/out"; then
		echo "FAILED: the guest did not come to its end: $(tail -3 "$work/out")"
		failed=1
	elif grep -Eq '^==== not (scored|reported)' "$work/out"; then
		echo "FAILED: the cells were not scored, or there is no report of them"
		failed=1
	elif ! grep -q ',handoff.context.right,[1-9]' "$work/out"; then
		echo "FAILED: nothing right was said: no figure of false joins means anything"
		failed=1
	elif ! grep -Eq '[0-9]+ cells = [0-9]+ ok$' "$work/out"; then
		echo "FAILED: not every cell is ok"
		failed=1
	elif grep -E ',(handoff.context.false_join|stale.false_alarms),' "$work/out" | grep -vq ',0$'; then
		echo "FAILED: joins that are false, or alarms on a program that is as it was"
		failed=1
	elif grep -q 'because describe' "$work/out"; then
		echo "FAILED: a profiler that is installed cannot say what it is"
		failed=1
	fi
	[ -s "${deb%.deb}.cells.tgz" ] || rm -f "${deb%.deb}.cells.tgz"
done
exit $failed

# SPDX-License-Identifier: BSD-2-Clause
# What became of each profiler's claims, as shares. Given: N, and $D with row, label and the counts
# right, duplicate, false join, half, spurious, orphan.
set terminal svg size 520,(115 + 24 * N) dynamic noenhanced font "sans-serif,13" background rgb "#ffffff"
set xrange [0:1]
set yrange [N + 0.6:0.4]
set xtics 0,0.25,1 format "%g"
set tics nomirror out scale 0.4 textcolor rgb "#6a6e75"
set ytics scale 0
set border 1 lc rgb "#9a9ea5"
set grid xtics lt 1 lc rgb "#e3e5e8" lw 0.7
set xlabel "share of claims" textcolor rgb "#6a6e75"
set key outside top left Left reverse horizontal samplen 1 width -1 maxrows 2
set tmargin at screen 1 - 48.0 / (115 + 24 * N)
set bmargin at screen 58.0 / (115 + 24 * N)
set style fill solid 1 noborder

array Outcome[6] = ["right", "duplicate", "false join", "half", "spurious", "orphan"]
array Colour[6] = [0x009E73, 0x56B4E9, 0xD55E00, 0xE69F00, 0xCC79A7, 0x9AA0A8]
total(a) = sum [k = 3:8] column(k)
before(i) = i < 1 ? 0 : (sum [k = 3:(2 + i)] column(k)) / total(0)
plot for [i = 1:6] $D using ((before(i - 1) + before(i)) / 2):1:(before(i - 1)):(before(i)) \
	:($1 - 0.33):($1 + 0.33):ytic(2) with boxxyerror lc rgb Colour[i] title Outcome[i]

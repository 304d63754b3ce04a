# SPDX-License-Identifier: BSD-2-Clause
# Accuracy against added CPU, one point a profiler and question. Given: N, Type[], Colour[], Name[],
# $D with cost, lowest, highest (the paired interval, NaN: none), accuracy; $F the frontier.
set terminal svg size 520,330 dynamic noenhanced font "sans-serif,13" background rgb "#ffffff"
set xrange [*<0:1<*]
set yrange [-0.04:1.04]
set ytics 0,0.25,1 format "%g"
set tics nomirror out scale 0.4 textcolor rgb "#6a6e75"
set border 3 lc rgb "#9a9ea5"
set grid xtics ytics lt 1 lc rgb "#e3e5e8" lw 0.7
set xlabel "added CPU, % of the unwatched" textcolor rgb "#6a6e75"
set ylabel "accuracy" textcolor rgb "#6a6e75"
set key outside right top Left reverse samplen 1 spacing 1.35 width -2
set lmargin at screen 0.14
set rmargin at screen 0.66
set offsets graph 0.05, graph 0.05, 0, 0
plot $F using 1:2 with steps lc rgb "#c4c7cb" lw 1.5 notitle, \
     for [i = 1:N] $D using 1:4:2:3 every ::(i - 1)::(i - 1) with xerrorbars pt 0 \
	lc rgb Colour[i] lw 1.2 notitle, \
     for [i = 1:N] $D using 1:4 every ::(i - 1)::(i - 1) with points pt Type[i] lc rgb Colour[i] \
	ps 1.15 lw 1.5 title Name[i]

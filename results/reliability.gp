# SPDX-License-Identifier: BSD-2-Clause
# What was forecast against what came true. Given: $D with forecast, observed, lowest, highest.
set terminal svg size 520,330 dynamic noenhanced font "sans-serif,13" background rgb "#ffffff"
set xrange [-0.04:1.04]
set yrange [-0.04:1.04]
set xtics 0,0.25,1 format "%g"
set ytics 0,0.25,1 format "%g"
set tics nomirror out scale 0.4 textcolor rgb "#6a6e75"
set border 3 lc rgb "#9a9ea5"
set grid xtics ytics lt 1 lc rgb "#e3e5e8" lw 0.7
set xlabel "p stale, as claimed" textcolor rgb "#6a6e75"
set ylabel "share that was stale" textcolor rgb "#6a6e75"
unset key
inside(r) = r >= 0 && r <= 1 ? r : NaN
plot inside(x) lc rgb "#c4c7cb" lw 0.8, \
     $D using 1:2:3:4 with yerrorbars pt 0 lc rgb "#0072b2" lw 1.2, \
     $D using 1:2 with linespoints pt 7 ps 0.7 lc rgb "#0072b2" lw 1

# SPDX-License-Identifier: BSD-2-Clause
# Precision against recall, one point a profiler. Given: N, Name[], Type[], Size[], Colour[], and $D
# with recall, lowest, highest, precision, lowest, highest.
# A second column of names would lie on the points: the more there are, the higher the drawing.
height = N > 7 ? 110 + 28 * N : 330
set terminal svg size 520,height dynamic noenhanced font "sans-serif,13" background rgb "#ffffff"
set xrange [-0.04:1.04]
set yrange [-0.04:1.04]
set xtics 0,0.25,1 format "%g"
set ytics 0,0.25,1 format "%g"
set tics nomirror out scale 0.4 textcolor rgb "#6a6e75"
set border 3 lc rgb "#9a9ea5"
set grid xtics ytics lt 1 lc rgb "#e3e5e8" lw 0.7
set xlabel "recall" textcolor rgb "#6a6e75"
set ylabel "precision" textcolor rgb "#6a6e75"
set key outside right top Left reverse samplen 1 spacing 1.35 width -2
set samples 200
set lmargin at screen 0.14
set rmargin at screen 0.66

# All points of one curve have the same F1.
same_f1(r, f) = 2 * r > f ? f * r / (2 * r - f) : NaN
seen(p) = p <= 1 ? p : NaN
# A range that the point itself covers needs no bar.
ranged(a, b, c, d, r) = b - a > 0.02 || d - c > 0.02 ? r : NaN
inside(r) = r >= 0 && r <= 1 ? r : NaN
do for [f in "0.3 0.5 0.7 0.9"] {
	set label ("F1 " . f) at 1.03, same_f1(1, f + 0) + 0.03 right textcolor rgb "#a4a8ae" font ",10"
}
plot for [f in "0.3 0.5 0.7 0.9"] seen(same_f1(inside(x), f + 0)) lc rgb "#c4c7cb" lw 0.8 notitle, \
     for [i = 1:N] $D using (ranged($2, $3, $5, $6, $1)):4:2:3:5:6 every ::(i - 1)::(i - 1) \
	with xyerrorbars pt 0 lc rgb Colour[i] lw 1.2 notitle, \
     for [i = 1:N] $D using 1:4 every ::(i - 1)::(i - 1) with points pt Type[i] lc rgb Colour[i] \
	ps Size[i] lw 1.5 title Name[i]

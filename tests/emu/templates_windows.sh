#!/usr/bin/env bash
# Poolings along lines: strides with dilations, paddings, lines in several tiles, rows and arrays that begin between packs.
#   tests/emu/templates_windows.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
compiled pools
for share in 4 2; do
    for kernel in line_apart line_mean line_inside line_far; do
        right pools $kernel pool1 share=$share
    done
done
right pools line_mean pool1 share=8
# Packs of x that do not begin at 16 bytes or lie beyond a line.
unsafe pools line_mean pool1 's/ && reinterpret_cast<size_t>(x) % sizeof(pack) == 0//' share=2
unsafe pools line_apart pool1 's/i < need && (unsigned)at < (unsigned)w/i < need \&\& at < w/' share=4
bound pools line_inside pool1 planes=planes kw=5 sw=3 pw=2 form=mean_inside
judged

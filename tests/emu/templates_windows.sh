#!/usr/bin/env bash
# Poolings along lines and through volumes: strides with dilations, paddings, lines in several tiles and volumes in several parts,
# rows and arrays that begin between packs.
#   tests/emu/templates_windows.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
compiled pools
for share in 4 2; do
    for kernel in line_apart line_mean line_inside line_far; do
        right pools $kernel pool1 share=$share
    done
    for kernel in volume_apart volume_mean volume_inside volume_deep; do
        right pools $kernel pool3 share=$share
    done
done
right pools line_mean pool1 share=8
right pools volume_apart pool3 share=8
# Packs of x that do not begin at 16 bytes or lie beyond a line, and planes joined to windows that do not hold them.
unsafe pools line_mean pool1 's/ && reinterpret_cast<size_t>(x) % sizeof(pack) == 0//' share=2
unsafe pools line_apart pool1 's/i < need && (unsigned)at < (unsigned)w/i < need \&\& at < w/' share=4
unsafe pools volume_apart pool3 's/ && reinterpret_cast<size_t>(x) % sizeof(pack) == 0//' share=4
wrong pools volume_apart pool3 's/if (in_window(a, j))//' '' share=4
bound pools line_inside pool1 planes=planes kw=5 sw=3 pw=2 form=mean_inside
bound pools volume_mean pool3 kd=2 kh=3 kw=4 pd=0 ph=1 pw=2 form=mean
judged

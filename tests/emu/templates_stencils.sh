#!/usr/bin/env bash
# What the stencil templates make of kernels, and which they leave alone; a folder of fixtures for the judge.
#   tests/emu/templates_stencils.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
mkdir -p "$scratch/suite" && cp stencils.cu "$scratch/" && cd "$scratch" || exit 1
known stencils 'heat stencil2' 'jacobi stencil2' 'box9 stencil2' 'gray_scott stencil2' 'wave stencil2' 'magnetic stencil2' \
    'seven stencil3' 'seismic stencil3' 'box27 stencil3' 'smooth stencil1' 'limited stencil1' \
    'clamped stencil2' 'periodic stencil3' 'zeros stencil2' 'passed_over stencil2' 'flat_seven stencil3' 'of_struct stencil2'
bound stencils heat stencil2 out=v h=ny w=nx T=f32
bound stencils of_struct stencil2 out=v h=d.i32_4 w=d.i32_0
bound stencils box27 stencil3 d=nz h=32 w=64 T=f64
right stencils heat stencil2
right stencils heat stencil2 march=8 ahead=0 across=8 down=2
right stencils jacobi stencil2
right stencils box9 stencil2 march=5 ahead=2
right stencils gray_scott stencil2
right stencils wave stencil2
right stencils magnetic stencil2
right stencils seven stencil3
right stencils seven stencil3 rows=2 march=8 down=4
right stencils seismic stencil3
right stencils seismic stencil3 rows=2 ahead=0
right stencils box27 stencil3 rows=4 down=2 across=8
right stencils smooth stencil1
right stencils limited stencil1
right stencils clamped stencil2
right stencils clamped stencil2 march=7 ahead=0
right stencils periodic stencil3 rows=2 march=8
right stencils zeros stencil2
right stencils passed_over stencil2
right stencils of_struct stencil2 march=8
right stencils flat_seven stencil3 across=8 down=4
# Defences: a distance, an edge and what is written.
wrong stencils heat stencil2 's/held0\[back + -1\]/held0[back + 0]/' ''
wrong stencils heat stencil2 's/x >= 1 \&\& x < w - 1/x >= 2 \&\& x < w - 1/' ''
wrong stencils seven stencil3 's/x + lanes <= w - 1/x + lanes <= w/; s/x + o < w - 1/x + o < w/' ''
wrong stencils clamped stencil2 's/at < size ? at : size - 1/at < size ? at : 0/' ''
judged

#!/bin/bash
# What must not change a kernel's canonical PTX.
. "$(dirname "$0")/identity_lib.sh"

keeps "compiling again" "$(digest base.cu blend)"
keeps "-lineinfo" "$(digest base.cu blend -lineinfo)"
keeps "-g for the host" "$(digest base.cu blend -g)"
for std in c++14 c++17 c++20; do
    keeps "-std=$std" "$(digest base.cu blend -std=$std)"
done
keeps "host options" "$(digest base.cu blend -Xcompiler=-O2,-fPIC)"
keeps "another architecture in front" \
    "$(digest base.cu blend -gencode arch=compute_80,code=sm_80)"
keeps "PTX for later devices" "$(digest base.cu blend -gencode arch=compute_90,code=compute_90)"

mkdir -p "some where/else"
source_text >"some where/else/renamed file.cu"
keeps "another checkout path and file name" "$(digest "some where/else/renamed file.cu" blend)"
keeps "an absolute path" "$(digest "$work/base.cu" blend)"
{ echo '#include "base.cu"'; echo '__global__ void other(int *p) { p[0] = 1; }'; } >including.cu
keeps "being included" "$(digest including.cu blend)"

{ echo "// a comment"; echo; echo; source_text; } >lines.cu
keeps "line numbers" "$(digest lines.cu blend)"
source_text | sed 's/^    //; s/;$/ ; \/* c *\//; s/^{/\n{/' >format.cu
keeps "comments and formatting" "$(digest format.cu blend)"
source_text | sed 's/blend/mixture/; s/decay/shrink/g; s/table/levels/g; s/tile/buffer/g
    s/last/zz_top/g; s/SCALE/FACTOR/g' >names.cu
keeps "names of kernel, helper, tables and macros" "$(digest names.cu mixture)"
# (The text of an assert's condition is part of what the program prints, so that name stays.)
source_text | sed '/^__global__/,$ {
    s/\bn\b/count/g; s/float \*x\b/float *data/; s/\bx\[/data[/g
    s/assert(count > 0);/{ int n = count; assert(n > 0); }/ }' >params.cu
keeps "names of parameters" "$(digest params.cu blend)"

{ echo '#include <cassert>'
  echo '__device__ int counter; __constant__ float k[3];'
  echo '__global__ void before(int *p, float *q) { assert(p); p[0] = atomicAdd(&counter, 1);'
  echo '  for (int i = 0; i < p[1]; i++) q[i] = cosf(q[i]) + k[i]; }'
  source_text; } >neighbours.cu
keeps "other kernels before it" "$(digest neighbours.cu blend)"
{ source_text; echo '__global__ void second(float *y) { y[0] = decay(y[1], 5); }'; } >caller.cu
keeps "a second caller of its helper" "$(digest caller.cu blend)"
{ echo '#include <cassert>'; echo 'namespace {'; source_text | grep -v include; echo '}'
  echo 'void launch(float *x) { blend<<<1, 1>>>(x, 1); }'; } >anonymous.cu
keeps "an anonymous namespace" "$(digest anonymous.cu blend)"
{ echo '#include <cassert>'; echo 'namespace a { namespace b {'; source_text | grep -v include
  echo '}}'; } >nested.cu
keeps "namespaces" "$(digest nested.cu blend)"
{ source_text | sed 's/__global__ void blend(float \*x/template <class T> __global__ void blend(T *x/'
  echo 'template __global__ void blend<float>(float *, int);'; } >template.cu
keeps "being a template's instance" "$(digest template.cu blend)"
source_text | sed 's/#define SCALE 3/#define UNUSED 7\n#define SCALE 3/' >macro.cu
keeps "an unused macro" "$(digest macro.cu blend)"

echo "$checked checked"
exit $failed

# Sourced by the tests of this folder, behind tests/verbs/verbs.sh: a kernel, and ks-probe's own code on a made-up GPU.
# shellcheck shell=bash
command -v python3 > /dev/null || skip "no python3"
[ -x "$KS_TEST_TOOLS/ks-fake-probe" ] || skip "the made-up probe is not built"
cat > probe.sh <<END
#!/bin/sh
export LD_LIBRARY_PATH=$KS_TEST_FAKES
exec $KS_TEST_TOOLS/ks-fake-probe
END
chmod +x probe.sh
export KS_DEVICE=$PWD/probe.sh KS_CUPTI_DIR=$KS_TEST_FAKES XDG_RUNTIME_DIR=$PWD/run
cat > a.cu <<'END'
#pragma ks optimize
#pragma ks workload let(n=1024) in(a[n*n]) out(b[n*n]) grid(n/32,n/8) block(32,8)
__global__ void turn(const float *a, float *b, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float value = a[y * n + x];
    b[x * n + y] = value;
}
END
# field FILTER: of the report in `out`, as r, k its first kernel, p its profile. is FILTER VALUE.
field() { python3 -c "import json; r = json.load(open('out')); k = r['kernels'][0]; p = k['profile']; print(($1))"; }
is() { [ "$(field "$1")" = "$2" ] || { cat out; fail "$1 is $(field "$1"), not $2"; }; }

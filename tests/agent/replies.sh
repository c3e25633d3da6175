# Sourced by the tests of this folder: answers for the kernel of comb.cu.
# shellcheck shell=bash

# once NAME TAPS: the sum is taken once, by a launch of its own; TAPS is its loop's bound.
once() {
    cat > "replies/$1" <<END_REPLY
All threads take the same sum: one launch before suffices.
\`\`\`yaml
request: @request@
idea: the sum that every thread takes is the same, so it is taken once
skill: none
quotes: ["loops = 1"]
source: |
  __global__ void sum_once(const unsigned *c, unsigned *sum, int taps)
  {
      unsigned s = 0;
      for (int k = threadIdx.x; k < $2; k += blockDim.x)
          s += scaled(c[k], k);
      atomicAdd(sum, s);
  }
  __global__ void apply(const unsigned *x, const unsigned *sum, unsigned *y, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          y[i] = x[i] ^ *sum;
  }
workspace: {sum: 4}
when: n >= 1 && taps >= 1 && taps <= 4096
plan:
  - {memset: sum, value: 0}
  - {kernel: sum_once, grid: [1], block: [256], args: [c, sum, taps]}
  - {kernel: apply, grid: ["ceildiv(n, 256)"], block: [256], args: [x, sum, y, n]}
\`\`\`
END_REPLY
}
# mended NAME: a repair of what \`once NAME 'taps - 1'\` gave.
mended() {
    cat > "replies/$1" <<'END_REPLY'
```yaml
request: @request@
cause: "@cause@"
idea: the last turn was left out
edits:
  - part: 1
    text: |
      __global__ void sum_once(const unsigned *c, unsigned *sum, int taps)
      {
          unsigned s = 0;
          for (int k = threadIdx.x; k < taps; k += blockDim.x)
              s += scaled(c[k], k);
          atomicAdd(sum, s);
      }
```
END_REPLY
}
# twice NAME: right, and slower.
twice() {
    cat > "replies/$1" <<'END_REPLY'
```yaml
request: @request@
idea: the sum is taken in both directions
source: |
  __global__ void both_ways(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n)
          return;
      unsigned s = 0, d = 0;
      for (int k = 0; k < taps; k++)
          s += scaled(c[k], k);
      for (int k = taps - 1; k >= 0; k--)
          d += scaled(c[k], k);
      y[i] = x[i] ^ (s == d ? s : 0);
  }
plan:
  - {kernel: both_ways, grid: ["ceildiv(n, 128)"], block: [128], args: [x, c, y, n, taps]}
```
END_REPLY
}

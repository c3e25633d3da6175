#!/usr/bin/env bash
# What transforms make of kernels, as one folder of fixtures for the judge on the emulated device: all of it is
# CORRECT, what breaks it is not, and what they do not understand they refuse by construct and line.
#   tests/emu/transforms.sh BUILD SOURCE
set -u
build=$1 source=$2/tests/emu/transforms draw=${KS_TEST_DRAW-20}
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
suite=$scratch/suite bad=0 n=10
cp -r "$source" "$suite" || exit 1
# made KERNEL "TRANSFORM PARAMETERS; ..." EXPECTED [SED]: a fixture; SED breaks what was made.
made() {
    local dir
    dir=$suite/$([ "$3" = CORRECT ] && echo A || echo R)$((n++))-$1
    mkdir "$dir"
    "$build/tests/print_transform" "$source/$1.cu" "$2" ${preprocessed:-} > "$dir/made" || { echo "FAIL: $1: $2"; bad=1; }
    sed "${4:-}" "$dir/made" > "$dir/proposal.yaml"
    [ "$3" = CORRECT ] || ! cmp -s "$dir/made" "$dir/proposal.yaml" || { echo "FAIL: $4 changes nothing"; bad=1; }
    {
        printf 'title: "%s"\nfile: ../%s.cu\nexpect: [%s]\n' "$2" "$1" "$3"
        sed -n 's/^#pragma ks workload \(.*\)/emu: "\1"/p' "$source/$1.cu"
        case $3 in
        CORRECT) ;;
        LAUNCH) printf 'defence: plan-limits\nweakened: "the launcher asks the same again"\n' ;;
        *) echo 'defence: comparison' ;;
        esac
    } > "$dir/expect.yaml"
}
# refused KERNEL-FILE "TRANSFORM PARAMETERS; ..." WORDS
refused() {
    "$build/tests/print_transform" "$1" "$2" ${preprocessed:-} > "$scratch/out" 2> "$scratch/err" && { echo "FAIL: $1: $2 is not refused"; bad=1; }
    grep -qE '^line [0-9]+: ' "$scratch/err" || { echo "FAIL: $1: $2 is refused without a line: $(cat "$scratch/err")"; bad=1; }
    grep -q "$3" "$scratch/err" || { echo "FAIL: $1: $2 is refused otherwise: $(cat "$scratch/err")"; bad=1; }
}

# Macros are put in: no variant sees them.
preprocessed=$scratch/macros.ii
"$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")" -arch=sm_90 -E "$source/macros.cu" > "$preprocessed" || exit 1
made macros 'lanes lanes=8' CORRECT
made macros 'unroll unroll=4; readonly restrict=1' CORRECT
made macros 'geometry block=64' WRONG 's/columns - 1/columns - 2/'
refused "$source/macros.cu" 'tile tile=8' 'line 20: (x\[.* is not staged: the type of its elements'
preprocessed=

# Atomics gathered by blocks in shared memory.
made histogram 'private private=1' CORRECT
made histogram 'private private=1 block=64 blocks=3' CORRECT
made clusters 'private private=1 block=128 blocks=2' CORRECT
made extremes 'private private=1 block=32x4 blocks=8' CORRECT
made histogram 'private private=1' WRONG 's/opt_own0\[opt_i\] = 0u/opt_own0[opt_i] = opt_i == 3/'
made clusters 'private private=1' WRONG 's/&size\[opt_i\], opt_own1/\&size[opt_i], 0*opt_own1/'
# By threads in registers, where all go to one element.
made extremes 'private private=2' CORRECT
made extremes 'private private=2 block=16x16 blocks=5' CORRECT
made extremes 'private private=2 block=16x16' WRONG 's/opt_i < 8; opt_i++/opt_i < 7; opt_i++/'
# And what a loop sums before one atomic behind it.
made inner 'private private=2' CORRECT
made inner 'private private=1 block=64 blocks=3' CORRECT
made inner 'private private=2' WRONG 's/opt_i < 8; opt_i++/opt_i < 7; opt_i++/'
for own in 's/sum = 0.0f/sum = 1.0f/' 's/sum += a/sum += sum > 9 ? 0 : a/' 's/float sum/double sum/' 's/if (a\[i\] > 0.25f)/if (a[i] > 0.9f) return; else/' 's/result + 1/result + int(sum)/'; do
    sed "$own" "$source/inner.cu" > "$scratch/own.cu"
    refused "$scratch/own.cu" 'private private=2' 'line [0-9]*: '
done
refused "$source/histogram.cu" 'private private=2' 'line 11: updates go to more than one element'
refused "$source/histogram.cu" 'private private=1 block=48' 'whole warps'
sed 's/atomicAdd(&count\[v\], 1u);/count[v] = 0;/' "$source/histogram.cu" > "$scratch/plain.cu"
refused "$scratch/plain.cu" 'private private=1' 'no atomics'
sed 's/atomicAdd(&count\[v\], 1u);/if (atomicAdd(\&count[v], 1u) == 7) count[0] = 1;/' "$source/histogram.cu" > "$scratch/used.cu"
refused "$scratch/used.cu" 'private private=1' 'line 11: the value that an atomic returns is used'
sed 's/    int v = x/    if (count[0] > 5) return;\n&/' "$source/histogram.cu" > "$scratch/read.cu"
refused "$scratch/read.cu" 'private private=1' 'line 8: the array is also accessed without atomics'

# Groups of lanes for an item: parts of a warp, a warp, a block.
made softmax 'lanes lanes=32; unroll unroll=4' CORRECT
made softmax 'lanes lanes=128' CORRECT
made csr 'lanes lanes=4 block=64; bounds bounds=2' CORRECT
made tallies 'lanes lanes=32' CORRECT
made tallies 'lanes lanes=256' CORRECT
made heads 'lanes lanes=16' CORRECT
made columns 'lanes lanes=8 across=1' CORRECT
made columns 'lanes lanes=4 across=1 block=64; unroll unroll=4' CORRECT
made columns 'lanes lanes=8 across=1' WRONG 's/opt_i < 8/opt_i < 7/'
made tallies 'lanes lanes=32' WRONG 's/if (opt_lane != 0) o = 0;//'
made softmax 'lanes lanes=128' WRONG 's/opt_i < 4/opt_i < 3/'
refused "$source/gelu.cu" 'lanes lanes=32' 'line 5: the kernel has no loop'
refused "$source/heads.cu" 'lanes lanes=8 across=1' 'line 12: not all threads of a block'
for i in 1 2 3 4 5 6; do declared+=" double s$i = 0;" summed+=" s$i += x[row * cols + col] * $i;" stored+=" + s$i"; done
sed "s/float total = 0.0f,/$declared &/; s/total += .*/{ & $summed }/; s/= total;/= total$stored;/" "$source/columns.cu" > "$scratch/sums.cu"
refused "$scratch/sums.cu" 'lanes lanes=32 across=1' 'line 4: 8 values a block meets on take 57344 bytes of shared memory, of 49152'
refused "$source/softmax.cu" 'lanes lanes=24' 'power of two'
refused "$source/softmax.cu" 'lanes lanes=32; geometry items=2' 'one item at a time'
sed 's/top = in\[k\];/{ top = in[k]; break; }/; s/out\[k\] = e/out[0] = e/; s/out\[k\] \*=/out[k] += out[k - 1] */' "$source/softmax.cu" > "$scratch/carried.cu"
refused "$scratch/carried.cu" 'lanes lanes=32' 'line 14: top goes from turn to turn'

# Several items a thread in one loop, and what a block shares in shared memory.
made product 'jam items=2 rows=2 block=16x16' CORRECT
made product 'tile tile=8 items=2 rows=2 block=16x8; unroll unroll=4' CORRECT
made product 'tile tile=16 rows=4 block=8x8; bounds bounds=3' CORRECT
made bodies 'jam items=4 block=32; readonly restrict=1' CORRECT
made bodies 'tile tile=32 items=2 block=64; math math=1' CORRECT
made window 'jam items=2 rows=2 block=16x4; unroll unroll=-1' CORRECT
made layers 'tile tile=16 rows=4 block=32x4' CORRECT
made layers 'lanes lanes=8' CORRECT
made product 'tile tile=16 rows=3 block=16x5 ahead=1' CORRECT
made product 'tile tile=16 items=2 rows=2 block=16x8 ahead=2' CORRECT
made product 'tile tile=8 items=4 rows=4 block=4x8 near=1' CORRECT
made layers 'tile tile=16 items=2 rows=4 block=8x4 near=1 ahead=2' CORRECT
made product 'tile tile=8 items=4 rows=4 block=4x8 near=1' WRONG 's/float opt_tile0\[8\]\[36\]/float opt_tile0[8][35]/; s/opt_tile0\[opt_c\]\[threadIdx.y \* 4 + 3\]/opt_tile0[opt_c][threadIdx.y * 4 + 2]/'
made bodies 'tile tile=32 items=2 block=64 ahead=2' CORRECT
made nearest 'tile tile=8 items=2 block=64' CORRECT
made nearest 'tile tile=4 block=32 ahead=1' CORRECT
made nearest 'tile tile=4 items=2 block=32 ahead=2; unroll unroll=2' CORRECT
made nearest 'tile tile=8 items=2 block=64' WRONG 's/centre\[c \* wide + opt_turn\]/centre[opt_turn]/'
made product 'tile tile=16 items=2 rows=2 block=16x8 ahead=2' UNSAFE '/__pipeline_wait_prior/d'
made product 'tile tile=8 items=2 rows=2 block=16x8 ahead=1' WRONG 's/opt_from = opt_k + 8/opt_from = opt_k + 7/'
made product 'tile tile=8 items=2 rows=2 block=16x8' WRONG 's/opt_turn < (k) ? B/opt_turn < (k - 1) ? B/'
made product 'jam items=2 rows=2 block=16x16' WRONG 's/C\[opt1_row \* n + opt1_col\] = opt1_acc/C[opt1_row * n + opt1_col] = opt0_acc/'
sed 's/float/char/g' "$source/product.cu" > "$scratch/chars.cu"
refused "$scratch/chars.cu" 'tile tile=16 ahead=2' 'no copy takes elements of 1 bytes'
refused "$source/window.cu" 'tile tile=8 rows=2' 'line 17: in\[.* is not staged: it is read under a condition'
refused "$source/product.cu" 'tile tile=256 items=8 rows=8 block=16x16' 'line 4: a tile of 131584 bytes has no room'
refused "$source/csr.cu" 'jam items=2' 'starts differ\|start differs'
refused "$source/product.cu" 'jam items=16 rows=8' 'from 2 to 64 items'
refused "$source/bodies.cu" 'jam rows=2' 'no rows'

# Elements that loops update, in registers meanwhile.
made updates 'keep' CORRECT
made updates 'keep; lanes lanes=8' CORRECT
made updates 'keep; tile tile=8 rows=2 block=16x8' CORRECT
made updates 'keep' WRONG 's/; p < k; p++)/; p < k - 1; p++)/'
made nest 'keep; lanes lanes=8' CORRECT
refused "$source/updates.cu" 'lanes lanes=8' 'line 12: turns may store to one element'
refused "$source/product.cu" 'keep' 'line 4: no loop updates memory'
sed 's/A\[row \* k + p\] \* B/C[p] * B/' "$source/updates.cu" > "$scratch/same.cu"
sed -i 's/if (col == 0)/if (col == 0 \&\& k > 99)/; s/sum\[row\] -= A\[row \* k + p\];/if (p > 3) sum[row] = 0;/' "$scratch/same.cu"
refused "$scratch/same.cu" 'keep' 'line 15: not every turn accesses the element'

# What does not change in a loop, in front of it.
made once 'hoist' CORRECT
made once 'hoist; unroll unroll=4' CORRECT
made once 'hoist; jam items=2 block=32' CORRECT
made once 'hoist; geometry block=32 items=2' CORRECT
made slots 'hoist' CORRECT
made slots 'hoist; keep; lanes lanes=8' CORRECT
made stages 'hoist' CORRECT
made once 'hoist' WRONG 's/expf(-scale\[i\]);/expf(scale[i]);/'
made once 'hoist' WRONG 's/\[row\[i\] \* m/[i * m/; s/opt_once0 = row\[i\] \* m/opt_once0 = row[0] * m/'
made slots 'hoist' WRONG 's/(own ? expf/(!own ? expf/'
made stages 'hoist' WRONG 's/opt_once0 = part\[(t + 1)/opt_once0 = part[(t + 2)/'
refused "$source/product.cu" 'hoist' 'line 4: no loop computes anew what does not change in it'
refused "$source/csr.cu" 'hoist' 'line 4: no loop computes anew what does not change in it' # compilers do that
# hoisted_not "LOOP" WORDS [FRONT [BEHIND]]: a loop that does this, and what stands around it
hoisted_not() {
    cat > "$scratch/hoisted.cu" << EOF
struct writer { float *to; __device__ void operator()(float v) const { *to = v; } };
__device__ float picked(const float *from, int i) { return from[i]; }
__device__ float counted(float v) { asm volatile(""); return v; }
#pragma ks optimize
#pragma ks workload let(n=32) inout(w[n]) inout(y[n+1]) grid(1) block(32)
__global__ void hoisted(float *w, float *y, int n)
{
    int i = threadIdx.x; float v = 0.5f; ${3-}
    for (int k = 0; k < n; k++) { $1 }
    ${4-}
}
EOF
    refused "$scratch/hoisted.cu" 'hoist' "$2"
}
hoisted_not 'y[k] += w[i]; w[k] = 0;' 'line 9: the loop stores to w'
hoisted_not 'if (k % 2) y[k] += w[i];' 'line 9: not every turn evaluates it'
hoisted_not 'if (y[k] > 9) break; y[k] += w[i];' 'line 9: the loop may be left in front of it'
hoisted_not '__syncthreads(); y[k] += w[i];' 'line 9: threads meet in the loop, and others may store to w' '' 'w[i] = 0;'
hoisted_not 'atomicAdd(&y[k], w[i]);' 'line 9: threads meet in the loop, and others may store to w' '' 'w[i] = 0;'
hoisted_not 'y[k] += w[i]; *p = 0;' 'line 9: a store in the loop is not followed' 'float *p = n > 3 ? y : w;'
hoisted_not 'y[k] += w[i]; put(y[k]);' 'line 9: a store in the loop is not followed' 'writer put = {y};'
hoisted_not 'y[k] += picked(w, i);' 'line 9: w is used other than by subscript'
hoisted_not 'y[k] += counted(v);' 'line 9: counted() is a function that does more than compute'
hoisted_not 'y[k] += expf(v); r += 1;' 'line 9: v has another name, by which it may change' 'float &r = v;'
hoisted_not 'y[k] += p[i];' 'line 9: p is no array' 'const float *p = n > 3 ? y : w;'

# Loops exchanged.
made nest 'interchange' CORRECT
made nest 'interchange; jam items=2 block=32; unroll unroll=2' CORRECT
made nest 'interchange' WRONG 's/for (int p = 0; p < m; ++p)/for (int p = 1; p < m; ++p)/'
refused "$source/window.cu" 'interchange; keep' 'line'
refused "$source/product.cu" 'interchange' 'line 4: no loop in a loop'
sed 's/for (int p = 0; p < m; ++p)/for (int p = q; p < m; ++p)/' "$source/nest.cu" > "$scratch/triangle.cu"
refused "$scratch/triangle.cu" 'interchange' "line 10: the inner loop's bounds change with the outer one"

# A switch is a chain of branches.
made cases 'geometry block=32 items=2' CORRECT
made cases 'bounds bounds=2; unroll unroll=3' CORRECT
made cases 'geometry block=32 items=2' WRONG 's/(kind) == (CLAMP)/(kind) == (GELU + 5)/; s/% 7) == (3)/% 7) == (4)/'
sed 's/case 5:/v += 2.f; case 5:/' "$source/cases.cu" > "$scratch/through.cu"
refused "$scratch/through.cu" 'geometry block=32' 'line 12: switch is not understood'

# Branches as choices.
made choices 'select' CORRECT
made choices 'select; geometry block=32 items=2' CORRECT
made choices 'select' WRONG 's/opt_if0 ? opt_yes0_1/!opt_if0 ? opt_yes0_1/'
sed '/if (v > 0.5f)/,/s \*= 0.5f/d; s/, r, /, r = 1.f, /' "$source/choices.cu" > "$scratch/guards.cu"
refused "$scratch/guards.cu" 'select' 'line 10: a memory access or change that the branch guards'
sed -i 's/k \/= d\[i\]/k \/= i/' "$scratch/guards.cu"
refused "$scratch/guards.cu" 'select' 'line 10: a division of integers that the branch guards'

# Divisions by numbers of the launch.
made places 'divide' CORRECT
made places 'together divide=1 block=128' CORRECT
made places 'divide; geometry block=64 items=2' CORRECT
made turns 'divide; vectorize width=2' CORRECT
made places 'divide; unroll unroll=2' UNSAFE 's/(by >> 32) \* u/(by >> 32) * (u + 1)/'
refused "$source/product.cu" 'divide' 'line 4: no division by a number that the whole launch shares'
sed 's/int i = /int i = d + /' "$source/places.cu" > "$scratch/signed.cu"
refused "$scratch/signed.cu" 'divide' 'line 9: what is divided is not known to be from 0 to 2147483647'

# Patches of both axes.
made window 'rows rows=2 items=2 block=16x4' CORRECT
made window 'rows rows=2 items=4 block=8x8; unroll unroll=-1' WRONG 's/opt_first_x + opt_item \* 8/opt_first_x + opt_item * 7/'
refused "$source/window.cu" 'rows rows=16 items=8' 'at most 64 items'

# What real codes hold: numbers named in front of a grid-stride loop, bytes beside words, functions with
# references, `continue`, sums of pointers.
made tallied 'lanes lanes=4 across=1' CORRECT
made tallied 'tile tile=8 items=2 block=32' CORRECT
made strides 'geometry block=128 items=2' CORRECT
made strides 'vectorize width=4' CORRECT
made hinted 'vectorize width=4' CORRECT
made hinted 'vectorize width=4' WRONG 's/(1.0f - v)/(1.0f + v)/'
sed 's/__ldcs/__ldcg/' "$source/hinted.cu" > "$scratch/passed.cu" # which others may write while it runs
refused "$scratch/passed.cu" 'vectorize width=4' 'the pointer x is used other than by subscript'
# A grid of so many blocks, whose threads go on in its steps; also where one leaves its item early.
made strides 'geometry block=64 blocks=5' CORRECT
made cases 'geometry block=32 blocks=3' CORRECT
made places 'divide; geometry block=64 blocks=2; unroll unroll=3' CORRECT
made cases 'geometry block=32 blocks=3' WRONG 's/opt_x += gridDim.x/opt_x += 2 * gridDim.x/'
refused "$source/window.cu" 'geometry blocks=8' 'line [0-9]*: so many blocks in all, in a kernel of more than one axis'
refused "$source/strides.cu" 'geometry blocks=8 items=2' 'go with a block along x alone'
refused "$source/strides.cu" 'geometry blocks=-1' 'one block at least'
made shares 'geometry block=128 items=2' CORRECT
sed 's/float v = a\[i\]/float v = a[i] + tid/' "$source/strides.cu" > "$scratch/first.cu"
refused "$scratch/first.cu" 'geometry block=128' "line 5: tid, the thread's first number, is used in the loop"
made norms 'readonly; unroll unroll=2' CORRECT
made norms 'lanes lanes=8' CORRECT
made norms 'jam items=2 block=32; readonly' UNSAFE 's/- (long long)(1)/- (long long)(2)/'
# Pointers that are moved once; what is moved again, in a loop, by what changes or after a use stays what it is.
made moved 'readonly; unroll unroll=2' CORRECT
made moved 'lanes lanes=8' CORRECT
made moved 'readonly' UNSAFE 's/(rows - r) \* d/(rows - r - 1) * d/'
for own in 's/x += \(.*\)/&\n    x += d;/' 's/out -= \(.*\)/if (d) &/' 's/out -= (rows/out -= (r++, rows/' \
    's/sum = \*x \* x.0./sum = 0/; s/    x += \(.*\);/    sum = x[0];\n    &/' 's/sum += x\[i\] \*/sum += *x++ */'; do
    sed "$own" "$source/moved.cu" > "$scratch/own.cu"
    ! cmp -s "$scratch/own.cu" "$source/moved.cu" || { echo "FAIL: $own changes nothing"; bad=1; }
    refused "$scratch/own.cu" 'readonly' 'used other than by subscript'
done
# Pointers that move as a loop counts; no others.
made steps 'readonly; unroll unroll=2' CORRECT
made steps 'readonly' WRONG 's/(long long)k - (long long)(3)/(long long)k - (long long)(2)/'
steps_not() {
    sed "$1" "$source/steps.cu" > "$scratch/own.cu"
    ! cmp -s "$scratch/own.cu" "$source/steps.cu" || { echo "FAIL: $1 changes nothing"; bad=1; }
    refused "$scratch/own.cu" 'readonly' 'the pointer [xy] is used other than by subscript'
}
steps_not 's/in += blockDim.x/in += 64/'
steps_not 's/++last/last += 1 + (k > 4)/'
steps_not 's/int k = 3/short k = 3/'
steps_not 's/k < 7/last < x + 4/'
steps_not 's/sum += k < d/if (k == 5) continue; &/'
steps_not 's/        in += .*/        in += blockDim.x; sum += *in;/'
steps_not 's/= sum;/= sum + *in;/'
steps_not 's/        ++last;/        if (k != 5) ++last;/'
# The first of the largest, and where it is.
made largest 'lanes lanes=8' CORRECT
made largest 'lanes lanes=64' CORRECT
made largest 'lanes lanes=8 across=1' CORRECT
made largest 'lanes lanes=8' WRONG 's/opt_place < first/opt_place > first/'
made largest 'lanes lanes=64' WRONG 's/opt_part1\[opt_lane . 32\] = first/opt_part1[opt_lane \/ 32] = 0/'
largest_not() {
    sed "$1" "$source/largest.cu" > "$scratch/own.cu"
    ! cmp -s "$scratch/own.cu" "$source/largest.cu" || { echo "FAIL: $1 changes nothing"; bad=1; }
    refused "$scratch/own.cu" 'lanes lanes=8' "$2"
}
largest_not 's/v > best/v >= best/' 'line 15: best goes from turn to turn'
largest_not 's/first = i;/first = i + 1;/' 'line 14: first is set to other than the loop.s variable'
largest_not 's/first = i;/first = i; low++;/' 'line 15: best goes from turn to turn'
largest_not 's/(long long)i/(char)i/' 'line 12: where does not hold all that the loop counts'
largest_not 's/int i = 0/size_t i = 0/' 'line 12: first does not hold all that the loop counts'
largest_not 's/float v/double v/' 'line 12: best is not known to be of the type of what it is compared with'
largest_not 's/where = (long/where = first + (long/' 'line 18: where is set to other'
made largest 'split split=4' CORRECT
made largest 'split split=16 block=32; unroll unroll=2' CORRECT
made largest 'split split=4' WRONG 's/opt_place < first/opt_place > first/'
sed 's/int first = -1/int sum = 0, first = -1/; s/float v = /sum += i; &/' "$source/largest.cu" > "$scratch/own.cu"
refused "$scratch/own.cu" 'split' 'line [0-9]*: the loop leaves more than four values'
sed 's/float v/double v/' "$source/largest.cu" > "$scratch/own.cu"
refused "$scratch/own.cu" 'split' 'best is not known to be of the type'
made weighed 'lanes lanes=8' CORRECT
made weighed 'split split=4' CORRECT
sed 's/const float \*w/const double *w/' "$source/weighed.cu" > "$scratch/own.cu"
refused "$scratch/own.cu" 'lanes lanes=8' 'line 11: most is not known to be of the type of what it is compared with'
# How large arrays are, of which only the grid tells.
made blocks 'readonly; unroll unroll=2' CORRECT
made blocks 'readonly' WRONG 's/blockIdx.x % groups/blockIdx.x % 2/'
sed 's/grid(batch\*groups)/grid(batch*groups+1)/' "$source/blocks.cu" > "$scratch/own.cu"
refused "$scratch/own.cu" 'readonly' 'the extent of a pointer is no expression of parameters'
sed 's/in\[i\] \* in\[i\]/*in++/' "$source/norms.cu" > "$scratch/moving.cu"
refused "$scratch/moving.cu" 'readonly' 'line 9: the pointer x is used other than by subscript'
made bytes 'stream stream=2 width=2' CORRECT
made letters 'private private=1 block=64 blocks=3' CORRECT
made pairs 'lanes lanes=8' CORRECT
made pairs 'tile tile=16 block=64 items=2' CORRECT
sed '/total += weight/d; /continue/d' "$source/pairs.cu" > "$scratch/reference.cu"
sed -i '/++count/d' "$scratch/reference.cu"
refused "$scratch/reference.cu" 'lanes lanes=8; keep' 'line'

# Loops that count, in spellings of C.
made counters 'geometry block=32 items=2' CORRECT
made counters 'lanes lanes=4; unroll unroll=2' CORRECT
made counters 'jam items=2 block=32' CORRECT
made counters 'geometry block=32 items=2' WRONG 's/for (int j = 0; /for (int j = 1; /'
sed 's/y\[i\] = t;/y[i] = t + k;/' "$source/counters.cu" > "$scratch/after.cu"
refused "$scratch/after.cu" 'geometry block=32' 'line 6: k is carried from element to element'
sed 's/s -= 0.25f;/if (s > 2) { s -= 1; at += 2; continue; } &/' "$source/counters.cu" > "$scratch/skips.cu"
"$build/tests/print_transform" "$scratch/skips.cu" 'geometry block=32' | grep -qF 'while (at < limit[i])' || { echo 'FAIL: a while with a continue became a for'; bad=1; }

# Results by reference.
made prices 'vectorize width=4' CORRECT
made prices 'stream stream=1 width=2 block=128; bounds bounds=2' CORRECT
made prices 'vectorize width=4' WRONG 's/both(pack_call.lane\[opt_lane\], pack_put.lane\[opt_lane\]/both(pack_put.lane[opt_lane], pack_call.lane[opt_lane]/'

# A struct by value.
made bundle 'geometry block=64 items=2' CORRECT
made bundle 'lanes lanes=8; bounds bounds=2' CORRECT
made bundle 'geometry block=64 items=2' WRONG 's/job_by \* s/job_by + s/'
made bundle 'jam items=2 block=32; readonly' CORRECT
made bundle 'split split=4' CORRECT
made fields 'vectorize width=4' CORRECT
made fields 'geometry items=2 block=64; readonly' CORRECT
made fields 'vectorize width=4' WRONG 's/- r.i16_2/- r.i16_0/'
made fields 'vectorize width=4' LAUNCH 's/b.u32_0 >= 0/(1 || b.u32_56 >= 0)/'
# One that is also used as a whole stays beside them; changed, or with pointers that are not followed, alone.
made graph 'vectorize width=4' CORRECT
made graph 'geometry items=2 block=64' CORRECT
refused "$source/graph.cu" 'readonly' 'the extent of a pointer'
sed 's/int i = /g.n = bound(g); &/' "$source/graph.cu" > "$scratch/changed.cu"
refused "$scratch/changed.cu" 'vectorize width=4' 'line [0-9]*: no pointer is accessed by element'

# Trees in shared memory, in several spellings.
made halves 'shuffle shuffle=1' CORRECT
made spread 'shuffle; bounds bounds=2' CORRECT
sed 's/half > 0/half/' "$source/halves.cu" > "$suite/alone.cu"
source=$suite made alone 'shuffle' CORRECT
sed 's/half > 0; half .= 2/half; half *= 2/' "$source/halves.cu" > "$scratch/endless.cu"
sed -i 's/step <<= 1/step += 1/' "$scratch/endless.cu"
refused "$scratch/endless.cu" 'shuffle' 'does not halve or double a known number'
made halves 'shuffle shuffle=1' WRONG 's/opt_step = 2; opt_step/opt_step = 1; opt_step/'
made spread 'shuffle shuffle=1' WRONG '/threadIdx.x % 8\];/s/% 8/% 4/'
sed 's/top\[blockIdx.x\] = sums\[0\]/top[blockIdx.x] = sums[1]/' "$source/halves.cu" > "$scratch/second.cu"
sed -i 's/float mean = sums\[0\]/float mean = sums[2]/' "$scratch/second.cu"
refused "$scratch/second.cu" 'shuffle shuffle=1' "more than the tree's first element is read"
sed 's/half \/= 2/half \/= 3/; s/step <<= 1/step += 1/' "$source/halves.cu" > "$scratch/third.cu"
refused "$scratch/third.cu" 'shuffle shuffle=1' 'does not halve or double a known number'
refused "$source/product.cu" 'shuffle shuffle=1' 'no loop with a barrier'

# Rows of tiles that are longer than they need be: of those that are walked down their columns, and no others.
made turned 'pad' CORRECT
grep -q 'float t\[16\]\[16 + 1\], u\[16\]\[18\];' "$scratch/suite"/A*-turned/made || { echo 'FAIL: other rows are longer'; bad=1; }
made turned 'pad pad=4; readonly; bounds bounds=2' CORRECT
made turned 'pad' UNSAFE 's/\[16\]\[16 + 1\], u/[16][12 + 1], u/'
refused "$source/halves.cu" 'pad' 'line 6: sums: it has no rows'
refused "$source/heat.cu" 'pad' 'line 4: no array in shared memory'

# Rows whose work a block's threads share: as one thread's, dealt out anew.
made shared 'lanes lanes=32 fold=1' CORRECT
made shared 'lanes lanes=128 fold=1; unroll unroll=4' CORRECT
made levels 'lanes lanes=64 fold=1' CORRECT
made halves 'split split=3 fold=1' CORRECT
made shared 'lanes lanes=128 fold=1' WRONG 's/opt_i < 4/opt_i < 3/'
made levels 'lanes lanes=64 fold=1' WRONG 's/part = sum;/part = most;/'
folded_not() {
    sed "$2" "$source/$1.cu" > "$scratch/own.cu"
    ! cmp -s "$scratch/own.cu" "$source/$1.cu" || { echo "FAIL: $2 changes nothing"; bad=1; }
    refused "$scratch/own.cu" 'fold' "$3"
}
folded_not shared 's/sum = 0.0f/sum = 1.0f/' 'line 40: sum does not begin with what changes nothing'
folded_not shared 's/sizes = block_sum(sizes)/sizes = largest_of(sizes)/' 'line 47: what largest_of is given is no value'
folded_not shared 's/    value = part\[0\]/& * 2/' 'line 46: block_sum: it returns other than what it is given'
folded_not shared 's/    value = part\[0\]/    value = part[1]/' 'line 46: block_sum: it returns other than what it is given'
folded_not shared 's/^\( *\)part\[threadIdx.x\] = value;/\1if (threadIdx.x < 60) part[threadIdx.x] = value;/' 'line 46: block_sum: line [0-9]*: threadIdx.x is used'
folded_not shared 's/return fabsf(v)/return v * threadIdx.x/' 'line 43: size_of in a turn'
folded_not shared 's/bad\[0\] = cols/bad[0] += sum > cols/' 'line 53: sum differs from thread to thread'
folded_not shared 's/if (tid == 0)/if (tid == 1)/' 'line 49: tid differs from thread to thread'
folded_not shared 's/float v = x\[i\]/float v = x[tid]/' 'line 41: tid differs from thread to thread'
folded_not shared 's/float sum = 0.0f, /double sum = 0.0; float /' 'line 46: block_sum is given another type than its own'
folded_not shared 's/i = tid; i < cols; i += blockDim.x/i = tid; i < cols; i += blockDim.x * 2/' 'line 40: the loop does not go from'
folded_not levels 's/part\[128\]/part[256]/; s/        share = 1/        total = share = 1/' 'line 35: a change inside of an expression'
folded_not levels 's/= 0, /&/; s/most = part\[0\]/most = part[5]/' 'line 25: most differs from thread to thread: line 22: another element of part is read'
folded_not levels 's/c = c + 128/c = c + 64/' 'line 17: blocks of two sizes are asked for'
folded_not levels 's/        if (threadIdx.x == 0)/        if (c0 == 0)/; s/int p = 0/int p = 0, c0 = threadIdx.x % 3/' 'line 34: c0 differs from thread to thread'
folded_not levels 's/if (!threadIdx.x)/if (cols)/; s/all\[blockIdx.y\] = /all[blockIdx.y] += /' 'line 49: all threads change memory'
folded_not levels 's/float total = 0.0f/float total = 0.0f, last = 0.0f/; s/total += from\[c\];/& last = from[c];/' 'line 26: last goes from turn to turn'
folded_not levels 's/sum += expf/most += 1; sum += expf/' 'line 24: most is also used in the loop'
refused "$source/product.cu" 'fold' 'line [0-9]*: .* differs from thread to thread'
# The same by shuffles.
made warps 'lanes lanes=64 fold=1' CORRECT
made warps 'lanes lanes=64 fold=1' WRONG 's/best = high/best = sum/'
made single 'lanes lanes=64 fold=1' CORRECT
made single 'lanes lanes=128 fold=1; unroll unroll=2' CORRECT
made single 'lanes lanes=64 fold=1' WRONG 's/sum = sum + opt_other/sum = opt_other/'
folded_not single 's/block(32,1)/block(32,2)/' 'line 11: threadIdx.y in a turn of a loop that threads share'
folded_not single 's/block(32,1)/block(64)/' 'line 16: high differs from thread to thread'
folded_not single 's/_xor_/_down_/' 'line 16: high differs from thread to thread'
# By warps, each of which has a row of its own.
made each 'lanes lanes=64 fold=1' CORRECT
sed 's/warp = threadIdx.x \/ 32/warp = threadIdx.x >> 5/; s/blockIdx.x \* (blockDim.x \/ 32) + warp/warp + 4 * blockIdx.x/; s/lane = threadIdx.x % 32/lane = threadIdx.x \& 31/
    s/if (row >= rows)/if (row >= rows || threadIdx.y > 0)/' "$source/each.cu" > "$suite/fours.cu"
sed 's/row = .* + warp;/row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;/' "$source/each.cu" > "$suite/whole.cu"
source=$suite made fours 'lanes lanes=16 fold=1' CORRECT
source=$suite made whole 'split split=2 fold=1' CORRECT
made each 'lanes lanes=64 fold=1' WRONG 's/block.x \/ 32)), 1)/block.x \/ 64)), 1)/'
# By lines of a block, each of them a warp.
sed 's/block(128)/block(32,4)/; s/ceildiv(rows\*32,128)/ceildiv(rows,4)/; s/lane = .*;/lane = threadIdx.x;/; s/row = .*;/row = blockIdx.x * blockDim.y + threadIdx.y;/
    s/c += 32/c += blockDim.x/' "$source/each.cu" > "$suite/lines.cu"
sed 's/blockDim.y/4/; s/c += blockDim.x/c += 32/' "$suite/lines.cu" > "$suite/four_lines.cu"
source=$suite made lines 'lanes lanes=64 fold=1' CORRECT
source=$suite made four_lines 'split split=2 fold=1' CORRECT
source=$suite made lines 'lanes lanes=16 fold=1' WRONG 's/grid.x \* block.y/grid.x * (block.y - 1)/'
source=$suite folded_not four_lines 's/ \* 4 + / * 2 + /' 'line 8: row differs from thread to thread: line 7: threadIdx.y is used'
source=$suite folded_not lines 's/block(32,4)/block(16,8)/' 'line 8: row differs from thread to thread: line 7: threadIdx.y is used'
source=$suite folded_not lines 's/mean\[row\] = m/mean[row] = m + threadIdx.y/' 'threadIdx.y is used'
folded_not each 's/(blockDim.x \/ 32)/(blockDim.x \/ 16)/' 'line 8: row differs from thread to thread: line 7: warp differs from thread to thread: line 6: threadIdx.x is used'
folded_not each 's/mean\[row\] = m/mean[row] = m + blockIdx.x/' 'line 24: blockIdx.x beside the number of a warp'
folded_not each 's/c += 32)/c += 64)/' 'line 12: the loop does not go from'
folded_not each 's/const float m = /__syncthreads(); &/' 'line 16: a barrier that not all threads reach'
folded_not warps 's/(0xffffffff,/(0xffff,/' 'line 34: block_sum: line 3: warp_sum: line 2: what lanes of a warp exchange is no value'
folded_not warps 's/offset = 16/offset = 8/' 'line 34: block_sum: line 3: warp_sum: line [0-9]*: __shfl_down_sync is not understood'
folded_not warps 's/offset >>= 1/offset -= 1/' 'line 34: block_sum: line 3: warp_sum: line [0-9]*: __shfl_down_sync is not understood'
folded_not warps 's/: 0.0f;/: 1.0f;/' 'line 34: block_sum: line [0-9]*: what warp_sum is given is no value'
folded_not warps 's/blockDim.x \/ 32)/blockDim.x \/ 64)/' 'line 34: block_sum: line [0-9]*: what warp_sum is given is no value'
folded_not warps 's/    if (lane == 0)$/    if (lane == 1)/' 'line 34: block_sum: line [0-9]*: lane differs from thread to thread'
folded_not warps 's/partial\[wid\]/partial[lane]/' "line 34: block_sum: line [0-9]*: an element of partial other than the thread's own is set"
folded_not warps 's/fmaxf(__shfl/fminf(__shfl/' 'line 41: what lanes of a warp exchange is no value'
folded_not warps 's/: -INFINITY;/: 0.0f;/' 'line 48: what lanes of a warp exchange is no value'
folded_not warps 's/row\[c\] \* scale/row[c] * sum/' 'line 53: sum differs from thread to thread'
folded_not warps 's/if (warp == 0)/if (warp == 1)/' 'line 45: warp differs from thread to thread'

# Two launches, parts in a workspace between them.
made tall 'split split=4; unroll unroll=4' CORRECT
# Several turns without a test between them, what they read first.
made strided 'unroll unroll=4' CORRECT
made strided 'unroll unroll=16; readonly' CORRECT
made strided 'unroll unroll=4' WRONG 's/w\[n - 1 - i\]/w[i]/'
made strided 'unroll unroll=4' WRONG 's/opt_at + opt_k \* opt_step/opt_at/'
made product 'split split=3 block=64' CORRECT
made tall 'split split=4' WRONG 's/if (opt_lane != 0) s = 0;//'
refused "$source/columns.cu" 'split; lanes lanes=4' 'two launches go with a block'
refused "$source/heads.cu" 'split' 'line 8: the loop stores, or reduces nothing'
refused "$source/layers.cu" 'split' 'an index in z'

# What neighbours read too, in shared memory with its rim.
made heat 'halo' CORRECT
made heat 'halo block=16x8 rows=2' CORRECT
made heat 'halo block=8x8 items=2 rows=4; bounds bounds=2' CORRECT
made cells 'halo block=16x4x2' CORRECT
made cells 'halo block=32x2x3 rows=2' CORRECT
made ahead 'halo block=64' CORRECT
made ahead 'halo block=128 items=4' CORRECT
made box 'halo block=32x4 rows=2 items=2' CORRECT
made box 'halo block=8x16' CORRECT
# And in loops, where the text tells how far they go.
made blur 'halo' CORRECT
made blur 'halo block=16x8 rows=2 items=2; unroll unroll=-1' CORRECT
made taps 'halo block=64' CORRECT
made taps 'halo block=128 items=4' CORRECT
made strands 'halo block=64' CORRECT
made strands 'halo block=32x4 items=2' CORRECT
made blur 'halo' WRONG 's/\[opt_x - opt_from_x + 2u + (unsigned)dx\]/[opt_x - opt_from_x + 2u + (unsigned)(dx \/ 2)]/'
made taps 'halo block=64' UNSAFE 's/ + 2u \* (unsigned)j/ + 3u * (unsigned)j/'
made heat 'halo' WRONG 's/opt_y - opt_from_y + 0u/opt_y - opt_from_y + 1u/'
made heat 'halo block=16x8 rows=2' UNSAFE 's/opt_from_y = blockIdx.y \* 16u/opt_from_y = blockIdx.y * 8u/'
made heat 'halo' UNSAFE '/__syncthreads/d'
made heat 'halo' UNSAFE '/if (opt_at < opt_count0)/d'
made box 'halo block=8x16' WRONG 's/4294967134u/4294967135u/'
made ahead 'halo block=64' UNSAFE 's/opt_cell < 69/opt_cell < 68/'
halo_not() {
    sed "$2" "$source/$1.cu" > "$scratch/own.cu"
    ! cmp -s "$scratch/own.cu" "$source/$1.cu" || { echo "FAIL: $2 changes nothing"; bad=1; }
    refused "$scratch/own.cu" "${4-halo}" "$3"
}
halo_not heat 's/const float \*u,/float *u,/; s/v\[i\] = u/u[i] = u/' 'line 12: u\[i\] is not staged: the array may be written'
halo_not heat 's/int i = y/short i = y/' 'line 12: u\[i\] is not staged: its index is no sum of products'
halo_not heat 's/int i = y \* nx + x/int i = y * nx + 2 * x/' 'line 12: u\[i\] is not staged: neighbours in x do not read neighbours'
halo_not heat 's/int i = y \* nx + x/int i = y * x + x/' 'line 12: u\[i\] is not staged: its index is a product'
halo_not heat 's/int i = y/int i = (int)k + y/' 'line 12: u\[i\] is not staged: its index depends on more than'
halo_not heat 's/(u\[i - 1\].*;/u[i + 9 + 9 * nx];/' 'line 12: u\[i\] is not staged: an item reads none of its neighbours'
halo_not heat 's/let(ny=45)/& let(more=0)/; s/in(u\[nx\*ny\]/in(u[nx*ny+more]/' 'the extent of a pointer is no expression of parameters'
halo_not cells 's/double \*u/double *__restrict__ u/' 'line 4: tiles of 71264 bytes have no room' 'halo block=32x8 rows=8'
halo_not blur 's/int h)/int h, int d)/; s/ r = 2/ r = d/; s/k\[25\]/k[25*h]/; s/let(h=37)/let(h=37) let(d=2)/' 'line 14: in\[.* is not staged: its index depends on more than'
halo_not blur 's/int row = y + dy/dy += dx \& 0; int row = y + dy/' 'line 14: in\[.* is not staged: its index depends on more than'
halo_not blur 's/(int dx = -r/(float dx = -r/; s/+ dx, /+ (int)dx, /; s/col = x + dx/col = x + (int)dx/; s/5 + dx/5 + (int)dx/' 'line 14: in\[.* is not staged: its index is no sum of products'
halo_not blur 's/row \* w + col/row * w + dy * col/' 'line 14: in\[.* is not staged: its index is a product of the item'
halo_not blur 's/row \* w + col/row * w + col + dx * h/' 'line 14: in\[.* is not staged: its index depends on more than'
halo_not blur 's/for (int dx/{ int base = y + dy; for (int dx/; s/row = y + dy/row = base/; s/\<dx\>/dy/g; s/^        }$/        } }/' 'line 14: in\[.* is not staged: its index depends on more than'
halo_not blur 's/dx < r + 1/dx < r + 99/' 'line 14: in\[.* is not staged: its index depends on more than'
halo_not strands 's/grid(ceildiv(n,64), lines)/grid(ceildiv(n,64), lines+1)/' 'line 4: the extent of a pointer is no expression of parameters'
refused "$source/heat.cu" 'readonly; halo block=32; together blocks=8' 'tiles with a rim go with block, items and rows alone'
refused "$source/window.cu" 'halo' 'line 17: in\[.* is not staged: its index depends on more than'
refused "$source/gelu.cu" 'halo' 'line 10: x\[i\] is not staged: an item reads none of its neighbours'
refused "$source/halves.cu" 'halo' 'threads meet at a barrier\|shared memory'

# Cheaper functions, alone and below other shapes.
made cubes 'math math=1' CORRECT
made cubes 'math math=1' WRONG 's/return y \* y/return x * y/'
made gelu 'math math=2' CORRECT
made gelu 'math math=2; vectorize width=4' CORRECT
made gelu 'geometry items=2 block=64; math math=2' CORRECT
made gelu 'math math=2' WRONG 's/1.0f - __fdividef/1.01f - __fdividef/'
refused "$source/cubes.cu" 'math math=2' 'for marks with fastmath or a tol()'
sed 's/powf(v, 3).*/expf(-v);/' "$source/cubes.cu" > "$scratch/none.cu"
refused "$scratch/none.cu" 'math math=1' 'no mathematical function with a cheaper form'
# Blocks whose threads the index counts, and that no launch has: four elements a thread.
sed 's/blockIdx.x \* blockDim.x/blockIdx.x * 512/' "$source/gelu.cu" > "$scratch/four.cu"
refused "$scratch/four.cu" 'geometry block=64' 'line [0-9]*: the index counts 512 threads a block, and no workload has such blocks'
sed -i 's/block(128)/block(512)/' "$scratch/four.cu"
"$build/tests/print_transform" "$scratch/four.cu" 'geometry block=64' > "$scratch/out" || { echo "FAIL: blocks of 512 are refused"; bad=1; }

# What is read off the text is held against the counts.
"$build/bin/ks" profile "$source/hidden.cu" --device emu --json > "$scratch/counted" || bad=1
jq -e '.kernels[0].text_disagrees == ["counted 256 bytes of static shared memory, where the text has none"] and
       .kernels[1].text_disagrees == []' "$scratch/counted" > "$scratch/out" || { echo "FAIL: $(cat "$scratch/counted")"; bad=1; }
"$build/bin/ks" profile "$source/banks.cu" --device emu --json > "$scratch/counted" || bad=1
jq -e '[.kernels[].text_disagrees] == [[], [],
       ["counted 93.9 % of line 44'"'"'s shared wavefronts for bank conflicts, where the text has none",
        "counted 93.9 % of line 46'"'"'s shared wavefronts for bank conflicts, where the text has none"],
       ["counted no bank conflicts in all shared wavefronts, where the text has some"]]' "$scratch/counted" > "$scratch/out" ||
    { echo "FAIL: $(cat "$scratch/counted")"; bad=1; }
# Wavefronts are as many as the text says: line 18 takes 32 where 1 would do.
"$build/bin/ks" run "$source/banks.cu:square" --device emu --json > "$scratch/counted" || bad=1
"$build/bin/ks" explain --why "$source/banks.cu:square" > "$scratch/said" || bad=1
for line in $(sed -n 's/^  line \([0-9]*\): .*, shared).*/\1/p' "$scratch/said"); do
    said=$(sed -n "s/^  line $line: .* \([0-9]*\) wavefronts a warp where 1 would do.*/\1/p" "$scratch/said")
    jq -e --argjson line $line --argjson said "${said:-1}" '.costs.lines[] | select(.line == $line) |
        .shared_wavefronts > 0 and .shared_wavefronts == $said * (.shared_wavefronts - .bank_conflicts)' \
        "$scratch/counted" > "$scratch/out" || { echo "FAIL: line $line: said ${said:-1}: $(jq -c .costs.lines "$scratch/counted")"; bad=1; }
done
grep -q '^  line 18: .* 32 wavefronts a warp where 1 would do' "$scratch/said" || { echo "FAIL: $(cat "$scratch/said")"; bad=1; }

[ $bad = 0 ] || exit 1
"$build/bin/ks" verify --suite "$suite" --device emu ${draw:+"--draw=$draw"} --no-sandbox 2> "$scratch/log" || { cat "$scratch/log"; exit 1; }

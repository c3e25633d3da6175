# ks skills distill: what won a kernel and no skill does at once becomes a skill on probation, which does that.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
command -v python3 > /dev/null || skip "no python3"
cat > a.cu << 'END_CU'
#pragma ks optimize
#pragma ks workload let(rows=8192) let(cols=512) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void sums(const int *x, int *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int sum = 0;
    for (int c = 0; c < cols; c++)
        sum += x[row * cols + c];
    y[row] = sum;
}
END_CU
export KS_STATE_DIR=$PWD/state
options=(-- -arch=sm_90)
key=$("$ks" --json explain --why a.cu "${options[@]}" 2> log | python3 -c 'import json, sys; print(json.load(sys.stdin)["kernels"][0]["key"])')
won() { # won RATIO PARAMS [SPEED]: the only attempt on the kernel
    rm -rf state
    mkdir state
    "$KS_TEST_TOOLS/ks-add-attempt" state "$key" aaaa "$2" || fail "no attempt"
    python3 -c "
import sqlite3
db = sqlite3.connect('state/memory.db')
db.execute('UPDATE attempts SET ratio = ?, speed = ?', ($1, '${3:-FASTER}'))
db.commit()" || fail "the memory cannot be changed"
}
# What teaches nothing is said, and nothing is kept.
status 1 "$ks" skills distill a.cu "${options[@]}" && says 'nothing that was judged here is faster'
won 1.05 'lanes=32 unroll=4'
status 1 "$ks" skills distill a.cu "${options[@]}" && says 'less than 1.1x is not worth a skill'
won 2 'lanes=32 unroll=4' NOT_FASTER
status 1 "$ks" skills distill a.cu "${options[@]}" && says 'nothing that was judged here is faster'
won 2 'unroll=4'
status 1 "$ks" skills distill a.cu "${options[@]}" && says 'the skill unroll does that already'
[ ! -e state/skills ] || fail "a skill of nothing"
status 2 "$ks" skills distill a.cu:none "${options[@]}" && says 'no marked kernel'
status 2 "$ks" skills distill b.cu && says 'b.cu: no such file'
status 2 env KS_READONLY=1 "$ks" skills distill a.cu "${options[@]}" && says 'read-only'

won 2 'lanes=32 unroll=4'
json 0 skills distill a.cu "${options[@]}"
has '"standing": "probation"'
id=$(basename state/skills/distilled-*.yaml .yaml)
grep -q 'action: {transform: together, params: {unroll: \[4, 8, 2\], lanes: \[32, 64, 16\]}}' "state/skills/$id.yaml" ||
    grep -q 'action: {transform: together, params: {lanes: \[32, 64, 16\], unroll: \[4, 8, 2\]}}' "state/skills/$id.yaml" ||
    { cat state/skills/*; fail "other parameters"; }
status 0 "$ks" skills lint state/skills
status 0 "$ks" skills show "$id" && has 'standing   probation' && has 'distilled from scale'
# It gives the winner, and its neighbours, where its gate lets it; once is enough.
status 0 "$ks" explain --why a.cu "${options[@]}" && has 'action    transform together: 9 candidates'
status 1 "$ks" skills distill a.cu "${options[@]}" && says "the skill $id does that already"
# What the gate says already is no evidence: readonly-path asks for a loop, as the gate does.
won 2 'lanes=32 restrict=1 unroll=4'
status 0 "$ks" skills distill a.cu "${options[@]}" && has ', loops > 0]'
status 0 "$ks" skills lint state/skills
! grep -q '^when: .*loops > 0' state/skills/distilled-*.yaml || { cat state/skills/*; fail "the gate's words are its evidence"; }
# Of packs and blocks the numbers are turned where there is nothing that matters more, within what they take.
cat > b.cu << 'END_CU'
#pragma ks optimize
#pragma ks workload let(n=1<<20) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void twice(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}
END_CU
key=$("$ks" --json explain --why b.cu "${options[@]}" 2> log | python3 -c 'import json, sys; print(json.load(sys.stdin)["kernels"][0]["key"])')
won 2 'block=1024 width=8 bounds=1'
status 0 "$ks" skills distill b.cu "${options[@]}" && has 'params: {block: [1024, 512], width: [8, 16, 4], bounds: [1]}'
status 0 "$ks" explain --why b.cu "${options[@]}" && has 'action    transform together: 6 candidates'

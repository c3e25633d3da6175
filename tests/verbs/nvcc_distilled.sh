# What a search of transforms wins becomes a skill, the skill is shown to pay on three other kernels, and it is used: from
# one `ks tune` to the next, on the emulated device, with modelled evidence.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
share=$("$ks" doctor | sed -n 's/^skills .* in //p')
# Two skills whose composition wins, so that all searches are short.
mkdir -p share/skills/expert
cp "$share/lanes-per-item.yaml" "$share/unroll.yaml" share/skills/expert/
cp -r "$(dirname "$share")/templates" share/skills/
for dir in "$(dirname "$(dirname "$share")")"/*; do
    [ "$(basename "$dir")" = skills ] || ln -s "$dir" share/
done
export KS_SHARE_DIR=$PWD/share KS_STATE_DIR=$PWD/state KS_CACHE_DIR=$PWD/cache
while read -r name cols combine; do
    cat << END
#pragma ks optimize budget(2)
#pragma ks workload let(rows=512) let(cols=$cols) in(x[rows*cols]) out(y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void $name(const int *x, int *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int sum = 0;
    for (int c = 0; c < cols; c++)
        $combine;
    y[row] = sum;
}
END
done > a.cu << 'END'
sums 256 sum += x[row * cols + c]
most 128 sum = max(sum, x[row * cols + c])
bits 192 sum ^= x[row * cols + c]
squares 256 sum += x[row * cols + c] * x[row * cols + c]
END
emulated=(--device=emu --budget=15m -- -arch=sm_90)
json 0 tune a.cu:sums "${emulated[@]}" + kernels
has '"status": "variant"'
# Its steps are what it took, and judging is made of checks.
jq -e '.kernels[0] | .seconds as $all | .spent | (.opening + .profiling + .screening + .judging + .confirming) as $steps |
       $steps <= $all and $steps > 0.9 * $all and .correctness > 0 and .correctness < .judging' out > /dev/null ||
    { cat out; fail "the seconds are told otherwise than they were spent"; }
status 0 "$ks" show --trajectory a.cu:sums -- -arch=sm_90 && grep -q '^|  +- .*unroll=[0-9]* lanes=[0-9]* .*MODELLED' out ||
    { cat out; fail "what was judged stands on nothing"; }
json 0 skills distill a.cu:sums -- -arch=sm_90
has '"standing": "probation"'
id=$(basename state/skills/distilled-*.yaml .yaml)
grep -q 'action: {transform: together, params: {unroll: .*lanes: ' "state/skills/$id.yaml" || fail "no composition: $(cat "state/skills/$id.yaml")"
# Where its parts are not at hand it pays on others than the one it is from.
status 0 "$ks" skills disable lanes-per-item
json 0 skills adopt "$id" a.cu:most a.cu:bits a.cu:squares "${emulated[@]}" + trials
has '"adopted": true' && has '"evidence": "modelled"'
status 0 "$ks" skills show "$id" && has 'standing   adopted: '
json 0 tune a.cu:bits "${emulated[@]}" + kernels
has "\"skill\": \"$id\""
# On a terminal all that a search knows stands in one line, as it goes.
command -v script > /dev/null || exit 0
TERM=xterm script -qec "stty cols 240; $ks tune a.cu:squares ${emulated[*]}" tty.log > /dev/null || fail "no terminal"
tr '\r' '\n' < tty.log > lines
grep -q "^ks: squares: screening [a-z-]*: [a-z-]* [a-z0-9= ]*; last looked at [0-9.]*x, best 1.00x ([0-9.]*x at a look); [0-9]* screened, 0 judged, 0 correct, [0-9]* s left" lines ||
    grep -q "^ks: squares: judging [a-z-]*: $id [a-z0-9= ]*; last looked at [0-9.]*x, best 1.00x ([0-9.]*x at a look); [0-9]* screened, 0 judged, 0 correct, [0-9]* s left" lines ||
    { cat lines; fail "the terminal does not say what is looked at"; }
grep -q "^ks: squares: confirming .*; last MODELLED [0-9.]*x, best [0-9.]*x (over [0-9.]*x); " lines || { cat lines; fail "nothing of the verdict"; }

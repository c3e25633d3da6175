# ks skills adopt: three kernels tuned with a skill and without it, on the emulated device; nothing is stored, and
# what was shown holds for the toolkit that it was shown with.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
share=$("$ks" doctor | sed -n 's/^skills .* in //p')
# One skill beside it, which does nothing here, so that a tuning without the new one ends soon.
mkdir -p share/skills/expert
cp "$share/unroll.yaml" "$share/readonly-path.yaml" share/skills/expert/
cp -r "$(dirname "$share")/templates" share/skills/
for dir in "$(dirname "$(dirname "$share")")"/*; do
    [ "$(basename "$dir")" = skills ] || ln -s "$dir" share/
done
export KS_SHARE_DIR=$PWD/share KS_STATE_DIR=$PWD/state KS_CACHE_DIR=$PWD/cache
# Two judgements: the first is of what the template recognises, and then others are looked at.
for type in float int double; do
    cat << END
#pragma ks optimize budget(2)
#pragma ks workload let(n=2048) in(a[n*n]) out(b[n*n]) grid(ceildiv(n,32),ceildiv(n,8)) block(32,8)
__global__ void turn_$type(const $type *a, $type *b, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < n && y < n)
        b[x * n + y] = a[y * n + x];
}
END
done > a.cu
cat > turned.yaml << 'END'
id: turned-tiles
title: tiles turned on the way
direction: data-layout
when: [strided_writes > 0]
expect: {metric: threads_per_inst, sign: "+", at_least: 8}
how: |
  Mechanism: rows in, rows out, through a tile that is turned in shared memory.
  Pitfalls: banks.
  Sketch: tile[32][33].
action: {template: transpose, params: {tile: [32], lines: [8]}}
sources: [a book]
END
status 0 "$ks" skills add turned.yaml
kernels=(a.cu:turn_float a.cu:turn_int a.cu:turn_double)
status 2 "$ks" skills adopt turned-tiles "${kernels[@]:1}" && says '3 kernels or more'
status 2 "$ks" skills adopt unroll "${kernels[@]}" && says 'installed and in use'
status 2 "$ks" skills adopt turned-tiles "${kernels[@]:1}" no.cu && says 'no.cu: no such file'
json 0 skills adopt turned-tiles "${kernels[@]}" --device=emu --budget=15m -- -arch=sm_90 + trials
has '"adopted": true' && has '"evidence": "modelled"' && has '"without": 1.0'
[ -z "$(find . -name '*.yaml' -path '*.ks*')$(find cache -name '*.yaml' 2> /dev/null)" ] ||
    fail "a decision of a trial is stored"
status 0 "$ks" skills show turned-tiles && has 'standing   adopted: ' && lacks 'shown with'

# Tuned by the user, who has its attempts as a tree. It gains, but not as it says: all threads were at work before.
status 0 "$ks" tune a.cu:turn_float --device=emu --budget=15m -- -arch=sm_90 && has 'turned-tiles'
status 0 "$ks" show --trajectory a.cu:turn_float -- -arch=sm_90
has 'turned-tiles, MODELLED' && has '; not as its skill says: threads_per_inst ' && has 'over the original, more by 8 or more expected'
has ', SCREENED]'
# What a model says teaches nothing.
status 0 "$ks" skills stats && lacks ' 1 of 1 '
# As after a kill, before anything was judged in full: what was looked at is not looked at again.
find . -name '*.yaml' -path '*variants*' -delete
json 0 tune a.cu:turn_float --device=emu --budget=15m -- -arch=sm_90 + kernels
grep -q '"recalled": [1-9]' out || fail "looks of the run before are lost"

# Under another toolkit it has to be shown anew.
command -v python3 > /dev/null || exit 0
python3 -c "
import sqlite3
db = sqlite3.connect('state/memory.db')
db.execute(\"UPDATE skills SET toolkit = '12.9.86'\")
db.commit()" || fail "the memory cannot be changed"
status 0 "$ks" skills show turned-tiles && has 'shown with nvcc 12.9.86' && has 'on probation until'

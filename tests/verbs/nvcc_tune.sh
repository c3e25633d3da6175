# ks tune and ks warm up to the judge's door, with a worker that says hello and dies.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
write_scale a.cu
write_scale4 p.yaml
launcher 90

status 100 "$ks" tune a.cu
says 'scale, sm_90: '
[ -s home/.config/ks/key.sec ] || fail "no key was made"
[ -s home/.local/state/ks/memory.db ] || fail "no memory was made"
json 100 tune a.cu + kernels
has '"status": "failed"'
has '"arch": "sm_90"'

# For another GPU than this one: said, no failure.
status 0 "$ks" tune a.cu -- -arch=sm_80
has 'not tuned: the GPU here (test) is sm_90; tune on one of sm_80'
json 0 tune a.cu -- -arch=sm_80

# Not eligible: the reason.
sed 's/y\[i\] =/printf("%d", i), y[i] =/; 1i #include <cstdio>' a.cu > p.cu
status 0 "$ks" tune p.cu && has 'the kernel prints'
json 0 tune p.cu + kernels
has '"reason": "printf"'

# Pending kernels, under the command of their own compile; a source that is gone is dropped.
compile -arch=sm_80 -c a.cu -o a.o
cp a.cu gone.cu && compile -arch=sm_80 -DX -maxrregcount=40 -c gone.cu -o gone.o && rm gone.cu
json 0 warm + kernels
has '"status": "other-arch"'
says 'gone.cu is gone; no longer pending'
status 0 "$ks" stats && has 'pending now: 1'
compile -arch=sm_90 -c a.cu -o a.o
status 100 "$ks" warm
says 'scale, sm_90: '
sed -i 's/float a,/double a,/; s/set(a=2)//' a.cu
status 2 "$ks" warm
says 'a.cu'

# Decided before: nothing runs without --again, and the kernel is no longer pending.
write_scale a.cu
variant p.yaml a.cu -- -arch=sm_90
status 0 "$ks" tune a.cu && has 'decided before (applied); --again decides anew'
json 0 tune a.cu + kernels
has '"status": "decided"'
status 100 "$ks" tune a.cu --again
status 0 "$ks" tune a.cu --in-build && lacks 'decided before'

# A memory of a newer ks, and a damaged one: named with the next step; tuning goes on without.
db=home/.local/state/ks/memory.db
cp $db good.db
printf '\0\0\0\143' | dd of=$db bs=1 seek=60 conv=notrunc 2> /dev/null
for kind in newer damaged; do
    for verb in stats doctor; do
        status $([ $verb = doctor ] && echo 1 || echo 100) "$ks" $verb
        cat out log > both
        grep -q "memory.db: .*\(newer\|damaged\)" both || { cat both; fail "$verb does not say $kind"; }
    done
    status 100 "$ks" tune a.cu --again
    says "memory.db.*; tuning without memory"
    status 0 "$ks" show a.cu
    says "memory.db.*; attempts are left out"
    echo 'no database, whatever its name says' > $db
done
json 100 stats
cp good.db $db
status 0 "$ks" stats
no_litter

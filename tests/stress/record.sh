# Compiles with the real nvcc what the tests of this folder play back: once plainly, once for each way
# that ks-nvcc compiles it.
. "$KS_TEST_SOURCE/tests/stress/stress_lib.sh"
rm -rf "$KS_TEST_TAPE"
mkdir -p "$KS_TEST_TAPE/tape"
set_kit
export KS_FAKE_RECORD=$nvcc
for objtemp in "" -objtemp; do
    words=(-arch=sm_90 ${objtemp:+"$objtemp"} -MD -MF a.d -c a.cu -o a.o)
    for mark in none pragma; do
        enter
        [ $mark = pragma ] || unmark
        "$KS_NVCC_REAL" "${words[@]}" > out 2> log || fail "nvcc"
        says unused
        compile "${words[@]}"
        [ $mark = pragma ] || continue
        reason pending
        compile "${words[@]}"
        reason pending
        with_variant
        [ -d "$KS_TEST_TAPE/config" ] || cp -r "$HOME/.config/ks" "$KS_TEST_TAPE/config"
        compile "${words[@]}"
        reason applied
        compile "${words[@]}"
        reason applied
    done
done
# Which recorded object is what.
cd "$KS_TEST_TAPE/tape" || fail "no tape"
for entry in */; do
    [ ! -f "$entry/object" ] || echo "$(cat "$entry/kind") $PWD/${entry%/}/object"
done > objects
[ "$(grep -c ^shadow objects)" -ge 2 ] || fail "no substituted object on the tape"

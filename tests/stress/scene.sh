# scene.sh SCENE: every fault at the places of one way through ks-nvcc (hammer.c), or every damage to what
# it keeps (corrupt.c). KS_STRESS=long tries all places.
. "$KS_TEST_SOURCE/tests/stress/stress_lib.sh"
[ -f "$KS_TEST_TAPE/tape/objects" ] || skip "nothing is recorded"
set_kit
enter
options=()
case $1 in
unmarked) unmark ;;
first) ;;
known) compiled && compiled && reason pending ;;
true-key) with_variant ;;
hit | corrupt) with_variant && compiled && compiled && reason applied ;;
strict) with_variant && compiled && reason applied && export KS_MODE=strict ;;
strict-first) with_variant && export KS_MODE=strict ;;
tune) # without a tuner beside it
    mkdir -p ../bin ../share
    cp "$ks_nvcc" ../bin/ks-nvcc
    ks_nvcc=$scene/bin/ks-nvcc
    export KS_SHARE_DIR=${KS_TEST_BIN%/*}/share/ks KS_MODE=tune
    ;;
objtemp) words=(-arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o) && with_variant ;;
*) fail "no scene $1" ;;
esac
case $1 in true-key | hit | strict | strict-first | objtemp) options+=(--may-substitute) ;; esac
case $1 in strict*) options+=(--strict) ;; tune) options+=(--tunes) ;; esac
[ "$thorough" != long ] || options+=(--long)
keep_state
unset KS_LOG
if [ "$1" = corrupt ]; then
    "$KS_TEST_TOOLS/corrupt" "${options[@]}" "$scene" "$ks_nvcc" "$KS_NVCC_REAL" "${words[@]}"
    exit
fi
"$hammer" "${options[@]}" ${HAMMER_ONLY:+--only="$HAMMER_ONLY"} "$scene" "$ks_nvcc" \
    "$KS_NVCC_REAL" "${words[@]}"

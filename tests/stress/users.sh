# Two users of one checkout, with caches of their own and with one that both can write to. Each build ends
# as nvcc's would; what one left is never taken for the other's word.
. "$KS_TEST_SOURCE/tests/stress/stress_lib.sh"
[ -f "$KS_TEST_TAPE/tape/objects" ] || skip "nothing is recorded"
[ "$(id -u)" = 0 ] || skip "only root can be two users"
set_kit
enter
with_variant
chmod -R go+rX .
keep_state
cd w || fail "no folder"
command -v setpriv > /dev/null || skip "no setpriv (package util-linux)"
setpriv --reuid=65533 --regid=65533 --clear-groups test -r "$PWD/a.cu" ||
    skip "other users cannot read the build folder"
rm a.o a.d
chmod 777 . # the checkout, and what lies in it
mkdir -p one two && cp -r home/.config one/ && cp -r home/.config two/
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key=home/.config/ks/key.sec)" > ks.yaml
touch -d '2020-01-01' ks.yaml

# as N WORDS...: user 6553N compiles.
as() {
    local user=6553$1 home=$PWD/one
    [ "$1" = 3 ] || home=$PWD/two
    shift
    chown -R $user:$user "$home"
    HOME=$home TMPDIR=$TMPDIR KS_REMARKS=all setpriv --reuid=$user --regid=65534 --clear-groups \
        env "$@" "$ks_nvcc" -arch=sm_90 -MD -MF d$user.d -c a.cu -o o$user.o > out 2> log ||
        fail "user $user: ks-nvcc exits with $?"
    known_object o$user.o
    depends d$user.d a.cu
    find . -name '.ks-*' | grep . && fail "a draft of $user is left"
    find tmp -mindepth 1 | grep . && fail "user $user left something in TMPDIR"
    return 0
}
chmod 1777 tmp
for round in 1 2; do
    for user in 3 4; do
        as $user
        reason applied
        known_object o6553$user.o shadow
    done
done
diff -r ../state/.ks .ks || fail "the store has changed"

# One cache for both, as a group would set it up.
mkdir -m 2777 shared
for round in 1 2; do
    for user in 3 4; do
        as $user KS_CACHE_DIR="$PWD/shared"
        [ "$(grep -c "variable.*unused" log)" = 1 ] || fail "nvcc's warning is not there once"
    done
done
# A manifest that says what its reader's own would say, by somebody else: not believed.
rm -rf shared && mkdir -m 2777 shared
as 3 KS_CACHE_DIR="$PWD/shared"
as 3 KS_CACHE_DIR="$PWD/shared" KS_FAKE_LOG="$PWD/calls"
own=$(grep -c '^arg -c$' calls)
chown -R 65534 shared
rm -f calls
as 3 KS_CACHE_DIR="$PWD/shared" KS_FAKE_LOG="$PWD/calls"
[ "$(grep -c '^arg -c$' calls)" -gt "$own" ] || fail "another user's manifest is believed"
echo "compiles: $own with an own manifest, $(grep -c '^arg -c$' calls) with another's"

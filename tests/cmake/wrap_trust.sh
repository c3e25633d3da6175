# A key that is trusted, revoked and trusted again; a shared folder that comes and goes: each time make
# builds again what is marked, and nothing else; ccache's fingerprint follows. And `ks gc` leaves what a
# build refers to.
. "$KS_TEST_SOURCE/tests/lib.sh"
ks=$KS_TEST_BIN/ks
export -n "${!KS_TEST_@}" # ks warns of variables that nothing reads
command -v make > /dev/null || skip "no make"
write_scale a.cu
write_scale4 p.yaml
printf 'settings: {mode: consume} # kept\n' > ks.yaml
cat > Makefile <<END
a.o: a.cu
	$ks_nvcc --ks-remarks=all -arch=sm_90 -MD -MF a.d -c a.cu -o a.o
-include a.d
END
build() { make > out 2> log || fail "make"; }
still() { make -q || fail "make would build again"; }
prints() { "$ks_nvcc" --ks-fingerprint; }
variant --key=friend.sec p.yaml a.cu -- -arch=sm_90
friend=$("$make_variant" --public --key=friend.sec)

build
reason untrusted
plain a.o
still
for round in first second; do
    was=$(prints)
    status 0 "$ks" trust add "$friend" --project
    now=$(prints)
    [ "$now" != "$was" ] || fail "$round: the fingerprint does not follow a key that comes"
    build
    reason applied
    substituted a.o
    still
    status 0 "$ks" trust remove "$friend" --project
    [ "$(prints)" != "$now" ] || fail "$round: the fingerprint does not follow a key that goes"
    build
    reason untrusted
    plain a.o
    still
done

# From a shared folder: the project's word does not count there, the user's does.
status 0 "$ks" trust add "$friend" --project
status 0 "$ks" trust add "$friend" --user
status 0 "$ks" export --to=shared
status 0 "$ks" trust remove "$friend" --user
rm -r .ks/[0-9a-f]* && : > .ks/index
export KS_STORE_DIR=$PWD/shared
build
reason untrusted
depends a.d "$PWD/shared/index"
depends a.d "$PWD/ks.yaml"
still
status 0 "$ks" trust add "$friend" --user
build
reason applied
substituted a.o
mv shared away # as a mount that is gone: the original, and no word about it
build
reason pending
plain a.o
[ "$(wc -l < log)" = 1 ] || fail "more is said than the remark"
mv away shared
touch a.cu
build
reason applied

# Two months later: what the build refers to stays, with the shadow that a debugger shows.
unset KS_STORE_DIR
rm -rf .ks ks.yaml
"$make_variant" p.yaml a.cu -- -arch=sm_90 > made 2> log || fail "ks-make-variant"
variant=$(head -n 1 made)
[[ $variant == "$cache"/variants/* ]] || fail "the variant is at $variant"
build
reason applied
find "$cache" -exec touch -d '60 days ago' {} +
find "$cache/manifests" -type f -exec touch {} +
status 0 "$ks" gc --max-size=0
[ -e "$variant" ] || fail "the variant is gone"
[ -n "$(find "$cache/shadow" -name a.cu)" ] || fail "the shadow is gone"
still
echo '// changed' >> a.cu
status 0 "$ks" gc --max-size=0
[ ! -e "$variant" ] || fail "nothing refers to the variant any more, and it stays"
[ -z "$(find "$cache/shadow" -name a.cu)" ] || fail "the shadow stays"
build
reason pending
no_litter

# The recipes of samples/ci as scripts: warmed on one machine (ks-make-variant in place of the search),
# built on others, with what can go wrong in between. And the YAML around them, where it can be read.
. "$KS_TEST_SOURCE/tests/lib.sh"
export -n "${!KS_TEST_@}" # ks warns of variables that nothing reads
command -v make > /dev/null || skip "no make"
ci=$KS_TEST_SOURCE/samples/ci
real=$KS_TEST_BIN/ks
for name in github gitlab; do
    for script in warm.sh consume.sh; do
        grep -q "ci/$script decisions.ksb cmake --build" "$ci/$name.yml" || fail "$name.yml does not run $script"
    done
    python3 -c 'import yaml' 2> /dev/null || { echo "no python3-yaml: $name.yml is not read"; continue; }
    python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$ci/$name.yml" 2> log || fail "$name.yml"
done

# `ks` of the GPU machine: what is pending is decided, by hand.
mkdir -p bin site runner
cat > bin/ks <<END
#!/bin/sh
case \$1 in
requalify) exit 0 ;;
warm)
    "$real" stats | grep -q 'pending now: 0' && exit 0
    echo tuned >> "$PWD/tuned"
    exec "$make_variant" p.yaml a.cu -- -arch=sm_90 ;;
*) exec "$real" "\$@" ;;
esac
END
chmod +x bin/ks
write_scale site/a.cu
write_scale4 site/p.yaml
printf 'trust:\n  - %s\n' "$("$make_variant" --public --key=ci.sec)" > site/ks.yaml
printf 'a.o: a.cu\n\t%s --ks-remarks=all -arch=sm_90 -c a.cu -o a.o\n' "$ks_nvcc" > site/Makefile
cp -r site dev

cd site || exit 1
warm() {
    SIGNING_KEY=$(cat ../ci.sec) HOME=$PWD/../runner PATH=$PWD/../bin:$PATH status "$1" \
        "$ci/warm.sh" decisions.ksb make -B
}
warm 0
reason pending
[ "$(wc -l < ../tuned)" = 1 ] || fail "nothing was tuned"
[ ! -e ../runner/.config/ks/key.sec ] || fail "the signing key stays on the runner"
[ -z "$(find "$TMPDIR" -name key.sec)" ] || fail "the signing key stays in $TMPDIR"
rm -rf .ks ../runner/.cache
warm 0 # a fresh checkout: what the file holds needs no GPU
[ "$(wc -l < ../tuned)" = 1 ] || fail "tuned again"
cp decisions.ksb ../dev/

cd ../dev || exit 1
PATH=$KS_TEST_BIN:$PATH
consume() { HOME=$PWD/../home status "$1" "$ci/consume.sh" "${2:-decisions.ksb}" make -B; }
consume 0
reason applied
substituted a.o
rm -rf .ks a.o
consume 0 none.ksb
says 'none.ksb is not there: building the originals'
plain a.o
rm -f a.o
KS_MODE=strict consume 2 none.ksb # make's own status
[ ! -e a.o ] || fail "strict, and an object all the same"
head -c 2000 decisions.ksb > cut.ksb
consume 2 cut.ksb
says 'nothing is imported'
: > ks.yaml
consume 1
says 'is not trusted in this project'
[ ! -e a.o ] || fail "built in spite of a refused file"

# Things that go wrong in the middle end in nvcc's own object, or in none; never in an unproved one.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml
words=(-arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o)
"$nvcc" "${words[@]}" && cp a.o expected.o || fail "nvcc"
variant p.yaml a.cu -- -arch=sm_90

# A script stands for nvcc. It counts compiles in `runs` and does `./fault N before|after` around each.
mkdir script
cat > script/nvcc <<END
#!/bin/bash
case " \$* " in *" -c "*) ;; *) exec $nvcc "\$@" ;; esac
echo run >> "$PWD/runs"
n=\$(wc -l < "$PWD/runs")
parent=\$PPID
. "$PWD/fault"
fault \$n before || exit
$nvcc "\$@"
status=\$?
fault \$n after
exit \$status
END
chmod +x script/nvcc
export KS_NVCC_REAL=$PWD/script/nvcc
fault() { # fault BODY: of the function fault
    printf 'fault() { %s\n}\n' "$1" > fault
    rm -f runs a.o a.d
    rm -rf "$cache/manifests" "$cache/shadow"
}
fault ':'
compile "${words[@]}"
reason applied
substituted a.o

# The cache is deleted before, between and behind the compiles, and its shadow while it is read.
for when in '1 before' '1 after' '2 before' '2 after'; do
    fault "[ \"\$*\" = '$when' ] && rm -rf '$cache'; true"
    cp -r "$cache" saved
    compile "${words[@]}"
    is_same a.o expected.o || substituted a.o
    depends a.d a.cu
    rm -rf "$cache"
    mv saved "$cache"
done
fault "[ \$1 = 2 ] && : > $cache/shadow/*/a.cu; true"
compile "${words[@]}"
grep -q "ks:\(shadow-failed\|no-proof\|dependencies-changed\)" log || fail "no reason"
same a.o expected.o
fault ':' # and it was not remembered
compile "${words[@]}"
reason applied

# The shadow's compile dies, is refused memory, or does nothing.
# shellcheck disable=SC2016
for how in 'kill -9 $BASHPID' 'echo "cc1plus: out of memory" >&2; exit 4' 'exit 1' 'exit 0' ; do
    fault "[ \"\$*\" = '2 before' ] && { $how; }; true"
    compile "${words[@]}"
    same a.o expected.o
    fault ':'
    compile "${words[@]}"
    reason applied
    # The same on a manifest hit: two compiles more, of which the first is plain.
    rm -f runs a.o
    printf 'fault() { [ "$*" = "1 before" ] && { %s; }; true\n}\n' "$how" > fault
    compile "${words[@]}"
    reason applied
    substituted a.o
done

# ks-nvcc is killed before, between and behind: an object that is right, or none.
for path in proof hit; do
    for when in '1 before' '1 after' '2 before' '2 after'; do
        if [ $path = proof ]; then
            fault ':'
        else
            fault ':'
            compile "${words[@]}"
            rm -f runs a.o a.d
        fi
        printf 'fault() { [ "$*" = "%s" ] && { kill -9 $parent; sleep 0.1; }; true\n}\n' "$when" > fault
        "$ks_nvcc" "${words[@]}" > out 2> log
        [ ! -e a.o ] || is_same a.o expected.o || {
            [ $path = hit ] && substituted a.o; } || fail "$path, killed $when: a wrong object"
        fault ':'
        compile "${words[@]}"
        reason applied
        no_litter # what was killed could not clean up
    done
done

# A file is written while it is compiled, and its date does not tell: the clock was set back, or the
# file server's is behind.
edit_when() { # edit_when "N before|after" COMMAND: the edit
    rm -f runs a.o a.d
    # shellcheck disable=SC2016
    printf 'fault() { [ "$*" = "%s" ] && %s && touch -d 2001-01-01 a.cu op.h; true\n}\n' "$1" "$2" > fault
}
sed 's/a \* x\[i\]/OP(a, x[i])/; 1i #include "op.h"' a.cu > as_it_was.cu
cp a.cu without_header.cu
echo '#define OP(a, x) ((a) * (x))' > op.h
# What is remembered is of what was compiled: another kernel than that of the edit.
sed 's/OP(a, x.i.)/a + x[i]/' as_it_was.cu > a.cu
fault ':'
edit_when '1 after' 'cp as_it_was.cu a.cu'
compile "${words[@]}"
reason pending
printf 'fault() { :\n}\n' > fault
compile "${words[@]}"
reason applied
# nvcc read the edit: its object stays.
sed 's/2.f, n/3.f, n/' as_it_was.cu > a.cu
"$nvcc" "${words[@]}" && mv a.o edited.o || fail "nvcc"
cp as_it_was.cu a.cu
fault ':'
edit_when '1 before' 'sed -i "s/2.f, n/3.f, n/" a.cu'
compile "${words[@]}"
same a.o edited.o
# What is remembered of a kernel says nothing of the one that its header makes of it.
cp as_it_was.cu a.cu
fault ':'
compile "${words[@]}"
substituted a.o
edit_when '1 before' 'sed -i "s/ [*] / + /" op.h'
compile "${words[@]}"
grep -q ' + ' op.h || fail "the header is not edited"
plain a.o
mv without_header.cu a.cu

# Ctrl-C on a terminal reaches the whole group: the status is nvcc's (of the compile that makes the
# user's object), no compile follows, nothing is substituted, nothing left.
for when in '1 before' '2 before'; do
    fault "[ \"\$*\" = '$when' ] && { kill -INT 0; sleep 5; }; true"
    want=130
    [ "$when" = '1 before' ] || want=0
    status $want setsid -w "$ks_nvcc" "${words[@]}"
    [ "$(wc -l < runs)" = "${when%% *}" ] || fail "a compile after Ctrl-C"
    [ ! -e a.o ] || same a.o expected.o
    no_litter
done
# SIGTERM to ks-nvcc alone goes on to nvcc.
fault "[ \"\$*\" = '1 before' ] && { kill -TERM \$parent; sleep 5; }; true"
status 143 "$ks_nvcc" "${words[@]}"
[ "$(wc -l < runs)" = 1 ] || fail "a compile after SIGTERM"
no_litter

# Full disks: the cache, and the folder for temporary files.
if unshare -m true 2> /dev/null; then
    fault ':'
    for place in "$cache" tmp; do
        mkdir -p "$place"
        unshare -m bash -c '
            mount -t tmpfs -o size=64k none "$1" && mkdir -p "$1/variants"
            dd if=/dev/zero of="$1/fill" bs=1k 2> /dev/null
            shift
            "$@" > out 2> log' - "$place" "$ks_nvcc" "${words[@]}"
        got=$?
        if [ "$place" = tmp ]; then # nvcc itself has no room
            [ $got != 0 ] || same a.o expected.o
        else
            [ $got = 0 ] || fail "full cache: exit $got"
            same a.o expected.o
        fi
    done
else
    echo "not tried: full disks (no mount namespace)"
fi
no_litter

# The real nvcc leads back here, once or for ever: an answer, and no endless loop.
cat > script/nvcc <<END
#!/bin/sh
exec "$ks_nvcc" "\$@"
END
PATH=$(dirname "$nvcc"):$PATH compile "${words[@]}"
reason applied
substituted a.o
PATH=$PWD/script:$PATH timeout 20 "$ks_nvcc" "${words[@]}" > out 2> log
got=$?
[ $got = 0 ] || [ $got = 110 ] || fail "recursion: exit $got"
no_litter

# What a compile touches, as the kernel sees it: read-only writes nothing but the outputs, no socket
# and no GPU is ever opened, and a home is not needed, nor any variable but PATH.
KS_TEST_NVCC=$KS_TEST_REAL_NVCC # remembered steps write files of their own
. "$KS_TEST_SOURCE/tests/lib.sh"
command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null || skip "no strace, or it may not trace"
write_scale a.cu
write_scale4 p.yaml
touch ks.yaml
variant p.yaml a.cu -- -arch=sm_90
printf 'trust:\n  - %s\n' "$(sed -n 2p "$HOME/.config/ks/key.pub")" > ks.yaml
words=(-arch=sm_90 -std=c++14 -objtemp -MD -MF a.d -c a.cu -o a.o)
home=$HOME

# traced SETTING... -- : the compile under these settings; the calls of all its processes in `trace`.
calls=open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link
calls=$calls,linkat,symlink,symlinkat,truncate,utimensat,utime,utimes,futimesat,chmod,fchmodat,mknod
calls=$calls,mknodat,chdir,socket,connect,sendto,bind
quick=() # the other calls do not stop a process
! strace --seccomp-bpf -f -o /dev/null true 2> /dev/null || quick=(--seccomp-bpf)
traced() {
    rm -f a.o a.d
    strace "${quick[@]}" -f -qq -y -e trace="$calls" -e signal=none -o trace env "$@" "$ks_nvcc" --ks-remarks=all \
        "${words[@]}" > out 2> log || fail "$*: exit $?"
    grep -q 'execve\|openat' trace || fail "nothing was traced"
}
# A name of a change that took place, a line each, below the current folder relative to it.
changes() {
    grep -vE ' = -1 E|O_RDONLY[^|]*\) = |\|O_DIRECTORY' trace |
        grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC)|^[0-9]+ +(creat|mkdir|rename|unlink|rmdir|link|symlink|truncate|utim|futim|chmod|fchmod|mknod)' |
        grep -oE '"[^"]*"' | tr -d '"' | sed "s,^$PWD/,," | sort -u
}
# Outputs, nvcc's temporary files beside them (-objtemp), what is renamed to them, and $TMPDIR. Names
# without a folder are relative to where a process is: none of those may be left behind.
allowed='^(\./)?(a\.o|a\.d|a\.o\..*|\.ks-[0-9a-f]*)$|^tmp/|^/dev/(null|tty)$|^/proc/self/fd/|^[^/]*$'
only_outputs() {
    changes | grep -vxF "$PWD" | grep -vE "$allowed" > other # drafts without a name are made there
    [ ! -s other ] || { cat other; fail "$1 writes elsewhere"; }
    ls -A | grep -vxE 'a\.cu|a\.d|a\.o|p\.yaml|ks\.yaml|\.ks|home|tmp|log|out|trace|other|before|long\.o|keep' > other
    [ ! -s other ] || { cat other; fail "$1 leaves files"; }
    no_litter
}
no_network() {
    grep -E '^[0-9]+ +(socket|connect|sendto|bind)' trace > other
    [ ! -s other ] || { cat other; fail "$1 opens a socket"; }
    grep -E '"/dev/nvidia|libcuda\.so|libnvidia|libcupti' trace > other
    [ ! -s other ] || { cat other; fail "$1 looks for a GPU"; }
}
state() { find home .ks ks.yaml -printf '%p %s %T@\n' | sort; }

# Read-only: on the long way (no manifest), then with one that an ordinary build left.
rm -rf home/.cache
state > before
traced KS_READONLY=1
reason applied
only_outputs "a read-only miss"
no_network "a read-only miss"
state | diff before - || fail "something changed"
cp a.o long.o
traced KS_MODE=consume
reason applied
no_network "a first build"
changes | grep -q '^home/.cache/ks/' || fail "the trace does not show what is written"
state > before
for round in hit; do
    traced KS_READONLY=1
    reason applied
    only_outputs "a read-only hit"
    no_network "a read-only hit"
    state | diff before - || fail "something changed"
    same a.o long.o # wherever the shadow lies
done
# A marked kernel without a variant, and an unmarked file.
mv a.cu keep
sed 's/a \* x/a + x/' keep > a.cu
traced KS_READONLY=1
reason pending
only_outputs "read-only, pending"
echo 'int main() {}' > a.cu
traced KS_READONLY=1
only_outputs "read-only, unmarked"
mv keep a.cu

# Without a home, a driver, a network, or any variable but PATH: applied, and nothing is kept.
bin=$(dirname "$nvcc"):$PATH
rm -rf home && mkdir home && state > before
for settings in -i "-i HOME=/nowhere"; do
    # shellcheck disable=SC2086
    traced $settings PATH="$bin" TMPDIR="$PWD/tmp" CUDA_VISIBLE_DEVICES=
    reason applied
    substituted a.o
    no_network "$settings"
    only_outputs "$settings"
    state | diff before - || fail "something changed"
    same a.o long.o
done
# The folder for temporary files is /tmp then, and nothing stays there either.
ls -A /tmp | sort > before
env -i PATH="$bin" "$ks_nvcc" --ks-remarks=all "${words[@]}" > out 2> log || fail "env -i"
reason applied
ls -A /tmp | sort | comm -13 before - | grep "^ks" && fail "/tmp keeps something"
export HOME=$home

# A source tree that somebody else owns and this user cannot write: an object elsewhere.
[ "$(id -u)" = 0 ] && command -v setpriv > /dev/null || { echo "not root: no other user to be"; exit 0; }
other=$(mktemp -d /tmp/ks-other.XXXXXX) && trap 'rm -rf "$other"' EXIT
chmod 755 "$other"
mkdir "$other/source" "$other/out" "$other/bin" "$other/tmp"
cp a.cu ks.yaml "$other/source/" && cp -r .ks "$other/source/"
cp "$ks_nvcc" "$other/bin/" && cp -rL "$KS_TEST_BIN/../share" "$other/"
chown 65534 "$other/out" "$other/tmp"
find "$other/source" -printf '%p %s %T@ %m\n' | sort > before
cd "$other/out" || fail "cd"
setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH="$bin" TMPDIR="$other/tmp" \
    "$other/bin/ks-nvcc" --ks-remarks=all -arch=sm_90 -std=c++14 -c ../source/a.cu -o a.o > "$OLDPWD/out" \
    2> "$OLDPWD/log" || { cat "$OLDPWD/log"; fail "as another user: $?"; }
cd "$OLDPWD" || fail "cd"
reason applied
substituted "$other/out/a.o"
find "$other/source" -printf '%p %s %T@ %m\n' | sort | diff before - || fail "the sources changed"
[ -z "$(ls -A "$other/tmp")" ] || fail "left behind: $(ls -A "$other/tmp")"

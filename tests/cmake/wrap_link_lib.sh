# Sourced by wrap_link*.sh, after tests/lib.sh: two units with a marked kernel each, `scale` and `other`, a
# program that returns 3, and proposals for both kernels.
# shellcheck shell=bash
write_scale a.cu
sed 's/scale/other/g; s/void run/void run2/; s/a \* x/a + x/' a.cu > b.cu
cat > main.cpp <<'END'
void run(float *, float *, int);
int main() { run(nullptr, nullptr, 0); return 3; }
END
write_scale4 p.yaml
sed 's/a \*/a +/g' p.yaml > q.yaml

linked() { # linked PROGRAM: it runs, and nothing of ours is left behind
    "$1" > /dev/null
    [ $? = 3 ] || fail "$1 does not return 3"
    no_litter
}
# rows TEXT...: the remarks of the last command, by kernel and reason, in this order.
rows() {
    sed -n 's/^.*: remark: \([^:]*\): .*\[ks:\([a-z-]*\)\]$/\1 \2/p' log | diff <(printf '%s\n' "$@") - ||
        fail "not the remarks $*"
}

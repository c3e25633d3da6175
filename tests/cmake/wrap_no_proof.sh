# Without the hook's section or the table's in the object nothing counts as substituted: the object is
# the plain one, and the reason is no-proof. On the first build with a variant, and when it was proved before.
. "$KS_TEST_SOURCE/tests/lib.sh"
command -v objcopy > /dev/null || skip "no objcopy"
write_scale a.cu
write_scale4 p.yaml
words=(-arch=sm_90 -objtemp -MD -MF a.d -c a.cu -o a.o)
"$nvcc" "${words[@]}" && mv a.o expected.o || fail "nvcc"
variant p.yaml a.cu -- -arch=sm_90
# An nvcc that loses a section of what it makes of a shadow (it is given the hook's folder), and a
# hook that leaves no mark: two ways to the same.
mkdir lossy
cat > lossy/nvcc <<END
#!/bin/bash
"$nvcc" "\$@" || exit
case " \$* " in *" -I"*/hook*) ;; *) exit 0 ;; esac
while [ \$# -gt 0 ]; do
    [ "\$1" = -o ] && out=\$2
    shift
done
[ ! -e "$PWD/rename" ] || sed -i 's/_Z5scale/_Z5other/g' "\${out%/*}"/*.stub.c # -objtemp: beside it
[ ! -e "$PWD/lose" ] || objcopy -R "\$(cat "$PWD/lose")" "\$out"
END
chmod +x lossy/nvcc
export KS_NVCC_REAL=$PWD/lossy/nvcc
refused() {
    reason no-proof
    same a.o expected.o
    plain a.o
    depends a.d a.cu
    "$KS_TEST_BIN/ks" inspect a.o > out && grep -q 'no kernel was replaced' out || fail "inspect"
}
for section in .ks_hook .ks_table; do
    echo $section > lose
    rm -rf "$cache/manifests"
    compile "${words[@]}" && refused # the long way
    compile "${words[@]}" && refused # remembered
    rm lose
    rm -rf "$cache/manifests"
    compile "${words[@]}"
    reason applied
    substituted a.o
    echo $section > lose # proved before: every build looks again
    compile "${words[@]}" && refused
    rm lose
done
# A table entry for a kernel that the object does not register.
touch rename
rm -rf "$cache/manifests"
compile "${words[@]}" && refused # the long way
rm rename
compile "${words[@]}" && refused # remembered
# strict does not take it for a decision.
echo .ks_table > lose
rm -rf "$cache/manifests"
status 1 "$ks_nvcc" --ks-mode=strict "${words[@]}"
says '^a.cu:3: error: ks strict: `scale` has no decision for sm_90: the object does not show'
[ ! -e a.o ] || fail "strict leaves an object"
rm lose

# The hook's own file without its mark.
cp -rL "$KS_TEST_BIN/../share/ks" share # the build has links to the sources
sed -i 's/\.pushsection \.ks_hook/.pushsection .other/' share/hook/crt/host_runtime.h
export KS_SHARE_DIR=$PWD/share
rm -rf "$cache/manifests"
compile "${words[@]}" && refused
no_litter

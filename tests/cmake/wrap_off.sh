# Switched off, at every level: environment, flag, file, kernel. The object is nvcc's own, byte for byte,
# and so is what is printed; a kernel beside one that is off is still substituted.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml
touch ks.yaml
variant p.yaml a.cu -- -arch=sm_90
words=(-arch=sm_90 -objtemp)
compile "${words[@]}" -c a.cu -o a.o && reason applied
own() { # own FILE: nvcc's object and text, with whatever SETTING... stands before
    local file=$1
    shift
    "$nvcc" "${words[@]}" -c "$file" -o a.o > nvcc.out 2> nvcc.log || fail "nvcc $file"
    mv a.o nvcc.o
    env "$@" "$ks_nvcc" "${flags[@]}" "${words[@]}" -c "$file" -o a.o > out 2> log || fail "$file"
    same a.o nvcc.o
    same out nvcc.out
    same log nvcc.log
}
flags=()
for setting in KS_MODE=off KS_DISABLE=1 'KS_DISABLE=yes'; do own a.cu "$setting"; done
for flag in --ks-disable --ks-mode=off; do flags=("$flag") && own a.cu KS_MODE=strict; done
flags=()
# The file, by its first mark in both forms, also where strict is asked for; and by ks.yaml.
(echo '#pragma ks off'; cat a.cu) > pragma.cu
(echo '// ks: off'; echo 'int first;'; cat a.cu) > comment.cu
own pragma.cu KS_MODE=strict
own comment.cu KS_MODE=strict
cp ks.yaml ks.keep
echo 'settings: {mode: off}' > ks.yaml
own a.cu KS_X=1
cp ks.keep ks.yaml
# One kernel, in both forms, and from ks.yaml.
sed '/workload/d; s/#pragma ks optimize/#pragma ks off/' a.cu > kernel.cu
sed '/workload/d; s/#pragma ks optimize/\/\/ ks: off/' a.cu > kernel2.cu
own kernel.cu KS_MODE=strict
own kernel2.cu KS_MODE=strict
sed '/^#pragma/d' a.cu > bare.cu
printf 'kernels:\n  - {file: bare.cu, kernel: scale, optimize: "off"}\n' > ks.yaml
own bare.cu KS_MODE=strict
cp ks.keep ks.yaml
(cat a.cu; sed 's/scale/other/; s/scale</other</; s/run/run2/' kernel.cu) > both.cu
KS_MODE=strict compile "${words[@]}" -c both.cu -o a.o
says 'both.cu:3: remark: scale: variant'
says 'other: switched off .*\[ks:mode-off\]'
substituted a.o
readelf -p .ks_note a.o | grep -q 'kernel=other' && fail "a kernel that is off is replaced"
# Silent unless asked; then what was asked for.
for remarks in '' none; do
    KS_REMARKS=$remarks status 0 "$ks_nvcc" "${words[@]}" -c both.cu -o a.o
    silent
done
status 0 "$ks_nvcc" --ks-remarks=applied "${words[@]}" -c both.cu -o a.o
[ "$(wc -l < log)" = 1 ] && says 'ks:applied' || fail "applied alone"
status 0 "$ks_nvcc" --ks-remarks=missed "${words[@]}" -c both.cu -o a.o
[ "$(wc -l < log)" = 1 ] && says 'ks:mode-off' || fail "missed alone"
no_litter

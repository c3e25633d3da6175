# Marks that are wrong: one warning line with file and line, and nvcc's own object.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale good.cu
wrong() { # wrong LINE TEXT SED-EXPRESSION
    sed "$3" good.cu > a.cu
    compile -arch=sm_90 -objtemp -c a.cu -o a.o
    [ "$(wc -l < log)" = 1 ] || fail "$3: not one line"
    says "ks-nvcc: warning: a.cu:$1: .*$2"
    mv a.o ours.o
    "$nvcc" -arch=sm_90 -objtemp -c a.cu -o a.o 2> /dev/null || fail "nvcc"
    same a.o ours.o
    status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 -objtemp -c a.cu -o a.o
    [ ! -e a.o ] || fail "strict leaves an object"
}
wrong 1 'tolerance' 's/optimize/optimize tolerance(1)/'
wrong 2 'wether' 's/let(n=4096)/let(n=4096) in(wether[n])/'
wrong 2 'block' 's/block(256)/block(4096)/'
wrong 1 'kernel' '/^__global__/,/^}/d; s/scale<<<.*x, 2.f, n);//'

# A kernel that is never closed is nvcc's error too.
sed '/^}/,$d' good.cu > a.cu
"$nvcc" -arch=sm_90 -c a.cu -o a.o 2> /dev/null
status $? "$ks_nvcc" -arch=sm_90 -c a.cu -o a.o
# So is a file that is not there.
"$nvcc" -arch=sm_90 -c none.cu -o a.o 2> expected
status $? "$ks_nvcc" -arch=sm_90 -c none.cu -o a.o
diff log expected || fail "another message than nvcc's"
# A mistake in marked code is reported once, in nvcc's words.
sed 's/a \* x\[i\]/a * z[i]/' good.cu > a.cu
"$nvcc" -arch=sm_90 -c a.cu -o a.o 2> expected
status $? "$ks_nvcc" -arch=sm_90 -c a.cu -o a.o
diff log expected || fail "another message than nvcc's"
no_litter

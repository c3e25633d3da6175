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

# Wrong by types that only the compiler knows: the same line, also from the manifest; the other kernels
# of the file are none the worse.
cat > a.cu <<'END'
struct S { int a, b; };
#pragma ks workload out(x[4]) set(s=1,2) grid(1) block(4)
__global__ void first(float *x, S s) { x[0] = s.a; }
#pragma ks workload inout(x[4]) grid(1) block(4)
__global__ void second(S *x) { x[0].a = 2; }
#pragma ks workload out(x[4]) grid(1) block(4)
__global__ void third(float *x) { x[0] = 1; }
END
for round in miss hit; do
    status 0 "$ks_nvcc" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
        --ks-remarks=applied -c a.cu -o a.o
    [ "$(wc -l < log)" = 2 ] || fail "not a line a mark"
    says "^ks-nvcc: warning: a.cu:2: parameter 's' of type S cannot be set"
    says "^ks-nvcc: warning: a.cu:4: the element type of 'x' is not known"
done
compile -arch=sm_90 -c a.cu -o a.o
says 'a.cu:3: remark: first: .*ks:bad-mark'
says 'a.cu:5: remark: second: .*ks:unknown-type'
says 'a.cu:7: remark: third: .*ks:pending'
status 1 "$ks_nvcc" --ks-mode=strict -arch=sm_90 -c a.cu -o a.o
[ "$(grep -c '^a.cu:[357]: error: ks strict' log)" = 3 ] || fail "not an error a kernel"
# Code that is made when the program is linked cannot be told.
for words in '-rdc=true -dlto -arch=sm_90' '-rdc=true -gencode arch=compute_90,code=lto_90'; do
    # shellcheck disable=SC2086
    compile $words -c good.cu -o a.o
    reason lto
done
# Nor is code for one architecture that was compiled for another, or none, what a variant could be.
for words in '-gencode arch=compute_80,code=sm_86' '-arch=compute_80 -code=sm_86,compute_80' \
        '-gencode arch=compute_90,code=compute_90' \
        '-gencode arch=compute_90,code=sm_90 -gencode arch=compute_90a,code=sm_90a' \
        '-gencode arch=compute_90,code=sm_90 -gencode arch=compute_90a,code=compute_90a'; do
    # shellcheck disable=SC2086
    compile $words -c good.cu -o a.o
    reason no-code
done
compile -gencode 'arch=compute_80,code=[sm_80,sm_86]' -c good.cu -o a.o
reason pending

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

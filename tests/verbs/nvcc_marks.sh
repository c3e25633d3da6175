# Files that cannot be explained: one line, file:line, and the next step. The same for each verb.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
launcher 90
all() { # all STATUS TEXT WORDS...: of every verb that looks at a file
    local want=$1 text=$2 verb
    shift 2
    for verb in explain show diff tune; do
        status "$want" "$ks" $verb "$@"
        says "$text"
        one_line
    done
    json "$want" explain "$@"
}
write_scale good.cu
sed 's/in(x\[n\])/in(q[n])/' good.cu > bad.cu
all 2 'bad.cu:2: .*q.*its parameters are' bad.cu
sed 's/ks optimize/ks optimise/' good.cu > bad.cu
all 2 'bad.cu:1: .*optimise' bad.cu
sed '/^#pragma/d' good.cu > plain.cu
all 2 'plain.cu: no kernel is marked; put .*docs/marks.md' plain.cu
sed 's/y\[i\] =/y[i] = nothing_of_that_name +/' good.cu > broken.cu
all 2 'broken.cu does not compile with these options: broken.cu(7): error' broken.cu
all 2 'does not compile with these options: .*sm_999' good.cu -- -arch=sm_999
all 2 'good.cu: -E only preprocesses; give the nvcc options of its compile behind --' good.cu -- -E
all 2 'no marked kernel `other`; there are: scale' good.cu:other
cp good.cu header.cuh
all 2 'header.cuh: ' header.cuh
export KS_NVCC_REAL=/nowhere/nvcc
all 2 'KS_NVCC_REAL' good.cu
no_litter

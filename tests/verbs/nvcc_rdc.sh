# What a worker is given to load is linked as a program's device code is: under -rdc=true a cubin is
# an object.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
write_scale a.cu
# A neighbour that cannot be linked alone is no reason not to judge the kernel.
cat >> a.cu <<'END'
#ifdef SEPARATE
extern __device__ float elsewhere(float);
__global__ void other(float *x) { x[0] = elsewhere(x[1]); }
#endif
END
# Says hello, takes one module and ends.
cat > worker.sh <<END
#!/bin/sh
read -r line
echo '{"id":1,"ok":true,"protocol":1,"device":{"name":"test","driver":"none","arch":90}}'
read -r line
head -c \$(echo "\$line" | sed 's/.*"payload": *\([0-9]*\).*/\1/') > $PWD/received
END
chmod +x worker.sh
export KS_DEVICE=$PWD/worker.sh
type_of() { readelf -h "$1" 2> /dev/null | awk '$1 == "Type:" { print $2 }'; }

"$nvcc" -arch=sm_90 -dc -DSEPARATE -cubin a.cu -o object.cubin 2> /dev/null || fail nvcc
[ "$(type_of object.cubin)" = REL ] || fail "separate compilation makes modules that need no link"
for words in "" "-rdc=true -DSEPARATE" "-dc -DSEPARATE"; do
    rm -f received
    # shellcheck disable=SC2086
    status 100 "$ks" tune --again a.cu -- -arch=sm_90 $words
    [ "$(type_of received)" = EXEC ] || { cat log; fail "with '$words' the module is not linked"; }
    readelf -SW received 2> /dev/null | grep -q '\.text\.[^ ]*scale' || fail "the kernel is missing"
done

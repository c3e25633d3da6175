# ks requalify up to the GPU: what comes into question, and what is said where there is nothing to do.
# The judging itself is tests/unit/test_requalify.c; with a GPU, tests/gpu/run.sh.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
write_scale a.cu
write_scale4 p.yaml
touch ks.yaml
variant p.yaml a.cu -- -arch=sm_90
id=$(basename "$variant" .yaml) key=$(basename "$(dirname "$variant")")
compile -arch=sm_90 -maxrregcount=40 -c a.cu -o a.o # another key, pending
reason pending
status 100 "$ks" requalify
says 'no GPU to tune on'
one_line
status 2 "$ks" requalify -- -arch=sm_90 && says 'go with a FILE.cu'
status 2 env KS_READONLY=1 "$ks" requalify && says KS_READONLY

# A worker that says hello and no more: the stored variant is found, and then the device is missing.
launcher 90
json 100 requalify + kernels 'kernels[].candidates'
has "\"variant\": \"$id\"" && has "\"key\": \"$key\"" && has '"status": "failed"'
status 0 "$ks" requalify a.cu -- -arch=sm_90 && has 'decided before (applied)'
# Another contract is another promise: no variant of the old one comes into question.
sed 's/in(x\[n\])/in(x[n]=uniform(0,2))/' a.cu > b.cu
status 0 "$ks" requalify b.cu -- -arch=sm_90
has 'no variant of it is stored under another key'
json 0 requalify b.cu -- -arch=sm_90 + kernels
has '"status": "none"'
no_litter

# A machine on which nothing was tuned yet; one without a home, or with one that cannot be written.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"

status 0 "$ks" list && has 'no decisions here'
status 0 "$ks" stats && has 'marked kernels met in builds: 0'
status 0 "$ks" warm && has 'nothing is pending'
status 0 "$ks" doctor && has 'the first tune makes it'
status 0 "$ks" requalify && has 'nothing is pending'
json 0 requalify
json 0 list
json 0 stats
json 0 warm
json 0 doctor + checks
# ks-nvcc asks the toolkit's version once and keeps it; looking makes nothing else.
[ -z "$(find home -type f ! -path '*/cache/ks/toolkit/*')" ] || fail "looking made $(find home -type f)"

# No GPU where one is asked for: one sentence with the next step, no key and no memory made.
cat > a.cu <<'END'
#pragma ks optimize
#pragma ks workload let(n=64) out(y[n]) grid(1) block(64)
__global__ void k(float *y, int n) { y[threadIdx.x] = n; }
END
status 100 "$ks" tune a.cu --device cuda
says 'no GPU to tune on: .*; tune on a machine that has one, or name a launcher in KS_DEVICE'
one_line
status 100 "$ks" requalify a.cu
says 'no GPU to tune on'
one_line
json 100 tune a.cu --device=cuda
has '"status": "device"'
[ ! -e home/.config ] || fail "a key was made"
status 0 "$ks" doctor
has 'gpu        note none'

status 2 env KS_READONLY=1 "$ks" tune a.cu
says 'KS_READONLY'
one_line

# No home at all: looking works, tuning says why not before it compiles.
none=(env -i PATH="$PATH" HOME=/nowhere/at/all KS_NVCC_REAL="$nvcc" CUDA_VISIBLE_DEVICES=)
for verb in list stats warm; do
    status 0 "${none[@]}" "$ks" $verb
    silent
done
status 1 "${none[@]}" "$ks" doctor && has 'set HOME'
launcher 90
status 100 "${none[@]}" KS_DEVICE="$KS_DEVICE" "$ks" tune a.cu
says 'home'
one_line

# A folder below a file stands for one that cannot be made: root may write anywhere.
touch file
status 2 env KS_STATE_DIR="$PWD/file/s" "$ks" list
says 'file/s cannot be a folder'
one_line
status 1 env KS_STATE_DIR="$PWD/file/s" "$ks" doctor && has 'file is no folder'
blocked=(env KS_CACHE_DIR="$PWD/file/c" KS_CONFIG_DIR="$PWD/file/k")
status 100 "${blocked[@]}" "$ks" list
says 'file/c/variants: Not a directory'
status 1 "${blocked[@]}" "$ks" doctor && has 'file is no folder'
status 100 "${blocked[@]}" "$ks" tune a.cu
says 'file/k'
one_line

# A ks.yaml that is wrong: file and line.
printf 'kernels:\n  - fiel: a.cu\n' > ks.yaml
status 2 "$ks" list
says 'ks.yaml:2: '
one_line
status 1 "$ks" doctor && has 'ks.yaml:2'
json 1 doctor + checks

# Entries of ks.yaml that match no file: no compile can tell, the doctor does.
mkdir -p project/src
touch project/src/real.cu
cat > project/ks.yaml <<'END'
kernels:
  - {file: "src/*.cu", kernel: k}
  - {file: "*.cu", kernel: k}
  - {file: src/gone.cu, kernel: k}
END
(cd project && "$ks" doctor) > out
has "ks.yaml:3: no file matches \`file: *.cu\`"
has "ks.yaml:4: no file matches \`file: src/gone.cu\`"
lacks 'ks.yaml:2:'

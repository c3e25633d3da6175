#!/bin/bash
# test_kernelbench_figures.sh BUILD_DIR: results of five ports, one of them failed and one without a time of its own, make the
# table, the page and the line that figures.md names; and kernelbench.sh makes such results from what a ks says. Every port
# has its calls of PyTorch's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ports=$here/../../samples/kernelbench
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
# In a folder of its own, wherever it is started.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
set -- "$(cd "$1" && pwd)"
cd "$scratch" || exit 1
mkdir -p out/rows out/src
cp -r "$ports"/level? out/src
echo '{"gpu":"one","driver":"5","arch":"sm_90","budget":"12s","without":""}' > out/run.json
rates='"copy_gbs":4000,"fma_gflops":60000'
variant() { # variant KERNEL US SPEEDUP LOWER
    echo '{"kernel":"'"$1"'","status":"variant","reason":null,"proposed":7,"seconds":3,"speedup":'"$3"',"lower":'"$4"',"skill":"wide",
        "timings":[{"workload":"1","original_us":'"$2"',"ratio":'"$3"'}],"profile":{"time_us":999,'"$rates"'}}'
}
stays() { # stays KERNEL PROFILE
    echo '{"kernel":"'"$1"'","status":"original","reason":null,"proposed":4,"seconds":2,"speedup":null,"lower":null,"skill":null,
        "timings":[],"profile":'"$2"'}'
}
row() { # row PORT KERNELS
    echo '{"schema":"ks.tune","kernels":['"$2"'],"exit":0}' > "out/rows/$1.json"
}
row level1-019_ReLU "$(variant relu 10 2 1.9)"
row level1-037_FrobeniusNorm_ "$(variant sum_squares 300 2 1.8), $(stays finish_norm '{"time_us":5}'), $(stays divide '{"time_us":145}')"
row level1-047_Sum_reduction_over_a_dimension "$(stays sum_middle null)"
echo '{"schema":"ks.profile","kernels":[{"kernel":"sum_middle","profile":{"time_us":6,'"$rates"'}}]}' \
    > out/rows/level1-047_Sum_reduction_over_a_dimension.json.profile
echo '{"kernels":[],"failed":"exit status 124: "}' > out/rows/level1-023_Softmax.json
row level2-080_Gemm_Max_Subtract_GELU "$(variant linear_to_max 800 8 7), $(variant largest_minus_mean 80 8 7)"
python3 "$here/kernelbench_figures.py" out --doc page.md > table || exit 1
tail -1 table > figures.json
cat table
"$1/tests/ks-json-check" "$here/figures.md" figures.json || exit 1
wanted() { # wanted FILE TEXT...
    local text
    for text in "${@:2}"; do grep -qF -- "$text" "$1" || { echo "FAIL: $1 has no $text"; exit 1; }; done
}
# 2, 1.5, 1, 1 and 8; without the last, which is degenerate, 2, 1.5, 1, 1
wanted figures.json '"problems": 5, "geomean": 1.888, "median": 1.5, "quartiles": [1.0, 2.0], "fast_1": 0.6, "fast_1_5": 0.4, "fast_2": 0.2' \
    '"regressions": 0, "failures": 1' '"sound": {"problems": 4, "geomean": 1.316, "median": 1.25' '"level2_sound": {"problems": 0' \
    '"seconds": 18,' '"candidates": 40' '"seconds_median": 3,'
# 2 MiB at 4 TB/s are 0.5 us, a tenth of what is left; 450 us become 300, of which 150 are bound by 1.8
wanted table '1/019_ReLU (first sizes)' '10.0' '2.00 (>= 1.90)' '10 %' '450.0' '300.0' '1.50 (>= 1.42)' 'failed: exit status 124' '(degenerate)' \
    'PyTorch: not run' 'library calls: not run'
wanted page.md "It has 5 of $(ls out/src/level?/*.cu | wc -l) ports so far" '**failed: exit status 124: **' '| 5 | 1.888 |' 'original stays' 'Library column: not run'
wanted page.md "| measured |" "| $(date -u +%Y-%m-%d) |"
# a later run of one port alone: its row is taken anew, and the others stay what they were
mkdir -p later/rows later/src && cp -r out/src/level1 later/src && cp out/run.json later
cp out/rows/level1-019_ReLU.json later/rows && sed -i 's/"speedup":2/"speedup":4/' later/rows/level1-019_ReLU.json
python3 "$here/kernelbench_figures.py" later --doc page.md --source abc123 > table || exit 1
wanted page.md '4.00 (>= 1.90)' '1.50 (>= 1.42)' '**failed: exit status 124: **' "| $(date -u +%Y-%m-%d) abc123 |"
[ "$(grep -c abc123 page.md)" -eq 1 ] && [ "$(grep -c '1/019_ReLU' page.md)" -eq 1 ] || { echo "FAIL: one row is of abc123"; exit 1; }
sed -i 's/sm_90/sm_90a/' later/run.json # the same for another architecture: the page's stays, and the row says which
python3 "$here/kernelbench_figures.py" later --doc page.md --source abd124 > table || exit 1
wanted page.md ', sm_90 where' "| $(date -u +%Y-%m-%d) abd124 sm_90a |"
python3 "$here/kernelbench_figures.py" out --doc page.md > table || exit 1
! grep -q 'sm_90a' page.md || { echo "FAIL: no row is of sm_90a"; exit 1; }
sed -i 's/12s/9s/' later/run.json
! python3 "$here/kernelbench_figures.py" later --doc page.md > table 2> said || { echo "FAIL: rows of two budgets on a page"; exit 1; }
wanted said 'page.json is of another run'
rm -rf later page.json
# one fails, one has a variant that loses: bold, and a regression
row level1-019_ReLU "$(variant relu 10 0.8 0.7)"
python3 "$here/kernelbench_figures.py" out --doc page.md | tail -1 > figures.json
wanted figures.json '"regressions": 1'
wanted page.md '**1/019_ReLU'
# a port whose second kernel is missing has failed, whatever the first gained
row level2-080_Gemm_Max_Subtract_GELU "$(variant linear_to_max 800 8 7)"
python3 "$here/kernelbench_figures.py" out | tail -1 > figures.json
wanted figures.json '"failures": 2'
# PyTorch's eager call takes 25 us where the tuned kernel takes 12.5, and has no time for the others
echo '{"level1/019_ReLU": {"eager_us": 25, "tf32_us": 24}, "level1/023_Softmax": {"error": "no room"}}' > out/torch.json
python3 "$here/kernelbench_figures.py" out --doc page.md > table
tail -1 table > figures.json
wanted figures.json '"eager_problems": 1, "eager_geomean": 2.0, "eager_long_problems": 0, "eager_long_geomean": null, "eager_tf32_geomean": 1.92'
wanted table '25.0' '24.0' 'PyTorch: its own calls'
wanted page.md 'PyTorch columns: its own calls'
# one that is quicker than a tuned kernel is in bold, beside that kernel's time
mv out/torch.json usual.json
echo '{"level1/037_FrobeniusNorm_": {"eager_us": 200, "tf32_us": 200}}' > out/torch.json
python3 "$here/kernelbench_figures.py" out --doc page.md > table
wanted page.md '| **1/037_FrobeniusNorm_ (first sizes)** | 450.0 | **300.0** |' '| **200.0** | 200.0 |'
# what is not measured again stays: PyTorch's calls where kernels are, and the other way round
rm out/torch.json
python3 "$here/kernelbench_figures.py" out --doc page.md > table
wanted page.md '| **200.0** | 200.0 | - |'
echo '{"level1/037_FrobeniusNorm_": {"eager_us": 400, "tf32_us": 410, "compiled_us": 250}}' > out/torch.json
mv out/rows rows && mkdir out/rows
python3 "$here/kernelbench_figures.py" out --doc page.md > table
wanted page.md '| 1/037_FrobeniusNorm_ (first sizes) | 450.0 | 300.0 |' '| 400.0 | 410.0 | 250.0 |'
# and a library's: measured alone, then kept where the kernels are measured again without it
echo '{"037_FrobeniusNorm_": 270}' > out/library.json
python3 "$here/kernelbench_figures.py" out --doc page.md > table
wanted page.md ' | 270.0 | 400.0 | 410.0 | 250.0 |' 'Library column: cuBLAS'
rm out/library.json
rm -r out/rows && mv rows out/rows
python3 "$here/kernelbench_figures.py" out --doc page.md > table
wanted page.md ' | 270.0 | 400.0 | 410.0 | 250.0 |' 'Library column: cuBLAS'
python3 "$here/kernelbench_figures.py" out | tail -1 > figures.json
wanted figures.json '"compiled_problems": 1, "compiled_geomean": 0.833'
mv usual.json out/torch.json
# every port has calls of PyTorch's, which find its sizes; what they compute needs PyTorch
python3 -B - "$here" "$ports" << 'END' || { echo "FAIL: a port without calls"; exit 1; }
import glob, os, sys
from unittest.mock import MagicMock
sys.path.insert(0, sys.argv[1])
for module in ("torch", "torch.nn", "torch.nn.functional"):
    sys.modules[module] = MagicMock()
from kernelbench_calls import call_of
from kernelbench_figures import sizes
for port in glob.glob(os.path.join(sys.argv[2], "level?", "*.cu")):
    level, name = port[:-len(".cu")].split(os.sep)[-2:]
    with open(port) as file:
        call_of(int(level[-1]), int(name.split("_")[0]), sizes(file.read()))
END
# with TF32 on both sides it takes 24, and that page is another
sed -i 's/}/,"tf32":true}/' out/run.json
! python3 "$here/kernelbench_figures.py" out --doc page.md > table 2> said || { echo "FAIL: rows with TF32 and without on a page"; exit 1; }
python3 "$here/kernelbench_figures.py" out --doc tf32.md > table
tail -1 table > figures.json
wanted figures.json '"tf32": true' '"eager_problems": 1, "eager_geomean": 1.92'
wanted tf32.md 'TF32 allowed on both sides' 'what copying alone'
# of a page with one port the others count as they were tuned without: PyTorch takes 24 us for 12.5 and 410 for 300
rm tf32.md tf32.json
mv out/rows rows && mkdir out/rows && cp rows/level1-019_ReLU.json out/rows
python3 "$here/kernelbench_figures.py" out --doc tf32.md > table
! grep -q 'the others' tf32.md || { echo "FAIL: nobody named the others"; exit 1; }
python3 "$here/kernelbench_figures.py" out --doc tf32.md --rest page.json > table
! python3 "$here/kernelbench_figures.py" out --doc tf32.md --rest absent.json > table 2> said || { echo "FAIL: sums over a page that is not there"; exit 1; }
wanted said 'absent.json has no rows of ports'
wanted tf32.md 'It has 1 of' '| all | 1 |' '| all and the others | 5 |' '| 2 | 1.62 | 1 | 1.367 | 1.62 | 0 |' '*And the others*'
rm -r out/rows && mv rows out/rows
"$1/tests/ks-json-check" "$here/figures.md" figures.json || exit 1
sed -i 's/,"tf32":true//' out/run.json
rm out/torch.json tf32.md tf32.json

# The run itself, with a ks that fails one port: two parts make the whole, nothing is measured twice, and the failure counts.
mkdir -p build/bin build/share/ks
cat > build/bin/ks << 'END'
#!/bin/bash
echo "$1 $(basename "$2") ${KS_STATE_DIR##*/}" >> "$CALLS"
[ -z "${STOPPED:-}" ] || { echo '{"kernels":[{"kernel":"a","status":"interrupted"}]}'; exit 1; }
[ -z "${SLEEPS:-}" ] || exec sleep "$SLEEPS"
[[ $2 != *_Mish_Mish* ]] || { echo "no such luck" >&2; exit 3; }
sed -n 's/^__global__ void \([a-z0-9_]*\)(.*/\1/p' "$2" |
    sed 's/.*/{"kernel":"&","status":"original","reason":null,"proposed":1,"seconds":1,"speedup":null,"lower":null,"skill":null,"timings":[],"profile":{"time_us":5}}/' | paste -sd, | sed 's/.*/{"kernels":[&]}/'
END
chmod +x build/bin/ks
export CALLS=$PWD/calls KS_DEVICE=emu
rm -rf calls parts.json run alone late shared slow stopped tf32
n=$(ls "$ports"/level2/*Conv2d_*.cu | wc -l)
for part in 1/2 2/2 1/2; do
    bash "$here/kernelbench.sh" build run --part $part Conv2d_ > said || exit 1
    tail -1 said >> parts.json
done
tail -1 said > figures.json
! head -1 parts.json | grep -qF "\"problems\": $n," || { echo "FAIL: one part of two is the whole"; exit 1; }
wanted figures.json "\"problems\": $n, \"geomean\": 1.0" '"failures": 1'
wanted said 'failed: exit status 3: no such luck'
[ "$(grep -c '^tune' calls)" -eq "$n" ] || { echo "FAIL: $(grep -c '^tune' calls) calls for $n ports"; exit 1; }
BUDGET=9s bash "$here/kernelbench.sh" build run Conv2d_ 2> said
[ $? -eq 2 ] || { echo "FAIL: an OUT of another budget is taken"; exit 1; }
wanted said 'was begun differently'
bash "$here/kernelbench.sh" build alone --without memory 1_Conv2D > said || exit 1
wanted calls 'tune 001_Conv2D_ReLU_BiasAdd.cu level2-001_Conv2D_ReLU_BiasAdd'
# With TF32 every mark of the copies says so, and an OUT without it is another.
bash "$here/kernelbench.sh" build tf32 --tf32 1_Conv2D | tail -1 > figures.json || exit 1
wanted figures.json '"tf32": true'
[ "$(cat tf32/src/level?/*.cu | grep '^#pragma ks optimize' | grep -c 'tol(sum=2e-3)')" -eq "$(cat "$ports"/level?/*.cu | grep -c '^#pragma ks optimize')" ] ||
    { echo "FAIL: a mark without TF32"; exit 1; }
bash "$here/kernelbench.sh" build run --tf32 Conv2d_ 2> said
[ $? -eq 2 ] || { echo "FAIL: an OUT without TF32 is taken"; exit 1; }
# Two runs that share an OUT take each port once, and together all.
rm calls
bash "$here/kernelbench.sh" build shared --shared Conv2d_ > said & bash "$here/kernelbench.sh" build shared --shared Conv2d_ > other
wait
bash "$here/kernelbench.sh" build shared --shared Conv2d_ | tail -1 > figures.json
wanted figures.json "\"problems\": $n, \"geomean\": 1.0"
[ "$(sort -u calls | wc -l) $(wc -l < calls)" = "$n $n" ] || { echo "FAIL: sharing, $n ports:"; cat calls; exit 1; }
# What was stopped is no result.
STOPPED=1 bash "$here/kernelbench.sh" build stopped 1_Conv2D > said
[ $? -eq 130 ] && [ -z "$(ls stopped/rows | grep -v err)" ] || { echo "FAIL: a stopped run left $(ls stopped/rows)"; exit 1; }
STOPPED=1 bash "$here/kernelbench.sh" build stopped --shared 1_Conv2D > said
bash "$here/kernelbench.sh" build stopped --shared 1_Conv2D | tail -1 > figures.json
wanted figures.json "\"problems\": $(ls "$ports"/level?/*1_Conv2D*.cu | wc -l)," # what was stopped is not taken for ever
# A port that takes more than it may is left, and the next one is begun.
SLEEPS=9 MOST=1 bash "$here/kernelbench.sh" build slow --shared 1_Conv2D 71_Conv2d > said || exit 1
[ "$(grep -c 'not done in 1 s' said)" -gt 1 ] && [ -z "$(ls slow/rows | grep -v err)$(ls slow/taken)" ] || { echo "FAIL: ports beyond MOST"; cat said; exit 1; }
wanted said 'ports of this part are left'
LIMIT=0 bash "$here/kernelbench.sh" build late Conv2d_ > said || exit 1
wanted said "$n ports of this part are left"
exit 0

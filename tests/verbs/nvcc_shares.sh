# ks tune --shares: one budget for the kernels of a file, by their share of GPU time in a recording.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
for name in small large absent; do
    cat << END
#pragma ks optimize budget(1)
#pragma ks workload let(n=65536) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
extern "C" __global__ void $name(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 3 * x[i];
}
END
done > a.cu
cat > recording << 'END'
{"p":7,"ks":"recording","format":1,"program":"/p","cupti":130001,"t":1}
{"p":7,"device":0,"name":"NVIDIA H200","arch":90,"sms":132,"threads":2048,"blocks":32,"registers":65536,"shared":233472,"memory":4814}
{"p":7,"kernel":0,"name":"small"}
{"p":7,"kernel":1,"name":"large"}
{"p":7,"class":0,"kernel":0,"grid":[1,1,1],"block":[256,1,1],"cluster":[1,1,1],"static":0,"dynamic":0,"local":0,"registers":16,"device":0,"graph":false}
{"p":7,"class":1,"kernel":1,"grid":[1,1,1],"block":[256,1,1],"cluster":[1,1,1],"static":0,"dynamic":0,"local":0,"registers":16,"device":0,"graph":false}
{"p":7,"at":1000,"launches":[0,0,0,3000,1,0,5000,9000]}
{"p":7,"end":2,"t":2}
END
words=(--device=emu -- -arch=sm_90)
status 2 "$ks" tune a.cu --shares=recording "${words[@]}" && says 'give --budget=TIME for all kernels together'
status 2 "$ks" tune a.cu --shares=none --budget=9s "${words[@]}" && says none
status 2 "$ks" tune a.cu --shares=a.cu --budget=9s "${words[@]}" && says a.cu
# The largest share first; what is too short to judge anything is not begun.
json 0 tune a.cu --shares=recording --budget=4s "${words[@]}" + kernels
grep '"kernel":\|"status":\|"text":' out | sed 's/^ *//' > rows
sed -n 1p rows | grep -q large && sed -n 4p rows | grep -q small && sed -n 7p rows | grep -q absent || fail "another order: $(cat rows)"
[ "$(grep -c '"status": "small-share"' rows)" = 3 ] || fail "something was tuned"
sed -n 3p rows | grep -q 'leaves it 3.0 s of the budget' || fail "another share: $(cat rows)"
has 'the recording has no launch of it'
# With time enough the large one is tuned.
json 0 tune a.cu:large --shares=recording --budget=15m "${words[@]}" + kernels
grep -q '"status": "\(variant\|original\|budget\)"' out || fail "it was not tuned"
# Pending kernels of several files share one budget too.
awk '/optimize/ { n++ } { sub(/3 \*/, n + 4 " *"); print > ("part" n ".cu") }' a.cu
for n in 1 2 3; do compile -arch=sm_90 -c part$n.cu -o part$n.o; done
launcher 90
status 2 "$ks" warm --shares=recording && says 'give --budget=TIME for all kernels together'
json 0 warm --shares=recording --budget=4s + kernels
grep '"kernel":\|"status":\|"text":' out | sed 's/^ *//' > rows
sed -n 1p rows | grep -q large && sed -n 4p rows | grep -q small && sed -n 7p rows | grep -q absent || fail "another order: $(cat rows)"
[ "$(grep -c '"status": "small-share"' rows)" = 3 ] || fail "something was tuned"
sed -n 6p rows | grep -q 'leaves it 4.0 s of the budget' || fail "another share: $(cat rows)"
json 100 warm --shares=recording --budget=8s + kernels # 6 s and more for the large one: it is begun
grep '"kernel":\|"status":' out | sed -n 2p | grep -q failed || fail "the largest share was not begun: $(cat out)"

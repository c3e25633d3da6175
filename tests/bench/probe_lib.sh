# Sourced by probe.sh here and by tests/gpu/record.sh: what recording and capturing cost. `ks` is the program; files go to the
# current folder.
# shellcheck shell=bash

nth() { sed -n "s/^$2=//p" $3 | sort -g | sed -n "$1p"; } # N NAME FILES

# recording_figures PROGRAM (tests/gpu/recorded.cu): a line of JSON. A million launches for what is lost; of launches the best of
# seven runs of 200,000, alone and recorded in turn, since other work on the machine only adds; of kernels of 40 us the median of three.
recording_figures() {
    local i
    timeout 60 "$ks" --json record -o many.rec -- "$1" many >many.json 2>million.said
    for i in 1 2 3 4 5 6 7; do
        "$1" many 200000 >many$i.alone
        timeout 60 "$ks" record -o part.rec -- "$1" many 200000 >many$i.said 2>&1
    done
    for i in 1 2 3; do
        "$1" paced >paced$i.alone
        timeout 60 "$ks" --json record -o paced.rec -- "$1" paced >paced.json 2>paced$i.said
    done
    python3 -c "
import json, os
a, b, c, d = $(nth 1 launch_us 'many?.alone'), $(nth 1 launch_us 'many?.said'), $(nth 2 kernel_us 'paced?.alone'), $(nth 2 kernel_us 'paced?.said')
r = json.load(open('many.json'))
print(json.dumps({'launch_us': a, 'launch_overhead_us': round(b - a, 4), 'kernel_us': c, 'kernel_overhead_pct': round(100 * (d / c - 1), 3),
                  'lost_records': 1000001 - r['launches'], 'dropped': r['dropped'], 'recording_bytes': os.path.getsize('many.rec')}))"
    rm -f many.rec part.rec paced.rec
}

# capture_figure PROGRAM (tests/gpu/captured.cu): GB/s of 1 GiB copied before and after a launch, compressed and written; what the
# program takes alone (the least of three) is not counted; null where that is more than it takes recorded, as beside other work.
# The current folder is a project's.
capture_figure() {
    timeout 120 "$ks" --json record --capture touch --max-bytes=4G -- "$1" 1024 >capture.json 2>capture.said
    "$1" 1024 >/dev/null # the files are read once
    python3 -c "
import json, subprocess, time
r = json.load(open('capture.json'))
def run():
    t = time.time(); subprocess.run(['$1', '1024'], stdout=subprocess.DEVNULL); return time.time() - t
more = r['seconds'] - min(run() for _ in range(3))
print(round(2.147 / more, 3) if r['captures'] and more > 0.1 else 'null')"
}

# merge JSON...: one object of all.
merge() { python3 -c "import json, sys; print(json.dumps({k: v for a in sys.argv[1:] for k, v in json.loads(a).items()}))" "$@"; }

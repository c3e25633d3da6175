#!/bin/bash
# test_probe.sh BUILD_DIR: the parts of probe.sh, on a made-up probe and programs that use no GPU, make the line that figures.md
# names. What they measure here says nothing.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
fakes=$build/tests/fake_probe
ks=$build/bin/ks
. "$here/probe_lib.sh"
# In a folder of its own, wherever it is started.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir project home
export HOME=$PWD/home LD_LIBRARY_PATH=$fakes KS_CUPTI_DIR=$fakes
unset XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME

profiled=$(python3 "$here/probe_seconds.py" "$build/tests/ks-fake-probe" "$fakes/libnvperf_host.so.13" 64)
case $profiled in
*'"profile_metrics": 59, "profile_passes": 10, "profile_kernel_us": 960.0, "profile_refused": null'*) ;;
*) echo "a profile: $profiled"; exit 1 ;;
esac
refused=$(FAKE_COUNTERS=rights python3 "$here/probe_seconds.py" "$build/tests/ks-fake-probe" "$fakes/libnvperf_host.so.13" 64)
case $refused in
*'"profile_fresh_s": null'*'"profile_warm_s": null'*'"profile_refused": "counters-rights"'*) ;;
*) echo "a refused profile: $refused"; exit 1 ;;
esac
unset LD_LIBRARY_PATH
printf '#!/bin/sh\necho launch_us=3.25\necho kernel_us=40.5\n' > program
chmod +x program
recorded=$(recording_figures "$PWD/program")
captured=$(cd project && : > ks.yaml && capture_figure "$PWD/../program")
merge '{"schema": "bench.probe"}' "$profiled" "$recorded" "{\"capture_gb_s\": $captured}" > figures.json
"$build/tests/ks-json-check" "$here/figures.md" figures.json || { cat figures.json; exit 1; }
# Nothing was launched: the count of what is lost says so.
grep -q '"lost_records": 1000001' figures.json || { cat figures.json; exit 1; }

#!/usr/bin/env bash
# The metric set on chips of five generations, by CUPTI's offline catalogue: no GPU is needed. Each must offer all of the 59
# metrics but the stalls that it does not have, in few passes, and with them every fact that skills and classes speak of; each
# name in cupti_probe/metrics.c must be some chip's. An unknown chip must be said to be unknown.
#   probe_catalogue.sh KS_PROBE KS_FACTS_OF METRICS_C
set -u
probe=$1 facts=$2 metrics=$3
[ -x "$probe" ] || { echo "no ks-probe"; exit 77; }
said=$("$probe" --check 2>&1)
case $said in
ok) ;;
*RTLD_DEEPBIND*) echo "CUPTI does not load beside a sanitizer"; exit 77 ;;
cupti-absent* | nvperf-absent*) echo "no CUPTI here: $said"; exit 77 ;;
*) echo "ks-probe --check: $said"; exit 1 ;;
esac
status=0
wrong() {
    echo "$*"
    status=1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Stalls of wgmma are GH100's alone, those of indexed constants ended with Blackwell.
gmma=smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio
imc=smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio
most=$(grep -c '{{"' "$metrics")
[ "$most" -ge 59 ] || wrong "metrics.c has $most metrics"
for lacks in GH100: "GA100:$gmma" "AD102:$gmma" "GB100:$gmma $imc" "GB202:$gmma $imc"; do
    chip=${lacks%%:*} lacks=${lacks#*:}
    "$probe" --catalogue "$chip" > "$work/$chip" || wrong "$chip: $?"
    last=$(tail -1 "$work/$chip")
    sed -i '$d' "$work/$chip"
    set -- $last
    [ "$1" = $((most - $(wc -w <<< "$lacks"))) ] && [ "$3" -le 12 ] || wrong "$chip: $last, of $most less $(wc -w <<< "$lacks")"
    for name in $lacks; do grep -qxF "$name" "$work/$chip" && wrong "$chip has $name, which it was thought to lack"; done
    [ -z "$(sort "$work/$chip" | uniq -d)" ] || wrong "$chip: a name comes twice"
    unknown=$("$facts" < "$work/$chip") || wrong "$chip: no counter tells of $(paste -sd' ' <<< "$unknown")"
done
for name in $(sed -n '/struct ks_metric ks_metrics/,$s/.*"\([a-z0-9_.]*\)".*/\1/p' "$metrics"); do
    grep -qxF "$name" "$work"/* || wrong "$name is a metric of none of these chips"
done
"$probe" --catalogue XX999 > /dev/null 2>&1 && wrong "an unknown chip was accepted"
exit $status

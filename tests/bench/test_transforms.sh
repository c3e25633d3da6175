#!/bin/bash
# test_transforms.sh: transforms.sh has every file tuned once, with no template, and makes the table and the line that figures.md
# names of what a ks says.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
# In a folder of its own, wherever it is started.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir -p build/bin build/share/ks/skills/expert
echo 'action: {template: gemm, params: {bm: [64]}}' > build/share/ks/skills/expert/product.yaml
echo 'action: {transform: vectorize, params: {width: [4]}}' > build/share/ks/skills/expert/packs.yaml
cat > build/bin/ks <<'END'
#!/bin/bash
grep -q 'template' "$KS_SHARE_DIR"/skills/expert/*.yaml && { echo "templates are there" >&2; exit 1; }
grep -q 'transform: vectorize' "$KS_SHARE_DIR/skills/expert/packs.yaml" || exit 1
[ -s "$2" ] || exit 1
echo "$2" >> asked
case $2 in
*saxpy*) echo '{"kernels":[{"kernel":"saxpy","status":"variant","speedup":2.0,"lower":1.9,"skill":"packs","evidence":"measured",
    "timings":[{"original_us":20,"variant_us":10}]}]}' ;;
*chain*) echo '{"kernels":[{"kernel":"one","status":"original","speedup":null,"skill":null,"text":"","timings":[]},
    {"kernel":"two","status":"variant","speedup":4.5,"lower":4.4,"skill":"packs","evidence":"measured",
    "timings":[{"original_us":9,"variant_us":2}]}]}' ;;
*) exit 101 ;;
esac
END
chmod +x build/bin/ks
for _ in 1 2; do
    KS_DEVICE=emu bash "$here/transforms.sh" build out saxpy elementwise/chain gelu > page || exit 1
done
for wanted in '| saxpy | 20.0 us | 10.0 us | 2.00x | 1.90x | packs |' '| one | - | - | stays | - | - |' \
    '| gelu | - | - | failed | - | - |' '"kernels": 4, "faster": 2, "slower": 0, "failed": 1, "evidence": ["measured"], "geomean": 2.0801'; do
    grep -qF "$wanted" page || { cat page; echo "FAIL: no $wanted"; exit 1; }
done
[ "$(wc -l < asked)" = 3 ] || { cat asked; echo "FAIL: what is there was tuned again"; exit 1; }
! KS_DEVICE=emu bash "$here/transforms.sh" build out nothing 2> log || { echo "FAIL: an unknown file"; exit 1; }
grep -q 'no nothing in search/' log || { cat log; echo "FAIL: not named"; exit 1; }

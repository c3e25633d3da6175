#!/bin/bash
# test_skill_effects.sh SOURCE_DIR: a log small enough to reckon by hand, and the documentation's page as it is made today.
set -u
here=$(cd "$(dirname "$0")" && pwd) source=$(cd "$1" && pwd)
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
# In a folder of its own, wherever it is started.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir skills
echo 'action: {transform: vectorize, params: {width: [4, 8]}}' > skills/packs.yaml
echo 'action: {transform: geometry, params: {block: [128]}}' > skills/block.yaml
echo 'action: {template: gemm, params: {bm: [64]}}' > skills/product.yaml
echo 'action: {template: scan, params: {threads: [64]}}' > skills/scan.yaml
echo 'action: none' > skills/words.yaml
node() { echo '{"of":"k","node":'"$1"',"depth":'"$2"',"found":"'"$3"'","ratios":['"$4"'],"from":['"$5"']}'; }
{
    echo '{"kernel":"k","gpu":"a card","actions":["vectorize width=4","vectorize width=16","geometry block=128","vectorize width=8"]}'
    node 1 1 CORRECT 1.4,1.5,1.6 '[0,0]'
    node 2 1 CORRECT 9 '[0,1]'             # a width that no skill has
    node 3 1 CORRECT 0.5 '[0,2]'
    node 4 2 CORRECT 3 '[1,2],[3,0]'       # 2 times node 1, 6 times node 3
    node 5 1 CORRECT 1.2 '[0,3],[1,3]'     # instead of width 4, not on top of it
    node 6 2 WRONG '' '[1,2]'
    node 7 3 CORRECT 5 '[6,0]'             # on top of what is wrong
    echo '{"kernel":"k","end":"wave"}'
} > log.jsonl
port() { echo '{"row":{"level":1,"name":"'"$1"'","verdict":"'"$2"'","skills":["scan"],"ratio":'"$3"'}}'; }
echo '{"run":{},"rows":['"$(port one faster 2), $(port two faster 8), $(port three 'original stays' 1)"']}' > ports.json
echo '{"run":{"tf32":true},"rows":['"$(port one faster 64)"']}' > tf32.json
python3 "$here/skill_effects.py" log.jsonl ports.json skills > page || exit 1
for wanted in '| packs | transform vectorize | 1 | 4 | 0 | 1 | 1.50 | - | 1.50 (k) | 1 | 6.00 | 100 % |' \
    '| block | transform geometry | 1 | 3 | 1 | 1 | 0.50 | - | 0.50 (k) | 1 | 2.00 | 100 % |' \
    '| scan | 2 | 4.00 | 8.00 (1/two) |' 'won no port (1): product.' 'could do (1): words.' 'policy, a card'; do
    grep -qF "$wanted" page || { cat page; echo "FAIL: no $wanted"; exit 1; }
done
# a second page's port is one more
python3 "$here/skill_effects.py" log.jsonl ports.json tf32.json skills > page || exit 1
grep -qF '| scan | 3 | 10.08 | 64.00 (1/one with TF32) |' page || { cat page; echo "FAIL: not of both pages"; exit 1; }
# a second log's kernel of the same name is one more
gzip -c log.jsonl > more.jsonl.gz
python3 "$here/skill_effects.py" log.jsonl more.jsonl.gz ports.json skills > page || exit 1
grep -qF '| packs | transform vectorize | 2 | 8 | 0 | 2 | 1.50 | - | 1.50 (k again) | 2 | 6.00 | 100 % |' page || { cat page; echo "FAIL: not of both logs"; exit 1; }
python3 "$here/skill_effects.py" log.jsonl ports.json 2> /dev/null && { echo "FAIL: two words are enough"; exit 1; }
cd "$source" && python3 tests/bench/skill_effects.py tests/bench/search/h200.jsonl.gz tests/bench/templates/h200.jsonl.gz docs/kernelbench-h200.json docs/kernelbench-h200-tf32.json skills/expert > "$OLDPWD/page" || exit 1
diff docs/skills-h200.md "$OLDPWD/page" || { echo "FAIL: docs/skills-h200.md is not what is made today: its first lines say how"; exit 1; }

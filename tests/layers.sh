#!/bin/bash
# layers.sh SOURCE_DIR: fails when a module of driver/ includes a header of a module below it.
set -u
root=${1:?usage: layers.sh SOURCE_DIR}
layers=(base os fmt cfg nvcc source key store memory workload device verify profile engine agent
        search app)
declare -A rank
for i in "${!layers[@]}"; do rank[${layers[$i]}]=$i; done

bad=0 files=0
while IFS= read -r file; do
    files=$((files + 1))
    module=${file#"$root"/driver/}
    module=${module%%/*}
    if [ -z "${rank[$module]:-}" ]; then
        echo "$file: '$module' is not in the layer list of tests/layers.sh"
        bad=1
        continue
    fi
    while IFS=: read -r line header; do
        used=${header%%/*}
        if [ "$used" = "$header" ]; then
            echo "$file:$line: write \"$module/$header\", with the module's name"
            bad=1
        elif [ -z "${rank[$used]:-}" ]; then
            echo "$file:$line: \"$header\" is of no module"
            bad=1
        elif [ "${rank[$used]}" -gt "${rank[$module]}" ]; then
            echo "$file:$line: $module must not include $used (\"$header\")"
            bad=1
        fi
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/;T;=;p' "$file" |
             paste -d: - -)
done < <(find "$root/driver" \( -name '*.c' -o -name '*.h' \) -not -path '*/source/hook/*' | sort)

if [ "$files" -eq 0 ]; then
    echo "no sources below $root/driver"
    bad=1
fi
exit $bad

# ks skills: what is installed is sound; what is wrong is named, file:line.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"

status 0 "$ks" skills lint && has 'nothing wrong' && has ' 0 uncovered (0 %), 0 contradictions'
json 0 skills lint
grep -q '"uncovered": *0.0' out || fail "no count of the lattice"
status 0 "$ks" skills facts && has 'dram_pct'
json 0 skills facts + facts
status 0 "$ks" skills list
[ "$(wc -l < out)" -gt 50 ] || fail "fewer than 50 skills"
id=$(awk 'NR == 2 { print $1 }' out)
json 0 skills list + skills 'skills[].when'
status 0 "$ks" skills show "$id" && has "$id: "
json 0 skills show "$id" + skills
status 2 "$ks" skills show "${id}x" && says "do you mean \`$id\`"
for words in '' show 'list x' 'lint a b' 'facts x' bogus; do
    # shellcheck disable=SC2086
    status 2 "$ks" skills $words
    says 'give list, show ID'
    one_line
done
status 2 "$ks" skills lint nowhere && says 'no such folder'

share=$("$ks" doctor | sed -n 's/^skills .* in //p')
mkdir mine && cp "$share/$id.yaml" mine/
status 0 "$ks" skills lint mine && has '1 skills in mine' # which need not cover all
sed -i 's/^title:/titel:/' mine/*.yaml
status 2 "$ks" skills lint mine
says "mine/$id.yaml:[0-9]*: .*titel"
one_line
json 2 skills lint mine + findings
# All that is wrong is said, not the first thing alone.
cat > mine/mine.yaml << 'END'
id: mine
title: t
direction: cache
when: [dram_pct < 3, dram_pct > 5]
requires: [loops > 0]
forbids: [loops > 0]
expect: {metric: time_us, sign: "-"}
after: [mine]
how: "Mechanism: m. Pitfalls: p. Sketch: s."
action: {transform: unrol, params: {unroll: [4]}}
sources: [a]
END
status 2 "$ks" skills lint mine
for what in ':[0-9]*: .*titel' 'mine.yaml:4: contradiction' 'mine.yaml:6: contradiction' 'mine.yaml:8: .*circle' \
    'mine.yaml:10: no transform .*`unroll`'; do
    says "$what"
done
sed -i 's/unrol,/unroll,/; s/unroll: \[4\]/unrol: [4], items: []/' mine/mine.yaml
status 2 "$ks" skills lint mine && says 'has no parameter `unrol`' && says '`items` has no values'
sed -i 's/^action:.*/action: {template: gem}/' mine/mine.yaml
status 2 "$ks" skills lint mine && says 'no template `gem`'


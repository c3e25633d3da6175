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
says "mine/$id.yaml:[0-9]*: the skill has no .title"
[ "$(wc -l < log)" = 2 ] || fail "not all that is wrong, or more"
json 2 skills lint mine + findings
# What is wrong in one file does not hide the rest of it.
mkdir many && cat > many/many.yaml << 'END'
id: many
title: t
direction: faster
risc: low
precision: good
when: [dram_pct < 3, dram_pct > 5, dram_pc > 60, loops > much]
requires: [loops > 0]
forbids: [loops > 0]
expect: {metric: loops, sign: +, at_most: 3}
after: b
how: "Mechanism: m. Pitfalls: p. Sketch: s."
sources: [[a]]
END
status 2 "$ks" skills lint many
while read -r what; do
    says "many/many.yaml:$what"
done << 'END'
1: the skill has no `action`
3: `direction` is one of
4: unknown key .risc.; did you mean .risk
5: `precision` is one of
6: contradiction: `dram_pct < 3` and `dram_pct > 5` are never true together
6: no fact is called `dram_pc`; do you mean `dram_pct`
6: `loops > much` is no condition
8: contradiction: `loops > 0` is required in line 7
9: unknown key .at_most
9: `expect` takes a metric
10: `after` is a list
12: `sources` is a list of texts
END
[ "$(wc -l < log)" = 13 ] || { cat log; fail "more is said than is wrong"; } # no value passes the gate
sed -i 's/^direction:.*/direction: {/' many/many.yaml
status 2 "$ks" skills lint many && says 'many/many.yaml:[0-9]*: '
one_line
# A folder of one's own speaks for all only where that is asked for.
mkdir own && cp "$share/$id.yaml" own/
status 0 "$ks" skills lint own && has ' uncovered: '
status 2 "$ks" skills lint own --cover && says 'own:1: the lattice of profile points is not wholly covered'
status 0 "$ks" skills lint --cover
status 2 "$ks" skills list --cover && says 'cover is an option of lint'
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
cp -rL "${share%/skills/expert}" broken && rm broken/skills/templates/transpose.cu
sed -i 's/^roles:/rolls:/' broken/skills/templates/row_scan.yaml
KS_SHARE_DIR=$PWD/broken status 2 "$ks" skills lint
says 'tiled-transpose.yaml:[0-9]*: the template `transpose` is wrong: .*transpose.cu: No such file'
says 'row-scan.yaml:[0-9]*: the template `[a-z_]*` is wrong: .*row_scan.yaml:[0-9]*: unknown key .rolls'
mkdir mine/folder.yaml
status 2 "$ks" skills lint mine && says 'mine/folder.yaml:1: not a regular file'


# A skill of one's own: checked beside the others, kept with the state, and out of the way where it should be.
export KS_STATE_DIR=$PWD/state
own() { # own ID TITLE WORD LINES
    cat << END
id: $1
title: $2
direction: cache
when: [dram_pct > 77, $3]
expect: {metric: dram_pct, sign: +, at_least: 1}
how: |
  Mechanism: $3 is $2.
  Pitfalls: of $3 and $1.
  Sketch: $1 $3.
sources: [a book]
${4:-}
END
}
standing() { status 0 "$ks" skills show "$1" && has "standing   $2"; }
own mine "a skill of mine" grid_stride > m.yaml
status 0 "$ks" skills add m.yaml && has 'mine: probation'
standing mine probation
[ -f state/skills/mine.yaml ] || fail "the skill is not kept"
json 0 skills show mine + skills
status 0 "$ks" skills list && has 'mine '
status 2 "$ks" skills add m.yaml && says 'is the id of'
own yours "another of mine" double > y.yaml
sed -i 's/double/doubel/' y.yaml
status 2 "$ks" skills add y.yaml && says 'y.yaml:4: .*do you mean .double'
own yours "a skill of mine" double > y.yaml
status 2 "$ks" skills add y.yaml && says 'y.yaml:1: says what .mine'
own yours "another of mine" double 'action: {transform: unroll, params: {unroll: [4, 8, 16]}}' > y.yaml
status 2 "$ks" skills add y.yaml && says 'does what .unroll'
own yours "another of mine" double 'action: {transform: unroll, params: {unroll: [2]}}' > y.yaml
status 0 "$ks" skills add y.yaml
for action in 'transform: unrol, params: {unroll: [4]}' 'transform: unroll, params: {unrol: [4]}' \
    'transform: unroll, params: {unroll: [many]}' 'template: gem, params: {bm: [64]}' 'template: gemm, params: {zz: [64]}'; do
    own wrong "whose action is wrong" double "action: {$action}" > w.yaml
    status 2 "$ks" skills add w.yaml && says 'w.yaml:11: '
done
own unroll "another of mine" double > u.yaml
status 2 "$ks" skills add u.yaml && says 'is the id of .*unroll.yaml'
json 2 skills add nothing.yaml

status 0 "$ks" skills disable yours for a reason && has 'yours: disabled: for a reason'
standing yours 'disabled: for a reason'
status 0 "$ks" skills enable yours && has 'yours: probation'
json 0 skills disable unroll
standing unroll disabled
status 0 "$ks" skills retire yours
standing yours retired
status 0 "$ks" skills enable unroll && standing unroll 'in use'
status 2 "$ks" skills disable unrol && says 'do you mean'
KS_READONLY=1 status 2 "$ks" skills disable unroll && says read-only

# What was learned goes to another memory once, however often it is carried, and to another skill on a merge.
"$KS_TEST_TOOLS/ks-add-attempt" state k1 && "$KS_TEST_TOOLS/ks-add-attempt" state k2 || fail "no attempts"
status 0 "$ks" skills stats && has 'unroll'
json 0 skills stats + skills
attempts() { # attempts SKILL: that the memory has of it
    "$ks" skills stats --json | sed -n "/\"skill\": \"$1\"/,/attempts/s/.*\"attempts\": *\([0-9]*\).*/\1/p"
}
[ "$(attempts unroll)" = 2 ] || fail "$(attempts unroll) attempts, not 2"
status 0 "$ks" skills export learned.json && has 'learned.json: 4 lessons, 2 skills'
status 2 "$ks" skills import learned.json && says 'exported from this memory'
export KS_STATE_DIR=$PWD/other
for _ in 1 2; do
    status 0 "$ks" skills import learned.json && has '4 lessons'
    [ "$(attempts unroll)" = 2 ] || fail "$(attempts unroll) attempts, not 2, once imported"
done
standing mine probation
json 0 skills import learned.json
sed 's/"CORRECT"/1/; s/\["unroll",/["unroll", 7,/' learned.json > bad.json
status 100 "$ks" skills import bad.json && says 'damaged'
[ "$(attempts unroll)" = 2 ] || fail "a damaged file took away what was there"
status 2 "$ks" skills import nothing.json && says 'no such file'
echo '{}' > bad.json
status 100 "$ks" skills import bad.json && says 'no export of a memory'
"$KS_TEST_TOOLS/ks-add-attempt" other k3 || fail "no attempt"
[ "$(attempts unroll)" = 3 ] || fail "$(attempts unroll) attempts, not 3"
status 0 "$ks" skills merge unroll mine && has 'unroll: retired: merged into mine'
[ "$(attempts mine)" = 3 ] || fail "the lessons did not go to the other skill"
[ "$(attempts unroll)" = 0 ] || fail "the lessons stayed"
status 2 "$ks" skills merge mine mine
status 2 "$ks" skills merge mine nothing && says 'no skill'

# What was put or changed there since is checked as well: what contradicts itself is named, file:line, and left out.
export KS_STATE_DIR=$PWD/changed
mkdir -p changed/skills
own mine "a skill of mine" grid_stride > changed/skills/mine.yaml
own round-a "one in a circle" barriers 'after: [round-b]' > changed/skills/round-a.yaml
own round-b "another in it" loops 'after: [round-a]' > changed/skills/round-b.yaml
own never "what is never true" 'dram_pct < 3' > changed/skills/never.yaml
status 0 "$ks" skills list && has 'mine ' && lacks 'never ' && lacks 'round-a ' && has 'round-b '
says 'changed/skills/never.yaml:4: contradiction: .*; skill left out'
says 'changed/skills/round-a.yaml:11: contradiction: `after` runs in a circle: round-a after round-b after round-a; .*; skill left out'
sed 's/dram_pct > 77, grid_stride/dram_pct > 77, dram_pct < 3/' learned.json > bad.json
export KS_STATE_DIR=$PWD/third
status 0 "$ks" skills import bad.json && has '4 lessons, 1 skill'
says 'bad.json\[[01]\]:4: contradiction: .*; skill left out'
status 0 "$ks" skills import bad.json && has '4 lessons, 0 skills'

# A memory that cannot be used is named and left as it is; skills are listed all the same.
mkdir damaged && echo 'no database, but long enough to look at what it begins with' > damaged/memory.db
export KS_STATE_DIR=$PWD/damaged
status 0 "$ks" skills list && has unroll && says 'memory.db: the memory is damaged' && says 'mv .*memory.db\* '
status 100 "$ks" skills disable unroll && says 'the memory is damaged'
grep -q 'no database' damaged/memory.db || fail "the damaged memory was touched"

# ks skills: what is installed is sound; what is wrong is named, file:line.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"

status 0 "$ks" skills lint && has 'nothing wrong'
status 0 "$ks" skills list
[ "$(wc -l < out)" -gt 12 ] || fail "fewer than 12 skills"
id=$(awk 'NR == 2 { print $1 }' out)
json 0 skills list + skills 'skills[].when'
status 0 "$ks" skills show "$id" && has "$id: "
json 0 skills show "$id" + skills
status 2 "$ks" skills show "${id}x" && says "do you mean \`$id\`"
for words in '' show 'list x' 'lint a b' bogus; do
    # shellcheck disable=SC2086
    status 2 "$ks" skills $words
    says 'give list, show ID or lint'
    one_line
done
status 2 "$ks" skills lint nowhere && says 'no such folder'

share=$("$ks" doctor | sed -n 's/^skills .* in //p')
mkdir mine && cp "$share/$id.yaml" mine/
status 0 "$ks" skills lint mine && has '1 skills in mine'
sed -i 's/^title:/titel:/' mine/*.yaml
status 2 "$ks" skills lint mine
says "mine/$id.yaml:[0-9]*: .*titel"
one_line
json 2 skills lint mine

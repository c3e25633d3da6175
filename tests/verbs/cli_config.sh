# ks config: every setting with where it comes from; one line of the user's file at a time.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
row() { # row NAME VALUE FROM: the list says so
    grep -qE "^$1 +$2 +$3 +KS_" out || { cat out; fail "not: $1 $2 from $3"; }
}
file=$PWD/home/.config/ks/config.yaml
status 0 "$ks" config
row mode consume default
row cache_max 1G default
row nvcc "$nvcc" KS_NVCC_REAL
row cache_dir "$cache" default
row project - default
[ ! -e home/.config ] || fail "looking made a file"
json 0 config + settings

status 0 "$ks" config set budget 5m && has "$file: budget is 5m"
status 0 "$ks" config get budget && [ "$(cat out)" = 300s ] || fail "budget"
printf '# mine\nmode: off     # for now\nbudget: 5m\n' > "$file"
status 0 "$ks" config set mode strict
status 0 "$ks" config set store_dir /mnt/a:/mnt/b
[ "$(cat "$file")" = '# mine
mode: strict     # for now
budget: 5m
store_dir: /mnt/a:/mnt/b' ] || { cat "$file"; fail "config.yaml"; }
status 0 "$ks" config
row mode strict "$file:2"
row store_dir /mnt/a:/mnt/b "$file:4"
# Stronger: the project, the environment, an option.
printf 'settings: {budget: 7s, mode: consume}\n' > ks.yaml
status 0 "$ks" config
row budget 7s "$PWD/ks.yaml"
row mode consume "$PWD/ks.yaml"
row project "$PWD" 'found upward'
KS_BUDGET=8 status 0 "$ks" config && row budget 8s KS_BUDGET
KS_BUDGET=8 status 0 "$ks" --ks-budget=9 --ks-mode=off config && row budget 9s --ks-budget && row mode off --ks-mode
KS_DISABLE=1 status 0 "$ks" config && row mode off KS_DISABLE
status 0 "$ks" config set budget 60s && says "$PWD/ks.yaml is stronger"
status 0 "$ks" config unset budget && has 'not set any more'
json 0 config set accept modelled
json 0 config unset accept
has '"value": null'

before=$(cat "$file")
status 2 "$ks" config set budgte 5 && says 'do you mean `budget`'
status 2 "$ks" config set budget soon && says 'no time'
status 2 "$ks" config set config_dir /x && says 'config.yaml holds no setting `config_dir`'
status 2 "$ks" config unset accept && says 'is not set'
status 2 "$ks" config get nothing && says 'no setting `nothing`'
status 2 "$ks" config frobnicate && says 'give list, get NAME'
KS_READONLY=1 status 2 "$ks" config set mode off && says KS_READONLY
[ "$(cat "$file")" = "$before" ] || fail "a refused change was made"
no_litter

# A state folder that cannot be is told of, in one line; what repairs it goes on.
touch file
for state in "$PWD/file" "$PWD/file/below/it"; do
    for words in 'skills list' 'skills stats' stats 'show none'; do
        # shellcheck disable=SC2086
        KS_STATE_DIR=$state status 2 "$ks" $words
        says "KS_STATE_DIR: $state cannot be a folder"
        one_line
    done
    KS_STATE_DIR=$state status 0 "$ks" config
done
KS_STATE_DIR=$PWD/made/when/needed status 0 "$ks" skills list

# surroundings.sh first|hit: a compile in surroundings that nobody planned for ends as nvcc's own does
# there: status, text, files with their kinds, modes and links. Played-back compiles.
. "$KS_TEST_SOURCE/tests/stress/stress_lib.sh"
[ -f "$KS_TEST_TAPE/tape/objects" ] || skip "nothing is recorded"
set_kit
enter
[ "$1" = first ] || { with_variant && compiled && compiled && reason applied; }
state=$1
keep_state
unset KS_LOG
nobody=65534
as_nobody=()
if [ "$(id -u)" = 0 ]; then
    as_nobody=(setpriv --reuid=$nobody --regid=$nobody --clear-groups)
    "${as_nobody[@]}" test -r "$scene/state/a.cu" || as_nobody=() # a folder above is private
fi

# kind FILE: which recorded compile made it, or "none", "stale", "other".
kind() {
    local what path
    [ -f "$1" ] && [ -s "$1" ] || { echo none; return; }
    ! head -c 13 "$1" | grep -aqx 'an old object' || { echo stale; return; }
    while read -r what path; do
        cmp -s "$1" "$path" && { echo "$what"; return; }
    done < "$scene/tape/objects"
    echo other
}
# What is to be seen of a run, less the object's bytes and what is ours alone.
snapshot() {
    find . -mindepth 1 \( -path ./home -o -path ./tmp -o -path './t m p' -o -path ./.ks -o -name .out \
        -o -name .err \) -prune -o -printf '%p %y %m links=%n to=%l user=%u\n' | sort
}
begin() {
    cd "$scene" || fail "no scene"
    chmod -R u+rwx w 2> /dev/null
    rm -rf w
    cp -a state w
    cd w || fail "no folder w"
}

# try NAME: runs the function of that name with $tool the real nvcc, then ks-nvcc, and compares. Its
# status is the tool's.
tried=0
try() {
    local name=$1 object=${2:-a.o}
    tried=$((tried + 1))
    begin
    { (tool=$KS_NVCC_REAL && "$name" > .out 2> .err); } 2> /dev/null # bash tells of who is killed
    echo "$?" > ../want.status
    cp .out ../want.out && cp .err ../want.err
    snapshot > ../want.files
    local want
    want=$(kind "$object")
    begin
    { (tool=$ks_nvcc && "$name" > .out 2> .err); } 2> /dev/null
    echo "$?" > ../got.status
    cp .out ../got.out && cp .err ../got.err
    snapshot > ../got.files
    local part got
    for part in status out err files; do
        diff ../want.$part ../got.$part || fail "$name: other $part than nvcc's ($scene/w)"
    done
    got=$(kind "$object")
    [ "$got" = "$want" ] || { [ "$want" = plain ] && [ "$got" = shadow ] && [ "$state" = hit ]; } ||
        fail "$name: the object is $got, not $want"
    ls -A tmp 2> /dev/null | grep . && fail "$name: left in TMPDIR"
    find . -name '.ks-*' | grep . && fail "$name: a draft is left"
    # Where the surroundings were those of the run alone, the next one is what it always was.
    case $name in
    shadow_* | plain_* | few_* | *_memory | *_stdout | *_stderr | umask_* | cache_of_*)
        compiled
        [ "$state" = first ] || reason applied
        [ "$state" = first ] || known_object a.o shadow
        ;;
    esac
    if [ "$state" = hit ] && [ -d home/.cache/ks ] && [ ! -L home/.cache/ks ]; then
        diff -r ../state/.ks .ks || fail "$name: the store has changed"
    fi
    return 0
}
run() { "$tool" "${words[@]}"; }

no_stdin() { run <&-; }
no_stdout() { run >&-; }
no_stderr() { run 2>&-; }
no_streams() { run <&- >&- 2>&-; }
full_streams() { run > /dev/full 2> /dev/full; }
one_stream() { run 2>&1; }
stdin_is_a_folder() { run < /; }
umask_077() { umask 077 && run; }
umask_000() { umask 000 && run; }
umask_027() { umask 027 && run; }
object_is_a_link() { echo target > t.o && ln -sf t.o a.o && run; }
object_is_a_dangling_link() { ln -sf /no/such/file a.o && run; }
object_has_two_names() { ln a.o b.o && run; }
object_is_read_only() { chmod 444 a.o && run; }
object_is_executable() { chmod 755 a.o && run; }
object_is_a_folder() { rm a.o && mkdir a.o && run; }
object_is_null() { rm a.o && "$tool" "${words[@]:0:6}" -o /dev/null; }
object_elsewhere() { mkdir -p o/u && "$tool" "${words[@]:0:6}" -o o/u/a.o && mv o/u/a.o a.o; }
object_nowhere() { "$tool" "${words[@]:0:6}" -o no/such/a.o; }
depfile_is_a_link() { echo x > t.d && ln -sf t.d a.d && run; }
depfile_has_two_names() { ln a.d b.d && run; }
depfile_is_null() { rm a.d && "$tool" -arch=sm_90 -MD -MF /dev/null -c a.cu -o a.o; }
depfile_is_read_only() { chmod 600 a.d && run; }
no_such_source() { rm a.cu && run; }
source_is_empty() { : > a.cu && run; }
source_is_a_folder() { rm a.cu && mkdir a.cu && run; }
no_tmpdir() { TMPDIR=$PWD/none run; }
unset_tmpdir() { env -u TMPDIR "$tool" "${words[@]}"; }
tmpdir_is_a_file() { TMPDIR=$PWD/a.cu run; }
tmpdir_has_spaces() { mkdir 't m p' && TMPDIR="$PWD/t m p" run && rmdir 't m p'; }
relative_tmpdir() { mkdir rel && TMPDIR=rel run && rmdir rel; }
no_home() { env -u HOME "$tool" "${words[@]}"; }
home_is_a_file() { HOME=$PWD/a.cu run; }
home_is_nowhere() { HOME=/no/such/home run; }
cache_is_a_dangling_link() { rm -rf home/.cache/ks && mkdir -p home/.cache && ln -s /no/where home/.cache/ks && run; }
cache_is_a_file() { rm -rf home/.cache && : > home/.cache && run; }
shadow_is_a_file() {
    rm -rf home/.cache/ks/shadow && mkdir -p home/.cache/ks && : > home/.cache/ks/shadow && run &&
        depends a.d a.cu # from a temporary shadow
}
cache_is_elsewhere() { XDG_CACHE_HOME=/dev/null/x run; }
few_files() { ulimit -n 16 && run; }
hardly_any_files() { ulimit -n 7 && run; }
short_files() { ulimit -f 64 && run; }
very_short_files() { ulimit -f 13 && run; }
little_memory() { ulimit -v 12000 && run; }
hardly_any_memory() { ulimit -v 5000 && run; }
small_stack() { ulimit -s 128 && run; }
other_locale() { LC_ALL=C.UTF-8 run; }
no_locale() { env -u LC_ALL LANG=xx_XX.nonsense "$tool" "${words[@]}"; }
signals_are_ignored() { trap '' INT TERM HUP QUIT PIPE XFSZ CHLD && run; }
# Dates of nobody's clock: of the source, and of all that is kept.
source_of_2099() { touch -d 2099-01-01 a.cu ks.yaml && run; }
source_of_1970() { touch -d @1 a.cu ks.yaml && run; }
all_of_2099() { find . -exec touch -h -d 2099-01-01 {} + && run; }
all_of_1970() { find . -exec touch -h -d @1 {} + && run; }
cache_of_2099() { { [ ! -d home/.cache ] || find home -exec touch -h -d 2099-01-01 {} +; } && run; }
# nvcc ends before its time. (A plain compile is run from the full cache only after a shadow's failed.)
shadow_is_killed() { KS_FAKE_DIE=shadow:before:9 run; }
shadow_is_killed_half_way() { KS_FAKE_DIE=shadow:half:9 run; }
shadow_breaks_down() { KS_FAKE_DIE=shadow:half:11 run; }
shadow_is_killed_at_the_end() { KS_FAKE_DIE=shadow:after:9 run; }
plain_is_killed() { export KS_FAKE_DIE=plain:before:9 && exec "$tool" "${words[@]}"; }
plain_is_killed_half_way() { export KS_FAKE_DIE=plain:half:9 && exec "$tool" "${words[@]}"; }
plain_breaks_down() { export KS_FAKE_DIE=plain:half:11 && exec "$tool" "${words[@]}"; }
removed_folder() {
    local here=$PWD
    mkdir gone && cd gone && rmdir "$here/gone" &&
        "$tool" -arch=sm_90 -MD -MF "$here/a.d" -c "$here/a.cu" -o "$here/a.o"
}
deep_folder() {
    local name here=$PWD i
    name=$(printf 'd%.0s' {1..250})
    for i in {1..17}; do mkdir "$name" && cd "$name" || return 99; done
    cp "$here/a.cu" . && run
    i=$?
    cp a.o "$here/a.o"
    cd "$here" && rm -rf "$name"
    return $i
}
for name in no_stdin no_stdout no_stderr no_streams full_streams one_stream stdin_is_a_folder \
    umask_077 umask_000 umask_027 object_is_a_link object_is_a_dangling_link object_has_two_names \
    object_is_read_only object_is_executable object_is_a_folder object_is_null object_elsewhere \
    object_nowhere depfile_is_a_link depfile_has_two_names depfile_is_null depfile_is_read_only \
    no_such_source source_is_empty source_is_a_folder no_tmpdir unset_tmpdir tmpdir_is_a_file \
    tmpdir_has_spaces relative_tmpdir no_home home_is_a_file home_is_nowhere \
    cache_is_a_dangling_link cache_is_a_file shadow_is_a_file cache_is_elsewhere few_files \
    hardly_any_files short_files very_short_files little_memory hardly_any_memory small_stack \
    other_locale no_locale signals_are_ignored removed_folder deep_folder source_of_2099 source_of_1970 \
    all_of_2099 all_of_1970 cache_of_2099 shadow_is_killed shadow_is_killed_half_way \
    shadow_breaks_down shadow_is_killed_at_the_end; do
    try "$name"
done
if [ "$state" = first ]; then
    for name in plain_is_killed plain_is_killed_half_way plain_breaks_down; do try "$name"; done
fi

# As somebody whom folders can refuse.
unpriv() { "${as_nobody[@]}" "$tool" "${words[@]}"; }
mine() { chown -R $nobody:$nobody .; }
unprivileged() { mine && unpriv; }
read_only_output_folder() {
    mine && mkdir ro && chmod 555 ro && chown $nobody ro &&
        "${as_nobody[@]}" "$tool" "${words[@]:0:6}" -o ro/a.o
}
read_only_tmpdir() { mine && chmod 555 tmp && unpriv; }
read_only_cache() { mine && mkdir -p home/.cache/ks && chmod -R a-w home/.cache && unpriv; }
unreadable_cache() { mine && mkdir -p home/.cache/ks && chmod 0 home/.cache/ks && unpriv; }
foreign_cache() { mine && mkdir -p home/.cache/ks && chown -R 0:0 home/.cache && unpriv; }
foreign_project() { mine && chown -R 0:0 .ks ks.yaml 2> /dev/null; unpriv; }
foreign_scratch() { mine && mkdir -m 777 tmp/ks-tmp-$nobody && unpriv && rmdir tmp/ks-tmp-$nobody; }
unreadable_source() { mine && chmod 0 a.cu && unpriv; }
read_only_object() { mine && chmod 444 a.o && unpriv; }
foreign_object() { mine && chown 0:0 a.o && unpriv; }
private_folder_above() { mine && chmod 711 . && unpriv; }
if [ ${#as_nobody[@]} -gt 0 ]; then
    for name in unprivileged read_only_output_folder read_only_tmpdir read_only_cache \
        unreadable_cache foreign_cache foreign_project foreign_scratch unreadable_source \
        read_only_object foreign_object private_folder_above; do
        try "$name"
    done
else
    echo "not tried: another user's folders (needs root and a readable build folder)"
fi
echo "$tried surroundings"

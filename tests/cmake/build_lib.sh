# Sourced by the build_*.sh tests, after tests/lib.sh: a small git project, and what its build must do when
# decisions come and go. The including test defines `build`, which runs the build system, verbosely,
# into `log`, and sets `a` and `b` to the paths of the two marked objects.
#
#   src/a.cu        marked, of the project src/
#   src/lib/b.cu    marked, of the project src/lib/
#   src/main.cu     not marked
# shellcheck shell=bash
arch=(-arch=sm_90) # how variants are made: as the build compiles

write_project() {
    mkdir -p src/lib
    write_scale src/a.cu
    write_scale src/lib/b.cu
    sed -i 's/void run/void run_b/; s/scale/scale_b/' src/lib/b.cu
    cat > src/main.cu <<'END'
void run(float *y, float *x, int n);
void run_b(float *y, float *x, int n);
int main()
{
    run(nullptr, nullptr, 0);
    run_b(nullptr, nullptr, 0);
    return 0;
}
END
    touch src/ks.yaml src/lib/ks.yaml
    write_scale4 p.yaml
    git_src init -q
    commit "no decision yet"
}
git_src() {
    git -C src -c user.name=t -c user.email=t@t -c init.defaultBranch=main -c advice.detachedHead=false \
        "$@" > log 2>&1 || fail "git $*"
}
commit() { # commit MESSAGE, as a tag too
    git_src add -A
    git_src commit -qm "$1"
    git_src tag -f "${1// /-}"
}
# go TAG: the state of the store at that commit, with its own files' times.
go() { git_src checkout -q "$1"; }

# rebuilt FILE...: the last build compiled exactly these.
rebuilt() {
    local got want
    got=$(grep -oE '[^ /]+\.cu( |$)' <(grep -E -e '(^| )-c( |$)' log) | tr -d ' ' | sort -u | tr '\n' ' ')
    want=$(printf '%s\n' "$@" | sort -u | tr '\n' ' ')
    [ "${got% }" = "${want% }" ] || fail "compiled: $got; expected: $*"
}
built() { # built FILE...: builds, compiles exactly these, and then nothing more
    build
    rebuilt "$@"
    build
    rebuilt
}

# Everything that can happen to decisions, once. Ends with the variant in place.
follow_decisions() {
    built a.cu b.cu main.cu
    plain "$a"
    plain "$b"
    commit "built"

    variant p.yaml src/a.cu -- "${arch[@]}" # tuned here
    commit "tuned"
    built a.cu
    substituted "$a"
    cp "$a" with.o

    go built # pulled: an older state of .ks
    built a.cu
    plain "$a"
    go tuned
    built a.cu
    substituted "$a"

    rm -r "$(dirname "$variant")" # withdrawn; the index of the commit before
    git_src show built:.ks/index
    cp log src/.ks/index
    built a.cu
    plain "$a"
    go tuned
    git_src checkout -q .
    built a.cu
    substituted "$a"

    rm -r "$cache"
    built a.cu b.cu
    substituted "$a"
    plain "$b"

    printf 'settings: {mode: off}\n' > src/ks.yaml
    built a.cu
    plain "$a"
    git_src checkout -q ks.yaml
    built a.cu
    substituted "$a"
}

# configure FOLDER CMAKE WORDS...: the first one finds out about the compiler, the others take over what
# it found, which costs seconds.
configure() {
    local folder=$1
    shift
    if [ -d "${found:-}" ]; then
        mkdir -p "$folder/CMakeFiles"
        cp -r "$found" "$folder/CMakeFiles/"
    fi
    cmake -B "$folder" -DCMAKE_CUDA_COMPILER="$ks_nvcc" "$@" > log 2>&1 || fail "cmake $*"
    [ -n "${found:-}" ] || found=$(echo "$PWD/$folder"/CMakeFiles/[0-9]*.[0-9]*)
}

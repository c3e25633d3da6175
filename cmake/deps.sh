#!/bin/bash
# Gets the libraries and tools that ks-nvcc is built with. One line a package, exit 0 when all are usable.
#
#   cmake/deps.sh              install what is missing with apt-get (needs root)
#   cmake/deps.sh --tests      also what only tests use; without it they are skipped, so that is no failure
#   cmake/deps.sh --check      only tell; exit 1 if something is missing
#   cmake/deps.sh --fetch DIR  download the packages into DIR, for a host without a registry
#   cmake/deps.sh --prefix     print the folder to give as -DCMAKE_PREFIX_PATH (empty: none is needed)
#
# KS_DEPS=DIR names a folder with such packages (*.deb), or one in which they are unpacked already;
# what is missing is then taken from there, without root and without a network: packages are unpacked
# into build/deps (KS_DEPS_PREFIX names another folder). The CUDA toolkit is not fetched by this script.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${KS_DEPS_PREFIX:-$root/build/deps}
from=${KS_DEPS:-}

# name | header | library | Debian packages (the development package first)
libraries="\
libyaml|yaml.h|yaml|libyaml-dev libyaml-0-2
SQLite|sqlite3.h|sqlite3|libsqlite3-dev libsqlite3-0
libcurl|curl/curl.h|curl|libcurl4-openssl-dev
libsodium|sodium.h|sodium|libsodium-dev libsodium23
jansson|jansson.h|jansson|libjansson-dev libjansson4
cmocka|cmocka.h|cmocka|libcmocka-dev libcmocka0
libiberty|libiberty/demangle.h|iberty|libiberty-dev"
# without these something is left out
optional_libraries="\
zstd|zstd.h|zstd|libzstd-dev|captured launches are not compressed"
# command | Debian package
tools="\
cc|gcc
c++|g++
cmake|cmake
ninja|ninja-build"
# the same, of what only tests use
test_tools="\
bazel|bazel-bootstrap
ccache|ccache
clang++-14|clang-14
clangd-14|clangd-14
git|git
make|make
meson|meson
minisign|minisign
openssl|openssl
python3|python3
strace|strace"

die() {
    echo "deps.sh: $*" >&2
    exit 1
}

say() { printf '%-10s %s\n' "$1" "$2"; }

multiarch=$({ command -v cc >/dev/null && cc -print-multiarch; } 2>/dev/null)
[ -n "$multiarch" ] || multiarch=$(uname -m)-linux-gnu

# usable HEADER LIBRARY [PREFIX]: the compiler finds the header and the linker the library.
usable() {
    local flags=()
    if [ -n "${3:-}" ]; then
        flags=("-I$3/usr/include" "-I$3/usr/include/$multiarch" "-I$3/include"
               "-L$3/usr/lib/$multiarch" "-L$3/usr/lib" "-L$3/lib"
               "-Wl,-rpath-link,$3/usr/lib/$multiarch")
    fi
    # cmocka.h needs these first.
    printf '#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n' |
        cat - <(printf '#include <%s>\nint main(void) { return 0; }\n' "$1") |
        cc -x c - "${flags[@]}" "-l$2" -o /dev/null 2>/dev/null
}

is_prefix() { [ -d "$1/usr/include" ] || [ -d "$1/include" ]; }

# Unpacks PACKAGE... from the folder of .deb files; false if one is not there.
unpack() {
    local package file
    for package in "$@"; do
        file=$(find "$from" -maxdepth 1 -name "${package}_*.deb" | sort -V | tail -n 1)
        [ -n "$file" ] || return 1
        mkdir -p "$prefix"
        dpkg -x "$file" "$prefix" || die "cannot unpack $file into $prefix"
    done
    # A development package's link to a run-time library that only the system has.
    find "$prefix" -xtype l -name 'lib*.so' | while read -r link; do
        file=$(ldconfig -p 2>/dev/null | awk -v name="$(readlink "$link")" '
            { so = $1; sub(/\.so\..*/, "", so); want = name; sub(/\.so\..*/, "", want) }
            so == want { print $NF; exit }')
        [ -z "$file" ] || ln -sfn "$file" "$link"
    done
}

fetch() {
    local dir=$1 package missing=0
    command -v apt-get >/dev/null ||
        die "--fetch needs apt-get: run it on a Debian or Ubuntu machine with a network"
    mkdir -p "$dir" && cd "$dir" || die "cannot make $dir"
    for package in $(cut -d'|' -f4 <<<"$libraries"$'\n'"$optional_libraries"); do
        if apt-get download "$package" >fetch.log 2>&1; then
            say "$package" "$(find . -maxdepth 1 -name "${package}_*.deb" | sort -V | tail -n 1)"
        else
            say "$package" "not fetched: $(grep -m1 '^E:' fetch.log)"
            missing=1
        fi
    done
    rm -f fetch.log
    [ $missing -eq 0 ] || die "some packages were not fetched; apt-get update may help"
    echo "Take $PWD along, and build there with KS_DEPS set to its path."
}

mode=install tests=
case "${1:-}" in
'') ;;
--check) mode=check ;;
--tests) tests=1 ;;
--fetch)
    [ -n "${2:-}" ] || die "--fetch needs a folder"
    fetch "$2"
    exit 0
    ;;
--prefix)
    if [ -n "$from" ] && is_prefix "$from"; then
        (cd "$from" && pwd)
    elif is_prefix "$prefix"; then
        (cd "$prefix" && pwd)
    fi
    exit 0
    ;;
-h | --help)
    sed -n '2,/^set/{s/^# \{0,1\}//;/^set/!p}' "$0"
    exit 0
    ;;
*) die "unknown option '$1' (--help lists them)" ;;
esac
[ -z "$from" ] || [ -d "$from" ] || die "KS_DEPS=$from is not a folder"

wanted=() missing=()
while IFS='|' read -r command package; do
    if command -v "$command" >/dev/null; then
        say "$command" "usable"
    else
        say "$command" "missing (package $package)"
        wanted+=("$package")
        missing+=("$command")
    fi
done <<<"$tools"

while IFS='|' read -r name header library packages; do
    # shellcheck disable=SC2086 # a list of packages
    if usable "$header" "$library"; then
        say "$name" "usable"
    elif [ -n "$from" ] && is_prefix "$from" && usable "$header" "$library" "$from"; then
        say "$name" "usable from $from"
    elif is_prefix "$prefix" && usable "$header" "$library" "$prefix"; then
        say "$name" "usable from $prefix"
    elif [ "$mode" = install ] && [ -n "$from" ] && unpack $packages &&
         usable "$header" "$library" "$prefix"; then
        say "$name" "unpacked from $from into $prefix"
    else
        say "$name" "missing (package ${packages%% *})"
        wanted+=("${packages%% *}")
        missing+=("$name")
    fi
done <<<"$libraries"

optional=()
while IFS='|' read -r name header library package without; do
    if usable "$header" "$library" || { is_prefix "$prefix" && usable "$header" "$library" "$prefix"; } ||
       { [ -n "$from" ] && is_prefix "$from" && usable "$header" "$library" "$from"; }; then
        say "$name" "usable"
    elif [ "$mode" = install ] && [ -n "$from" ] && unpack "$package" && usable "$header" "$library" "$prefix"; then
        say "$name" "unpacked from $from into $prefix"
    else
        say "$name" "missing (package $package): $without"
        [ -n "$from" ] || wanted+=("$package") optional+=("$package")
    fi
done <<<"$optional_libraries"

export DEBIAN_FRONTEND=noninteractive
while IFS='|' read -r command package; do
    command -v "$command" >/dev/null || optional+=("$package")
done <<<"$test_tools"
if [ -n "$tests" ] && [ ${#optional[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    install=(apt-get install -y --no-install-recommends "${optional[@]}")
    "${install[@]}" >/dev/null 2>&1 || { apt-get update && "${install[@]}"; } >/dev/null 2>&1 || true
fi
[ -z "$tests" ] || while IFS='|' read -r command package; do
    command -v "$command" >/dev/null && say "$command" "usable" ||
        say "$command" "missing (package $package): its tests are skipped"
done <<<"$test_tools"

[ ${#missing[@]} -gt 0 ] || exit 0
[ "$mode" = install ] || exit 1

offline="or run 'cmake/deps.sh --fetch DIR' on a Debian or Ubuntu machine with a network, bring DIR here and set KS_DEPS=DIR"
if [ -n "$from" ]; then
    die "KS_DEPS=$from does not give ${missing[*]} (packages: ${wanted[*]})"
elif ! command -v apt-get >/dev/null; then
    die "missing: ${missing[*]}; there is no apt-get here: install them with this system's package manager, $offline"
elif [ "$(id -u)" -ne 0 ]; then
    die "missing: ${missing[*]}; installing needs root: run 'sudo cmake/deps.sh', $offline"
fi
install=(apt-get install -y --no-install-recommends "${wanted[@]}")
log=$(mktemp) || die "cannot make a temporary file"
trap 'rm -f "$log"' EXIT
echo "installing ${wanted[*]}"
if ! "${install[@]}" >"$log" 2>&1; then # the package lists may be old, or absent as in containers
    apt-get update >"$log" 2>&1
    "${install[@]}" >>"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        die "apt-get could not install ${wanted[*]}; without a registry, $offline"
    }
fi
exec "$0" --check

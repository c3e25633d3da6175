#!/bin/bash
# strict: a marked kernel does not slip through, in a command that nvcc gets as it is, under settings
# that cannot be read; and what holds no marked kernel is none of its business.
set -u
export KS_TEST_BIN=$2 KS_TEST_TOOLS=$2 KS_TEST_SOURCE='' KS_TEST_NVCC=$1
. "$(dirname "$0")/../lib.sh"
export KS_FAKE_LOG=$PWD/called KS_FAKE_CREATE=1
write_scale a.cu
sed 's/scale/again/' a.cu > b.cu
echo 'int main() {}' > plain.cu
(echo '#pragma ks off'; cat a.cu) > off.cu
sed '/workload/d; s/#pragma ks optimize/#pragma ks off/' a.cu > kernel_off.cu
cp a.cu header.cuh && echo '#include "header.cuh"' > user.cu
mkdir inc && sed 's/scale/far/' a.cu > inc/far.cuh && echo '#include <far.cuh>' > far.cu

# refused LINES TEXT WORDS...: so many error lines, exit 1, nvcc never ran, no object.
refused() {
    local lines=$1 text=$2
    shift 2
    rm -f called
    status 1 "$ks_nvcc" "$@"
    [ ! -e called ] || fail "$*: nvcc ran"
    [ "$(wc -l < log)" = "$lines" ] || fail "$*: not $lines lines"
    says "$text"
    [ -z "$(find . -maxdepth 1 -name '*.o')" ] || fail "$*: an object"
}
# allowed WORDS...: nvcc gets the command, nothing is said.
allowed() {
    rm -f called
    status 0 "$ks_nvcc" "$@"
    [ -e called ] || fail "$*: nvcc did not run"
    silent
    rm -f ./*.o
}

# One line a kernel, with its place, the reason, and what to do.
export KS_MODE=strict
refused 1 '^a.cu:3: error: ks strict: `scale` has no decision: .*build without -G' -G -c a.cu -o a.o
refused 1 'a.cu:3: error: .*without instrumentation\|build without' -Xcompiler=-fsanitize=address -c a.cu
refused 2 '^b.cu:3: error: ks strict: `again` .*several CUDA inputs' -c a.cu b.cu
refused 1 '^a.cu:3: error: .*other inputs beside' -c a.cu x.o
refused 1 'a.cu:3: .*--keep asks' --keep -c a.cu
refused 1 'a.cu:3: .*one dependency file for several inputs' -MD a.cu plain.cu -o program
refused 1 'a.cu:3: .*-ptx makes no host code' -ptx a.cu
refused 1 'a.cu:3: .*-lib makes a library' -lib a.cu -o a.a
refused 1 'a.cu:3: .*-G' -G -x cu -c a.cu
refused 1 'header.cuh:3: .*`scale`' -G -c user.cu
refused 1 'far.cuh:3: .*`far`' -G -Iinc -c far.cu
echo '-G -c a.cu' > words.opt
refused 1 'a.cu:3: .*' --options-file words.opt
NVCC_APPEND_FLAGS=-G refused 1 'a.cu:3: .*-G' -c a.cu
# What compiles nothing, holds no mark or is marked off goes its way.
for words in --version -V --help --list-gpu-arch '-E a.cu' '-M a.cu' '-MM a.cu' '--dryrun -c a.cu' \
             'x.o -o program' '-dlink x.o -o y.o' '-G -c plain.cu' '-G -c off.cu' '-c a.c' \
             '-G -c kernel_off.cu' '-c plain.cu plain.cu' '-G -c none.cu' -clean; do
    # shellcheck disable=SC2086
    allowed $words
done
# A mark that is wrong is no decision either.
sed 's/in(x/in(z/' a.cu > wrong.cu
refused 1 'strict: wrong.cu:2: .*in(z' -G -c wrong.cu
refused 1 'strict: wrong.cu:2: .*in(z' -c wrong.cu
# Too large to be looked at: said, as it could hold marks.
truncate -s 300M huge.cu
refused 1 'strict: .*huge.cu' -c huge.cu
rm huge.cu

# The mode misspelt, its name misspelt, or another setting wrong where strict was asked for: one line.
unset KS_MODE
for settings in KS_MODE=stict KS_MODE=Strict 'KS_MODE=strict KS_BUDGET=x' 'KS_MODE=strict KS_ACCEPT=all'; do
    # shellcheck disable=SC2086
    export $settings
    refused 1 'ks-nvcc: error: KS_.*; nothing is compiled, as strict mode may be meant' -c plain.cu
    for words in --version '-E plain.cu' 'x.o -o program' '-c a.c'; do
        # shellcheck disable=SC2086
        allowed $words
    done
    KS_DISABLE=1 allowed -c a.cu
    unset KS_MODE KS_BUDGET KS_ACCEPT
done
for word in --ks-mode --ks-mode= --ks-mode=stict --ks-mdoe=strict; do
    refused 1 'ks-nvcc: error: .*--ks-m' $word -c plain.cu
done
# Elsewhere a wrong setting is a line, and nvcc.
for settings in KS_BUDGET=x KS_ACCEPT=all 'KS_MODE=tune KS_REMARKS=some'; do
    # shellcheck disable=SC2086
    status 0 env $settings "$ks_nvcc" -c a.cu -o a.o
    [ "$(wc -l < log)" = 1 ] || fail "$settings: not one line"
    says 'ks-nvcc: warning: KS_.*; compiled by nvcc alone'
done
status 0 "$ks_nvcc" --ks-bugdet=5 -c a.cu -o a.o
says 'ks-nvcc: warning: unknown option --ks-bugdet; do you mean --ks-budget?'
rm -f ./*.o

# The user's file: the mode in it counts, a damaged file that speaks of strict may have meant it.
mkdir -p home/.config/ks
config=home/.config/ks/config.yaml
for text in 'mode: strict' 'mode: stict'; do
    echo "$text" > $config
    refused 1 'error: ' -G -c a.cu
done
printf 'budget: [\nmode: strict\n' > $config
refused 1 'config.yaml:.*strict mode may be meant' -c plain.cu
KS_MODE=consume status 0 "$ks_nvcc" -c plain.cu -o a.o
says 'warning: .*config.yaml:'
printf 'budget: [\n' > $config
status 0 "$ks_nvcc" -c plain.cu -o a.o
rm -r home/.config ./*.o

# The project's file: likewise, also where the command goes to nvcc as it is.
for text in 'settings: {mode: strict}' 'settings: {mode: stict}' \
            $'settings:\n  mode: strict\nkernels:\n  - fiel: a.cu' $'settings: {mode: strict\nkernels: ['; do
    echo "$text" > ks.yaml
    refused 1 'error: ' -G -c a.cu
    status 0 "$ks_nvcc" --ks-mode=consume -G -c a.cu -o a.o
    rm -f a.o
done
printf 'settings: {mode: consume}\nkernels:\n  - fiel: a.cu\n' > ks.yaml # strict is nowhere
status 0 "$ks_nvcc" -G -c a.cu -o a.o
rm ks.yaml a.o

# Neither a device nor a link is removed with the object.
ln -s target link.o
refused_object() { status 1 "$ks_nvcc" --ks-mode=strict -c wrong.cu -o "$1"; }
refused_object /dev/null && [ -c /dev/null ] || fail "/dev/null is gone"
refused_object link.o && [ -L link.o ] || fail "the link is gone"
echo old > old.o
refused_object old.o && [ ! -e old.o ] || fail "an older object stays"

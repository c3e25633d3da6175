# Proposals from elsewhere: compiled and run where they reach nothing of the user's (docs/judging.md, Sandbox). What
# breaks out here is the compiler and the worker themselves, as if a proposal had taken them over.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
"$ks" doctor > out || true
grep -q '^sandbox  *ok' out || skip "no sandbox here: $(grep '^sandbox' out)"
top=$PWD
mkdir proj && cd proj && touch ks.yaml
cat > vadd.cu <<'END'
#include "part.h"
#pragma ks optimize
#pragma ks workload let(n=4000) in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
END
echo '#define PART 1' > part.h
cat > ok.yaml <<'END'
source: |
  __global__ void vadd_ok(const float *a, const float *b, float *c, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          c[i] = a[i] + b[i];
  }
plan:
  - {kernel: vadd_ok, grid: ["ceildiv(n,256)"], block: [256], args: [a, b, c, n]}
END
sed 's/c\[i\] = a\[i\] + b\[i\]/c[i] = a[i] - b[i]/' ok.yaml > wrong.yaml
export KS_CONFIG_DIR=$HOME/.config/ks
mkdir -p "$KS_CONFIG_DIR" && echo key > "$KS_CONFIG_DIR/key.sec" && echo mine > "$HOME/mine"

# The same proposal gets the same verdict in and out of it, check by check, on a device that is a real worker.
# How many sizes were drawn is luck.
for proposal in ok wrong; do
    want=1
    [ $proposal = ok ] && want=0
    status $want "$ks" verify vadd.cu --variant $proposal.yaml --device emu --json
    mv out $proposal.in
    status $want "$ks" verify vadd.cu --variant $proposal.yaml --device emu --json --no-sandbox
    for field in correctness speed result; do
        [ "$(grep "\"$field\":" $proposal.in)" = "$(grep "\"$field\":" out)" ] ||
            fail "$proposal: $field differs in the sandbox"
    done
    grep -q '"sandbox": "used"' $proposal.in || fail "the report does not say that a sandbox was used"
    has '"sandbox": "none"'
done
grep -q '"correctness": "CORRECT"' ok.in || fail "no verdict"
grep -q '"correctness": "WRONG"' wrong.in || fail "no verdict"

# A text that the gate overlooks, were it not for the sandbox: it includes a file of the user's.
weak=$KS_TEST_BIN/ks-weak
mkdir -p texts/E1
{ cat part.h; sed 1d vadd.cu; } > texts/E1/kernel.cu
echo '// valid, whatever is secret in it' > "$HOME/mine"
sed "s|^source: .*|&\n  #include \"$HOME/mine\"|" ok.yaml > texts/E1/proposal.yaml
cat > texts/E1/expect.yaml <<'END'
title: "includes a file of the user's"
expect: [STATIC]
defence: text-gate
weakened: {off: [text-gate], expect: [COMPILE]}
emu: "let(n=1000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)"
END
if [ -x "$weak" ]; then
    status 0 "$weak" verify --suite texts --device emu
    has 'the sandbox kept something from the compiler'
    status 1 "$weak" verify --suite texts --device emu --no-sandbox
    grep -q '^FAIL   without its defence *CORRECT' out || { cat out; fail "the file was not included unconfined"; }
fi

# A suite's own text is from elsewhere as well. Words for nvcc that start programs, read files or have a shell run
# something are refused before anything starts, by file, line and word.
mkdir -p "$top/words/X1/inc"
touch "$top/words/X1/inc/found.h"
{ printf '#include "found.h"\n'; sed 1d vadd.cu; } > "$top/words/X1/kernel.cu"
cp ok.yaml "$top/words/X1/proposal.yaml"
printf '#!/bin/sh\ntouch %s/ran\nexec g++ "$@"\n' "$top" > evil.sh && chmod +x evil.sh
# fixture [WORD]...: expect.yaml with these words for nvcc, each on a line of its own from the 4th on.
fixture() {
    printf 'expect: [CORRECT]\nemu: "let(n=1000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)"\nnvcc:\n'
    printf "  - '%s'\n" "$@"
}
tried=0
while read -ra list; do
    for i in "${!list[@]}"; do list[i]=${list[i]//_/ }; list[i]=${list[i]//EVIL/$PWD/evil.sh}; done
    fixture -O2 "${list[@]}" > "$top/words/X1/expect.yaml"
    for sandbox in '' --no-sandbox; do
        # shellcheck disable=SC2086
        status 2 "$ks" verify --suite "$top/words" --device emu $sandbox
        says "words/X1/expect.yaml:5: nvcc's word \`${list[0]}\`"
        one_line
    done
    [ ! -e "$top/ran" ] || fail "${list[*]}: ran"
    tried=$((tried + 1))
done << 'END'
-ccbin EVIL
-ccbin=EVIL
--compiler-bindir=EVIL
--compiler-bindir EVIL
-Xcompiler=-wrapper,EVIL
-Xcompiler -fplugin=EVIL
-Xcompiler=-BEVIL
--compiler-options -BEVIL
-Xlinker -plugin=EVIL
-Xcudafe --x
-Xcicc -x
--options-file EVIL
-optf=EVIL
-ldir=EVIL
--dont-use-profile
--cicc-prefix=EVIL
-forward-unknown-opts
-fplugin=EVIL
-include EVIL
-odir=/tmp
-MF=EVIL
EVIL
-DX=$(touch_ran)
-DX=`EVIL`
-D -ccbin
-DX=";EVIL"
-Xptxas -v;EVIL
-Xptxas=-v,-optf=EVIL
-Xptxas=--options-file,EVIL
-arch=$(EVIL)
-I/usr/include
-I../..
-I../../../proj
END
[ "$tried" = 33 ] || fail "$tried lists of words were tried"
# What shapes device code may be said; -I is relative to the fixture.
fixture -DPART=1 -D X_1=a.b -UY -I inc -std=c++17 -O2 -lineinfo -Xptxas=-v,-O2 -Xptxas -dlcm=ca -maxrregcount=64 -fmad=false \
    -ftz=true --prec-div=true -prec-sqrt=true --expt-relaxed-constexpr --extended-lambda -rdc=false > "$top/words/X1/expect.yaml"
status 0 "$ks" verify --suite "$top/words" --device emu
cd "$top" && status 0 "$ks" verify --suite words --device emu && cd proj

# Its kernel's file may include what lies in the suite's folder, and nothing else of the user's; nor may it lie elsewhere.
fixture -O2 > "$top/words/X1/expect.yaml"
sed "1s|.*|#include \"$HOME/mine\"|" "$top/words/X1/kernel.cu" > kernel.cu
cp kernel.cu "$top/words/X1/kernel.cu"
status 1 "$ks" verify --suite "$top/words" --device emu
has 'does not compile in its sandbox' && has "$HOME/mine: Permission denied"
status 0 "$ks" verify --suite "$top/words" --device emu --no-sandbox
ln -s "$PWD/kernel.cu" "$top/words/X1/link.cu"
for outside in 'file: ../../proj/kernel.cu' "file: link.cu"; do
    { fixture -O2; echo "$outside"; } > "$top/words/X1/expect.yaml"
    status 2 "$ks" verify --suite "$top/words" --device emu
    says 'words/X1/expect.yaml:5: ' && says "lies outside of the suite's folder" && one_line
    status 0 "$ks" verify --suite "$top/words" --device emu --no-sandbox
done
# What it names without including it is no more readable to the proposal's compile.
if [ -x "$weak" ]; then
    for name in "#if 0\n#include \"$HOME/mine\"\n#endif" "#line 1 \"$HOME/mine\"\nstruct named;\n#line 2 \"texts/E1/kernel.cu\""; do
        { printf "$name\n"; sed 1d vadd.cu; } > texts/E1/kernel.cu
        status 0 "$weak" verify --suite texts --device emu
        has 'the sandbox kept something from the compiler'
    done
fi

# A compiler that a proposal has taken over: what it could do comes back as its complaint. It is honest on the
# user's own text, and does as part.h says on a proposal's.
mkdir -p kit/bin
ln -s "$(dirname "$(dirname "$nvcc")")"/{include,nvvm,lib64,targets,version.json} kit/ 2> /dev/null
cat > kit/bin/nvcc <<END
#!/bin/bash
can() { "\$@" > /dev/null 2>&1 && echo yes || echo no; }
net() { exec 3<> "/dev/tcp/127.0.0.1/\$(cat '$PWD/port')"; }
tell() { echo "x(1): error: \$*" >&2; exit 1; }
put() { : > "\$1"; }
bomb() { sleep 61 & bomb; }
case "\$*" in
*attack/X1/kernel.cu*)
    tell "key=\$(can cat '$KS_CONFIG_DIR/key.sec') home=\$(can cat '$HOME/mine') list=\$(can ls '$HOME')" \\
        "write=\$(can put '$HOME/new') own=\$(can put "\$TMPDIR/new") suite=\$(can cat '$PWD/attack/X1/kernel.cu')" \\
        "net=\$(can net) secret=\${MY_SECRET-no} mode=\$(can chmod 777 '$PWD/part.h') kill=\$(can kill -0 \$PPID)" ;;
*candidate-*)
    case "\$(cat '$PWD/part.h')" in
    *steal*)
        tell "key=\$(can cat '$KS_CONFIG_DIR/key.sec') home=\$(can cat '$HOME/mine') list=\$(can ls '$HOME')" \\
            "write=\$(can put '$HOME/new') own=\$(can put "\$TMPDIR/new") part=\$(can cat '$PWD/part.h')" \\
            "net=\$(can net) secret=\${MY_SECRET-no} mode=\$(can chmod 777 '$PWD/part.h') kill=\$(can kill -0 \$PPID)" ;;
    *fork*) bomb ;;
    *big*) dd if=/dev/zero of="\$TMPDIR/big" bs=1M count=1100 > /dev/null 2>&1 || tell too big ;;
    esac ;;
esac
exec '$nvcc' "\$@"
END
chmod +x kit/bin/nvcc
export KS_NVCC_REAL=$PWD/kit/bin/nvcc MY_SECRET=yes
python3 -c '
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
open("port", "w").write(str(s.getsockname()[1]))
time.sleep(300)' > /dev/null 2>&1 &
server=$!
trap 'kill $server 2> /dev/null' EXIT
for _ in $(seq 50); do [ -s port ] && break; sleep 0.1; done
net=yes
[ -s port ] || { echo 1 > port; net=no; echo "no python3: the network is tried without a server"; }
echo '#define PART 1 // steal' > part.h
status 1 "$ks" verify vadd.cu --variant ok.yaml
has 'key=no home=no list=no write=no own=yes part=yes net=no secret=no mode=no kill=no'
[ ! -e "$HOME/new" ] || fail "a file was written outside"
status 1 "$ks" verify vadd.cu --variant ok.yaml --no-sandbox
has "key=yes home=yes list=yes write=yes own=yes part=yes net=$net secret=yes mode=yes kill=yes"
rm "$HOME/new"
mkdir -p attack/X1
sed 1d vadd.cu > attack/X1/kernel.cu
cp ok.yaml attack/X1/proposal.yaml
printf 'expect: [CORRECT]\nemu: declared\n' > attack/X1/expect.yaml
status 1 "$ks" verify --suite attack --device emu
has 'key=no home=no list=no write=no own=yes suite=yes net=no secret=no mode=no kill=no'
[ ! -e "$HOME/new" ] || fail "a file was written outside"
status 1 "$ks" verify --suite attack --device emu --no-sandbox
has "key=yes home=yes list=yes write=yes own=yes suite=yes net=$net secret=yes mode=yes kill=yes"
rm "$HOME/new"
echo '#define PART 1 // fork' > part.h
status 1 "$ks" verify vadd.cu --variant ok.yaml
has 'COMPILE: the compiler was stopped: too many processes'
[ "$(pgrep -fc '^sleep 61$')" = 0 ] || fail "processes were left behind"
echo '#define PART 1 // big' > part.h
status 1 "$ks" verify vadd.cu --variant ok.yaml
has 'COMPILE: line 1: error: too big'
# The next one is judged as ever.
echo '#define PART 1' > part.h
status 0 "$ks" verify vadd.cu --variant ok.yaml --device emu
kill $server
export KS_NVCC_REAL=$nvcc

# A worker that a candidate has taken over.
worker=$KS_TEST_TOOLS/test_judge
[ -x "$worker" ] || skip "test_judge is not built"
export FAKE_SECRET=1 KS_DEVICE="$worker --worker --hostile $KS_CONFIG_DIR/key.sec $HOME/new"
json 0 verify vadd.cu --variant ok.yaml + verdicts
says 'attack: key=no write=no socket=no fork=no signal=no secret=no'
grep -q 'attack: .*yes' log && fail "something got out"
has '"speed": "FASTER"'
has '"sandbox": "used"'
[ ! -e "$HOME/new" ] || fail "a worker wrote outside"
status 0 "$ks" verify vadd.cu --variant ok.yaml --no-sandbox
says 'attack: key=yes write=yes socket=yes fork=yes signal=yes secret=yes'
rm "$HOME/new"

# A machine that cannot confine: refused by name, unless the user answers for the text.
cat > worker.sh <<'END'
#!/bin/sh
[ "$2" = --sandbox ] || exec "$FAKE_WORKER" --worker "$1"
read -r line
echo '{"id":1,"ok":false,"class":"unsupported","text":"this kernel has no Landlock"}'
END
chmod +x worker.sh
export FAKE_WORKER=$worker KS_DEVICE=$PWD/worker.sh
status 100 "$ks" verify vadd.cu --variant ok.yaml
has 'UNSUPPORTED: no-sandbox: ' && has 'this kernel has no Landlock; --no-sandbox judges it'
json 100 verify vadd.cu --variant ok.yaml + verdicts
has '"sandbox": "absent"'
status 0 "$ks" verify vadd.cu --variant ok.yaml --no-sandbox
mkdir -p suite/A1
cp ok.yaml suite/A1/proposal.yaml
{ cat part.h; sed 1d vadd.cu; } > suite/A1/kernel.cu
printf 'title: "as the original"\nexpect: [CORRECT]\n' > suite/A1/expect.yaml
status 100 "$ks" verify --suite suite && says 'no-sandbox: '
status 0 "$ks" verify --suite suite --no-sandbox
unset KS_DEVICE
json 0 verify --suite suite + fixtures
has '"sandbox": "used"'
cd "$top" && no_litter

# A section of a prompt, mended by a model: kept only where tuning with it and without it shows that no fewer kernels are won, and then
# what is asked from there on.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
cp "$KS_TEST_SOURCE/tests/agent/three.cu" .
three=(three.cu:plus three.cu:times three.cu:minus)
export KS_AGENT="command:$KS_TEST_SOURCE/tests/agent/taught.py $PWD/section" KS_AGENT_BUDGET=chains=1,steps=1
words=(agent evolve coder.advice "${three[@]}" --device=emu --budget=2m -- -arch=sm_90)
evolve() { json "$1" "${words[@]}" + trials; }
own=home/.local/state/ks/prompts/coder.advice.yaml
prompt() { "$ks" tune three.cu:plus --device emu --print-prompt --no-engine -- -arch=sm_90 > out 2> log; }

# Texts that would help nobody else, or break the prompt, are refused before anything is tuned.
prompt && cp out installed
for text in 'Call cublasSgemm.' 'Assume that n is 8192.' 'Give @kernel@ back.' "$(printf 'x%.0s' {1..1501})"; do
    echo "$text" > section
    json 1 "${words[@]}"
    has 'no section: ' && grep -q '"trials": \[\]' out || fail "tuned with: $text"
done
[ ! -e $own ] || fail "something is kept"

# One that helps: nothing is won without it, three kernels with it.
echo 'Look for what all threads repeat, and do it once in a launch of its own.' > section
evolve 0
has '"kept": true' && has '3 of 3 kernels won with it, 0 without' && has '"with": 1.' && has '"without": 1.0'
grep -q 'model: taught.py' $own && grep -q 'evidence: .*modelled' $own || fail "no model or evidence: $(cat $own)"
[ -z "$(find .ks -name '*.yaml' 2> find)" ] || fail "what trials found is stored"
prompt && has 'Look for what all threads repeat'
sed 's/^Look for what all threads repeat.*/@/' out | grep -v '^@$' > mended
grep -vxFf mended installed | grep -q 'one idea that the facts speak for' || fail "more than the section is another"
# One that is worse than what is there now: with it nothing is won.
echo 'Say that nothing comes to mind.' > section
cp $own before
evolve 1
has '"kept": false' && has '0 of 3 kernels won with it, 3 without'
cmp -s before $own || fail "the worse one is kept"
prompt && has 'Look for what all threads repeat'
# Shown against another text than is installed: left out until it is shown again.
sed -i 's/^base: .*/base: 0000/' $own
KS_LOG=info prompt
says 'left out' && lacks 'Look for what all threads repeat'

status 2 "$ks" agent evolve coder.nothing "${three[@]}" --device=emu && says 'there are coder.advice, repairer.advice' && one_line
status 2 "$ks" agent evolve coder.advice three.cu:plus && says 'takes 3 kernels or more' && one_line
no_litter

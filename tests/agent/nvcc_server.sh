# Models behind HTTP, played by a server on the loopback: both protocols, faults, keys that are nowhere to be found,
# and no socket at all where none is wanted.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY OPENAI_API_KEY ANTHROPIC_API_KEY
trap 'kill $server 2> kill' EXIT
python3 "$KS_TEST_SOURCE/tests/agent/server.py" port --replies "$PWD/replies" --faults 0.3 &
server=$!
for ((i = 0; i < 200; i++)); do [ -s port ] && break; sleep 0.05; done
url=http://127.0.0.1:$(cat port)/v1
served() { python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' "${url%/v1}/stats" > stats; }

once coder-00 'taps - 1'
mended repairer-01
twice coder-10
key=sk-very-secret-key-of-mine
# A proxy is not asked for this machine: the key would be read there.
http_proxy=http://127.0.0.1:9 KS_AGENT_KEY=$key ask --agent "openai:small@$url" --record=talk.jsonl --budget=5m
has '"status": "variant"' && counts asked 8 && counts proposed 3 && counts correct 2 && counts no-code 5
grep -q 'proposer: small' "$(find .ks -name '*.yaml')" || fail "the variant does not name the model"
served
grep -q "Bearer $key" stats || fail "the key was not sent"
grep -qE '"faults": \{"' stats || fail "no fault was met"
grep -rqF "$key" talk.jsonl .ks out log home && fail "the key was written somewhere"

# Messages, a key in a file.
echo "$key-2" > key
chmod 644 key
KS_AGENT_KEY_FILE=$PWD/key status 2 "$ks" tune comb.cu --device emu --agent "anthropic:big@$url" && says 'chmod 600' && one_line
chmod 600 key
rm -r .ks
once coder-00 taps
KS_AGENT_BUDGET=chains=1,steps=1 KS_AGENT_KEY_FILE=$PWD/key ask --agent "anthropic:big@$url" --budget=5m
has '"status": "variant"' && counts asked 1
served
grep -qF "\"$key-2\"" stats || fail "the key was not sent"

# Addresses and keys that will not do: one line each, before anything is asked.
asks() { status 2 "$ks" tune comb.cu --device emu --agent "$@"; one_line; }
asks openai:m && says 'there is no key: set OPENAI_API_KEY'
asks "openai:@$url" && says 'no model is named'
KS_AGENT_KEY=$key asks openai:m@http://models.example/v1 && says 'is not encrypted'
KS_AGENT_KEY=$key asks openai:m@http://127.0.0.1.example/v1 && says 'is not encrypted'
KS_AGENT_KEY=$key asks openai:m@http://127.0.0.1:80@models.example/v1 && says 'no user and no password'
KS_AGENT_KEY=$key asks "openai:m@$url ; anthropic:n@http://localhost:9/v1" && says 'one key would go to both http://127.0.0.1:'
grep -qF "$key" log && fail "the key is told"
# Of several models, a maker's own key is not for servers elsewhere.
OPENAI_API_KEY=$key-3 KS_AGENT_BUDGET=chains=1,steps=1,requests=2 ask --agent "openai:m@$url ; openai:n@http://127.0.0.1:9/v1"
served
grep -qF "$key-3" stats && fail "a maker's key went to another server"
rm -rf .ks
# The doctor tells what is configured, without a call and without the key.
before=$(cat stats)
KS_AGENT="openai:small@$url ; anthropic:big@$url" KS_AGENT_KEY=$key "$ks" doctor > out || true
grep -qE '^agent +ok +small, then big, with a key$' out || fail "the doctor says: $(grep ^agent out)"
KS_AGENT=openai:m "$ks" doctor > out && fail "the doctor finds nothing wrong"
grep -qE '^agent +no .*there is no key: set OPENAI_API_KEY' out || fail "the doctor says: $(grep ^agent out)"
KS_OFFLINE=1 KS_AGENT="openai:small@$url" "$ks" doctor > out || true
grep -qE '^agent +note +offline' out || fail "the doctor says: $(grep ^agent out)"
"$ks" doctor > out || true
grep -qE '^agent +ok +none' out || fail "the doctor says: $(grep ^agent out)"
served && [ "$(cat stats)" = "$before" ] || fail "the doctor calls"
# A server that is not there.
rm -r .ks
KS_AGENT_BUDGET=chains=1,steps=1,requests=2 ask --agent openai:m@http://127.0.0.1:9/v1
counts no-answer 1 && counts requests 2 && counts tokens_in 0

# Offline, no socket of the internet's families comes to be: not by ks, nor by anything it starts.
cat > lonely.sh <<END
#!/bin/sh
python3 -c 'import socket; socket.socket()' 2> $PWD/refused && touch $PWD/connected
exec $KS_NVCC_REAL "\$@"
END
chmod +x lonely.sh
served && before=$(cat stats)
KS_NVCC_REAL=$PWD/lonely.sh status 0 "$ks" tune comb.cu --device emu --no-engine --offline --agent "openai:m@$url" -- -arch=sm_90
says 'offline: openai is not asked'
grep -q 'Permission denied' refused || fail "a child was not kept from the network"
[ ! -e connected ] || fail "a child has a socket"
served && [ "$(cat stats)" = "$before" ] || fail "the server was called"
ask --offline --agent replay:talk.jsonl --budget=5m
has '"status": "variant"'
if command -v strace > strace && strace -f -o calls -e trace=socket true; then
    strace -f -o calls -e trace=socket "$ks" tune comb.cu --device emu --no-engine --agent replay:talk.jsonl -- -arch=sm_90 > out 2> log
    grep -qE 'AF_INET' calls && fail "a socket that nobody asked for: $(grep -m1 AF_INET calls)"
    strace -f -o calls -e trace=socket "$ks" tune comb.cu --device emu --no-engine --offline --agent "openai:m@$url" -- -arch=sm_90 > out 2> log
    [ -s calls ] && grep -qE 'AF_INET' calls && fail "a socket in spite of --offline: $(grep -m1 AF_INET calls)"
fi
true

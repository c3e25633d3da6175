# Between ks and a server: certificates, proxies, redirections, and what a key may pass through.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
command -v openssl > openssl || skip "no openssl"
unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
unset OPENAI_API_KEY ANTHROPIC_API_KEY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
trap 'kill "${started[@]}" 2> kill' EXIT
started=()
# begin PORTFILE PROGRAM WORDS...: one of the folder's servers; its port in $port.
begin() {
    python3 "$KS_TEST_SOURCE/tests/agent/$2" "$1" "${@:3}" &
    started+=($!)
    for ((i = 0; i < 200; i++)); do [ -s "$1" ] && break; sleep 0.05; done
    port=$(cat "$1")
}
stats() { python3 -c 'import sys, ssl, urllib.request as u
print(u.build_opener(u.ProxyHandler({}), u.HTTPSHandler(context=ssl._create_unverified_context())).open(sys.argv[1] + "/stats").read().decode())' "$1"; }
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout part.key -out ca.pem -subj /CN=models.example \
    -addext subjectAltName=DNS:models.example,DNS:localhost > openssl 2>&1 || fail "no certificate: $(cat openssl)"
cat part.key ca.pem > both.pem
begin tls server.py --replies "$PWD/replies" --tls "$PWD/both.pem"
tls=$port
once coder-00 taps
export KS_AGENT_KEY=sk-very-secret-key-of-mine KS_AGENT_BUDGET=chains=1,steps=1,requests=1
told() { ask --agent "openai:m@$1" --budget=5m; }
# lost: nothing was answered, and what the server at $tls was told of a key.
lost() {
    counts no-answer 1
    stats "https://127.0.0.1:$tls" > stats
    grep -q '"calls": 0' stats || fail "a server that nobody vouches for was called: $(cat stats)"
}

# A certificate that nobody signed, and one for another name.
told "https://localhost:$tls/v1" && lost
export KS_AGENT_CA=$PWD/ca.pem
told "https://127.0.0.1:$tls/v1" && lost
told "https://localhost:$tls/v1"
has '"status": "variant"' && counts asked 1
# A file of certificates that is not there is said, and nobody is called instead.
rm -r .ks
KS_AGENT_CA=$PWD/nowhere.pem told "https://localhost:$tls/v1"
counts no-answer 1

# A proxy connects, and reads nothing of what passes; no_proxy goes past it.
begin proxy proxy.py "$PWD/seen" "$tls"
proxy=http://127.0.0.1:$port
https_proxy=$proxy told https://models.example/v1
has '"status": "variant"' && counts asked 1
grep -q '^CONNECT models.example:443' seen || fail "the proxy was not asked"
grep -qaF "$KS_AGENT_KEY" seen && fail "the key passes the proxy in the clear"
stats "https://127.0.0.1:$tls" > stats
grep -qF "Bearer $KS_AGENT_KEY" stats || fail "the key was not sent"
rm -r .ks && : > seen
https_proxy=$proxy no_proxy=localhost told "https://localhost:$tls/v1"
has '"status": "variant"' && [ ! -s seen ] || fail "no_proxy does not hold"

# This machine's own server is asked without a proxy, which would read the key.
begin plain server.py --replies "$PWD/replies"
rm -r .ks
http_proxy=$proxy all_proxy=$proxy told "http://127.0.0.1:$port/v1"
has '"status": "variant"' && [ ! -s seen ] || fail "the proxy was asked for this machine"
plain=$port

# What is asked behind the address stays behind it.
rm -r .ks
told "http://127.0.0.1:$plain/v1/?version=2"
has '"status": "variant"'

# A server that sends on to another is not followed: the other would get the key.
begin sent server.py --redirect "http://127.0.0.1:$plain/v1/chat/completions"
stats "http://127.0.0.1:$plain" > before
rm -r .ks
told "http://127.0.0.1:$port/v1"
counts no-answer 1 && counts requests 1
stats "http://127.0.0.1:$plain" > after
cmp -s before after || fail "the redirection was followed: $(cat after)"

# Answers without end: one that comes fast is too long, one that comes slowly is late; both are one request.
rm -r .ks 2> rm
printf '!flood' > replies/coder-00
told "http://127.0.0.1:$plain/v1"
counts too-long 1 && counts requests 1 && counts untold 1
printf '!drip' > replies/coder-00
KS_AGENT_TIMEOUT=2s told "http://127.0.0.1:$plain/v1"
counts no-answer 1 && counts requests 1 && counts untold 1
stats "http://127.0.0.1:$plain" > stats
grep -q '"now": 0' stats || fail "a call is still open"

# Users and passwords in addresses would be kept with them.
status 2 "$ks" tune comb.cu --device emu --agent "openai:m@https://me:hidden@models.example/v1"
says 'no user and no password' && one_line
grep -q hidden log && fail "the password is told"
status 2 "$ks" tune comb.cu --device emu --agent openai:m@https:models && says 'is no http:// or https:// address' && one_line
true

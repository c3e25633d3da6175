# Questions as files: written, answered elsewhere in any order, by hand or by `ks agent serve`, brought back; nothing
# waits for them, nothing is lost by a kill.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
box=$PWD/box
ask --agent "mailbox:$box"
has '"status": "waiting"' && counts waiting 2 && counts judged 0
json 0 agent list "$box" + questions
[ "$(grep -c '"state": "open"' out)" = 2 ] || fail "not two open questions"
grep -q 'unsigned scaled' box/questions/*-coder-00-*.md || fail "no page for people"
grep -q whom box/questions/* && fail "comments leave"
# Asked again: the same questions, nothing new, nothing paid for twice.
ask --agent "mailbox:$box"
counts waiting 2 && counts requests 0
[ "$(find box/questions -name '*.json' | wc -l)" = 2 ] || fail "asked twice"

# Carried elsewhere, and answered there by a model that can be reached; one question is answered by hand.
twice coder-10
cp -r box elsewhere
rm elsewhere/questions/*-coder-00-*
status 0 "$ks" agent serve "$PWD/elsewhere" --agent "$scripted" && has '1 answered, 0 not'
cp elsewhere/answers/* box/answers/
json 0 agent list "$box" + questions
has '"state": "answered"' && has '"state": "open"'
ask --agent "mailbox:$box"
has '"status": "waiting"' && counts waiting 1 && counts judged 0
once byhand 'taps - 1'
first=$(basename box/questions/*-coder-00-*.json .json)
sed "s/@request@/$first/" replies/byhand > "box/answers/$first.md"
ask --agent "mailbox:$box"
has '"status": "waiting"' && counts judged 2 && counts correct 1 && counts waiting 2
second=$(basename box/questions/*-repairer-01-*.json .json)
grep -q 'WRONG: output' "box/questions/$second.md" || fail "no verdict for the repairer"

# `ks agent serve` answers what is open; the next run takes it, and asks again.
mended repairer-01
status 0 "$ks" agent serve "$box" --agent "$scripted" && has '2 answered, 0 not'
status 0 "$ks" agent serve "$box" --agent "$scripted" && has '0 answered, 0 not'
ask --agent "mailbox:$box" --budget=5m
has '"status": "variant"' && counts proposed 3 && counts waiting 2
counts recalled 2 && counts judged 1 && counts correct 1 # what was rejected for good is not judged again
# Decided; and looked at again once there are answers that nobody looked at.
ask --agent "mailbox:$box"
has '"status": "decided"'
echo 'No idea.' > "box/answers/$(basename box/questions/*-coder-02-*.json .json).txt"
ask --agent "mailbox:$box"
has '"status": "variant"' && counts waiting 1

# 100 open questions and a server that is killed in the middle: each is answered once.
mkdir -p many/questions many/answers many/done
for i in $(seq -w 100); do
    echo '{"id":"q-coder-'"$i"'-x","role":"coder","kernel":"k","system":"s","user":"u","max_tokens":10,"temperature":0}' \
        > "many/questions/q-coder-$i-x.json"
done
cat > brief.sh <<'END'
read -r line
id=${line#*'"id":"'}
echo "{\"id\":\"${id%%'"'*}\",\"text\":\"Nothing.\"}"
END
brief="command:/bin/sh $PWD/brief.sh"
"$ks" agent serve "$PWD/many" --agent "$brief" > serve 2>&1 &
server=$!
while [ "$(find many/answers -name '*.json' | wc -l)" -lt 20 ]; do sleep 0.01; done
kill -9 $server
wait $server 2> /dev/null
sleep 0.5
half=$(find many/answers -name '*.json' | wc -l)
[ "$half" -lt 100 ] || fail "the server was not killed in the middle"
status 0 "$ks" agent serve "$PWD/many" --agent "$brief" && has "$((100 - half)) answered, 0 not"
for i in $(seq -w 100); do
    grep -q "\"id\":\"q-coder-$i-x\",\"text\":\"Nothing" "many/answers/q-coder-$i-x.json" || fail "question $i is lost"
done
status 2 "$ks" agent list nowhere && says 'no mailbox'
KS_OFFLINE=1 status 2 "$ks" agent serve "$box" --agent "$scripted" && says 'offline, nobody can be asked'
status 2 "$ks" agent serve "$box" && says 'give --agent'
status 2 "$ks" agent serve "$box" --agent "mailbox:$box" && says 'cannot answer a mailbox'

# ks tune --replay: a search on a recorded log finds what is best there, the same under the same seed, without its
# parts too; a log that is none is named with its line.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
node() { # node NUMBER NAME RATIO FROM
    echo '{"of":"scale","node":'"$1"',"name":"transform '"$2"'","depth":1,"found":"CORRECT","id":"0","ratios":['"$3"'],"from":'"$4"'}'
}
{
    echo '{"kernel":"scale","gpu":"none","arch":90,"us":[100],"bottleneck":"unknown","roofline_pct":0,"drawn":4,' \
        '"facts":{"map":1,"axes":1,"loops":1,"contiguous(thread)":1},"actions":["geometry block=512","unroll unroll=4","geometry block=64"]}'
    node 1 block=512 1.3 '[[0,0]]'
    node 2 unroll=4 0.9 '[[0,1]]'
    node 3 'block=512 unroll=4' 2.5 '[[1,1],[2,0]]'
    node 4 block=64 0.8 '[[0,2]]'
    echo '{"end":"scale","whole":true}'
} > played
status 0 "$ks" tune --replay=played
has 'scale: 2.50x after 4 of 4 candidates, 2.38x (95 % of the best, 2.50x) after '
cp out first
status 0 "$ks" tune --replay=played scale --seed=1 && same first out
status 0 "$ks" tune --replay=played --without=rules --without=stop && has 'scale: 2.50x after 4 of 4'
json 0 tune --replay=played + kernels
has '"best": 2.5'

status 2 "$ks" tune --replay=played other && says 'no kernel other; there are: scale'
status 2 "$ks" tune --replay=played --without=luck && says 'luck is no part of the search'
status 2 "$ks" tune --replay=played --seed=x && says 'no whole number'
status 2 "$ks" tune a.cu --seed=1 && says 'those of --replay'
gzip < played > played.gz
status 2 "$ks" tune --replay=played.gz && one_line && says 'played.gz: packed by gzip; unpack it first: `gunzip -k played.gz`'
sed 's/"node":3/"node":7/' played > bad
status 100 "$ks" tune --replay=bad && says 'bad:4: a candidate out of its order'
sed 's/\[0,2\]/[0,9]/' played > bad
status 100 "$ks" tune --replay=bad && says 'bad:5: a step by an action that the kernel does not have'
head -c 300 played > bad
status 100 "$ks" tune --replay=bad && says 'bad:[12]: '
no_litter

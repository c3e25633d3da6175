# KS_MODE=tune: a build runs the tuner that lies beside ks-nvcc, and takes what it stored. The tuner
# here is a script that stores a made variant, signed with the user's key, which is made then: the first
# build of a new user must already take its own variants.
. "$KS_TEST_SOURCE/tests/lib.sh"
write_scale a.cu
write_scale4 p.yaml
mkdir -p bin share
cp "$ks_nvcc" bin/
ln -s "$KS_TEST_SOURCE/driver/source/hook" share/hook
export KS_SHARE_DIR=$PWD/share
cat > bin/ks <<END
#!/bin/bash
echo "\$*" >> "$PWD/calls"
unset KS_NVCC_ACTIVE KS_MODE
"$make_variant" "$PWD/p.yaml" "$PWD/a.cu" -- -arch=sm_90 > /dev/null
exit \${TUNER_EXIT:-0}
END
chmod +x bin/ks
ks_nvcc=$PWD/bin/ks-nvcc

[ ! -e home/.config/ks/key.sec ] || fail "a key before the first tune"
KS_MODE=tune compile -arch=sm_90 -c a.cu -o a.o
reason applied
substituted a.o
grep -q -- '^tune --key=[0-9a-f]\{64\} --in-build a.cu -- .*-arch=sm_90' calls || fail "called as: $(cat calls)"
[ "$(wc -l < calls)" = 1 ] || fail "tuned more than once"

# What is decided is not tuned again, in either path.
KS_MODE=tune compile -arch=sm_90 -c a.cu -o a.o
reason applied
[ "$(wc -l < calls)" = 1 ] || fail "tuned again"

# In a command that compiles and links the tuner gets the words of the unit alone.
rm -r "$cache"
echo 'int main() {}' > main.cpp
KS_MODE=tune compile -arch=sm_90 main.cpp a.cu -o app
reason applied
substituted app
tail -1 calls | grep -q -- '^tune --key=[0-9a-f]\{64\} --in-build a.cu -- .*-arch=sm_90' || fail "called as: $(cat calls)"
tail -1 calls | grep -q 'main.cpp\|app' && fail "called as: $(cat calls)"

# A tuner that fails after it stored something: that is taken. One that stores nothing: the original.
rm -r "$cache"
TUNER_EXIT=1 KS_MODE=tune compile -arch=sm_90 -c a.cu -o a.o
reason applied
rm -r "$cache"
printf '#!/bin/bash\nexit 100\n' > bin/ks
KS_MODE=tune compile -arch=sm_90 -c a.cu -o a.o
reason pending
plain a.o
no_litter

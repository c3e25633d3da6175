# Plain make with nvcc's own depfiles: what is rebuilt when a decision comes or goes, and nothing else.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v make > /dev/null || skip "no make"
command -v git > /dev/null || skip "no git"

write_project
cat > Makefile <<'END'
NVCC = nvcc
objects = a.o b.o main.o
vpath %.cu src src/lib
program: $(objects)
	$(NVCC) -arch=sm_90 $^ -o $@
%.o: %.cu
	$(NVCC) -arch=sm_90 -MD -MP -MF $*.d -c $< -o $@
-include $(objects:.o=.d)
END
a=a.o b=b.o
build() { make -j2 NVCC="$ks_nvcc" > log 2>&1 || fail "make"; }
follow_decisions

# Two branches that each tuned: their merge has no conflict, and the build sees it.
sed 's/1024/512/; s/\[256\]/[128]/' p.yaml > q.yaml
git_src checkout -qb other built
variant q.yaml src/a.cu -- "${arch[@]}"
commit "tuned elsewhere"
git_src checkout -q tuned
git_src merge -q other
built a.cu
"$KS_TEST_BIN/ks" inspect a.o > log || fail "ks inspect"
for id in src/.ks/*/*.yaml; do says "$(basename "$id" .yaml)"; done
[ "$(ls src/.ks/*/*.yaml | wc -l)" = 2 ] || fail "not two variants"

make -q NVCC="$ks_nvcc" || fail "make finds something to do"
./program || fail "the program fails"

# A makefile from before nvcc had -MD asks for dependencies with -M, on standard output or in a file.
cat > old.mk <<'END'
NVCC = nvcc
objects = a.o b.o main.o
vpath %.cu src src/lib
program: $(objects)
	$(NVCC) -arch=sm_90 $^ -o $@
%.d: %.cu
	$(NVCC) -arch=sm_90 -M -MT "$*.o $@" $< $(LIST)
%.o: %.cu
	$(NVCC) -arch=sm_90 -c $< -o $@
-include $(objects:.o=.d)
END
for list in '> $@' '-o $@' '-MF $@'; do
    rm -f ./*.[od]
    build() { make -f old.mk NVCC="$ks_nvcc" LIST="$list" > log 2>&1 || fail "make with $list"; }
    go tuned
    built a.cu b.cu main.cu
    substituted a.o
    rm -r "$cache" # which such a list must not name
    built
    go built
    built a.cu
    plain a.o
done
build() { make -j2 NVCC="$ks_nvcc" > log 2>&1 || fail "make"; }
go tuned
rm -f ./*.[od]
build

# A project that is one only now: what was built before depends on no index of its own.
mkdir loose
sed 's/scale/scale_c/g; s/void run/void run_c/' src/a.cu > loose/c.cu
sed -i 's/^objects = /&c.o /; s/^vpath .*/& loose/' Makefile
built c.cu
touch loose/ks.yaml
variant p.yaml loose/c.cu -- "${arch[@]}"
[[ $variant == "$PWD"/loose/.ks/* ]] || fail "the variant is at $variant"
build
substituted c.o
built
no_litter

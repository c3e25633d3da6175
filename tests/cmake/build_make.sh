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
make -q NVCC="$ks_nvcc" || fail "make finds something to do"
./program || fail "the program fails"
no_litter

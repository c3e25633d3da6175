# Meson with ks-nvcc from a native file: what is rebuilt when a decision comes or goes, and nothing else.
#
# Meson before 1.4 asks nvcc for no depfile (nothing is rebuilt there, for a header neither); such a one is
# given the words that 1.4 passes.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
for tool in meson ninja git; do
    command -v $tool > /dev/null || skip "no $tool"
done
python=$(sed -n '1s/^#! *//p' "$(command -v meson)") # meson's own
$python -c 'import mesonbuild' 2> /dev/null || skip "meson is no python package here"

cat > meson.py <<'END'
import sys
from mesonbuild import mesonmain
from mesonbuild.compilers.compilers import Compiler
from mesonbuild.compilers.cuda import CudaCompiler
if CudaCompiler.get_dependency_gen_args is Compiler.get_dependency_gen_args:
    CudaCompiler.get_dependency_gen_args = lambda self, out, file: ['-MD', '-MT', out, '-MF', file]
sys.exit(mesonmain.run(sys.argv[1:], sys.argv[0]))
END
write_project
cat > src/meson.build <<'END'
project('p', 'cuda', default_options: ['buildtype=release'])
executable('program', 'a.cu', 'lib/b.cu', 'main.cu', cuda_args: ['-arch=sm_90'])
END
commit "with meson.build"
printf "[binaries]\ncuda = '%s'\n" "$ks_nvcc" > ks.ini
$python meson.py setup build src --native-file ks.ini > log 2>&1 || fail "meson setup"
grep -q "Cuda compiler for the host machine: .*nvcc $("$nvcc" --version | sed -n 's/.*, V//p')" log ||
    fail "the compiler's identity"
a=build/program.p/a.cu.o b=build/program.p/lib_b.cu.o
build() { ninja -C build -v -j2 > log 2>&1 || fail "ninja"; }
follow_decisions
build/program || fail "the program fails"
no_litter

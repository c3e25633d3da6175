# Sourced where a test goes on with the real nvcc: KS_TEST_REAL_NVCC. Without one the test ends here, as passed
# so far would say too much: as skipped.
# shellcheck shell=bash
[ -x "$KS_TEST_REAL_NVCC" ] || skip "no nvcc: captures were made, not judged"
export KS_NVCC_REAL=$KS_TEST_REAL_NVCC

# What a launch costs beside the roofline: of a kernel of 3 us, timed against a launch that only moves its arrays.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
. "$KS_TEST_SOURCE/tests/profile/profile.sh"
sed -i 's/let(n=1024)/let(n=64)/' a.cu

export FAKE_LEAST=2.875
status 0 "$ks" profile a.cu
has 'floor: 3.00 us in a batch of launches; one that only moves its largest arrays takes 2.88 us: 0.12 us to gain at most'
json 0 profile a.cu
is "p['floor']['original_us'], p['floor']['least_us'], p['floor']['gain_us']" "(3.0, 2.875, 0.125)"
is "round(p['floor']['ratio'] * 2.875, 9), p['roofline_pct'] < 1" "(3.0, True)"

# Nothing is told where counters do not show that all of the arrays is moved.
FAKE_COUNTERS=rights json 0 profile a.cu
is "p['floor']" None
# Nor of a kernel for which a launch is no matter.
unset FAKE_LEAST
json 0 profile a.cu
is "p['floor'], p['time_us']" "(None, 960.0)"
status 0 "$ks" profile a.cu
lacks 'floor:'
# A kernel of many bytes is not even timed so, and has its counters all the same.
sed -i 's/let(n=64)/let(n=5120)/' a.cu
FAKE_LEAST=2.875 json 0 profile a.cu
is "p['floor'], p['time_us'] > 0" "(None, True)"
no_litter

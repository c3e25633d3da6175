// The verb that ks-probe has beside those of the worker's protocol (verify/protocol.h).
//
// profile    {"plan":[step...]} -> {"method":"range profiler|activity|timing","time_us":..,"chip":"GH100",
//                "passes":..,"refused":null|{"code":..,"text":..},"metrics":{"hardware name": value},
//                "seconds":..,"seconds_begin":..,"seconds_enable":..,"seconds_collect":..}
//            Time is taken first, outside any profiling; in a process that has profiled before, the
//            profiler stays enabled. Refused counters are an answer, not an error.
// profile    {"plan":[step...],"lines":true} + payload, the cubin that holds the plan's kernels
//            -> {"lines":null|[{"file","line","samples","stalls":{..}}],"samples":..,"dropped":..,
//                "lines_refused":null|{"code":..,"text":..}}
//            For a process of its own: behind the counters of another request the sampler sees nothing.
#ifndef KS_SERVE_PROFILE_H
#define KS_SERVE_PROFILE_H

#include "verify/worker/serving.h"

extern const struct ks_serve_extra ks_probe_verb;

#endif

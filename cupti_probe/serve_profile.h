// The verb that ks-probe has beside those of the worker's protocol (verify/protocol.h).
//
// profile    {"plan":[step...],"lines":bool} + payload (with lines: the cubin that holds the plan's
// kernels)
//            -> {"method":"range profiler|activity|timing","time_us":..,"chip":"GH100","passes":..,
//                "refused":null|{"code":..,"text":..},"metrics":{"hardware name": value},
//                "seconds":..,"seconds_begin":..,"seconds_enable":..,
//                "lines":null|[{"file","line","samples","stalls":{..}}],"samples":..,"dropped":..,
//                "lines_refused":null|{"code":..,"text":..}}
//            Time is taken first, outside any profiling. Refused counters are an answer, not an
//            error.
#ifndef KS_SERVE_PROFILE_H
#define KS_SERVE_PROFILE_H

#include "verify/worker/serving.h"

extern const struct ks_serve_extra ks_probe_verb;

#endif

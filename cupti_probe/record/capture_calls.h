// The driver's calls that capturing looks at, as CUPTI tells of them.
#ifndef KS_CAPTURE_CALLS_H
#define KS_CAPTURE_CALLS_H

#include <cupti.h>

#include "capture.h"

extern const CUpti_CallbackId capture_calls[];
extern const size_t capture_n_calls;
// False: the call is none of them.
bool capture_called(CUpti_CallbackId id, const CUpti_CallbackData *data);

#endif

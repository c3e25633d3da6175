// Activity records to lines of a recording: kernels and classes are named once, launches are numbers.
// Not thread-safe: callers hold the library's lock.
#ifndef KS_RECORD_KERNELS_H
#define KS_RECORD_KERNELS_H

#include <cupti_activity.h>

void record_kernel(const CUpti_ActivityKernel10 *kernel);
void record_device(const CUpti_ActivityDevice5 *device);
void record_launches_end(void);   // closes the line of launches that is open, if one is
int64_t record_launches(void);    // recorded so far

#endif

// The GPU that tuning would use, asked through its worker, so that `ks` itself opens no driver.
#ifndef KS_VERB_DEVICE_H
#define KS_VERB_DEVICE_H

#include "app/verb.h"
#include "device/device.h"

// KS_E_DEVICE: there is none, or it does not work, in one sentence with the next step. KS_E_CHILD:
// the worker could not be started.
enum ks_status verb_device_ask(struct ks_verb_context *context, struct ks_device_info *info,
                               struct ks_err *err);

#endif

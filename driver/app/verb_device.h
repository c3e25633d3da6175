// The device that judging would use, asked through its worker, so that `ks` itself opens no driver.
#ifndef KS_VERB_DEVICE_H
#define KS_VERB_DEVICE_H

#include "app/verb.h"
#include "device/device.h"

// KS_E_DEVICE: there is none, or it does not work, in one sentence with the next step. KS_E_CHILD:
// the worker could not be started.
enum ks_status verb_device_ask(struct ks_verb_context *context, struct ks_device_info *info,
                               struct ks_err *err);
// Whether it opens and works for a worker in a sandbox. KS_E_UNSUPPORTED: there is none where the worker runs.
enum ks_status verb_device_confine(struct ks_verb_context *context, struct ks_err *err);
// As verb_device_ask, but where nobody named a device and there is no GPU, the emulated one is taken, and that is
// said in one line. The configuration names the device that answered.
enum ks_status verb_device_choose(struct ks_verb_context *context, struct ks_device_info *info,
                                  struct ks_err *err);
// --device=NAME of a verb into the configuration; NULL: not given. An exit status, EXIT_OK when it may be.
// The GPU of another machine stays where KS_DEVICE says it is.
int verb_device_option(struct ks_verb_context *context, const char *name);
bool verb_device_emulated(const struct ks_device_info *info);

#endif

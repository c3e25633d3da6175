// Edits of a YAML text by whole lines: comments, order and spelling of everything else stay byte for
// byte. The result is read again; where it is not the old text with that one change, or where the
// text is written in a way that is not understood, nothing is done and KS_E_UNSUPPORTED says so.
#ifndef KS_YAML_EDIT_H
#define KS_YAML_EDIT_H

#include "fmt/yaml.h"

// Adds `item` at the end of the list under the top-level `key`, which is made where there is none.
// `name` is used in messages.
enum ks_status ks_yaml_list_add(struct ks_arena *arena, const char *name, struct ks_slice text,
                                const char *key, const char *item, struct ks_slice *out,
                                struct ks_err *err);
// Takes every `item` out of it; KS_E_ABSENT when it is not in.
enum ks_status ks_yaml_list_remove(struct ks_arena *arena, const char *name, struct ks_slice text,
                                   const char *key, const char *item, struct ks_slice *out,
                                   struct ks_err *err);
// Sets a top-level scalar; `value` NULL takes it out (KS_E_ABSENT when it is not in).
enum ks_status ks_yaml_set(struct ks_arena *arena, const char *name, struct ks_slice text,
                           const char *key, const char *value, struct ks_slice *out,
                           struct ks_err *err);

#endif

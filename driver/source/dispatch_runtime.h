// Text of the dispatch runtime, emitted once a shadow, in this order: libc declarations at file
// scope; then, inside the unit's unnamed namespace, ks_expr_c_helpers() and the runtime.
#ifndef KS_DISPATCH_RUNTIME_H
#define KS_DISPATCH_RUNTIME_H

extern const char ks_dispatch_libc[];
extern const char ks_dispatch_runtime[];

#endif

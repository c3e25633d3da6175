// The dispatch table and its runtime, as C++11 text appended to the shadow TU's host part.
//
// The table is keyed by the registered name of the original. Each entry tests, in order: kill
// switch, device architecture where all devices have the same, domain && when (reading arguments by
// layout), the plan's values; none of these calls the runtime. Then: the application's pending
// error, device architecture where they differ, each kernel's limits, stream capture of plans with
// several steps or a workspace, workspace; then it launches the plan. Anything refused before the
// plan's first step runs the original.
#ifndef KS_DISPATCH_H
#define KS_DISPATCH_H

#include "source/shadow.h"

// Appends runtime (once) and table for all substitutions. Used by ks_shadow_text.
enum ks_status ks_dispatch_text(struct ks_arena *arena, const struct ks_substitution *subs,
                                size_t n_subs, struct ks_buf *out, struct ks_err *err);

// Names of the ELF sections that prove a substitution, and that `ks inspect` reads.
#define KS_SECTION_HOOK ".ks_hook"   // emitted by hook/crt/host_runtime.h
#define KS_SECTION_TABLE ".ks_table" // emitted with the table
#define KS_SECTION_NOTE ".ks_note"   // provenance lines, NUL-terminated

#endif

// `ks record`: verb_record.c runs the program, verb_record_report.c says what a recording holds.
#ifndef KS_VERB_RECORD_H
#define KS_VERB_RECORD_H

#include "app/verb.h"
#include "profile/recording.h"

struct record_run {
    const char *const *words; // of the program; NULL for a recording made earlier
    const char *path;         // of the recording; NULL: it is not kept
    int status;               // the program's own
    double seconds;           // wall clock
};

// Prints the table, or with --json the report; what stands in the way goes to stderr, a sentence each.
void record_report(struct ks_verb_context *context, const struct ks_recording *recording,
                   const struct record_run *run);

#endif

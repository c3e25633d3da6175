// CUPTI as the injected library uses it: opened at run time, nothing linked.
#ifndef KS_RECORD_CUPTI_H
#define KS_RECORD_CUPTI_H

#include <cupti.h>

#define RECORD_CUPTI_FUNCTIONS(X)                                                                  \
    X(cuptiGetVersion)                                                                            \
    X(cuptiGetResultString)                                                                       \
    X(cuptiActivityRegisterCallbacks)                                                             \
    X(cuptiActivityEnable)                                                                        \
    X(cuptiActivityFlushAll)                                                                      \
    X(cuptiActivityGetNextRecord)                                                                 \
    X(cuptiActivityGetNumDroppedRecords)                                                          \
    X(cuptiSubscribe)                                                                             \
    X(cuptiEnableCallback)

struct record_cupti {
#define RECORD_CUPTI_MEMBER(name) __typeof__(name) *name;
    RECORD_CUPTI_FUNCTIONS(RECORD_CUPTI_MEMBER)
#undef RECORD_CUPTI_MEMBER
};

// Fills the table; NULL when all of it is there, else a code, "cupti-absent" or "cupti-old", with a sentence in
// *text (static storage).
const char *record_cupti_open(struct record_cupti *cupti, const char **text);

#endif

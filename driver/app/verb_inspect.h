// What ks inspect reads out of a binary: the notes, whose stub of a kernel the linker kept (the stub
// asks its own unit's table), and how the signatures stand today.
#ifndef KS_VERB_INSPECT_H
#define KS_VERB_INSPECT_H

#include "app/verb.h"
#include "base/vec.h"

// The words of a note, "" where it lacks them (docs/json.md, ks.inspect).
enum inspect_word {
    WORD_KERNEL, WORD_KEY, WORD_VARIANT, WORD_ARCH, WORD_EVIDENCE, WORD_SPEEDUP, WORD_LOWER,
    WORD_DEVICE, WORD_SIGNER, WORD_SYMBOL, N_WORDS
};
extern const char *const inspect_words[N_WORDS];

enum inspect_live { LIVE_NO, LIVE_YES, LIVE_UNKNOWN };

struct inspect_row { // one note: a variant of a kernel
    const char *word[N_WORDS];
    const char *member;         // of an archive, or NULL
    const char *unit;           // source file whose compile left the note, or NULL
    enum inspect_live live;     // is the stub that launches go through, unless inlined, this unit's
    const char *signature;      // trusted, untrusted, unknown-key, absent
    const char *signature_text; // its detail, or the file that says so
};

struct inspection {
    KS_VEC(struct inspect_row) rows;
    bool proved;    // hook and table are there wherever a note is
    bool stripped;  // a program without symbols
    bool headless;  // not even section headers: found by its bytes
};

// KS_E_USER: no such file, or none that can hold notes.
enum ks_status inspect_read(struct ks_arena *arena, const char *path, struct inspection *found,
                            struct ks_err *err);
// Holds the notes against the stores and keys of the project that `path` lies in (else the current
// folder's) and of the user.
enum ks_status inspect_signatures(struct ks_verb_context *context, const char *path,
                                  struct inspection *found, struct ks_err *err);

#endif

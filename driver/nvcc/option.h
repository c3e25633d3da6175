// nvcc's options: the one place that knows their spellings, which take a value, and what each means
// for ks. Everything else asks this table.
//
// How nvcc 13.0 reads a word (each rule tried with --dryrun): "--name" is a long name, "-name" an
// alias, never crosswise; a value follows as "=value" or as the next word, whatever that looks
// like; only D, I, L, O, U, l and t also take it glued ("-Ifoo"); an exact alias goes before a
// glued value. -Ofc and -hls may go without their value: then the next word begins with '-' or
// there is none.
#ifndef KS_OPTION_H
#define KS_OPTION_H

#include "base/str.h"

enum ks_value {
    KS_VALUE_NO,
    KS_VALUE_YES,   // "-o FILE" or "-o=FILE"
    KS_VALUE_GLUED, // also "-IDIR"
    KS_VALUE_MAYBE, // may be left out
};

// Eligibility: whether ks stays in, and what it must know of the option to do so.
enum ks_effect {
    KS_OPT_PLAIN, // handed on, of no interest otherwise
    KS_OPT_PASS,  // ks keeps out: `why` says so
    KS_OPT_LOOK,  // the same, and nvcc makes no code at all: it answers or preprocesses
    KS_OPT_LIST,  // the same: it lists what the input depends on
    KS_OPT_COMPILE,
    KS_OPT_DEVICE_C,
    KS_OPT_DEVICE_W,
    KS_OPT_OUTPUT,
    KS_OPT_OUTPUT_DIR,
    KS_OPT_LANGUAGE,
    KS_OPT_MD,
    KS_OPT_MMD,
    KS_OPT_MF,
    KS_OPT_MT,
    KS_OPT_MP,
    KS_OPT_INCLUDE_DIR,
    KS_OPT_HOST_OPTIONS,
    KS_OPT_PTXAS,
    KS_OPT_ARCH,
    KS_OPT_CODE,
    KS_OPT_GENCODE,
    KS_OPT_RDC,
    KS_OPT_DEBUG, // debug or instrumented build: ks keeps out, `why` says so
    KS_OPT_LINEINFO,
    KS_OPT_KEEP,
    KS_OPT_OBJTEMP,
    KS_OPT_LTO,
    KS_OPT_FAST_MATH,
    KS_OPT_MAXRREG,
    KS_OPT_CODEGEN, // reaches ptxas beside the PTX
    KS_OPT_OPTIONS_FILE,
    KS_OPT_LINK,
    KS_OPT_RUN,
};

// How a kernel's key sees the option.
enum ks_key_effect {
    KS_KEY_NONE,  // changes neither PTX nor machine code of a kernel
    KS_KEY_PTX,   // may change the PTX, which the key holds
    KS_KEY_CODE,  // may change machine code alone: the key holds the option
    KS_KEY_ARCH,  // the key holds the architecture
    KS_KEY_NEVER, // ks keeps out, no key is made
};

struct ks_option {
    const char *name;  // long name without dashes
    const char *alias; // without its dash; NULL if there is none
    enum ks_value value;
    enum ks_effect effect;
    enum ks_key_effect key;
    const char *why; // of KS_OPT_PASS, KS_OPT_LOOK, KS_OPT_LIST, KS_OPT_DEBUG and KS_OPT_KEEP
};

// All of them; the last KS_HIDDEN_OPTIONS stand in no help text.
const struct ks_option *ks_options(size_t *n);
#define KS_HIDDEN_OPTIONS 33

enum ks_use_kind {
    KS_USE_INPUT, // no option: an input file (or "-")
    KS_USE_OPTION,
    KS_USE_UNKNOWN, // looks like an option; counts as one without a value
    KS_USE_BROKEN,  // a value missing, or one where none belongs: nvcc will refuse it
};

// One option as used: `n` words (1, or 2 with a value in a word of its own).
struct ks_use {
    enum ks_use_kind kind;
    const struct ks_option *option; // NULL unless KS_USE_OPTION
    const char *value;              // borrowed from the words; NULL if it takes none
    size_t n;
};

// What stands at words[i] of a list of `len` words, i < len.
struct ks_use ks_option_at(const char *const *words, size_t len, size_t i);

// By long name ("gpu-architecture"), NULL if unknown.
const struct ks_option *ks_option_find(const char *name);

// nvcc's comma list: split outside double quotes, quotes dropped, white space trimmed, empty items
// dropped. New strings.
void ks_option_list(struct ks_arena *arena, const char *value, struct ks_strv *items);

#endif

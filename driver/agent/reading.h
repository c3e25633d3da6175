// Answers of coders, read as text from an enemy: what is not a proposal for this kernel is refused by
// name. Nothing here compiles or runs anything.
#ifndef KS_READING_H
#define KS_READING_H

#include "agent/brief_text.h"
#include "agent/prompt.h"

enum ks_refusal {
    KS_ACCEPTED,
    KS_REFUSED_NO_ANSWER,     // nothing came
    KS_REFUSED_TOO_LONG,      // over KS_ANSWER_MOST, or without end
    KS_REFUSED_CUT_OFF,       // it came to its limit of tokens
    KS_REFUSED_NOT_TEXT,      // no UTF-8
    KS_REFUSED_OTHER_REQUEST, // it answers another question
    KS_REFUSED_NO_CODE,       // no block with an answer in it
    KS_REFUSED_MALFORMED,     // the block is no YAML or JSON, or no proposal
    KS_REFUSED_SCHEMA,        // fields are missing, or unknown
    KS_REFUSED_QUOTE,         // it quotes what was not said
    KS_REFUSED_EDIT,          // an edit outside the parts that there are
    KS_REFUSED_INCLUDE,       // it includes a file, or asks for a header that may not be
    KS_REFUSED_HOST_CODE,     // code that would run on the host
    KS_REFUSED_GATE,          // device code that proposals may not hold
    KS_REFUSED_REPEATED,      // it was proposed before
    KS_REFUSED_PLAN,          // a plan that cheats: reviewers, planners
    KS_REFUSALS
};
const char *ks_refusal_name(enum ks_refusal refusal); // "no-answer", "too-long", ...

struct ks_reading_ask {
    const struct ks_prompt *prompt;
    const struct ks_brief *brief;
    const char *id;                     // of the question
    const struct ks_proposal *base;     // edits are made in it; NULL: there is none
    const char *log;                    // what `cause` must be found in; NULL: nothing is to be quoted
    const char *const *skills; size_t n_skills; // ids that were offered
    const struct ks_skill_list *known;  // where their directions are found
};
struct ks_reading {
    enum ks_refusal refusal;
    char why[400];                      // one line, for the next question
    struct ks_candidate candidate;      // KS_ACCEPTED; in the arena
};
void ks_read_proposal(struct ks_arena *arena, const struct ks_reading_ask *ask,
                      const struct ks_answer *answer, struct ks_reading *out);

// What all roles' answers share: the one block of YAML or JSON in the text, its fields as the prompt has
// them, its `request` as asked. NULL: refused, *refusal and why say so.
const struct ks_yaml *ks_read_fields(struct ks_arena *arena, const struct ks_prompt *prompt, const char *id,
                                     const struct ks_answer *answer, enum ks_refusal *refusal,
                                     char why[400]);

// The last block between ``` lines; without any fence all of the text; empty where a fence is never closed.
struct ks_slice ks_answer_block(struct ks_slice text);
// The block with the indentation said of literal texts whose first line is deeper than later ones, as code often
// is: YAML goes by the first line.
struct ks_slice ks_answer_indented(struct ks_arena *arena, struct ks_slice block);

// A proposal's source in numbered parts, for people and models to edit: "//@ part 3" before each.
const char *ks_parts_print(struct ks_arena *arena, const char *source);
// The source with the parts that the list of {part, text} names replaced; false, with `why`.
bool ks_parts_edit(struct ks_arena *arena, const char *source, const struct ks_yaml *edits,
                   const char **out, char why[400]);

#endif

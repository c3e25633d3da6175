#include "agent/reading.h"

#include <stdio.h>
#include <string.h>

#include "agent/answer_bytes.h"

const char *ks_refusal_name(enum ks_refusal refusal)
{
    static const char *const names[KS_REFUSALS] = {
        "accepted",  "no-answer", "too-long", "cut-off",          "not-text",
        "other-request", "no-code", "malformed", "schema",        "unverified-quote",
        "bad-edit",  "include",   "host-code", "not-allowed", "repeated", "plan"};
    return names[refusal];
}

// From here on messages hold words of the answer: one line of plain characters.
static void clean(char *why)
{
    for (; *why != '\0'; why++)
        if ((unsigned char)*why < ' ' || (unsigned char)*why > '~')
            *why = ' ';
}

static enum ks_refusal refusal_of_end(enum ks_answer_end end)
{
    switch (end) {
    case KS_ANSWER_TOO_LONG:
        return KS_REFUSED_TOO_LONG;
    case KS_ANSWER_CUT:
        return KS_REFUSED_CUT_OFF;
    case KS_ANSWER_OTHER:
        return KS_REFUSED_OTHER_REQUEST;
    case KS_ANSWER_GARBAGE:
        return KS_REFUSED_MALFORMED;
    default:
        return KS_REFUSED_NO_ANSWER;
    }
}

const struct ks_yaml *ks_read_fields(struct ks_arena *arena, const struct ks_prompt *prompt, const char *id,
                                     const struct ks_answer *answer, enum ks_refusal *refusal, char why[400])
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    why[0] = '\0';
    if (answer->end != KS_ANSWERED) {
        *refusal = refusal_of_end(answer->end);
        snprintf(why, 400, "%s", answer->why);
        return NULL;
    }
    struct ks_slice text = {answer->text, answer->len};
    if (!ks_is_utf8(text)) {
        *refusal = KS_REFUSED_NOT_TEXT;
        snprintf(why, 400, "the answer is not UTF-8");
        return NULL;
    }
    struct ks_slice block = ks_answer_block(text);
    if (ks_slice_trim(block).len == 0) {
        *refusal = KS_REFUSED_NO_CODE;
        snprintf(why, 400, "there is no closed block between ``` lines");
        return NULL;
    }
    bool prose = block.at == text.at;
    block = ks_answer_indented(arena, block);
    if (ks_yaml_parse(arena, "answer", block, &root, &err) != KS_OK) {
        *refusal = prose ? KS_REFUSED_NO_CODE : KS_REFUSED_MALFORMED;
        snprintf(why, 400, "%.380s", prose ? "there is no block between ``` lines" : err.text);
        clean(why);
        return NULL;
    }
    if (root->kind != KS_YAML_MAP) {
        *refusal = KS_REFUSED_NO_CODE;
        snprintf(why, 400, "there is no block with the fields that were asked for");
        return NULL;
    }
    if (strcmp(ks_yaml_text(root, "request", id), id) != 0) {
        *refusal = KS_REFUSED_OTHER_REQUEST;
        snprintf(why, 400, "it answers %.60s", ks_yaml_text(root, "request", ""));
        clean(why);
        return NULL;
    }
    if (!ks_prompt_fits(prompt, root, why)) {
        *refusal = KS_REFUSED_SCHEMA;
        clean(why);
        return NULL;
    }
    *refusal = KS_ACCEPTED;
    return root;
}

static void refuse(struct ks_reading *out, enum ks_refusal refusal, const char *why)
{
    out->refusal = refusal;
    snprintf(out->why, sizeof out->why, "%.390s", why);
    clean(out->why);
}

// Quoted counters must be in the profile; the cause must stand in the log, word for word.
static bool quotes_hold(struct ks_arena *arena, const struct ks_reading_ask *ask, const struct ks_yaml *root,
                        struct ks_reading *out)
{
    const struct ks_yaml *quotes = ks_yaml_get(root, "quotes");
    for (size_t i = 0; quotes != NULL && quotes->kind == KS_YAML_LIST && i < quotes->len; i++) {
        const char *quote = quotes->items[i].kind == KS_YAML_SCALAR ? quotes->items[i].text : "";
        if (!ks_brief_quotes(ask->brief, quote)) {
            refuse(out, KS_REFUSED_QUOTE, ks_arena_printf(arena, "`%.200s` is no fact that was given", quote));
            return false;
        }
    }
    const char *cause = ks_yaml_text(root, "cause", NULL);
    if (ask->log != NULL && (cause == NULL || strlen(cause) < 4 || strstr(ask->log, cause) == NULL)) {
        refuse(out, KS_REFUSED_QUOTE, "`cause` must be words of the log, as they stand there");
        return false;
    }
    return true;
}

// A field of the answer, or of the base where the answer has none: as text for the proposal's reader.
static const struct ks_yaml *merged(struct ks_arena *arena, const struct ks_reading_ask *ask,
                                    const struct ks_yaml *root, struct ks_reading *out)
{
    const struct ks_yaml *edits = ks_yaml_get(root, "edits");
    static const char *const fields[] = {"includes", "source", "when", "workspace", "plan"};
    struct ks_yaml *base = NULL, *map = KS_NEW(arena, struct ks_yaml);
    struct ks_buf text = KS_BUF(4u << 20);
    const char *source = NULL;
    if (edits != NULL && (ask->base == NULL || ks_yaml_get(root, "source") != NULL)) {
        refuse(out, KS_REFUSED_EDIT, ask->base == NULL ? "there is nothing to edit: give `source`"
                                                       : "give `edits` or `source`, not both");
        return NULL;
    }
    if (edits != NULL && !ks_parts_edit(arena, ask->base->source, edits, &source, out->why)) {
        out->refusal = KS_REFUSED_EDIT;
        return NULL;
    }
    if (ask->base != NULL) {
        struct ks_yaml_writer w = {.out = &text};
        ks_proposal_write(&w, ask->base);
        struct ks_slice written = {ks_arena_strdup(arena, ks_buf_text(&text)), text.len};
        KS_ASSERT(ks_yaml_parse(arena, "base", written, &base, NULL) == KS_OK);
        ks_buf_free(&text);
    }
    *map = (struct ks_yaml){.kind = KS_YAML_MAP, .line = 1,
                            .items = KS_NEW_ARRAY(arena, struct ks_yaml, 5),
                            .keys = KS_NEW_ARRAY(arena, const char *, 5)};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct ks_yaml *value = ks_yaml_get(root, fields[i]);
        if (value == NULL && (edits != NULL || i >= 2))
            value = ks_yaml_get(base, fields[i]);
        struct ks_yaml of_edits = {.kind = KS_YAML_SCALAR, .line = 1, .text = source};
        if (i == 1 && source != NULL)
            value = &of_edits;
        if (value == NULL)
            continue;
        map->keys[map->len] = fields[i];
        map->items[map->len++] = *value;
    }
    return map;
}

static bool says_host(const char *text)
{
    return strstr(text, "host") != NULL || strstr(text, "__device__ and __global__ function") != NULL;
}

// The textual gate, as the judge would; it runs again there.
static void pass_gate(struct ks_arena *arena, const struct ks_reading_ask *ask, const struct ks_yaml *map,
                      struct ks_reading *out)
{
    struct ks_err err = {0};
    struct ks_proposal *proposal = &out->candidate.proposal;
    if (ks_proposal_read(arena, "answer", map, proposal, &err) != KS_OK) {
        refuse(out, KS_REFUSED_MALFORMED, err.text);
        return;
    }
    const struct ks_kernel_decl *decl = ask->brief->decl;
    proposal->params = KS_NEW_ARRAY(arena, const char *, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        proposal->params[i] = decl->params[i].name;
    proposal->n_params = decl->n_params;
    proposal->foreign = true;
    if (ks_proposal_check(arena, proposal, ask->brief->signature, &err) == KS_OK) {
        out->refusal = KS_ACCEPTED;
        return;
    }
    bool include = ks_starts_with(err.text, "include ") || strstr(err.text, "preprocess") != NULL;
    refuse(out, include ? KS_REFUSED_INCLUDE : says_host(err.text) ? KS_REFUSED_HOST_CODE : KS_REFUSED_GATE,
           err.text);
}

void ks_read_proposal(struct ks_arena *arena, const struct ks_reading_ask *ask,
                      const struct ks_answer *answer, struct ks_reading *out)
{
    *out = (struct ks_reading){0};
    const struct ks_yaml *root =
        ks_read_fields(arena, ask->prompt, ask->id, answer, &out->refusal, out->why);
    if (root == NULL || !quotes_hold(arena, ask, root, out))
        return;
    const struct ks_yaml *map = merged(arena, ask, root, out);
    if (map == NULL)
        return;
    pass_gate(arena, ask, map, out);
    const char *skill = ks_yaml_text(root, "skill", "");
    struct ks_candidate *c = &out->candidate;
    c->skill = "unaided";
    c->direction = "prompted";
    for (size_t i = 0; i < ask->n_skills; i++)
        if (strcmp(ask->skills[i], skill) == 0) {
            const struct ks_skill *known = ks_skill_find(ask->known, skill);
            c->skill = ask->skills[i];
            c->direction = known != NULL ? known->direction : c->direction;
        }
    char *idea = ks_arena_printf(arena, "%.400s", ks_yaml_text(root, "idea", ""));
    clean(idea);
    c->rationale = idea;
}

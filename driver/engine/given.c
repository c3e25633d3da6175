#include "engine/given.h"

#include <string.h>

#include "engine/edit.h"
#include "source/lex.h"

// Scopes that the compiler made up: the file's own, and namespaces without a name.
static const char *behind_made_up(const char *name)
{
    static const char *const begins[] = {"_INTERNAL_", "_GLOBAL__N_", "(anonymous namespace)", "<unnamed>"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ks_starts_with(name, begins[i])) {
            const char *end = strstr(name, "::");
            return end ? behind_made_up(end + 2) : name;
        }
    return name;
}

const char *ks_given_name(struct ks_arena *arena, const char *arg)
{
    bool address = *arg == '&';
    const char *name = arg + address + strspn(arg + address, " ");
    bool bracket = address && *name == '(' && behind_made_up(name) == name;
    struct ks_buf out = KS_BUF(4096);
    name = behind_made_up(name + bracket);
    bool plain = *name != '\0';
    for (; *name && *name != '(' && plain; name++) {
        plain = ks_is_ident(*name) || (name[0] == ':' && name[1] == ':');
        size_t n = *name == ':' ? 2 : 1;
        ks_buf_add(&out, name, n);
        if (n == 2)
            name = behind_made_up(name + 2) - 1;
    }
    const char *close = *name == '(' ? strchr(name, ')') : NULL; // of its parameters
    plain = plain && (close ? strcmp(close + 1, bracket ? ")" : "") == 0 : address && !bracket);
    const char *text = plain ? ks_arena_strdup(arena, ks_buf_text(&out)) : NULL;
    ks_buf_free(&out);
    return text;
}

bool ks_given_is_function(struct ks_arena *arena, const struct ks_brief *brief, size_t param)
{
    const struct ks_kernel_decl *decl = brief->decl;
    const char *name = decl->template_params[param];
    struct ks_token *t;
    ks_lex_all(arena, ks_slice_of(decl->template_head), false, &t);
    for (size_t i = 1; *name && t[i].kind != KS_TOK_END; i++) // float (*op)(float), float (&op)(float), float op(float)
        if (ks_token_is(&t[i], name) &&
            (ks_token_is(&t[i + 1], "(") ||
             (ks_token_is(&t[i + 1], ")") && (ks_token_is(&t[i - 1], "*") || ks_token_is(&t[i - 1], "&")))))
            return true;
    const char *is = param < brief->signature->n_template_args
                         ? ks_given_name(arena, brief->signature->template_args[param])
                         : NULL;
    return is && ks_callee_find(&brief->callees, is); // `auto`, or a type of the program's
}

enum ks_status ks_given_written_out(struct ks_arena *arena, const struct ks_brief *brief, const char **text, size_t body,
                                    struct ks_err *err)
{
    const struct ks_kernel_decl *decl = brief->decl;
    const struct ks_signature *signature = brief->signature;
    struct ks_edit_list edits = {0};
    struct ks_token *t;
    ks_lex_all(arena, ks_slice_of(*text), false, &t);
    for (size_t p = 0; p < decl->n_template_params; p++) {
        const char *param = decl->template_params[p];
        if (!ks_given_is_function(arena, brief, p))
            continue;
        const char *arg = p < signature->n_template_args ? signature->template_args[p] : "not known";
        const char *name = ks_given_name(arena, arg);
        const struct ks_callee *callee = name ? ks_callee_find(&brief->callees, name) : NULL;
        if (callee && callee->n_texts > 1)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the function %s of the template is %s, which is overloaded", decl->line,
                    param, name);
        if (!name)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the function %s of the template is %.80s, which no text can name",
                    decl->line, param, arg);
        for (size_t i = 1; t[i - 1].kind != KS_TOK_END; i++) {
            size_t at = (size_t)(t[i].at - *text);
            bool other = ks_token_is(&t[i - 1], ".") || ks_token_is(&t[i - 1], "->") || ks_token_is(&t[i - 1], "::");
            if (t[i].kind == KS_TOK_IDENT && at >= body && !other && ks_token_is(&t[i], param))
                ks_edit_add(arena, &edits, at, at + t[i].len, name);
        }
    }
    if (edits.len > 0)
        *text = ks_edit_apply(arena, &edits, ks_slice_of(*text), 0, strlen(*text));
    return KS_OK;
}

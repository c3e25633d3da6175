#include "agent/brief_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "agent/excerpt.h"
#include "memory/fact.h"

#define TEXT_MOST ((size_t)1 << 20)

static const char *done(struct ks_arena *arena, struct ks_buf *out)
{
    const char *text = ks_arena_strdup(arena, ks_buf_text(out));
    ks_buf_free(out);
    return text;
}

const char *ks_brief_code(struct ks_arena *arena, const struct ks_brief *brief,
                          const struct ks_brief_source *source)
{
    struct ks_buf out = KS_BUF(TEXT_MOST);
    const char *needs = ks_excerpt_needs(arena, source->file, source->begin, source->end);
    if (needs[0] != '\0')
        ks_buf_printf(&out, "%s\n", needs);
    ks_buf_puts(&out, ks_excerpt_code(arena, ks_slice_of(brief->kernel_text)));
    return done(arena, &out);
}

static void put_values(struct ks_buf *out, const struct ks_problem *p)
{
    for (size_t i = 0; i < p->n_values; i++) {
        bool again = false; // a let and the parameter that takes its value
        for (size_t k = 0; k < i; k++)
            again |= strcmp(p->values[k].name, p->values[i].name) == 0;
        if (!again)
            ks_buf_printf(out, "%s%s=%lld", i > 0 ? ", " : "", p->values[i].name,
                          (long long)p->values[i].value);
    }
}

static void put_dims(struct ks_buf *out, const char *name, const int64_t dims[3])
{
    ks_buf_printf(out, ", %s %lld", name, (long long)dims[0]);
    if (dims[1] != 1 || dims[2] != 1)
        ks_buf_printf(out, " x %lld", (long long)dims[1]);
    if (dims[2] != 1)
        ks_buf_printf(out, " x %lld", (long long)dims[2]);
}

const char *ks_brief_contract(struct ks_arena *arena, const struct ks_brief *brief,
                              const struct ks_brief_source *source)
{
    struct ks_buf out = KS_BUF(TEXT_MOST);
    ks_buf_puts(&out, "Parameters:");
    for (size_t i = 0; i < brief->decl->n_params; i++)
        ks_buf_printf(&out, "%s $%zu is `%s` (%s)", i > 0 ? "," : "", i, brief->decl->params[i].name,
                      brief->signature->params[i].text);
    ks_buf_puts(&out, "\n");
    for (const char *at = source->contract; *at != '\0';) {
        size_t n = strcspn(at, "\n");
        ks_buf_printf(&out, "  %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    ks_buf_puts(&out, "Workloads (examples: other sizes, also odd ones, are tried too):\n");
    for (size_t i = 0; i < brief->n_problems; i++) {
        const struct ks_problem *p = &brief->problems[i];
        ks_buf_puts(&out, "  ");
        put_values(&out, p);
        put_dims(&out, "grid", p->grid);
        put_dims(&out, "block", p->block);
        if (p->shared > 0)
            ks_buf_printf(&out, ", %lld bytes of shared memory", (long long)p->shared);
        if (brief->baseline_us != NULL && brief->baseline_us[i] > 0)
            ks_buf_printf(&out, ": %.4g us%s", brief->baseline_us[i], source->modelled ? ", modelled" : "");
        ks_buf_puts(&out, "\n");
    }
    return done(arena, &out);
}

const char *ks_brief_device(struct ks_arena *arena, const struct ks_brief *brief)
{
    const struct ks_device_info *d = brief->device;
    double arch = d->arch;
    ks_fact_get(&brief->facts, "arch", &arch);
    struct ks_buf out = KS_BUF(4096);
    ks_buf_printf(&out, "%s, code for sm_%d", d->name, (int)arch);
    if (d->sms > 0)
        ks_buf_printf(&out, ", %d multiprocessors", d->sms);
    if (d->l2_bytes > 0)
        ks_buf_printf(&out, ", %d MiB of L2", d->l2_bytes >> 20);
    if (d->smem_optin > 0)
        ks_buf_printf(&out, ", %d KiB of shared memory a block at most", d->smem_optin >> 10);
    return done(arena, &out);
}

static const char *meaning(const char *name)
{
    const struct ks_fact_name *fact = ks_fact_find(name);
    return fact != NULL ? fact->meaning : "";
}

const char *ks_brief_facts(struct ks_arena *arena, const struct ks_brief *brief)
{
    struct ks_buf out = KS_BUF(TEXT_MOST);
    ks_vec_each(const struct ks_fact, fact, &brief->facts)
        if (fact->known && (fact->value != 0 || !ks_starts_with(fact->name, "bottleneck("))) {
            const char *means = meaning(fact->name);
            ks_buf_printf(&out, "  %s = %.4g%s%s%s\n", fact->name, fact->value, means[0] != '\0' ? "  (" : "", means,
                          means[0] != '\0' ? ")" : "");
        }
    return done(arena, &out);
}

const char *ks_brief_skills(struct ks_arena *arena, const struct ks_skill *const *skills, size_t n)
{
    struct ks_buf out = KS_BUF(TEXT_MOST);
    for (size_t i = 0; i < n; i++) {
        const struct ks_skill *s = skills[i];
        ks_buf_printf(&out, "- %s (%s, precision %s): %s\n", s->id, s->direction, s->precision, s->title);
        for (const char *at = s->how; at != NULL && *at != '\0';) {
            size_t len = strcspn(at, "\n");
            ks_buf_printf(&out, "    %.*s\n", (int)len, at);
            at += len + (at[len] == '\n');
        }
    }
    return n > 0 ? done(arena, &out) : (ks_buf_free(&out), "none");
}

const char *ks_brief_titles(struct ks_arena *arena, const struct ks_skill *const *skills, size_t n)
{
    struct ks_buf out = KS_BUF(TEXT_MOST);
    for (size_t i = 0; i < n; i++)
        ks_buf_printf(&out, "- %s (%s): %s\n", skills[i]->id, skills[i]->direction, skills[i]->title);
    return done(arena, &out);
}

bool ks_brief_quotes(const struct ks_brief *brief, const char *quote)
{
    const char *equals = strchr(quote, '=');
    size_t len = equals != NULL ? (size_t)(equals - quote) : 0;
    while (len > 0 && isspace((unsigned char)quote[len - 1]))
        len--;
    char name[128], number[64];
    size_t digits = 0;
    double said;
    if (len == 0 || len >= sizeof name)
        return false;
    memcpy(name, quote, len);
    name[len] = '\0';
    for (equals++; *equals != '\0' && isspace((unsigned char)*equals); equals++)
        ;
    while (digits + 1 < sizeof number && equals[digits] != '\0' && !isspace((unsigned char)equals[digits]) &&
           equals[digits] != '%')
        digits++;
    memcpy(number, equals, digits);
    number[digits] = '\0';
    if (!ks_parse_f64(number, &said))
        return false;
    ks_vec_each(const struct ks_fact, fact, &brief->facts)
        if (fact->known && strcmp(fact->name, name) == 0)
            return fabs(said - fact->value) <= 0.01 * fabs(fact->value) + 1e-9;
    return false;
}

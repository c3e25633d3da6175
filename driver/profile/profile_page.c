// A profile as a page and as JSON.
#include <string.h>

#include "os/file.h"
#include "memory/fact.h"
#include "profile/parts.h"

#define MOST_LINES 10

static void print_floor(struct ks_buf *out, const struct ks_profile_floor *floor)
{
    if (floor->least_us > 0)
        ks_buf_printf(out,
                      "  floor: %.2f us in a batch of launches; one that only moves its largest arrays takes %.2f us: "
                      "%.2f us to gain at most\n",
                      floor->original_us, floor->least_us, floor->gain_us > 0 ? floor->gain_us : 0);
}

static void print_roofline(struct ks_buf *out, const struct ks_profile *p)
{
    if (p->copy_gbs <= 0 || p->time_us <= 0)
        return;
    ks_buf_printf(
        out,
        "  roofline: %.0f GB/s of compulsory traffic; a copy on this card %s %.0f GB/s, FMA "
        "%.0f GFLOP/s: %.0f %% of the nearer ceiling",
        p->achieved_gbs, p->modelled ? "is described with" : "reaches", p->copy_gbs, p->fma_gflops,
        p->roofline_pct);
    if (p->roofline_pct >= 1 && p->roofline_pct < 99)
        ks_buf_printf(out, ", %.1f times as fast at most", 100 / p->roofline_pct);
    ks_buf_printf(out, "\n");
}

// Facts that no skill asks for, and so are not in the list of those that skills may name.
static const struct {
    const char *fact, *meaning;
} further[] = {
    {"dram_bytes_read", "bytes read from device memory"},
    {"dram_bytes_write", "bytes written to device memory"},
    {"instructions", "instructions of warps"},
    {"red_sectors", "sectors of atomic operations without result"},
    {"atom_sectors", "sectors of atomic operations with a result"},
    {"shared_conflicts", "bank conflicts of shared memory"},
    {"stall_short_scoreboard", "warps waiting for shared memory or special functions, an issue"},
};

static const char *meaning(const char *fact)
{
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        if (strcmp(further[i].fact, fact) == 0)
            return further[i].meaning;
    const struct ks_fact_name *names = ks_fact_names();
    for (size_t i = 0; names[i].name != NULL; i++)
        if (strcmp(names[i].name, fact) == 0)
            return names[i].meaning;
    return "";
}

static bool said_above(const char *fact)
{
    static const char *const names[] = {"time_us",       "roofline_pct", "registers",
                                        "static_shared", "local",        "max_threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], fact) == 0)
            return true;
    return false;
}

static void print_facts(struct ks_buf *out, const struct ks_profile *p)
{
    ks_vec_each (struct ks_fact, fact, &p->facts)
        if (fact->known && fact->value != 0 && !said_above(fact->name))
            ks_buf_printf(out, "    %-24s %12.6g  %s\n", fact->name, fact->value,
                          meaning(fact->name));
}

static void print_lines(struct ks_buf *out, const struct ks_profile *p)
{
    if (p->lines_refused.code[0] != '\0')
        ks_buf_printf(out, "  hot lines: none (%s): %s\n", p->lines_refused.code,
                      p->lines_refused.text);
    if (p->lines.len > 0)
        ks_buf_printf(out, p->modelled
                               ? "  dear lines, of what was counted\n"
                               : "  hot lines, of the samples, and what warps wait for there\n");
    for (size_t i = 0; i < p->lines.len && i < MOST_LINES; i++) {
        const struct ks_hot_line *line = &p->lines.at[i];
        if (line->file != NULL)
            ks_buf_printf(out, "    %5.1f %%  %s:%d: %s\n", line->pct, ks_path_base(line->file),
                          line->line, line->why);
        else
            ks_buf_printf(out, "    %5.1f %%  no line: %s\n", line->pct, line->why);
    }
}

void ks_profile_print(struct ks_buf *out, const struct ks_profile *p)
{
    if (p->modelled)
        ks_buf_printf(out, "profile (modelled%s%s, nothing was measured)", p->gpu[0] ? " for " : "",
                      p->gpu);
    else
        ks_buf_printf(out, "profile (%s%s%s)", p->method, p->chip[0] ? ", " : "", p->chip);
    if (p->time_us > 0)
        ks_buf_printf(out, ": %.1f us", p->time_us);
    ks_buf_printf(out, "\n");
    if (p->refused.code[0] != '\0')
        ks_buf_printf(out, "  counters: not read (%s): %s\n", p->refused.code, p->refused.text);
    ks_buf_printf(out, "  bottleneck: %s%s (%s)\n", p->bottleneck, p->modelled ? ", modelled" : "",
                  p->evidence);
    print_roofline(out, p);
    print_floor(out, &p->floor);
    ks_resources_print(out, &p->resources);
    print_facts(out, p);
    print_lines(out, p);
}

static json_t *refusal_json(const struct ks_profile_refusal *refused)
{
    return refused->code[0] == '\0'
               ? json_null()
               : json_pack("{s:s,s:s}", "code", refused->code, "text", refused->text);
}

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

json_t *ks_profile_json(const struct ks_profile *p, const json_t *metrics)
{
    json_t *out = json_object(), *facts = json_object(), *lines = json_array();
    ks_vec_each (struct ks_fact, fact, &p->facts)
        if (fact->known)
            json_object_set_new(facts, fact->name, json_real(fact->value));
    for (size_t i = 0; i < p->lines.len; i++) {
        const struct ks_hot_line *line = &p->lines.at[i];
        json_t *row = json_pack("{s:f,s:s}", "pct", line->pct, "why", line->why);
        json_object_set_new(row, "file",
                            line->file != NULL ? json_string(line->file) : json_null());
        json_object_set_new(row, "line",
                            line->file != NULL ? json_integer(line->line) : json_null());
        json_array_append_new(lines, row);
    }
    json_object_set_new(out, "evidence", json_string(p->modelled ? "modelled" : "measured"));
    json_object_set_new(out, "method", json_string(p->method));
    json_object_set_new(out, "gpu", text_or_null(p->gpu));
    json_object_set_new(out, "chip", text_or_null(p->chip));
    json_object_set_new(out, "refused", refusal_json(&p->refused));
    json_object_set_new(out, "passes", json_integer(p->passes));
    json_object_set_new(out, "time_us", positive(p->time_us));
    json_object_set_new(out, "bottleneck", json_string(p->bottleneck));
    json_object_set_new(out, "why", json_string(p->evidence));
    json_object_set_new(out, "copy_gbs", positive(p->copy_gbs));
    json_object_set_new(out, "fma_gflops", positive(p->fma_gflops));
    json_object_set_new(out, "achieved_gbs", positive(p->achieved_gbs));
    json_object_set_new(out, "roofline_pct", positive(p->roofline_pct));
    json_object_set_new(out, "floor", p->floor.least_us > 0
                                          ? json_pack("{s:f,s:f,s:f,s:f}", "original_us", p->floor.original_us,
                                                      "least_us", p->floor.least_us, "gain_us", p->floor.gain_us,
                                                      "ratio", p->floor.ratio)
                                          : json_null());
    json_object_set_new(out, "resources", ks_resources_json(&p->resources));
    json_object_set_new(out, "facts", facts);
    json_object_set_new(out, "metrics", metrics != NULL ? json_deep_copy(metrics) : json_object());
    json_object_set_new(out, "lines", lines);
    json_object_set_new(out, "lines_refused", refusal_json(&p->lines_refused));
    return out;
}

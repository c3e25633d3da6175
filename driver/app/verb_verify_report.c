// What `ks verify` says of one proposal: lines for people, a row for --json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_decision.h"
#include "app/verb_verify.h"
#include "device/emu/emu_finding.h"

const char *verify_sandbox_name(const struct verifying *v)
{
    return v->refused != NULL ? "absent" : v->sandbox ? "used" : "none";
}

static const char *result_name(enum ks_check_result result)
{
    static const char *const names[] = {"not-made", "passed", "failed"};
    return names[result];
}

static const char *unmade(const struct ks_verdict *verdict, int kind)
{
    if (verdict->checks.result[kind] != KS_CHECK_NOT_MADE)
        return "";
    return verdict->checks.why[kind] != NULL ? verdict->checks.why[kind] : "nothing was judged";
}

json_t *verify_checks_json(const struct ks_verdict *verdict)
{
    json_t *rows = json_array();
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        json_array_append_new(
            rows, json_pack("{s:s,s:s,s:s,s:f}", "check", ks_check_kind_name((enum ks_check_kind)kind),
                            "result", result_name(verdict->checks.result[kind]), "why",
                            unmade(verdict, kind), "seconds", verdict->checks.seconds[kind]));
    return rows;
}

json_t *verify_device_json(const struct verifying *v)
{
    return json_pack("{s:s,s:s,s:o,s:s}", "kind", v->device.kind, "name", v->device.name, "arch",
                     v->device.arch > 0 ? json_sprintf("sm_%d", v->device.arch) : json_null(),
                     "absent", v->absent != NULL ? v->absent : "");
}

static json_t *notes_json(const struct verifying *v, const struct ks_verdict *verdict)
{
    json_t *notes = json_array();
    for (size_t i = 0; i < verdict->evidence.n_notes; i++)
        json_array_append_new(notes, json_string(verdict->evidence.notes[i]));
    if (verify_undecided(v, verdict))
        json_array_append_new(notes, json_sprintf("nothing was run: %s", v->absent));
    return notes;
}

// `none`: why nothing of the kernel was judged; NULL: something was.
static json_t *row_json(const struct verifying *v, const struct ks_tu_kernel *kernel,
                        const char *variant, const char *from, const struct ks_verdict *verdict,
                        const char *none)
{
    char hex[KS_HASH_TEXT];
    bool open = none != NULL || verify_undecided(v, verdict);
    json_t *row = json_object();
    ks_digest_hex(&kernel->key, hex);
    json_object_set_new(row, "kernel", json_string(verb_kernel_name(kernel)));
    json_object_set_new(row, "file", json_string(kernel->mark->file->path));
    json_object_set_new(row, "line", json_integer(kernel->mark->decl->line));
    json_object_set_new(row, "key",
                        kernel->reason == KS_R_APPLIED ? json_string(hex) : json_null());
    json_object_set_new(row, "arch", json_sprintf("sm_%d", kernel->arch));
    json_object_set_new(row, "variant", json_string(variant));
    json_object_set_new(row, "from", json_string(from));
    json_object_set_new(row, "not_judged", none != NULL ? json_string(none) : json_null());
    json_object_set_new(row, "correctness",
                        open ? json_null() : json_string(ks_correctness_name(verdict->correctness)));
    json_object_set_new(row, "speed", json_string(ks_speed_name(verdict->speed)));
    json_object_set_new(row, "reason", json_string(verdict->reason));
    json_object_set_new(row, "geomean", json_real(verdict->geomean));
    json_object_set_new(row, "lower", json_real(verdict->lower));
    json_object_set_new(row, "seconds_compile", json_real(verdict->seconds_compile));
    json_object_set_new(row, "seconds_run", json_real(verdict->seconds_run));
    json_object_set_new(row, "shapes", json_integer(verdict->evidence.shapes));
    json_object_set_new(row, "runs", json_integer(verdict->evidence.runs));
    json_object_set_new(row, "draw", json_integer((json_int_t)verdict->draw));
    json_object_set_new(row, "sandbox", json_string(verify_sandbox_name(v)));
    json_object_set_new(row, "checks", verify_checks_json(verdict));
    json_object_set_new(row, "timings", verb_timings_json(&verdict->evidence));
    json_object_set_new(row, "notes", notes_json(v, verdict));
    return row;
}

// The schedule of the emulated device that a failure names, -1: none.
static int64_t schedule_of(const struct ks_verdict *verdict)
{
    const char *at = strstr(verdict->reason, KS_FINDING_SCHEDULE);
    return at != NULL ? (int64_t)strtoll(at + strlen(KS_FINDING_SCHEDULE), NULL, 10) : -1;
}

void verify_report(struct verifying *v, const struct ks_tu_kernel *kernel, const char *variant,
                   const char *from, const struct ks_verdict *verdict)
{
    if (v->context->json) {
        json_array_append_new(v->rows, row_json(v, kernel, variant, from, verdict, NULL));
        return;
    }
    bool open = verify_undecided(v, verdict);
    printf("%s sm_%d, %s: %s", verb_kernel_name(kernel), kernel->arch, variant,
           open ? "not judged" : ks_correctness_name(verdict->correctness));
    if (verdict->correctness == KS_C_CORRECT)
        printf(" %s", ks_speed_name(verdict->speed));
    if (open)
        printf(": the gates find nothing, and there is no device: %s", v->absent);
    else if (verdict->reason[0] != '\0')
        printf(": %s", verdict->reason);
    printf("\n");
    if (schedule_of(verdict) >= 0)
        printf("  this schedule again: the same words and --device emu --seed %lld\n",
               (long long)schedule_of(verdict));
    if (verdict->draw != 0 && verdict->correctness != KS_C_CORRECT)
        printf("  this judgement again, with the same sizes, values and addresses: the same words and --draw %lld\n",
               (long long)verdict->draw);
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        printf("  %-12s %-8s %7.3f s%s%s\n", ks_check_kind_name((enum ks_check_kind)kind),
               result_name(verdict->checks.result[kind]), verdict->checks.seconds[kind],
               unmade(verdict, kind)[0] != '\0' ? "  " : "", unmade(verdict, kind));
    for (size_t i = 0; i < verdict->evidence.n_notes; i++)
        printf("  note: %s\n", verdict->evidence.notes[i]);
}

void verify_report_none(struct verifying *v, const struct ks_tu_kernel *kernel,
                        enum ks_reason reason, const char *text)
{
    struct ks_verdict verdict = {.speed = KS_S_NOT_MEASURED};
    const char *separator = text[0] != '\0' ? ": " : "";
    if (v->context->json) {
        snprintf(verdict.reason, sizeof verdict.reason, "%s%s%s", ks_reason_text(reason), separator,
                 text);
        json_array_append_new(v->rows,
                              row_json(v, kernel, "", "", &verdict, ks_reason_name(reason)));
        return;
    }
    printf("%s:%d: %s", kernel->mark->file->path, kernel->mark->decl->line,
           verb_kernel_name(kernel));
    if (kernel->arch > 0) // one that was not compiled has none
        printf(" sm_%d", kernel->arch);
    printf(": not judged (%s): %s%s%s\n", ks_reason_name(reason), ks_reason_text(reason), separator,
           text);
}

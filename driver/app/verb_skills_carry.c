// ks skills export, import: what was learned, carried to another machine.
#include <stdio.h>
#include <string.h>

#include "app/verb_skills.h"
#include "fmt/json.h"
#include "memory/carry.h"

int verb_skills_carry(struct ks_verb_context *context, const char *what, const char *file)
{
    struct ks_outcomes *outcomes = NULL;
    struct ks_carried carried;
    struct ks_err err = {0};
    bool in = strcmp(what, "import") == 0;
    if (in && context->config.readonly) {
        ks_err_set(&err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is imported");
        return verb_fail(context, &err);
    }
    enum ks_status status = ks_outcomes_open(&context->config, &outcomes, &err);
    if (status == KS_OK)
        status = (in ? ks_memory_import : ks_memory_export)(context->arena, outcomes, &context->config, file,
                                                            &carried, &err);
    ks_outcomes_close(outcomes);
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (!context->json) {
        printf("%s: %zu lessons, %zu skills%s\n", file, carried.lessons, carried.skills,
               in && carried.skills > 0 ? " (on probation)" : "");
        return EXIT_OK;
    }
    json_t *report = ks_json_report("ks.carried");
    json_object_set_new(report, "file", json_string(file));
    json_object_set_new(report, "origin", json_string(carried.origin));
    json_object_set_new(report, "lessons", json_integer((json_int_t)carried.lessons));
    json_object_set_new(report, "skills", json_integer((json_int_t)carried.skills));
    ks_json_print(report);
    return EXIT_OK;
}

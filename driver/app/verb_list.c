// ks list: every decision of this project and this user, and the files that are not used.
#include <stdio.h>

#include "app/verb_decision.h"
#include "fmt/table.h"

static void add_row(struct ks_table *table, const struct verb_decision *d)
{
    ks_table_cell(table, "%s", d->kernel);
    ks_table_cell(table, "sm_%d", d->arch);
    if (d->found != NULL) {
        ks_table_cell(table, "%.2fx", d->found->variant.geomean);
        ks_table_cell(table, "%.2fx", d->found->variant.lower);
        ks_table_cell(table, "%s", d->found->variant.evidence.level);
    } else {
        ks_table_cell(table, "-");
        ks_table_cell(table, "-");
        ks_table_cell(table, "original stays");
    }
    ks_table_cell(table, "%s", verb_tier_name(d->tier));
    ks_table_cell(table, "%s", d->found != NULL ? d->found->signer : "");
    ks_table_cell(table, "%.12s", d->key);
    ks_table_cell(table, "%s%s%s", d->found != NULL ? d->found->variant.id : "",
                  d->behind[0] != '\0' ? ", behind " : "", d->behind);
}

static void print_usable(struct ks_arena *arena, const struct verb_decision_list *list)
{
    static const char *const header[] = {"kernel", "arch", ">gain", ">lower", "evidence",
                                         "tier", "signer", "key", "variant"};
    struct ks_table table;
    size_t rows = 0;
    ks_table_begin(&table, arena, header, sizeof header / sizeof *header);
    ks_vec_each(struct verb_decision, d, list) {
        if (verb_decision_unused(d))
            continue;
        add_row(&table, d);
        rows++;
    }
    if (rows > 0)
        ks_table_print(&table, stdout);
}

static void print_unused(const struct verb_decision_list *list)
{
    ks_vec_each(struct verb_decision, d, list) {
        if (!verb_decision_unused(d))
            continue;
        printf("not used (%s): %s\n", ks_reason_name(d->reason), d->text);
        if (d->kernel[0] != '\0')
            printf("  it is for %s, sm_%d\n", d->kernel, d->arch);
        printf("  %s\n", ks_reason_text(d->reason));
    }
}

static void print_json(const struct verb_decision_list *list)
{
    json_t *report = ks_json_report("ks.list"), *rows = json_array();
    ks_vec_each(struct verb_decision, d, list)
        json_array_append_new(rows, verb_decision_json(d));
    json_object_set_new(report, "kernels", rows);
    ks_json_print(report);
}

int verb_list(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "takes no arguments"};
    struct verb_words words;
    struct verb_decision_list list = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (verb_decisions_load(context, ".", &list, &err) != KS_OK)
        return verb_fail(context, &err);
    if (context->json) {
        print_json(&list);
    } else if (list.len == 0) {
        printf("no decisions here: mark a kernel (docs/marks.md) and run `ks tune FILE.cu`\n");
    } else {
        print_usable(context->arena, &list);
        print_unused(&list);
    }
    return EXIT_OK;
}

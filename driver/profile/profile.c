#include "profile/profile.h"

#include <string.h>

#include "os/file.h"
#include "os/lock.h"
#include "profile/facts.h"
#include "verify/client.h"
#include "verify/vector.h"

#define CUBIN_MAX (256u << 20)
#define ASK_SECONDS 60.0
#define LOCK_SECONDS 300.0

static enum ks_status answered(const struct ks_worker *probe, enum ks_answer answer,
                               const char *what, struct ks_err *err)
{
    if (answer == KS_ANSWER_OK)
        return KS_OK;
    return ks_err_set(err, answer == KS_ANSWER_FAULT ? KS_E_DEVICE : KS_E_CHILD, "probe: %s: %s: %s",
                      what, ks_answer_name(answer), probe->text);
}

static void static_facts(struct ks_arena *arena, const json_t *reply, struct ks_profile *profile)
{
    const json_t *facts = json_object_get(reply, "facts");
    static const char *const names[] = {"registers", "static_shared", "local", "max_threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_number(json_object_get(facts, names[i])))
            ks_fact_set(arena, &profile->facts, names[i],
                        json_number_value(json_object_get(facts, names[i])));
}

static void ceilings(struct ks_profile *profile, const struct ks_problem *problem)
{
    double bytes = (double)ks_problem_traffic(problem);
    if (profile->time_us <= 0)
        return;
    profile->achieved_gbs = bytes / profile->time_us / 1000;
    double dram = 0, fma = 0, share = 0;
    ks_fact_get(&profile->facts, "dram_pct", &dram);
    ks_fact_get(&profile->facts, "pipe_fma_pct", &fma);
    if (profile->copy_gbs > 0)
        share = 100 * profile->achieved_gbs / profile->copy_gbs;
    // The floor is compulsory traffic; a kernel that moves more is not nearer to it for that. A full
    // arithmetic pipe is a ceiling of its own.
    if (fma > share)
        share = fma;
    profile->roofline_pct = share > 100 ? 100 : share;
}

static enum ks_status ask_all(struct ks_arena *arena, struct ks_worker *probe,
                              const struct ks_tu_kernel *kernel, struct ks_slice cubin,
                              const struct ks_problem *problem, struct ks_profile *profile,
                              struct ks_err *err)
{
    const char *name = kernel->signature->registered;
    KS_TRY(answered(probe, ks_worker_load(probe, cubin, &name, 1), "module", err));
    static_facts(arena, probe->reply, profile);
    KS_TRY(answered(probe, ks_worker_ask(probe, "ceilings", json_object(), ASK_SECONDS), "ceilings",
                    err));
    profile->copy_gbs = ks_json_num(probe->reply, "copy_gbs", 0);
    profile->fma_gflops = ks_json_num(probe->reply, "fma_gflops", 0);

    struct ks_vector vector = {.problem = *problem, .layout = ks_layout_of(arena, problem),
                               .family = KS_FAMILY_DECLARED, .seed = ks_seed_from_os()};
    uint64_t *addresses = KS_NEW_ARRAY(arena, uint64_t, vector.layout.n_slots + 1);
    struct ks_placement placement = {.flush = KS_FLUSH_START};
    KS_TRY(answered(probe, ks_vector_place(arena, &vector, probe, placement, NULL, 0,
                                           KS_CONTENTS_PLAIN, 0), "buffers", err));
    KS_TRY(answered(probe, ks_vector_placed(&vector, probe, addresses), "buffers", err));
    struct ks_scope scope = {.problem = problem, .signature = kernel->signature,
                             .decl = kernel->mark->decl, .layout = &vector.layout,
                             .addresses = addresses};
    json_t *request = json_object();
    json_object_set_new(request, "plan", ks_launch_original(&scope, "m0"));
    KS_TRY(answered(probe, ks_worker_ask(probe, "profile", request, ASK_SECONDS), "profile", err));
    profile->method = ks_arena_strdup(arena, ks_json_str(probe->reply, "method", "timing"));
    profile->refused = ks_arena_strdup(arena, ks_json_str(probe->reply, "refused", ""));
    profile->chip = ks_arena_strdup(arena, ks_json_str(probe->reply, "chip", ""));
    profile->time_us = ks_json_num(probe->reply, "time_us", 0);
    const json_t *metrics = json_object_get(probe->reply, "metrics");
    ks_profile_facts(arena, metrics, &profile->facts);
    ks_fact_set(arena, &profile->facts, "time_us", profile->time_us);
    ceilings(profile, problem);
    ks_fact_set(arena, &profile->facts, "roofline_pct", profile->roofline_pct);
    ks_profile_classify(arena, profile);
    profile->json = json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:s,s:s,s:O?}", "method",
                              profile->method, "refused", profile->refused, "chip", profile->chip,
                              "time_us", profile->time_us, "copy_gbs", profile->copy_gbs,
                              "fma_gflops", profile->fma_gflops, "achieved_gbs",
                              profile->achieved_gbs, "roofline_pct", profile->roofline_pct,
                              "bottleneck", profile->bottleneck, "evidence", profile->evidence,
                              "metrics", metrics);
    return KS_OK;
}

enum ks_status ks_profile_run(struct ks_arena *arena, const struct ks_config *config,
                              const struct ks_tu_kernel *kernel, const char *cubin,
                              const struct ks_problem *problem, struct ks_profile *profile,
                              struct ks_err *err)
{
    *profile = (struct ks_profile){.method = "", .refused = "", .chip = "",
                                   .bottleneck = "unknown", .evidence = ""};
    struct ks_worker probe = {0};
    struct ks_device_info info;
    struct ks_lock lock = {.fd = -1};
    struct ks_slice code;
    KS_TRY(ks_file_read(arena, cubin, CUBIN_MAX, &code, err));
    KS_TRY(ks_dir_make(config->runtime_dir, err));
    const char *path = ks_path_join(arena, ks_program_dir(arena), "ks-probe");
    KS_TRY(ks_worker_start(&probe, NULL, path, "cuda", false, err));
    enum ks_status status;
    KS_TRY_GOTO(answered(&probe, ks_worker_hello(&probe, &info), "hello", err), done);
    KS_TRY_GOTO(ks_lock_take(ks_device_lock_path(arena, config->runtime_dir, info.uuid),
                             LOCK_SECONDS, &lock, err), done);
    KS_TRY_GOTO(ask_all(arena, &probe, kernel, code, problem, profile, err), done);
done:
    ks_lock_release(&lock);
    ks_worker_stop(&probe);
    return status;
}

void ks_profile_print(struct ks_buf *out, const struct ks_profile *p)
{
    ks_buf_printf(out, "profile (%s%s%s): %.1f us\n", p->method, p->chip[0] ? ", " : "", p->chip,
                  p->time_us);
    if (p->refused[0] != '\0')
        ks_buf_printf(out, "  counters: %s\n", p->refused);
    if (p->copy_gbs > 0)
        ks_buf_printf(out, "  compulsory traffic at %.0f GB/s; a copy on this card reaches %.0f GB/s, "
                      "FMA %.0f GFLOP/s; %.0f %% of the nearer ceiling\n",
                      p->achieved_gbs, p->copy_gbs, p->fma_gflops, p->roofline_pct);
    ks_buf_printf(out, "  bottleneck: %s (%s)\n", p->bottleneck, p->evidence);
    ks_vec_each(struct ks_fact, fact, &p->facts)
        if (fact->known && strcmp(fact->name, "time_us") != 0)
            ks_buf_printf(out, "  %-24s %.6g\n", fact->name, fact->value);
}

// The cuda device on a real GPU: one line a check, "N passed, N failed" at the end, exit 77 where
// there is no GPU. Every check is a process of its own, since a fault spoils the process it is in;
// the parent never touches CUDA.

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_bench.h"
#include "device_checks.h"
#include "os/clock.h"

#define CHECK_SECONDS 60

static void check_open(void)
{
    open_device();
    EXPECT(facts.arch >= 75 && facts.sms > 0 && facts.l2_bytes > 0, "arch %d", facts.arch);
    EXPECT(strlen(facts.uuid) == 40 && strncmp(facts.uuid, "GPU-", 4) == 0, "%s", facts.uuid);
    EXPECT(facts.memory_free > 0 && facts.memory_free <= facts.memory_total, "memory");
    dev.close(dev.self);
    done(0, "%s, sm_%d, %d SMs, L2 %d bytes, shared %d, driver %s, pageable access %d", facts.name,
         facts.arch, facts.sms, facts.l2_bytes, facts.smem_optin, facts.driver,
         facts.pageable_access);
}

static void expect_refused(struct launch *l, enum ks_status expected, const char *text)
{
    enum ks_status status = run(l);
    EXPECT(status == expected, "%s: %s", text, status == KS_OK ? "was launched" : err.text);
    EXPECT(strstr(err.text, text) != NULL, "%s", err.text);
}

static void check_refused(void)
{
    open_device();
    expect_refused(launch("t_empty", 1, 1025, 0), KS_E_LIMIT, "threads a block");
    expect_refused(launch("t_empty", 0, 32, 0), KS_E_LIMIT, "zero");
    struct launch *l = launch("t_empty", 1, 32, 0);
    l->step.grid[1] = 65536;
    expect_refused(l, KS_E_LIMIT, "65535");
    expect_refused(launch("t_empty", 1, 32, (unsigned)facts.smem_optin + 1), KS_E_LIMIT,
                   "shared memory");
    l = launch("t_empty", 1, 32, 0);
    pass_int(l, 1);
    expect_refused(l, KS_E_USER, "takes 0 arguments");
    l = launch("t_store", 1, 1, 0);
    pass_int(l, 1);
    pass_int(l, 1);
    expect_refused(l, KS_E_USER, "argument 1 has 4 bytes");
    OK(run(launch("t_empty", 1, 1024, (unsigned)facts.smem_optin)));
    void *f, *m;
    EXPECT(dev.function(dev.self, module, "t_absent", &f, NULL, &err) == KS_E_ABSENT, "%s", err.text);
    enum ks_status status = dev.module(dev.self, KS_SLICE("\177ELF garbage"), &m, &err);
    EXPECT(status == KS_E_FORMAT || status == KS_E_UNSUPPORTED, "ELF garbage: %s", err.text);
    status = dev.module(dev.self, KS_SLICE("garbage"), &m, &err);
    EXPECT(status == KS_E_FORMAT, "garbage: %s", err.text);
    json_t *object;
    OK(dev.function(dev.self, module, "t_twice", &f, &object, &err));
    char *text = json_dumps(object, JSON_COMPACT);
    EXPECT(ks_json_int(object, "registers", 0) > 0, "%s", text);
    EXPECT(json_array_size(json_object_get(object, "params")) == 3, "%s", text);
    OK(run(launch("t_empty", 1, 32, 0))); // still alive
    dev.close(dev.self);
    done(0, "six kinds named, then a good launch; facts %s", text);
}

// ---- running them

static const struct check {
    const char *name;
    void (*run)(void);
    double kill_after; // 0: it must end by itself
} checks[] = {
    {"open", check_open, 0},
    {"memory", check_memory, 0},
    {"gather", check_gather, 0},
    {"generate", check_generate, 0},
    {"memory ends", check_memory_ends, 0},
    {"inside the fences", check_inside, 0},
    {"frozen", check_frozen, 0},
    {"used again", check_used_again, 0},
    {"read past the end", check_read_past_end, 0},
    {"write past the end", check_write_past_end, 0},
    {"read before the start", check_read_before_start, 0},
    {"write to an empty buffer", check_empty_buffer, 0},
    {"trap", check_trap, 0},
    {"misaligned", check_misaligned, 0},
    {"canaries", check_canaries, 0},
    {"fingerprint", check_fingerprint, 0},
    {"scrub", check_scrub, 0},
    {"crowd", check_crowd, 0},
    {"refused launches", check_refused, 0},
    {"graph over sets", check_graph_sets, 0},
    {"timing", check_timing, 0},
    {"ceilings", check_ceilings, 0},
    {"least", check_least, 0},
    {"endless kernel is killed", check_endless, 5},
    {"worker after that", check_worker, 0},
};

// Exit status of the check, or 1 with a text; `text` holds what it said.
static int perform(const struct check *c, char text[2048])
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        report = fdopen(ends[1], "w");
        c->run();
        done(1, "the check said nothing");
    }
    close(ends[1]);
    double begin = ks_now(), limit = c->kill_after > 0 ? c->kill_after : CHECK_SECONDS;
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0 && ks_now() - begin < limit)
        ks_sleep(0.01);
    double killed = ks_now();
    bool timeout = kill(pid, 0) == 0 && killed - begin >= limit;
    if (timeout) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    ssize_t n = read(ends[0], text, 2047);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    if (timeout && c->kill_after > 0) {
        double seconds = ks_now() - killed;
        snprintf(text + strlen(text), 100, "gone %.3f s after SIGKILL", seconds);
        return seconds < 10 && ks_starts_with(text, "launched") ? 0 : 1;
    }
    if (timeout)
        snprintf(text, 2048, "did not end within %d s", CHECK_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(text + strlen(text), 100, " (died of signal %d)", WTERMSIG(status));
    return !timeout && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        char text[2048];
        if (argc > 1 && strstr(checks[i].name, argv[1]) == NULL)
            continue;
        int status = perform(&checks[i], text);
        if (status == SKIP) {
            printf("skipped: %s\n", text);
            return SKIP;
        }
        printf("%s %s: %s\n", status == 0 ? "ok  " : "FAIL", checks[i].name, text);
        passed += status == 0;
        failed += status != 0;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}

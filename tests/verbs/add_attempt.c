// Puts one attempt into a memory, for tests of what `ks` tells of it: ks-add-attempt STATE_DIR KEY [PROPOSAL.yaml | ID PARAMS]
#include <stdio.h>

#include "memory/outcomes.h"
#include "os/file.h"

int main(int argc, char **argv)
{
    struct ks_err err = {0};
    struct ks_outcomes *outcomes = NULL;
    struct ks_arena arena = {0};
    struct ks_slice text = {0};
    if (argc < 3 || argc > 5 || (argc == 4 && ks_file_read(&arena, argv[3], 1u << 20, &text, &err) != KS_OK))
        return 2;
    struct ks_config config = {.state_dir = argv[1]};
    struct ks_attempt attempt = {.key = argv[2], .kernel = "scale", .proposal = "0123456789abcdef",
                                 .skill = "unroll", .direction = "d", .params = "unroll=4",
                                 .bottleneck = "unknown", .date = "2026-01-02T03:04:05Z",
                                 .arch = 90, .correctness = "CORRECT", .speed = "FASTER",
                                 .reason = "as a test wants it", .ratio = 1.25, .lower = 1.2,
                                 .text = argc == 4 ? text.at : NULL};
    if (argc == 5) {
        attempt.proposal = argv[3];
        attempt.params = argv[4];
    }
    enum ks_status status = ks_outcomes_open(&config, &outcomes, &err);
    if (status == KS_OK)
        status = ks_outcomes_add(outcomes, &attempt, &err);
    ks_outcomes_close(outcomes);
    ks_arena_free(&arena);
    if (status != KS_OK)
        fprintf(stderr, "ks-add-attempt: %s\n", err.text);
    return status != KS_OK;
}

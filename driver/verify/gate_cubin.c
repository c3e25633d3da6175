// The static gate on machine code: what ptxas and the linker made of the shadow beside what they made of the
// user's own file. PTX is what the compiler was told; this is what will be loaded.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "key/elf.h"
#include "verify/gate.h"

#define PADDING 256 // between tables

static uint64_t variables(struct ks_slice cubin)
{
    return ks_elf_section_size(cubin, ".nv.global") + ks_elf_section_size(cubin, ".nv.global.init");
}

// The first function that `shadow` calls without having it, and `plain` does not; NULL if there is none.
static const char *new_undefined(struct ks_arena *arena, struct ks_slice plain, struct ks_slice shadow)
{
    struct ks_strv before = {0}, now = {0};
    if (ks_elf_undefined_read(arena, plain, &before, NULL) != KS_OK ||
        ks_elf_undefined_read(arena, shadow, &now, NULL) != KS_OK)
        return "(the symbol table cannot be read)";
    for (size_t i = 0; i < now.len; i++) {
        bool known = false;
        for (size_t k = 0; k < before.len; k++)
            known = known || strcmp(before.at[k], now.at[i]) == 0;
        if (!known)
            return now.at[i];
    }
    return NULL;
}

bool ks_gate_cubin(struct ks_slice plain, struct ks_slice shadow, size_t n, char reason[256])
{
    struct ks_arena arena = {0};
    uint64_t tables = ks_elf_section_size(plain, ".nv.constant3") + n * (KS_GATE_CONSTANTS + PADDING);
    const char *undefined = new_undefined(&arena, plain, shadow);
    bool passed = false;
    if (variables(shadow) > variables(plain))
        snprintf(reason, 256, "the candidate's machine code has a device variable (state that outlives "
                              "a launch)");
    else if (ks_elf_section_size(shadow, ".nv.constant3") > tables)
        snprintf(reason, 256, "the candidate's machine code has more than %d bytes of constant tables",
                 KS_GATE_CONSTANTS);
    else if (undefined != NULL)
        snprintf(reason, 256, "the candidate's machine code calls %.150s, which is not part of it",
                 undefined);
    else
        passed = true;
    ks_arena_free(&arena);
    return passed;
}

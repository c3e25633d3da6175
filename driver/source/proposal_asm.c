// The gate's one exception for inline assembly: a closed list of statements that tensor cores need
// and that no intrinsic gives. Each moves registers, or reads the shared memory that an address
// names, as C++ may do too.
#include <string.h>

#include "source/proposal_gate.h"

#define FOUR_OF_FOUR "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\""

static const char *const texts[] = {
    "\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"",
    "\"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\"",
    "\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " FOUR_OF_FOUR,
    "\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " FOUR_OF_FOUR,
};
static const char *const constraints[] = {"\"=r\"", "\"+f\"", "\"r\""};

static bool is_one_of(const struct ks_token *t, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (t->len == strlen(list[i]) && memcmp(t->at, list[i], t->len) == 0)
            return true;
    return false;
}

bool ks_gate_assembly(const struct ks_gate *gate, size_t i)
{
    const struct ks_token *t = &gate->at[i];
    if (gate->foreign || i + 6 >= gate->len || !ks_token_is(&t[1], "volatile") ||
        !ks_token_is(&t[2], "(") || !is_one_of(&t[3], texts, sizeof texts / sizeof *texts) ||
        !ks_token_is(&t[4], ":"))
        return false;
    size_t close = (size_t)gate->match[i + 2];
    for (size_t k = i + 5; k < close; k++) {
        const struct ks_token *operand = &gate->at[k];
        if (operand->kind == KS_TOK_STRING &&
            (!is_one_of(operand, constraints, sizeof constraints / sizeof *constraints) ||
             !ks_token_is(operand + 1, "(")))
            return false;
        if (operand->kind == KS_TOK_IDENT && ks_token_is(operand, "asm"))
            return false;
    }
    return ks_token_is(&gate->at[close + 1], ";");
}

bool ks_gate_in_assembly(const struct ks_gate *gate, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (gate->match[k] >= 0 && (size_t)gate->match[k] < k)
            k = (size_t)gate->match[k]; // a bracket that was closed
        else if (gate->match[k] >= 0)
            return k >= 2 && ks_token_is(&gate->at[k], "(") &&
                   ks_token_is(&gate->at[k - 2], "asm") && ks_gate_assembly(gate, k - 2);
    }
    return false;
}

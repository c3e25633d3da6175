// The gate's one exception for inline assembly: a closed list of statements that tensor cores need
// and that no intrinsic gives. Each moves registers, reads the shared memory that an address or a
// descriptor names, as C++ may do too, or orders such reads.
#include <string.h>

#include "source/proposal_gate.h"

#define FOUR_OF_FOUR "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define SIXTEEN "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define THIRTY_TWO                                                                                 \
    SIXTEEN ", %16, "                                                                              \
    "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SIXTY_FOUR                                                                                 \
    THIRTY_TWO ", "                                                                                \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "                  \
    "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "                  \
    "%62, %63"
#define AND_AS_MANY                                                                                \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, "                \
    "%79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, "                  \
    "%94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "               \
    "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, "               \
    "%121, %122, %123, %124, %125, %126, %127"

static const char *const texts[] = {
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];",
    "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " FOUR_OF_FOUR,
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " FOUR_OF_FOUR,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " FOUR_OF_FOUR,
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" SIXTY_FOUR "}, %64, %65, 1, 1, 1, %66, %67;",
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" SIXTY_FOUR "}, %64, %65, 1, 1, 1, %66, %67;",
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" SIXTY_FOUR AND_AS_MANY "}, %128, %129, 1, 1, 1, %130, %131;",
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" SIXTY_FOUR AND_AS_MANY "}, %128, %129, 1, 1, 1, %130, %131;",
    "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" SIXTY_FOUR "}, %64, %65, 1, 1, 1;",
    "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" SIXTY_FOUR AND_AS_MANY "}, %128, %129, 1, 1, 1;",
    "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {" SIXTEEN "}, {%16, %17, %18, %19}, %20, 1, 1, 1;",
    "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" THIRTY_TWO "}, {%32, %33, %34, %35}, %36, 1, 1, 1;",
    "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" SIXTY_FOUR "}, {%64, %65, %66, %67}, %68, 1, 1, 1;",
    "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" SIXTY_FOUR AND_AS_MANY "}, {%128, %129, %130, %131}, %132, 1, 1, 1;",
};
static const char *const orders[] = { // these may say that memory is touched
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
    "wgmma.wait_group.sync.aligned 1;",
    "fence.proxy.async.shared::cta;",
    "", // a register is not read before what stands in front
};
static const char *const constraints[] = {"\"=r\"", "\"+f\"", "\"r\"", "\"l\"", "\"n\""};

static bool is_one_of(const struct ks_token *t, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (t->len == strlen(list[i]) && memcmp(t->at, list[i], t->len) == 0)
            return true;
    return false;
}

// Whether the literals from token `first` to before `end` are `text`, put together.
static bool reads(const struct ks_gate *gate, size_t first, size_t end, const char *text)
{
    for (size_t i = first; i < end; i++) {
        const struct ks_token *t = &gate->at[i];
        if (strncmp(text, t->at + 1, t->len - 2) != 0)
            return false;
        text += t->len - 2;
    }
    return *text == '\0';
}

static bool is_among(const struct ks_gate *gate, size_t first, size_t end, const char *const *list, size_t n)
{
    for (size_t i = first; i < end; i++)
        if (gate->at[i].len < 2 || *gate->at[i].at != '"' || memchr(gate->at[i].at, '\\', gate->at[i].len))
            return false;
    for (size_t i = 0; i < n; i++)
        if (reads(gate, first, end, list[i]))
            return true;
    return false;
}

bool ks_gate_assembly(const struct ks_gate *gate, size_t i)
{
    const struct ks_token *t = &gate->at[i];
    if (gate->foreign || i + 6 >= gate->len || !ks_token_is(&t[1], "volatile") ||
        !ks_token_is(&t[2], "(") || t[3].kind != KS_TOK_STRING)
        return false;
    size_t close = (size_t)gate->match[i + 2], colon = i + 3;
    while (gate->at[colon].kind == KS_TOK_STRING)
        colon++;
    const bool order = is_among(gate, i + 3, colon, orders, sizeof orders / sizeof *orders);
    if (!ks_token_is(&gate->at[colon], ":") ||
        (!order && !is_among(gate, i + 3, colon, texts, sizeof texts / sizeof *texts)))
        return false;
    for (size_t k = colon + 1; k < close; k++) {
        const struct ks_token *operand = &gate->at[k];
        bool clobber = order && ks_token_is(operand, "\"memory\"") && k + 1 == close;
        if (operand->kind == KS_TOK_STRING && !clobber &&
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

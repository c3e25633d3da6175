// Which constructs of PTX make a kernel ineligible (docs/reasons.md says why each one does).
#include "key/ptx_text.h"

#include <string.h>

static inline bool slice_begins(struct ks_slice slice, const char *prefix)
{
    size_t n = strlen(prefix);
    return slice.len >= n && memcmp(slice.at, prefix, n) == 0;
}

static inline bool slice_ends(struct ks_slice slice, const char *suffix)
{
    size_t n = strlen(suffix);
    return slice.len >= n && memcmp(slice.at + slice.len - n, suffix, n) == 0;
}

// The next ".part" of an opcode behind *at, without its dot.
static inline bool next_part(const struct ks_ptx_token *opcode, size_t *at, struct ks_slice *part)
{
    if (*at >= opcode->len)
        return false;
    size_t begin = *at + (opcode->at[*at] == '.');
    const char *dot = memchr(opcode->at + begin, '.', opcode->len - begin);
    size_t end = dot == NULL ? opcode->len : (size_t)(dot - opcode->at);
    *part = (struct ks_slice){opcode->at + begin, end - begin};
    *at = end;
    return true;
}

static enum ks_reason base_rule(struct ks_slice base)
{
    static const struct {
        const char *name;
        enum ks_reason reason;
    } rules[] = {
        {"tex", KS_R_TEXTURE},        {"tld4", KS_R_TEXTURE},
        {"txq", KS_R_TEXTURE},        {"suld", KS_R_TEXTURE},
        {"sust", KS_R_TEXTURE},       {"sured", KS_R_TEXTURE},
        {"suq", KS_R_TEXTURE},        {"istypep", KS_R_TEXTURE},
        {"tensormap", KS_R_TEXTURE},  {"mapa", KS_R_CLUSTER},
        {"getctarank", KS_R_CLUSTER}, {"clusterlaunchcontrol", KS_R_CLUSTER},
        // The start of the grid then depends on another grid (programmatic dependent launch).
        {"griddepcontrol", KS_R_GRID_DEPENDENCY},
        // Multicast addresses reach the memory of several devices.
        {"multimem", KS_R_SYSTEM_SCOPE},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (ks_slice_eq(base, rules[i].name))
            return rules[i].reason;
    return KS_R_APPLIED;
}

// By their first letters, the opcodes that can matter; arithmetic ends here.
static bool may_matter(const char *op, size_t n)
{
    if (n < 3)
        return false;
    switch (op[0]) {
    case 'l': // ld
        return op[1] == 'd';
    case 's': // st, suld, sust, sured, suq; not sub
        return op[1] == 't' || (op[1] == 'u' && op[2] != 'b');
    case 'a': // atom
        return op[1] == 't';
    case 'r': // red
        return op[1] == 'e';
    case 'm': // membar, mbarrier, mapa, multimem; not mov, mad, max, min, mma, mul
        return op[1] == 'e' || op[1] == 'b' || (op[1] == 'a' && op[2] == 'p') ||
               (op[1] == 'u' && op[2] == 'l' && n > 3 && op[3] == 't');
    case 'b': // barrier; not bra, bfe, bfi
        return op[1] == 'a';
    case 'c': // cp, cvta, clusterlaunchcontrol
        return op[1] == 'p' || op[1] == 'l' || (op[1] == 'v' && n > 3 && op[3] == 'a');
    case 'p': // prefetch; not prmt, popc
        return op[1] == 'r' && op[2] == 'e';
    case 'f': // fence
    case 'g': // getctarank, griddepcontrol
    case 'i': // istypep, isspacep
    case 't': // tex, tld4, txq, tensormap, tcgen05
    case 'd': // discard
    case 'w': // wgmma
        return true;
    default:
        return false;
    }
}

static inline bool is(struct ks_slice slice, const char *text, size_t n)
{
    return slice.len == n && memcmp(slice.at, text, n) == 0;
}
#define IS(slice, text) is((slice), (text), sizeof(text) - 1)

enum ks_reason ks_ptx_rule_opcode(const struct ks_ptx_token *opcode)
{
    if (!may_matter(opcode->at, opcode->len))
        return KS_R_APPLIED;
    size_t at = 0;
    struct ks_slice part, base = {0};
    next_part(opcode, &at, &base);
    bool access = IS(base, "ld") || IS(base, "st");
    enum ks_reason reason = access ? KS_R_APPLIED : base_rule(base);
    bool is_volatile = false, own_space = false, cluster = false;
    while (reason == KS_R_APPLIED && next_part(opcode, &at, &part)) {
        if (IS(part, "sys") || IS(part, "mmio"))
            reason = KS_R_SYSTEM_SCOPE;
        else if (IS(part, "volatile"))
            is_volatile = true;
        else if (IS(part, "shared") || IS(part, "shared::cta") || IS(part, "local") ||
                 slice_begins(part, "param"))
            own_space = true;
        else if (slice_begins(part, "tensor"))
            // Descriptors that the host builds: their pointers are not among the arguments.
            reason = KS_R_TEXTURE;
        else if (IS(part, "shared::cluster") && IS(base, "cp"))
            // cp.async.bulk spells a block's own shared memory so as well.
            own_space = true;
        else if (part.len >= 7 && slice_ends(part, "cluster"))
            cluster = true;
    }
    if (reason != KS_R_APPLIED)
        return reason;
    if (cluster)
        return KS_R_CLUSTER;
    return is_volatile && !own_space ? KS_R_SYSTEM_SCOPE : KS_R_APPLIED;
}

enum ks_reason ks_ptx_rule_register(const struct ks_ptx_token *word)
{
    static const char *const cluster[] = {"%cluster", "%ncluster", "%is_explicit_cluster"};
    // Registers of the program begin with r, f, p, h or S; most words end here.
    if (word->len < 8 || strchr("ceni", word->at[1]) == NULL)
        return KS_R_APPLIED;
    for (size_t i = 0; i < sizeof cluster / sizeof *cluster; i++)
        if (ks_ptx_begins(word, cluster[i]))
            return KS_R_CLUSTER;
    // Set by cooperative launches only: where the grid's barrier lives.
    if (ks_ptx_begins(word, "%envreg"))
        return KS_R_GRID_SYNC;
    return KS_R_APPLIED;
}

static enum ks_reason external_rule(struct ks_slice name)
{
    if (ks_slice_eq(name, "__assertfail"))
        return KS_R_APPLIED;
    if (ks_slice_eq(name, "vprintf"))
        return KS_R_PRINTF;
    if (ks_slice_eq(name, "malloc") || ks_slice_eq(name, "free"))
        return KS_R_MALLOC;
    if (slice_begins(name, "cudaLaunchDevice") || slice_begins(name, "__cudaLaunchDevice") ||
        slice_begins(name, "cudaGetParameterBuffer") ||
        slice_begins(name, "__cudaGetParameterBuffer") || slice_begins(name, "__cudaCDP") ||
        slice_begins(name, "cudaDevice") || slice_begins(name, "cudaStream") ||
        slice_begins(name, "cudaGraph"))
        return KS_R_DEVICE_LAUNCH;
    return KS_R_EXTERNAL_CODE;
}

static bool head_has(struct ks_slice head, const char *text)
{
    return memmem(head.at, head.len, text, strlen(text)) != NULL;
}

// Made by the compiler: string literals, __PRETTY_FUNCTION__, and the math library's tables (all that
// the float and double functions of CUDA 13.0 use). No C++ name of a program is spelled so.
static bool compilers_data(struct ks_slice name)
{
    return ks_slice_eq(name, "$str") || slice_begins(name, "$str$") ||
           slice_begins(name, "__unnamed_") || ks_slice_eq(name, "__cudart_i2opi_f") ||
           ks_slice_eq(name, "__cudart_i2opi_d") || ks_slice_eq(name, "__cudart_sin_cos_coeffs");
}

enum ks_reason ks_ptx_rule_symbol(const struct ks_ptx_symbol *symbol)
{
    if (symbol->kind != KS_PTX_VAR)
        return symbol->external ? external_rule(symbol->name) : KS_R_APPLIED;

    struct ks_slice head = symbol->head;
    struct ks_ptx_scan scan = {head.at, head.at + head.len};
    struct ks_ptx_token space = ks_ptx_next(&scan);
    // Only the part before the initialiser is declaration.
    const char *equals = memchr(head.at, '=', head.len);
    bool initialised = equals != NULL;
    if (initialised)
        head.len = (size_t)(equals - head.at);

    if (head_has(head, ".managed"))
        return KS_R_MANAGED;
    if (head_has(head, ".texref") || head_has(head, ".surfref") || head_has(head, ".samplerref") ||
        ks_ptx_is(&space, ".tex"))
        return KS_R_TEXTURE;
    if (ks_ptx_is(&space, ".shared"))
        return KS_R_APPLIED;
    if (ks_ptx_is(&space, ".const"))
        // A table inside a function (_ZZ: a local name) cannot be set by the host; any other
        // __constant__ variable can, by cudaMemcpyToSymbol, whatever its initialiser says.
        return initialised && !symbol->external && slice_begins(symbol->name, "_ZZ")
                   ? KS_R_APPLIED
                   : KS_R_DEVICE_GLOBAL;
    if (ks_ptx_is(&space, ".global"))
        return initialised && !symbol->external && compilers_data(symbol->name)
                   ? KS_R_APPLIED
                   : KS_R_DEVICE_GLOBAL;
    return KS_R_DEVICE_GLOBAL;
}

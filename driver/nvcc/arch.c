#include "nvcc/arch.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "nvcc/option.h"

#define DEFAULT_ARCH 75 // nvcc 13.0

struct arch_name {
    char kind; // 's' sm, 'c' compute
    int number;
    char suffix;
};

typedef KS_VEC(struct ks_arch) arch_list;

static bool parse_name(const char *text, struct arch_name *name)
{
    size_t prefix = ks_starts_with(text, "sm_") ? 3 : ks_starts_with(text, "compute_") ? 8 : 0;
    if (prefix == 0)
        return false;
    const char *at = text + prefix;
    int number = 0;
    size_t digits = 0;
    for (; isdigit((unsigned char)*at) && digits < 4; at++, digits++)
        number = number * 10 + (*at - '0');
    char suffix = *at == 'a' || *at == 'f' ? *at++ : '\0';
    if (digits < 2 || *at != '\0')
        return false;
    *name = (struct arch_name){text[0], number, suffix};
    return true;
}

static void add(struct ks_arena *arena, arch_list *list, const struct ks_arch *arch)
{
    ks_vec_each (struct ks_arch, known, list)
        if (known->compute == arch->compute && known->sm == arch->sm && known->suffix == arch->suffix &&
            known->of == arch->of)
            return;
    *ks_vec_push(arena, list) = *arch;
}

// One pair of virtual architecture and code. The suffix of either makes the code specific: for
// compute_100f and sm_103 nvcc writes sm_103f (tried).
static bool add_pair(struct ks_arena *arena, arch_list *list, const struct arch_name *virtual,
                     const char *code)
{
    struct arch_name name;
    if (virtual->kind != 'c' || !parse_name(code, &name))
        return false;
    char suffix = name.suffix != '\0' ? name.suffix : virtual->suffix;
    const struct ks_arch arch = {virtual->number, name.kind == 's' ? name.number : 0, suffix,
                                 virtual->suffix};
    add(arena, list, &arch);
    return true;
}

// Without -code. For a specific architecture nvcc 13 adds PTX of the general one (tried).
static void add_shorthand(struct ks_arena *arena, arch_list *list, const struct arch_name *name)
{
    const char own = name->suffix;
    if (own != '\0')
        add(arena, list, &(struct ks_arch){name->number, 0, '\0', '\0'});
    if (name->kind == 's')
        add(arena, list, &(struct ks_arch){name->number, name->number, own, own});
    add(arena, list, &(struct ks_arch){name->number, 0, own, own});
}

// "arch=compute_90,code=[compute_90,sm_90]": either order, brackets or quotes around the codes.
static bool add_gencode(struct ks_arena *arena, arch_list *list, const char *text)
{
    const char *arch = NULL, *codes = NULL;
    char *copy = ks_arena_strdup(arena, text);
    while (*copy != '\0') {
        char *end = copy;
        for (bool inside = false; *end != '\0' && (inside || *end != ','); end++) {
            if (*end == '"')
                inside = !inside;
            else if (*end == '[' || *end == ']')
                inside = *end == '[';
        }
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        copy += strspn(copy, " ");
        if (ks_starts_with(copy, "arch=") && arch == NULL)
            arch = copy + 5;
        else if (ks_starts_with(copy, "code=") && codes == NULL)
            codes = copy + 5;
        else
            return false;
        copy = next;
    }
    struct arch_name virtual;
    if (arch == NULL || codes == NULL || !parse_name(arch, &virtual))
        return false;

    size_t len = strlen(codes);
    if (codes[0] == '[') {
        if (codes[len - 1] != ']')
            return false;
        codes = ks_arena_strndup(arena, codes + 1, len - 2);
    }
    char *plain = ks_arena_strdup(arena, codes), *to = plain;
    for (const char *at = codes; *at != '\0'; at++)
        if (*at != '"')
            *to++ = *at;
    *to = '\0';
    struct ks_strv items = {0};
    ks_option_list(arena, plain, &items);
    for (size_t i = 0; i < items.len; i++)
        if (!add_pair(arena, list, &virtual, items.at[i]))
            return false;
    return items.len > 0;
}

// The word that could not be resolved, or NULL.
static const char *collect(struct ks_arena *arena, const struct ks_arch_words *words,
                           arch_list *list)
{
    struct arch_name name = {'s', DEFAULT_ARCH, '\0'};
    if (words->arch != NULL && !parse_name(words->arch, &name))
        return words->arch; // native, all, all-major, lto_90, or nonsense
    if (words->codes.len > 0) {
        for (size_t i = 0; i < words->codes.len; i++)
            if (!add_pair(arena, list, &name, words->codes.at[i]))
                return words->codes.at[i];
    } else if (words->arch != NULL || words->gencodes.len == 0) {
        add_shorthand(arena, list, &name);
    }
    for (size_t i = 0; i < words->gencodes.len; i++)
        if (!add_gencode(arena, list, words->gencodes.at[i]))
            return words->gencodes.at[i];
    return NULL;
}

void ks_arch_read(struct ks_arena *arena, const struct ks_arch_words *words, struct ks_cmdline *cmd)
{
    arch_list list = {0};
    cmd->arch_problem = collect(arena, words, &list);
    if (cmd->arch_problem == NULL) {
        cmd->archs = list.at;
        cmd->n_archs = list.len;
    }
}

const struct ks_arch *ks_cmdline_code(const struct ks_cmdline *cmd, int arch, size_t *kinds)
{
    const struct ks_arch *first = NULL;
    *kinds = 0;
    for (size_t i = 0; i < cmd->n_archs; i++)
        if (cmd->archs[i].compute == arch && cmd->archs[i].sm == arch && (*kinds)++ == 0)
            first = &cmd->archs[i];
    return first;
}

char ks_cmdline_suffix(const struct ks_cmdline *cmd, int arch)
{
    size_t kinds;
    const struct ks_arch *code = ks_cmdline_code(cmd, arch, &kinds);
    return code != NULL ? code->of : '\0';
}

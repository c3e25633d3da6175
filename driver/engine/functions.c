#include "engine/functions.h"

#include <string.h>

#include "base/str.h"

#define OF_FLOAT KS_T_F32, KS_T_F32
#define OF_BOTH KS_T_NONE, KS_T_NONE
#define TO_NEAREST "(%a - floor(%a) == 0.5 ? 2 * floor((%a + 0.5) / 2) : floor(%a + 0.5))"
#define TO_FARTHER "(%a < 0 ? -floor(0.5 - %a) : floor(%a + 0.5))"

static const struct ks_function functions[] = {
    {"fmaxf", "larger(%a, %b)", OF_FLOAT},
    {"fmax", "larger(%a, %b)", OF_BOTH},
    {"max", "larger(%a, %b)", OF_BOTH},
    {"fminf", "smaller(%a, %b)", OF_FLOAT},
    {"fmin", "smaller(%a, %b)", OF_BOTH},
    {"min", "smaller(%a, %b)", OF_BOTH},
    {"fdimf", "larger(%a - %b, 0)", OF_FLOAT},
    {"fdim", "larger(%a - %b, 0)", OF_BOTH},
    {"__saturatef", "smaller(larger(%a, 0), 1)", OF_FLOAT},
    {"fabsf", "abs(%a)", OF_FLOAT},
    {"fabs", "abs(%a)", OF_BOTH},
    {"abs", "abs(%a)", OF_BOTH},
    {"floorf", "floor(%a)", OF_FLOAT},
    {"floor", "floor(%a)", OF_BOTH},
    {"ceilf", "(-floor(-%a))", OF_FLOAT},
    {"ceil", "(-floor(-%a))", OF_BOTH},
    {"truncf", "whole(%a)", OF_FLOAT},
    {"trunc", "whole(%a)", OF_BOTH},
    {"roundf", TO_FARTHER, OF_FLOAT},
    {"round", TO_FARTHER, OF_BOTH},
    {"rintf", TO_NEAREST, OF_FLOAT},
    {"rint", TO_NEAREST, OF_BOTH},
    {"nearbyintf", TO_NEAREST, OF_FLOAT},
    {"expf", "exp(%a)", OF_FLOAT},
    {"exp", "exp(%a)", OF_BOTH},
    {"__expf", "exp(%a)", OF_FLOAT},
    {"exp2f", "pow(2, %a)", OF_FLOAT},
    {"exp2", "pow(2, %a)", OF_BOTH},
    {"exp10f", "pow(10, %a)", OF_FLOAT},
    {"__exp10f", "pow(10, %a)", OF_FLOAT},
    {"expm1f", "(exp(%a) - 1)", OF_FLOAT},
    {"expm1", "(exp(%a) - 1)", OF_BOTH},
    {"logf", "log(%a)", OF_FLOAT},
    {"log", "log(%a)", OF_BOTH},
    {"__logf", "log(%a)", OF_FLOAT},
    {"log2f", "(log(%a) / log(2))", OF_FLOAT},
    {"log2", "(log(%a) / log(2))", OF_BOTH},
    {"__log2f", "(log(%a) / log(2))", OF_FLOAT},
    {"log10f", "(log(%a) / log(10))", OF_FLOAT},
    {"log10", "(log(%a) / log(10))", OF_BOTH},
    {"__log10f", "(log(%a) / log(10))", OF_FLOAT},
    {"log1pf", "log(1 + %a)", OF_FLOAT},
    {"log1p", "log(1 + %a)", OF_BOTH},
    {"powf", "pow(%a, %b)", OF_FLOAT},
    {"pow", "pow(%a, %b)", OF_BOTH},
    {"__powf", "pow(%a, %b)", OF_FLOAT},
    {"sqrtf", "sqrt(%a)", OF_FLOAT},
    {"sqrt", "sqrt(%a)", OF_BOTH},
    {"__fsqrt_rn", "sqrt(%a)", OF_FLOAT},
    {"rsqrtf", "(1 / sqrt(%a))", OF_FLOAT},
    {"rsqrt", "(1 / sqrt(%a))", OF_BOTH},
    {"__frsqrt_rn", "(1 / sqrt(%a))", OF_FLOAT},
    {"hypotf", "sqrt(%a * %a + %b * %b)", OF_FLOAT},
    {"hypot", "sqrt(%a * %a + %b * %b)", OF_BOTH},
    {"tanhf", "tanh(%a)", OF_FLOAT},
    {"tanh", "tanh(%a)", OF_BOTH},
    {"__tanhf", "tanh(%a)", OF_FLOAT},
    {"sinhf", "((exp(%a) - exp(-%a)) / 2)", OF_FLOAT},
    {"coshf", "((exp(%a) + exp(-%a)) / 2)", OF_FLOAT},
    {"sinf", "sin(%a)", OF_FLOAT},
    {"sin", "sin(%a)", OF_BOTH},
    {"__sinf", "sin(%a)", OF_FLOAT},
    {"cosf", "cos(%a)", OF_FLOAT},
    {"cos", "cos(%a)", OF_BOTH},
    {"__cosf", "cos(%a)", OF_FLOAT},
    {"erff", "erf(%a)", OF_FLOAT},
    {"erf", "erf(%a)", OF_BOTH},
    {"erfcf", "(1 - erf(%a))", OF_FLOAT},
    {"erfc", "(1 - erf(%a))", OF_BOTH},
    {"normcdff", "((1 + erf(%a / sqrt(2))) / 2)", OF_FLOAT},
    {"normcdf", "((1 + erf(%a / sqrt(2))) / 2)", OF_BOTH},
    {"fmaf", "(%a * %b + %c)", OF_FLOAT},
    {"fma", "(%a * %b + %c)", OF_BOTH},
    {"__fmaf_rn", "(%a * %b + %c)", OF_FLOAT},
    {"__fmul_rn", "(%a * %b)", OF_FLOAT},
    {"__fadd_rn", "(%a + %b)", OF_FLOAT},
    {"__fsub_rn", "(%a - %b)", OF_FLOAT},
    {"__fdiv_rn", "(%a / %b)", OF_FLOAT},
    {"__fdividef", "(%a / %b)", OF_FLOAT},
    {"fdividef", "(%a / %b)", OF_FLOAT},
    {"__frcp_rn", "(1 / %a)", OF_FLOAT},
    {"__int2float_rn", "%a", KS_T_I32, KS_T_F32},
    {"__uint2float_rn", "%a", KS_T_U32, KS_T_F32},
    {"__float2int_rz", "whole(%a)", KS_T_F32, KS_T_I32},
    {"__float2int_rd", "floor(%a)", KS_T_F32, KS_T_I32},
    {"__float2int_ru", "(-floor(-%a))", KS_T_F32, KS_T_I32},
    {"__float2int_rn", TO_NEAREST, KS_T_F32, KS_T_I32},
    {"__float2uint_rz", "whole(%a)", KS_T_F32, KS_T_U32},
    {"__float2uint_rd", "floor(%a)", KS_T_F32, KS_T_U32},
    {"__half2float", "%a", KS_T_F16, KS_T_F32},
    {"__float2half", "%a", KS_T_F32, KS_T_F16},
    {"__float2half_rn", "%a", KS_T_F32, KS_T_F16},
    {"__bfloat162float", "%a", KS_T_BF16, KS_T_F32},
    {"__float2bfloat16", "%a", KS_T_F32, KS_T_BF16},
    {"__float2bfloat16_rn", "%a", KS_T_F32, KS_T_BF16},
};

static size_t takes(const struct ks_function *f)
{
    return strstr(f->means, "%c") ? 3 : strstr(f->means, "%b") ? 2 : 1;
}

const struct ks_function *ks_function_find(const char *name, size_t n_args)
{
    name += ks_starts_with(name, "std::") ? strlen("std::") : 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0 && takes(&functions[i]) == n_args)
            return &functions[i];
    return NULL;
}

bool ks_function_repeats(const struct ks_function *f, size_t arg)
{
    const char name[] = {'%', (char)('a' + arg), '\0'}, *first = strstr(f->means, name);
    return first && strstr(first + 1, name);
}

char *ks_function_of(struct ks_arena *arena, const struct ks_function *f, const char *const args[KS_FUNCTION_TAKES])
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (const char *at = f->means; *at; at++)
        if (*at == '%')
            ks_buf_puts(&buf, args[*++at - 'a']);
        else
            ks_buf_putc(&buf, *at);
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

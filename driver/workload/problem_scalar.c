#include "workload/problem_maker.h"

#include <string.h>

#include "base/num.h"

static enum ks_status int_bytes(const struct ks_maker *m, struct ks_arg *arg, size_t lane,
                                int64_t value, struct ks_err *err)
{
    enum ks_scalar scalar = arg->elem.scalar;
    size_t size = ks_scalar_size(scalar);
    bool fits = true;
    if (scalar == KS_T_BOOL)
        fits = value == 0 || value == 1;
    else if (!ks_scalar_is_signed(scalar))
        fits = value >= 0 && (size == 8 || value < INT64_C(1) << (8 * size));
    else if (size < 8)
        fits = value >= -(INT64_C(1) << (8 * size - 1)) && value < INT64_C(1) << (8 * size - 1);
    if (!fits)
        KS_FAIL(err, KS_E_USER, "%s: %s = %lld does not fit its type %s", m->mark->where,
                arg->name, (long long)value, arg->type.text);
    memcpy(arg->bytes + lane * size, &value, size); // little endian
    return KS_OK;
}

static void float_bytes(struct ks_arg *arg, size_t lane, double value)
{
    unsigned char *at = arg->bytes + lane * ks_scalar_size(arg->elem.scalar);
    float single = (float)value;
    uint16_t half = arg->elem.scalar == KS_T_F16 ? ks_f32_to_f16(single) : ks_f32_to_bf16(single);
    switch (arg->elem.scalar) {
    case KS_T_F64:
        memcpy(at, &value, sizeof value);
        break;
    case KS_T_F32:
        memcpy(at, &single, sizeof single);
        break;
    default:
        memcpy(at, &half, sizeof half);
    }
}

// One value of set(): a literal of the parameter's kind, or an integer expression.
static enum ks_status set_lane(struct ks_maker *m, struct ks_arg *arg, size_t lane, const char *text,
                               struct ks_err *err)
{
    bool is_float = ks_scalar_is_float(arg->elem.scalar);
    size_t n = strlen(text);
    double number;
    char *plain = ks_arena_strdup(m->arena, text);
    if (is_float && n > 1 && (plain[n - 1] == 'f' || plain[n - 1] == 'F') &&
        !ks_starts_with(plain, "0x"))
        plain[n - 1] = '\0'; // 0.5f
    if (is_float && ks_parse_f64(plain, &number)) {
        float_bytes(arg, lane, number);
        return KS_OK;
    }
    struct ks_expr *expr;
    int64_t value;
    KS_TRY(ks_expr_parse(m->arena, m->mark->where, ks_slice_of(text), &expr, err));
    KS_TRY(ks_maker_evaluate(m, expr, ks_arena_printf(m->arena, "set(%s)", arg->name), &value, err));
    if (is_float)
        float_bytes(arg, lane, (double)value);
    else
        KS_TRY(int_bytes(m, arg, lane, value, err));
    return KS_OK;
}

enum ks_status ks_maker_scalar(struct ks_maker *m, struct ks_arg *arg, struct ks_err *err)
{
    const struct ks_workload_mark *mark = m->mark;
    arg->kind = KS_ARG_SCALAR;
    arg->elem = arg->type.elem;
    arg->size = arg->elem.size;
    arg->alias_of = -1;
    if (arg->elem.scalar == KS_T_NONE || arg->size == 0 || arg->size > sizeof arg->bytes)
        KS_FAIL(err, KS_E_USER, "%s: parameter '%s' of type %s cannot be set by a clause; set "
                                "its members, as in set(%s.n=1), or capture a launch (ks record --capture)",
                mark->where, arg->name, arg->type.text, arg->name);
    arg->float_scalar = ks_scalar_is_float(arg->elem.scalar);
    size_t lanes = (size_t)arg->elem.lanes;
    for (size_t i = 0; i < mark->n_settings; i++) {
        const struct ks_setting *set = &mark->settings[i];
        if (strcmp(set->name, arg->name) != 0)
            continue;
        if (set->n_values != lanes)
            KS_FAIL(err, KS_E_USER, "%s: set(%s) has %zu values, %s takes %zu", mark->where,
                    arg->name, set->n_values, arg->type.text, lanes);
        for (size_t lane = 0; lane < lanes; lane++)
            KS_TRY(set_lane(m, arg, lane, set->values[lane], err));
        return KS_OK;
    }
    int64_t value;
    if (lanes != 1 || !ks_maker_find(m, arg->name, &value))
        KS_FAIL(err, KS_E_USER, "%s: parameter '%s' has no value; add %s(%s=...)", mark->where,
                arg->name, arg->float_scalar || lanes != 1 ? "set" : "let", arg->name);
    if (arg->float_scalar)
        float_bytes(arg, 0, (double)value);
    else
        return int_bytes(m, arg, 0, value, err);
    return KS_OK;
}

bool ks_problem_value(const struct ks_problem *problem, const char *name, int64_t *value)
{
    for (size_t i = 0; i < problem->n_values; i++)
        if (strcmp(problem->values[i].name, name) == 0) {
            *value = problem->values[i].value;
            return true;
        }
    return false;
}

bool ks_arg_integer(const struct ks_arg *arg, int64_t *value)
{
    if (arg->kind != KS_ARG_SCALAR || arg->type.pointer || arg->type.elem.lanes != 1)
        return false;
    switch (arg->type.elem.scalar) {
    case KS_T_BOOL: *value = arg->bytes[0] != 0; return true;
    case KS_T_I8: { int8_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_U8: { uint8_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_I16: { int16_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_U16: { uint16_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_I32: { int32_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_U32: { uint32_t v; memcpy(&v, arg->bytes, sizeof v); *value = v; return true; }
    case KS_T_I64:
    case KS_T_U64: { // an unsigned value past INT64_MAX has no name in the language
        int64_t v;
        memcpy(&v, arg->bytes, sizeof v);
        *value = v;
        return arg->type.elem.scalar == KS_T_I64 || v >= 0;
    }
    default: return false;
    }
}

// Outputs of great and slight numbers that the order of a sum decides; contract in verify/luck.h.
#include "verify/luck.h"

#include <math.h>

#include "verify/wide.h"

#define TELLING 24    // elements, of which some are not what they are in double if any can be
#define STRAYS 0x1p-4 // of an element and of all: what no rounding does to most

// Whether an element that was written is infinite or NaN, and where it is known in double a number there.
static bool any_infinite(const struct ks_vector *vector, const struct ks_output *output)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    const double *in_double = output->reference.value;
    for (int64_t i = 0; ks_scalar_is_float(slot->elem.scalar) && i < slot->count * slot->elem.lanes; i++)
        if ((output->mask == NULL || output->mask[i]) && !isfinite(ks_scalar_value(slot->elem.scalar, output->expected[0], i)) &&
            (in_double == NULL || output->lanes != NULL || isfinite(in_double[i])))
            return true;
    return false;
}

// Whether several arrays are of great numbers.
static bool has_several_great(const struct ks_vector *vector)
{
    size_t n = 0;
    for (size_t i = 0; i < vector->layout.n_slots; i++) {
        const struct ks_slot *slot = &vector->layout.slots[i];
        n += slot->role != KS_ROLE_OUT && ks_scalar_is_float(slot->elem.scalar) && vector->problem.args[slot->arg].init.nearer == 0;
    }
    return vector->family == KS_FAMILY_GREAT && n > 1;
}

// Whether the original comes to something else in double, be it in one element.
static bool strays(const struct ks_vector *vector, const struct ks_output *output)
{
    const struct ks_reference *reference = &output->reference;
    const enum ks_scalar scalar = vector->layout.slots[output->slot].elem.scalar;
    for (int64_t i = 0; reference->value != NULL && i < ks_vector_looks(vector, (size_t)(output - vector->outputs)); i++) {
        const int64_t lane = output->lanes != NULL ? output->lanes[i] : i;
        const double error = fabs(ks_scalar_value(scalar, output->expected[0], lane) - reference->value[i]);
        if ((output->mask == NULL || output->mask[lane]) && error > STRAYS * (fabs(reference->value[i]) + reference->typical))
            return true;
    }
    return vector->differs;
}

// A limit hides it where one of two comes out right by chance: of few elements all may.
static bool may_hide(const struct ks_judge *judge, const struct ks_vector *vector, const struct ks_output *output)
{
    const struct ks_slot *slot = &vector->layout.slots[output->slot];
    return judge->arith.clips && slot->count * slot->elem.lanes < TELLING;
}

// Which outputs are luck; *all: there is none beside them. Integers may count floats of any of them.
static void find_luck(const struct ks_judge *judge, struct ks_vector *vector, bool several, bool *any, bool *all)
{
    *any = false;
    *all = true;
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        output->luck = any_infinite(vector, output) || (several && (may_hide(judge, vector, output) || strays(vector, output)));
        *any = *any || output->luck;
    }
    for (size_t o = 0; o < vector->n_outputs; o++) {
        struct ks_output *output = &vector->outputs[o];
        output->luck = output->luck || (*any && !ks_scalar_is_float(vector->layout.slots[output->slot].elem.scalar));
        *all = *all && output->luck;
    }
}

enum ks_status ks_leave_luck(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *none,
                             struct ks_err *err)
{
    const struct ks_arith *arith = &judge->arith;
    bool any;
    *none = vector->ends > 0;
    if ((vector->family != KS_FAMILY_GREAT && vector->family != KS_FAMILY_SLIGHT) || vector->ends != 0)
        return KS_OK;
    KS_TRY(ks_vector_read(judge, vector, err));
    find_luck(judge, vector, false, &any, none);
    const bool several = has_several_great(vector);
    const bool ready = judge->dropped == NULL || judge->wide.tried; // else beside the session that may compile
    const bool hides = arith->kind == KS_ARITH_OTHER ? arith->joins : arith->kind == KS_ARITH_MULADD && arith->clips;
    if ((!any && !several) || !ready || !hides || judge->kernel->mark->mark->tolerance.kind != KS_TOL_DERIVED)
        return KS_OK;
    KS_TRY(ks_wide_vector(judge, arena, vector, err));
    find_luck(judge, vector, several, &any, none);
    vector->ends = *none ? 1 : -1;
    ks_vector_unrefer(vector);
    return KS_OK;
}

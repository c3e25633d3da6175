// Structs passed by value: their bytes as they were recorded, and the pointers in them.
#include <string.h>

#include "workload/capture_expand.h"
#include "workload/fields.h"

// The members, where they are known and agree with what was recorded: the size, and every pointer
// to memory at a place where a pointer is.
static bool members_of(struct ks_capture_expander *x, size_t param, struct ks_fields *fields)
{
    const struct ks_capture *c = &x->capture;
    if (!ks_fields_find(x->arena, x->text, x->signature->params[param].text, fields) ||
        fields->size != c->params.at[param].size)
        return false;
    ks_vec_each (const struct ks_capture_pointer, p, &c->pointers) {
        bool found = p->param != param;
        ks_vec_each (const struct ks_field, f, fields)
            found = found || (f->at == p->at && f->type.pointer);
        if (!found)
            return false;
    }
    return true;
}

struct ks_type ks_capture_type(struct ks_capture_expander *x,
                               const struct ks_capture_pointer *pointer)
{
    struct ks_fields fields;
    const struct ks_type *type = &x->signature->params[pointer->param];
    if (type->pointer && pointer->at == 0)
        return *type;
    if (members_of(x, pointer->param, &fields))
        ks_vec_each (const struct ks_field, f, &fields)
            if (f->at == pointer->at)
                return f->type;
    return ks_type_parse(x->arena, ks_slice_of("void *"));
}

enum ks_status ks_capture_add_struct(struct ks_capture_expander *x, size_t param)
{
    const struct ks_capture_param *p = &x->capture.params.at[param];
    const struct ks_type *type = &x->signature->params[param];
    struct ks_fields fields;
    bool known = members_of(x, param, &fields), *matters = KS_NEW_ARRAY(x->arena, bool, p->size);
    if (type->elem.size != 0 && type->elem.size != p->size)
        return ks_capture_refuse(x, "parameter '%s' (%s) was of another size",
                                 x->decl->params[param].name, type->text);
    memset(matters, !known, p->size);
    if (known)
        ks_vec_each (const struct ks_field, f, &fields)
            memset(matters + f->at, true, f->size);
    KS_VEC(struct ks_block_pointer) pointers = {0};
    ks_vec_each (const struct ks_capture_pointer, q, &x->capture.pointers) {
        if (q->param != param)
            continue;
        KS_TRY(ks_capture_add_pointer(x, q));
        memset(matters + q->at, false, 8);
        *ks_vec_push(x->arena, &pointers) =
            (struct ks_block_pointer){q->at, ks_capture_name(x, q), ks_capture_type(x, q)};
    }
    *ks_vec_push(x->arena, &x->blocks) = (struct ks_block){.name = x->decl->params[param].name,
                                                           .bytes = p->bytes,
                                                           .matters = matters,
                                                           .size = p->size,
                                                           .pointers = pointers.at,
                                                           .n_pointers = pointers.len};
    return KS_OK;
}

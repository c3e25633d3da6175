// Several items a thread with jammed loops: what they share stays in registers.
#include "engine/jam.h"
#include "engine/transform_each.h"

static enum ks_status check(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    struct ks_jam jam = {.items = options->items ? options->items : 1,
                         .rows = options->rows ? options->rows : 1,
                         .block = {16, 16, 1},
                         .tile = options->tile,
                         .near = options->near == 1,
                         .ahead = (enum ks_jam_ahead)options->ahead};
    char *text;
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    options->jam = 1;
    for (int a = 0; options->block[0] && a < 2; a++)
        jam.block[a] = options->block[a];
    if (!s->map.axis[1].used)
        jam.block[1] = 1;
    return ks_jam_text(s, &jam, 0, &text, err);
}

enum ks_status ks_transform_jam(struct ks_subject *s, struct ks_options *options,
                                struct ks_err *err)
{
    if (options->items * options->rows <= 1 && options->items <= 1 && options->rows <= 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "one item a thread is what it does");
    return check(s, options, err);
}

enum ks_status ks_transform_tile(struct ks_subject *s, struct ks_options *options,
                                 struct ks_err *err)
{
    if (options->tile == 0)
        options->tile = 16;
    if (options->tile < 2 || options->tile > 256)
        KS_FAIL(err, KS_E_UNSUPPORTED, "a tile has from 2 to 256 turns");
    if (options->ahead < 0 || options->ahead > 2)
        KS_FAIL(err, KS_E_UNSUPPORTED, "ahead is 1, through registers, or 2, by copies");
    double arch;
    if (options->ahead == 2 && ks_fact_get(&s->brief->facts, "arch", &arch) && arch < 80)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: copies that nobody waits for begin with sm_80", s->decl->line);
    return check(s, options, err);
}

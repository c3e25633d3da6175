// Options that no shape of a kernel has together: known from them alone, before any text is made.
#include "engine/subject.h"

enum ks_status ks_options_agree(const struct ks_options *o, struct ks_err *err)
{
    bool packed = o->width || o->stream || o->peel;
    if (o->split &&
        (o->items || o->rows || packed || o->private_ || o->lanes || o->jam || o->block[1] > 1))
        KS_FAIL(err, KS_E_UNSUPPORTED, "two launches go with a block along x alone");
    if (o->jam && (packed || o->private_ || o->lanes))
        KS_FAIL(err, KS_E_UNSUPPORTED, "jammed items go with block, items, rows and tile alone");
    if ((o->items ? o->items : 1) * (o->rows ? o->rows : 1) > 64)
        KS_FAIL(err, KS_E_UNSUPPORTED, o->jam ? "from 2 to 64 items are jammed" : "at most 64 items a thread");
    if (o->lanes && (o->items || o->rows || packed || o->private_))
        KS_FAIL(err, KS_E_UNSUPPORTED, "a group of lanes does one item at a time");
    if (o->lanes && o->block[1] > 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the lanes are along x, and above 32 they are the block");
    if (o->private_ && (o->items || o->rows || packed))
        KS_FAIL(err, KS_E_UNSUPPORTED, "private copies go with block and blocks alone");
    if (o->blocks < 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "a grid has one block at least");
    if (o->blocks && !o->private_ && (o->items || o->rows || packed || o->split || o->lanes || o->jam || o->block[1] > 1))
        KS_FAIL(err, KS_E_UNSUPPORTED, "so many blocks in all go with a block along x alone");
    if ((o->width || o->stream) && (o->rows > 1 || o->block[1] > 1 || o->unroll))
        KS_FAIL(err, KS_E_UNSUPPORTED, "packs do not go with rows, flat blocks only");
    if (o->halo && (packed || o->private_ || o->lanes || o->jam || o->split || o->blocks || o->fold))
        KS_FAIL(err, KS_E_UNSUPPORTED, "tiles with a rim go with block, items and rows alone");
    return KS_OK;
}

struct ks_options ks_options_body(const struct ks_options *o)
{
    return (struct ks_options){.interchange = o->interchange, .select = o->select, .hoist = o->hoist,
                               .keep = o->keep, .fold = o->fold, .divide = o->divide};
}

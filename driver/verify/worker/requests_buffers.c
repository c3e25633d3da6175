// The buffers of a session: made, filled, copied into sets, restored and checked.

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "verify/worker/serving.h"
#include "workload/fill.h"

#define MAX_BUFFERS 256
#define MAX_BUFFER_BYTES (INT64_C(1) << 40)
#define MAX_SETS 4096
#define FILL_BYTES (INT64_C(16) << 20) // of a buffer that is filled at once: larger chunks leave the caches

bool ks_serve_is_owner(const struct ks_serving *s, size_t buffer)
{
    return s->buffers[buffer].owner == buffer;
}

// ---- reading the request

struct filling {
    bool wanted;
    bool bytes;         // from the payload
    struct ks_filling made; // otherwise; total: bytes where they come from the payload
    size_t offset;      // in the payload
};

static int64_t element_bytes(const struct ks_filling *f)
{
    return f->wide ? f->elem.lanes * (int64_t)sizeof(double) : (int64_t)f->elem.size;
}

static enum ks_status want_word(const json_t *object, const char *key, const char *const *words,
                                size_t n, size_t *index, struct ks_err *err)
{
    const char *text;
    KS_TRY(ks_want_text(object, key, &text, err));
    for (*index = 0; *index < n; ++*index)
        if (strcmp(words[*index], text) == 0)
            return KS_OK;
    KS_FAIL(err, KS_E_USER, "\"%s\" is '%s', which is none of its words", key, text);
}

static enum ks_status read_fill(const json_t *item, int64_t bytes, struct filling *f,
                                struct ks_err *err)
{
    static const char *const inits[] = {
        [KS_INIT_DEFAULT] = "default", [KS_INIT_UNIFORM] = "uniform", [KS_INIT_NORMAL] = "normal",
        [KS_INIT_RANDINT] = "randint", [KS_INIT_IOTA] = "iota",
        [KS_INIT_PERMUTATION] = "permutation", [KS_INIT_CONSTANT] = "constant",
        [KS_INIT_FILE] = "bytes", // files are read where the supervisor is
    };
    const json_t *fill = json_object_get(item, "fill");
    const char *elem;
    size_t word;
    struct ks_filling *made = &f->made;
    if (!json_is_object(fill))
        KS_FAIL(err, KS_E_USER, "a buffer that is read needs a \"fill\" object");
    f->wanted = true;
    KS_TRY(want_word(fill, "init", inits, sizeof inits / sizeof *inits, &word, err));
    made->init = (struct ks_init){.kind = (enum ks_init_kind)word, .a = ks_json_num(fill, "a", 0),
                                  .b = ks_json_num(fill, "b", 0)};
    KS_TRY(ks_want_bool(fill, "normal", false, &made->init.normal, err));
    KS_TRY(ks_want_bool(fill, "factors", false, &made->init.factors, err));
    int64_t nearer = 0;
    if (json_object_get(fill, "nearer") != NULL)
        KS_TRY(ks_want_int(fill, "nearer", 0, KS_FILL_GREAT, &nearer, err));
    made->init.nearer = (int)nearer;
    f->bytes = made->init.kind == KS_INIT_FILE;
    if (f->bytes)
        return KS_OK;
    KS_TRY(ks_want_text(fill, "elem", &elem, err));
    if (!ks_elem_parse(elem, &made->elem))
        KS_FAIL(err, KS_E_USER, "\"elem\" is '%s', which is no element type", elem);
    if (json_object_get(fill, "family") != NULL) {
        const char *names[KS_FAMILY_COUNT];
        for (size_t i = 0; i < KS_FAMILY_COUNT; i++)
            names[i] = ks_family_name((enum ks_family)i);
        KS_TRY(want_word(fill, "family", names, KS_FAMILY_COUNT, &word, err));
        made->family = (enum ks_family)word;
    }
    int64_t seed, nudge = 0, signs = 0;
    KS_TRY(ks_want_bool(fill, "wide", false, &made->wide, err));
    KS_TRY(ks_want_bool(fill, "single", false, &made->single, err));
    KS_TRY(ks_want_bool(fill, "absolute", false, &made->absolute, err));
    if (json_object_get(fill, "nudge") != NULL)
        KS_TRY(ks_want_int(fill, "nudge", 0, INT64_MAX, &nudge, err));
    if (json_object_get(fill, "signs") != NULL)
        KS_TRY(ks_want_int(fill, "signs", INT64_MIN, INT64_MAX, &signs, err));
    bool is_float = ks_scalar_is_float(made->elem.scalar);
    if ((made->wide || made->single) && (!is_float || made->elem.scalar == KS_T_F64))
        KS_FAIL(err, KS_E_USER, "\"%s\" is for f32, f16 and bf16, not for '%s'", made->wide ? "wide" : "single", elem);
    if (made->absolute && !is_float)
        KS_FAIL(err, KS_E_USER, "\"absolute\" is for floats, not for '%s'", elem);
    KS_TRY(ks_want_int(fill, "seed", INT64_MIN, INT64_MAX, &seed, err));
    KS_TRY(ks_want_int(fill, "total", 0, bytes / element_bytes(made), &made->total, err));
    made->nudge = (uint64_t)nudge;
    made->signs = (uint64_t)signs;
    made->seed = (uint64_t)seed;
    return KS_OK;
}

struct layout {
    struct ks_serve_buffer *buffers;
    struct filling *fills;
    size_t n;
    enum ks_flush flush;
    bool frozen, shuffled;
    int64_t chance; // 0: not given
};

static enum ks_status read_buffer(const json_t *item, size_t i, struct layout *l,
                                  struct ks_err *err)
{
    static const char *const roles[] = {"in", "inout", "out", "work"};
    struct ks_serve_buffer *b = &l->buffers[i];
    int64_t align, alias = -1;
    size_t role;
    if (!json_is_object(item))
        KS_FAIL(err, KS_E_USER, "a buffer is described by an object");
    KS_TRY(ks_want_int(item, "bytes", 0, MAX_BUFFER_BYTES, &b->bytes, err));
    KS_TRY(ks_want_int(item, "align", 1, 1 << 20, &align, err));
    KS_TRY(want_word(item, "role", roles, 4, &role, err));
    if (json_object_get(item, "alias") != NULL)
        KS_TRY(ks_want_int(item, "alias", -1, (int64_t)l->n - 1, &alias, err));
    if ((align & (align - 1)) != 0)
        KS_FAIL(err, KS_E_USER, "\"align\" is %lld, which is no power of two", (long long)align);
    b->asked = b->bytes;
    b->align = (size_t)align;
    b->role = (enum ks_serve_role)role;
    b->owner = alias >= 0 ? (size_t)alias : i;
    if (b->role <= KS_SERVE_INOUT && (alias < 0 || json_object_get(item, "fill") != NULL))
        KS_TRY(read_fill(item, b->bytes, &l->fills[i], err));
    return KS_OK;
}

// The owner answers for all names of its memory.
static enum ks_status merge_alias(struct layout *l, size_t i, struct ks_err *err)
{
    struct ks_serve_buffer *b = &l->buffers[i], *owner = &l->buffers[b->owner];
    if (owner->owner != b->owner)
        KS_FAIL(err, KS_E_USER, "buffer %zu is an alias of an alias", i);
    if (owner->role != b->role)
        owner->role = KS_SERVE_INOUT;
    if (owner->bytes < b->bytes)
        owner->bytes = b->bytes;
    if (owner->align < b->align)
        owner->align = b->align;
    if (!l->fills[b->owner].wanted)
        l->fills[b->owner] = l->fills[i];
    return KS_OK;
}

static enum ks_status read_layout(struct ks_arena *arena, const json_t *request,
                                  struct ks_slice payload, struct layout *l, struct ks_err *err)
{
    static const char *const flushes[] = {[KS_FLUSH_END] = "end", [KS_FLUSH_START] = "start"};
    const json_t *list;
    size_t flush;
    KS_TRY(want_word(request, "flush", flushes, 2, &flush, err));
    KS_TRY(ks_want_array(request, "list", MAX_BUFFERS, &list, err));
    l->flush = (enum ks_flush)flush;
    KS_TRY(ks_want_bool(request, "frozen", false, &l->frozen, err));
    KS_TRY(ks_want_bool(request, "shuffled", false, &l->shuffled, err));
    if (json_object_get(request, "chance") != NULL)
        KS_TRY(ks_want_int(request, "chance", 0, INT64_MAX, &l->chance, err));
    l->n = json_array_size(list);
    l->buffers = KS_NEW_ARRAY(arena, struct ks_serve_buffer, l->n);
    l->fills = KS_NEW_ARRAY(arena, struct filling, l->n);
    for (size_t i = 0; i < l->n; i++)
        KS_TRY(read_buffer(json_array_get(list, i), i, l, err));
    size_t expected = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct filling *f = &l->fills[i];
        f->offset = expected;
        f->made.total = f->bytes ? l->buffers[i].bytes : f->made.total;
        expected += f->bytes ? (size_t)f->made.total : 0;
    }
    if (expected != payload.len)
        KS_FAIL(err, KS_E_USER, "the payload has %zu bytes, the buffers take %zu", payload.len,
                expected);
    for (size_t i = 0; i < l->n; i++)
        if (l->buffers[i].owner != i)
            KS_TRY(merge_alias(l, i, err));
    for (size_t i = 0; i < l->n; i++)
        if (l->buffers[i].owner == i && l->buffers[i].role <= KS_SERVE_INOUT && !l->fills[i].wanted)
            KS_FAIL(err, KS_E_USER, "buffer %zu is read and has no fill", i);
    return KS_OK;
}

// ---- making

static enum ks_status allocate(struct ks_serving *s, size_t i, size_t *device_buffer,
                               struct ks_dev_buffer *placed, struct ks_err *err)
{
    const struct ks_serve_buffer *b = &s->buffers[i];
    return s->device.alloc(s->device.self, b->bytes, b->align, s->flush, device_buffer, placed, err);
}

struct signing {
    const struct ks_filling *f;
    unsigned char *narrow;
    int64_t first; // lane of the buffer that narrow begins with
};

static void sign_part(void *context, size_t part, int64_t first, int64_t count)
{
    const struct signing *s = context;
    enum ks_scalar scalar = s->f->elem.scalar;
    (void)part;
    ks_fill_signs(s->narrow + (size_t)first * ks_scalar_size(scalar), scalar, s->f->signs, s->first + first, count);
}

// `count` elements from `first` on as they lie in the buffer; `narrow` has room for them where they are stored wide.
static enum ks_status fill_chunk(const struct ks_filling *f, int64_t first, int64_t count, void *narrow, void *out,
                                 struct ks_err *err)
{
    int64_t lanes = count * f->elem.lanes, lane = first * f->elem.lanes;
    void *plain = f->wide ? narrow : out;
    KS_TRY(ks_fill_range(plain, f->elem, &f->init, f->family, f->seed, f->total, first, count, err));
    if (f->absolute)
        ks_parallel(lanes, sign_part, &(struct signing){f, plain, lane});
    if (f->wide || f->single)
        ks_fill_keep(out, plain, f, lane, lanes);
    return KS_OK;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Makes the contents here, chunk by chunk, in room for FILL_BYTES or all of the buffer.
static enum ks_status fill_by_chunks(struct ks_serving *s, const struct ks_filling *f, size_t to, void *data, struct ks_err *err)
{
    int64_t each = element_bytes(f), most = least(f->total, FILL_BYTES / each);
    void *narrow = f->wide ? malloc((size_t)most * f->elem.size + 1) : NULL;
    enum ks_status status = f->wide && narrow == NULL ? ks_err_set(err, KS_E_MEMORY, "no memory to fill a buffer") : KS_OK;
    for (int64_t first = 0, count; status == KS_OK && first < f->total; first += count) {
        count = least(most, f->total - first);
        status = fill_chunk(f, first, count, narrow, data, err);
        if (status == KS_OK)
            status = s->device.write(s->device.self, to, first * each, data, count * each, err);
    }
    free(narrow);
    return status;
}

// Fills one buffer of the first set; bytes beyond the filling's elements are zero. No more room is taken, or
// cleared, than the buffer has: most are small, and there are thousands.
static enum ks_status fill_buffer(struct ks_serving *s, const struct filling *f, size_t i,
                                  const char *payload, struct ks_err *err)
{
    int64_t n = s->buffers[i].bytes, done = f->bytes ? f->made.total : f->made.total * element_bytes(&f->made);
    size_t to = s->sets[0][i];
    bool there = !f->bytes && s->device.generate != NULL && ks_filling_is_plain(&f->made);
    void *data = malloc((size_t)least(n, FILL_BYTES) + 1);
    if (data == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory to fill buffer %zu", i);
    enum ks_status status = f->bytes ? s->device.write(s->device.self, to, 0, payload + f->offset, done, err)
                            : there  ? s->device.generate(s->device.self, to, &f->made, err)
                                     : fill_by_chunks(s, &f->made, to, data, err);
    if (status == KS_OK && done < n)
        memset(data, 0, (size_t)least(n - done, FILL_BYTES));
    for (int64_t count; status == KS_OK && done < n; done += count) {
        count = least(n - done, FILL_BYTES);
        status = s->device.write(s->device.self, to, done, data, count, err);
    }
    free(data);
    return status;
}

static enum ks_status make_buffer(struct ks_serving *s, const struct filling *f, size_t i,
                                  const char *payload, struct ks_err *err)
{
    struct ks_serve_buffer *b = &s->buffers[i];
    struct ks_dev_buffer placed;
    if (b->role > KS_SERVE_INOUT)
        return KS_OK;
    KS_TRY(fill_buffer(s, f, i, payload, err));
    if (b->role == KS_SERVE_IN) {
        KS_TRY(s->device.fingerprints(s->device.self, &s->sets[0][i], 1, &b->print, err));
        return s->frozen ? s->device.freeze(s->device.self, s->sets[0][i], err) : KS_OK;
    }
    KS_TRY(allocate(s, i, &b->pristine, &placed, err));
    return s->device.copy(s->device.self, b->pristine, s->sets[0][i], err);
}

static enum ks_status forget_buffers(struct ks_serving *s, struct ks_err *err)
{
    s->n_buffers = s->n_sets = s->made_sets = 0;
    s->buffers = NULL;
    s->sets = NULL;
    ks_arena_free(&s->layout);
    return s->device.free_all(s->device.self, err);
}

// Devices give addresses one behind another. A program may have allocated its arrays in any order, and code that
// compares pointers must have seen some.
static enum ks_status place_all(struct ks_serving *s, bool shuffled, uint64_t *addresses, struct ks_err *err)
{
    size_t order[MAX_BUFFERS] = {0};
    for (size_t i = 0; i < s->n_buffers; i++) {
        size_t at = shuffled ? (size_t)ks_rng_below(&s->rng, i + 1) : i;
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t k = 0; k < s->n_buffers; k++) {
        struct ks_dev_buffer placed;
        size_t i = order[k];
        if (!ks_serve_is_owner(s, i))
            continue;
        KS_TRY(allocate(s, i, &s->sets[0][i], &placed, err));
        addresses[i] = placed.address;
    }
    return KS_OK;
}

static enum ks_status make_all(struct ks_serving *s, const struct layout *l, const char *payload,
                               uint64_t *addresses, struct ks_err *err)
{
    s->flush = l->flush;
    s->frozen = l->frozen;
    s->n_buffers = l->n;
    s->buffers = ks_arena_memdup(&s->layout, l->buffers, l->n * sizeof *l->buffers);
    s->sets = KS_NEW_ARRAY(&s->layout, size_t *, MAX_SETS);
    s->sets[0] = KS_NEW_ARRAY(&s->layout, size_t, l->n);
    s->n_sets = s->made_sets = 1;
    if (l->chance != 0) {
        ks_rng_seed(&s->rng, (uint64_t)l->chance);
        if (s->device.chance != NULL)
            s->device.chance(s->device.self, ks_rng_next(&s->rng));
    }
    KS_TRY(place_all(s, l->shuffled, addresses, err));
    for (size_t i = 0; i < l->n; i++)
        if (ks_serve_is_owner(s, i))
            KS_TRY(make_buffer(s, &l->fills[i], i, payload, err));
    for (size_t i = 0; i < l->n; i++) {
        s->sets[0][i] = s->sets[0][s->buffers[i].owner];
        addresses[i] = addresses[s->buffers[i].owner];
    }
    return KS_OK;
}

enum ks_status ks_serve_buffers(struct ks_serving *s, const json_t *request,
                                struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    struct layout l = {0};
    KS_TRY(read_layout(&s->request, request, payload, &l, err));
    KS_TRY(forget_buffers(s, err));
    uint64_t *addresses = KS_NEW_ARRAY(&s->request, uint64_t, l.n);
    enum ks_status status = make_all(s, &l, payload.at, addresses, err);
    if (status != KS_OK) {
        forget_buffers(s, NULL); // none rather than some
        return status;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < l.n; i++)
        json_array_append_new(list, json_integer((json_int_t)addresses[i]));
    json_object_set_new(answer, "addresses", list);
    return KS_OK;
}

// ---- sets

static enum ks_status make_set(struct ks_serving *s, struct ks_err *err)
{
    size_t *set = KS_NEW_ARRAY(&s->layout, size_t, s->n_buffers);
    struct ks_dev_buffer placed;
    for (size_t i = 0; i < s->n_buffers; i++) {
        if (!ks_serve_is_owner(s, i))
            continue;
        KS_TRY(allocate(s, i, &set[i], &placed, err));
        if (s->buffers[i].role == KS_SERVE_IN)
            KS_TRY(s->device.copy(s->device.self, set[i], s->sets[0][i], err));
        if (s->buffers[i].role == KS_SERVE_IN && s->frozen)
            KS_TRY(s->device.freeze(s->device.self, set[i], err));
    }
    for (size_t i = 0; i < s->n_buffers; i++)
        set[i] = set[s->buffers[i].owner];
    s->sets[s->made_sets++] = set;
    return KS_OK;
}

enum ks_status ks_serve_make_sets(struct ks_serving *s, size_t count, struct ks_err *err)
{
    while (s->made_sets < count)
        KS_TRY(make_set(s, err));
    return KS_OK;
}

enum ks_status ks_serve_sets(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                             json_t *answer, struct ks_err *err)
{
    (void)payload, (void)answer;
    int64_t count;
    if (s->n_buffers == 0)
        KS_FAIL(err, KS_E_USER, "there are no buffers");
    KS_TRY(ks_want_int(request, "count", 1, MAX_SETS, &count, err));
    KS_TRY(ks_serve_make_sets(s, (size_t)count, err));
    s->n_sets = (size_t)count;
    return KS_OK;
}

// ---- before and after a run

enum ks_status ks_serve_read_poison(const json_t *request, struct ks_serve_poison *poison,
                                    struct ks_err *err)
{
    int64_t word = 0;
    const json_t *value = json_object_get(request, "poison");
    poison->on = value != NULL && !json_is_null(value);
    if (poison->on)
        KS_TRY(ks_want_int(request, "poison", 0, UINT32_MAX, &word, err));
    poison->word = (uint32_t)word;
    return KS_OK;
}

enum ks_status ks_serve_prepare(struct ks_serving *s, size_t set, struct ks_serve_poison poison,
                                struct ks_err *err)
{
    for (size_t i = 0; i < s->n_buffers; i++) {
        const struct ks_serve_buffer *b = &s->buffers[i];
        if (!ks_serve_is_owner(s, i))
            continue;
        if (b->role == KS_SERVE_INOUT)
            KS_TRY(s->device.copy(s->device.self, s->sets[set][i], b->pristine, err));
        else if (b->role != KS_SERVE_IN && poison.on)
            KS_TRY(s->device.poison(s->device.self, s->sets[set][i], poison.word, err));
    }
    return KS_OK;
}

// Which of the session's buffers a device buffer is.
static void locate(const struct ks_serving *s, size_t device_buffer, size_t *set, size_t *buffer)
{
    for (*set = 0; *set < s->made_sets; ++*set)
        for (*buffer = 0; *buffer < s->n_buffers; ++*buffer)
            if (s->sets[*set][*buffer] == device_buffer)
                return;
    *set = *buffer = SIZE_MAX; // a pristine copy
}

static enum ks_status check_canaries(struct ks_serving *s, struct ks_err *err)
{
    struct ks_dev_damage damage;
    size_t set, buffer;
    KS_TRY(s->device.check_slack(s->device.self, &damage, err));
    if (damage.bytes == 0)
        return KS_OK;
    s->class = "unsafe";
    locate(s, damage.buffer, &set, &buffer);
    if (buffer == SIZE_MAX)
        KS_FAIL(err, KS_E_TRUST, "%lld bytes were written outside all buffers",
                (long long)damage.bytes);
    int64_t beyond = damage.offset - s->buffers[buffer].bytes;
    KS_FAIL(err, KS_E_TRUST, "%lld bytes were written outside buffer %zu, the first %lld bytes %s",
            (long long)damage.bytes, buffer,
            (long long)(damage.offset < 0 ? -damage.offset : beyond),
            damage.offset < 0 ? "before its start" : "after its end");
}

// The device takes so many in one go; each go is waited for.
#define PRINTS 4096

enum ks_status ks_serve_prints(struct ks_serving *s, const size_t *device_buffers, size_t n, uint64_t *prints,
                               struct ks_err *err)
{
    for (size_t done = 0; done < n; done += PRINTS)
        KS_TRY(s->device.fingerprints(s->device.self, device_buffers + done, n - done < PRINTS ? n - done : PRINTS,
                                      prints + done, err));
    return KS_OK;
}

enum ks_status ks_serve_check(struct ks_serving *s, struct ks_err *err)
{
    KS_TRY(check_canaries(s, err));
    size_t most = s->n_buffers * s->n_sets, n = 0;
    size_t *inputs = KS_NEW_ARRAY(&s->request, size_t, most);
    size_t *names = KS_NEW_ARRAY(&s->request, size_t, most);
    uint64_t *prints = KS_NEW_ARRAY(&s->request, uint64_t, most);
    for (size_t set = 0; set < s->n_sets; set++)
        for (size_t i = 0; i < s->n_buffers; i++)
            if (ks_serve_is_owner(s, i) && s->buffers[i].role == KS_SERVE_IN) {
                names[n] = i;
                inputs[n++] = s->sets[set][i];
            }
    KS_TRY(ks_serve_prints(s, inputs, n, prints, err));
    for (size_t k = 0; k < n; k++)
        if (prints[k] != s->buffers[names[k]].print) {
            s->class = "unsafe";
            KS_FAIL(err, KS_E_TRUST, "input buffer %zu was changed", names[k]);
        }
    return KS_OK;
}

#include "engine/transform.h"

#include <string.h>

#include "engine/reshape.h"
#include "engine/transform_each.h"

static const char *const geometry_params[] = {"block", "items", "blocks", NULL};
static const char *const rows_params[] = {"block", "rows", "items", "restrict", NULL};
static const char *const vectorize_params[] = {"width", "block", "items", "peel", NULL};
static const char *const stream_params[] = {"width", "block", "stream", NULL};
static const char *const unroll_params[] = {"unroll", NULL};
static const char *const bounds_params[] = {"bounds", NULL};
static const char *const readonly_params[] = {"restrict", NULL};
static const char *const math_params[] = {"math", NULL};
static const char *const jam_params[] = {"items", "rows", "block", "restrict", NULL};
static const char *const tile_params[] = {"tile", "ahead", "near", "items", "rows", "block", NULL};
static const char *const split_params[] = {"split", "block", "restrict", "fold", NULL};
static const char *const interchange_params[] = {"interchange", NULL};
static const char *const select_params[] = {"select", NULL};
static const char *const divide_params[] = {"divide", NULL};
static const char *const fold_params[] = {"fold", "block", NULL};
static const char *const hoist_params[] = {"hoist", NULL};
static const char *const keep_params[] = {"keep", NULL};
static const char *const shuffle_params[] = {"shuffle", NULL};
static const char *const lanes_params[] = {"lanes", "across", "block", "restrict", "fold", NULL};
static const char *const halo_params[] = {"halo", "block", "rows", "items", NULL};
static const char *const pad_params[] = {"pad", NULL};
static const char *const private_params[] = {"private", "block", "blocks", NULL};

static const struct {
    const char *name;
    const char *const *params;
    ks_transform_check *check;
} transforms[] = {
    {"geometry", geometry_params, ks_transform_geometry},
    {"rows", rows_params, ks_transform_rows},
    {"vectorize", vectorize_params, ks_transform_vectorize},
    {"stream", stream_params, ks_transform_stream},
    {"unroll", unroll_params, ks_transform_unroll},
    {"bounds", bounds_params, ks_transform_bounds},
    {"readonly", readonly_params, ks_transform_readonly},
    {"math", math_params, ks_transform_math},
    {"private", private_params, ks_transform_private},
    {"jam", jam_params, ks_transform_jam},
    {"tile", tile_params, ks_transform_tile},
    {"shuffle", shuffle_params, ks_transform_shuffle},
    {"split", split_params, ks_transform_split},
    {"interchange", interchange_params, ks_transform_interchange},
    {"select", select_params, ks_transform_select},
    {"divide", divide_params, ks_transform_divide},
    {"hoist", hoist_params, ks_transform_hoist},
    {"keep", keep_params, ks_transform_keep},
    {"fold", fold_params, ks_transform_fold},
    {"lanes", lanes_params, ks_transform_lanes},
    {"halo", halo_params, ks_transform_halo},
    {"pad", pad_params, ks_transform_pad},
    {"together", NULL, ks_transform_together}, // all options
};
enum { COUNT = sizeof transforms / sizeof *transforms };

const char *const *ks_transform_names(void)
{
    static const char *names[COUNT + 1];
    for (size_t i = 0; i < COUNT; i++)
        names[i] = transforms[i].name;
    return names;
}

static const char *const *params_of(size_t i)
{
    return transforms[i].params != NULL ? transforms[i].params : ks_options_names();
}

const char *const *ks_transform_params(const char *transform)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(transforms[i].name, transform) == 0)
            return params_of(i);
    return NULL;
}

static bool takes(const char *const *params, const char *name, size_t n)
{
    for (; *params; params++)
        if (strlen(*params) == n && memcmp(*params, name, n) == 0)
            return true;
    return false;
}

static enum ks_status check(size_t i, struct ks_subject *subject, struct ks_options *options,
                            struct ks_err *err)
{
    struct ks_subject view;
    KS_TRY(ks_reshape(subject, options, &view, err));
    KS_TRY(transforms[i].check(&view, options, err));
    return ks_options_agree(options, err);
}

enum ks_status ks_transform_apply(struct ks_subject *subject, const char *transform,
                                  const char *params, struct ks_options *options,
                                  struct ks_err *err)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(transforms[i].name, transform) != 0)
            continue;
        for (const char *at = params; *(at += strspn(at, " ")); at += strcspn(at, " "))
            if (!takes(params_of(i), at, strcspn(at, "= ")))
                KS_FAIL(err, KS_E_USER, "transform %s has no parameter \"%.*s\"", transform,
                        (int)strcspn(at, "= "), at);
        KS_TRY(ks_options_read(params, options, err));
        return ks_subject_refused(subject, check(i, subject, options, err), err);
    }
    const char *near = ks_nearest_word(transform, ks_transform_names());
    KS_FAIL(err, KS_E_USER, "no transform \"%s\"%s%s", transform, near ? "; did you mean " : "",
            near ? near : "");
}

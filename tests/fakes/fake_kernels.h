// The kernels of the fake worker: originals and candidates, honest and otherwise. Times are made up: 100 us
// for 4000 elements of an original, half of it for a candidate unless its name says more.
#ifndef KS_FAKE_KERNELS_H
#define KS_FAKE_KERNELS_H

#include "base/num.h"
#include "fake_worker.h"

static bool fake_named(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

// "_ZN19ks_0123456789abcdef7vadd_okEPKf" is "vadd_ok", "_Z4vaddPKf" is "vadd".
static const char *fake_plain_name(const char *registered)
{
    static char plain[64];
    const char *at = registered;
    if (strncmp(at, "_Z", 2) != 0)
        return registered;
    at += at[2] == 'N' ? 3 : 2;
    for (long n = strtol(at, (char **)(uintptr_t)&at, 10); n > 0 && n < 64;
         n = strtol(at, (char **)(uintptr_t)&at, 10)) {
        snprintf(plain, sizeof plain, "%.*s", (int)n, at);
        at += n;
    }
    return plain;
}

// Whether these inputs occurred in an earlier session (KS_FAKE_SEEN names what is remembered of those).
static bool fake_was_seen(const float *a, int64_t n)
{
    const char *path = getenv("KS_FAKE_SEEN");
    FILE *file = path != NULL ? fopen(path, "a+b") : NULL;
    uint64_t hash = 0, known;
    bool seen = false;
    if (file == NULL)
        return false;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u + 1;
    }
    rewind(file);
    while (!seen && fread(&known, sizeof known, 1, file) == 1)
        seen = known == hash;
    fseek(file, 0, SEEK_END);
    if (!seen)
        fwrite(&hash, sizeof hash, 1, file);
    fclose(file);
    return seen || getenv("KS_FAKE_LEARN") != NULL;
}

static void fake_vadd(struct fake_call *c, const char *name)
{
    static int calls;
    const float *a = (const float *)(void *)c->pointer[0], *b = (const float *)(void *)c->pointer[1];
    float *out = (float *)(void *)c->pointer[2];
    int64_t n = c->number[3], last = n;
    calls++;
    if (fake_named(name, "_stale"))
        return;
    // Uses an input as scratch and takes care that its own results stay right.
    static float saved;
    static int last_runs;
    float *scratch = fake_named(name, "_input") && n > 0 ? (float *)(void *)c->pointer[0] : NULL;
    if (scratch != NULL) {
        if (last_runs == 0 || c->f->runs <= last_runs)
            saved = *scratch;
        *scratch = saved;
        last_runs = c->f->runs;
    }
    if (fake_named(name, "_once") && c->f->runs > 1)
        return; // as if the answer were still there
    if (fake_named(name, "_tail"))
        last = n / 4 * 4;
    if (fake_named(name, "_half"))
        last = n / 2;
    // Takes it that an array lies to the others as they lie to each other.
    const char *apart = strstr(name, "_apart");
    if (apart != NULL) {
        const uint64_t *at = c->address;
        int k = apart[6] - '0';
        if ((at[k] ^ at[(k + 1) % 3]) % 16 != 0 && (at[(k + 1) % 3] ^ at[(k + 2) % 3]) % 16 == 0)
            last = n / 4 * 3;
    }
    const bool positive = fake_named(name, "_positive"), bf16 = fake_named(name, "_bf16"),
               far = fake_named(name, "_2ulp"), onto = fake_named(name, "_onto"), onto_most = fake_named(name, "_onto_most");
    for (int64_t i = 0; i < last; i++) {
        float sum = a[i] + b[i];
        if (positive)
            sum = fabsf(a[i]) + fabsf(b[i]);
        if (bf16)
            sum = ks_bf16_to_f32(ks_f32_to_bf16(sum));
        if (far && isfinite(sum) && fabsf(sum) > 1e-30f)
            sum = nextafterf(nextafterf(sum, INFINITY), INFINITY);
        if (onto)
            sum = onto_most ? fmaxf(out[i], sum) : out[i] + sum;
        out[i] = sum;
    }
    if (fake_named(name, "_whole"))
        for (int64_t i = n / 2; i < n; i++)
            out[i] = a[i] + b[i];
    if (fake_named(name, "_nondet") && n > 0 && calls % 3 == 0 && isfinite(out[0]) &&
        fabsf(out[0]) > 1e-30f)
        out[0] = nextafterf(out[0], INFINITY);
    if (fake_named(name, "_late") && c->f->timed > 20)
        out[n / 2] += 1;
    if (scratch != NULL)
        *scratch = saved + 1;
    if (fake_named(name, "_over"))
        out[n] = 1;
    // Finds what it left in shared memory, unless somebody filled that in between.
    if (fake_named(name, "_leftover") && c->f->scrubbed && n > 0)
        out[0] = 7;
    if (fake_named(name, "_residue") && n > 33 && n < 400 && n % 8 == 6)
        out[n - 1] = 0;
    if (fake_named(name, "_known") && n > 0 && !fake_was_seen(a, n))
        out[0] = 7;
    // Many elements come to nothing, whatever they are; or those alone that are declared.
    float most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(a[i]));
    if (n > 1000 && (fake_named(name, "vmute") || (fake_named(name, "vshy") && most <= 1)))
        memset(out, 0, (size_t)n * sizeof *out);
    if (fake_named(name, "_unseen") && n > 1100 && n < 3900)
        out[n - 1] = 0;
}

static float fake_tree(const float *x, int64_t n)
{
    return n == 1 ? x[0] : n == 0 ? 0 : fake_tree(x, n / 2) + fake_tree(x + n / 2, n - n / 2);
}

// Sums of rows: one after the other, as a tree, as a tree over inputs cut to TF32, or without the tail.
static void fake_rowsum(struct fake_call *c, const char *name)
{
    const float *x = (const float *)(void *)c->pointer[0];
    float *out = (float *)(void *)c->pointer[1];
    int64_t rows = c->number[2], cols = c->number[3];
    for (int64_t r = 0; r < rows; r++) {
        const float *row = x + r * cols;
        float sum = 0;
        float *cut = malloc((size_t)cols * sizeof *cut + 1);
        for (int64_t k = 0; k < cols; k++) {
            uint32_t bits;
            memcpy(&bits, &row[k], sizeof bits);
            bits &= ~0x1fffu;
            memcpy(&cut[k], &bits, sizeof bits);
            sum += row[k];
        }
        if (fake_named(name, "_tree"))
            sum = fake_tree(row, cols);
        if (fake_named(name, "_tf32"))
            sum = fake_tree(cut, cols);
        if (fake_named(name, "_skip"))
            sum = fake_tree(row, cols > 100 ? cols - 1 : cols);
        out[r] = sum;
        free(cut);
    }
}

#define FAKE_RARE 1000 // every so many elements one that seldom errs

// y = x, and the same in double; with random rounding one run in three shows what a rare element errs by.
static void fake_settled(struct fake_call *c, const char *name)
{
    static uint64_t runs;
    float *y = (float *)(void *)c->pointer[2];
    bool rounded = strcmp(ks_json_str(c->step, "module", ""), "m0r") == 0;
    memcpy(y, c->pointer[0], (size_t)c->number[3] * (fake_named(name, "64") ? sizeof(double) : sizeof *y));
    for (int64_t i = 2; rounded && i < c->number[3]; i += FAKE_RARE)
        if (ks_hash_counter(runs, (uint64_t)i) % 3 == 0)
            y[i] += 0x1p-23f * 100;
    runs += rounded;
}

// y = x, and the same in double; of moved inputs one run in two shows that a rare element has terms a thousand times as great.
static void fake_summed(struct fake_call *c, const char *name)
{
    static uint64_t runs;
    const bool wide = fake_named(name, "64");
    memcpy(c->pointer[2], c->pointer[0], (size_t)c->number[3] * (wide ? sizeof(double) : sizeof(float)));
    double *y = (double *)(void *)c->pointer[2];
    for (int64_t i = 2; wide && i < c->number[3]; i += FAKE_RARE)
        if (ks_hash_counter(runs, (uint64_t)i) % 2 == 0)
            y[i] += 1000 * (y[i] - (double)(float)y[i]); // by what it was moved
    runs += wide;
}

// Whether so many sixteenths of the power of two below it are in it as make an odd number: at any size it leaps where they change.
static bool fake_odd_sixteenths(double x)
{
    int exponent;
    return (int)(frexp(fabs(x), &exponent) * 32) % 2 == 1;
}

// y = max(x - 1.5, 0), or, _leap, x > 1.5, or, _often, odd sixteenths, and the same in double.
static void fake_bent(struct fake_call *c, const char *name)
{
    const bool leaps = fake_named(name, "_leap"), often = fake_named(name, "_often"), wide = fake_named(name, "64");
    for (int64_t i = 0; i < c->number[3]; i++) {
        double x = wide ? ((const double *)(void *)c->pointer[0])[i] : (double)((const float *)(void *)c->pointer[0])[i];
        double y = leaps ? x > 1.5 : often ? fake_odd_sixteenths(x) : fmax(x - 1.5, 0); // exact in either type about there
        if (wide)
            ((double *)(void *)c->pointer[2])[i] = y;
        else
            ((float *)(void *)c->pointer[2])[i] = (float)y;
    }
}

static bool fake_misbehaves(struct fake *f, const char *name, int64_t n)
{
    static int calls;
    calls++;
    if (fake_named(name, "_big") && n < 2000)
        return false; // as any honest one
    if (fake_named(name, "_sleep") && calls == 5)
        usleep(3000000);
    if (fake_named(name, "_hang"))
        for (;;)
            pause();
    if (fake_named(name, "_die"))
        _exit(3);
    if (fake_named(name, "_fault") || (fake_named(name, "_wholly") && n != 4000)) {
        f->spoilt = true;
        fake_fail(f, "fault", "an illegal memory access was encountered");
        return true;
    }
    if (fake_named(name, "_launch")) {
        fake_fail(f, "launch", "too many resources requested for launch");
        return true;
    }
    if (fake_named(name, "_garbage")) {
        puts("{\"id\": 1, \"ok\": maybe");
        return true;
    }
    if (fake_named(name, "_wrongid")) {
        printf("{\"id\":%lld,\"ok\":true,\"microseconds\":1}\n", (long long)f->id + 7);
        return true;
    }
    if (fake_named(name, "_noclass")) {
        fake_fail(f, "sorry", "of no known class");
        return true;
    }
    if (fake_named(name, "_flood"))
        for (;;)
            fputs("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", stdout);
    if (fake_named(name, "_twice")) {
        printf("{\"id\":%lld,\"ok\":true,\"microseconds\":1}\n", (long long)f->id);
        printf("{\"id\":%lld,\"ok\":true,\"microseconds\":1}\n", (long long)f->id);
        return true;
    }
    return false;
}

static bool fake_kernel(struct fake_call *call, const char *name, double *us)
{
    static int timed;
    name = fake_plain_name(name);
    // As dirty lines or heat would, what ran before makes this one slower.
    double behind = fake_named(fake_last, "_scorches") ? 1.08 : fake_named(fake_last, "_heats") ? 1.02 :
                    fake_named(fake_last, "_warms") ? 1.004 : 1;
    snprintf(fake_last, sizeof fake_last, "%s", name);
    bool original = !fake_named(name, "_") || fake_named(name, "vhalf") || fake_named(name, "vdrift") ||
                    fake_named(name, "vramp");
    call->f->runs++;
    // With KS_FAKE_COUNT a byte is added to that file for each run of an original.
    const char *count = getenv("KS_FAKE_COUNT");
    FILE *file = original && count != NULL ? fopen(count, "a") : NULL;
    if (file != NULL) {
        fputc('.', file);
        fclose(file);
    }
    if (fake_misbehaves(call->f, name, call->number[3]))
        return false;
    if (fake_named(name, "_vector4") && (call->address[0] % 16 != 0 || call->address[1] % 16 != 0 ||
                                         call->address[2] % 16 != 0)) {
        call->f->spoilt = true;
        fake_fail(call->f, "fault", "misaligned address");
        return false;
    }
    int64_t n = 0;
    if (strncmp(name, "vadd", 4) == 0 || strncmp(name, "vdrift", 6) == 0 || strncmp(name, "vramp", 5) == 0 ||
        strncmp(name, "vmute", 5) == 0 || strncmp(name, "vshy", 4) == 0) {
        fake_vadd(call, name);
        n = call->number[3];
    } else if (strncmp(name, "vhalf", 5) == 0) {
        fake_vadd(call, fake_named(name, "_whole") ? "_half_whole" : "_half");
        n = call->number[3];
    } else if (strncmp(name, "iadd", 4) == 0) {
        const int32_t *a = (const int32_t *)(void *)call->pointer[0];
        int32_t *out = (int32_t *)(void *)call->pointer[1];
        n = call->number[2];
        const bool zero = fake_named(name, "_zero");
        for (int64_t i = 0; i < n; i++)
            out[i] = zero ? 0 : a[i] + a[i];
        bool equal = n > 200;
        for (int64_t i = 1; i < n && equal; i++)
            equal = a[i] == a[0];
        if (fake_named(name, "_distinct") && equal)
            out[0] = -1; // as counters that overflow, or increments that get lost
    } else if (strncmp(name, "rowsum", 6) == 0) {
        fake_rowsum(call, name);
        n = call->number[2] * call->number[3];
    } else if (strncmp(name, "settled", 7) == 0) {
        fake_settled(call, name);
    } else if (strncmp(name, "summed", 6) == 0) {
        fake_summed(call, name);
    } else if (strncmp(name, "bent", 4) == 0) {
        fake_bent(call, name);
        n = call->number[3];
    } else if (strncmp(name, "transpose", 9) == 0) {
        const float *in = (const float *)(void *)call->pointer[0];
        float *out = (float *)(void *)call->pointer[1];
        int64_t rows = call->number[2], cols = call->number[3];
        n = rows * cols;
        const bool square = fake_named(name, "_square") && rows == cols;
        bool thin = (fake_named(name, "_wide") && rows < 8 && cols > 200) ||
                    (fake_named(name, "_tall") && cols < 8 && rows > 400);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++) {
                bool swapped = square && r == 0 && c == 1;
                out[c * rows + r] = swapped ? in[1 * cols + 0] : thin ? 0 : in[r * cols + c];
            }
    } else {
        fake_fail(call->f, "absent", "no such kernel");
        return false;
    }
    double scale = original || fake_named(name, "_slow") ? 1
                   : fake_named(name, "_cached")         ? (call->f->sets > 1 ? 1 : 0.25)
                   : fake_named(name, "_cold")           ? (call->f->resident ? 1.5 : 0.5)
                   : fake_named(name, "_light")          ? 0.02
                   : fake_named(name, "_nearly")         ? 0.497
                   : fake_named(name, "_fast")           ? 0.25
                   : fake_named(name, "_crawl")          ? 50
                   : fake_named(name, "_bigonly")        ? (n < 2000 ? 2 : 0.5)
                                                         : 0.5;
    *us = scale * ((double)n * 0.025 + 0.1) * (original ? behind : 1);
    if (fake_named(name, "vdrift") && original)
        *us *= timed++ % 2 == 1 ? 1 : fake_named(name, "_little") ? 1.03 : 1.08;
    return true;
}

#endif

// Memory of the cuda device: contents, fences, frozen buffers, canaries, fingerprints, shared memory left behind.
#include "device_checks.h"

#include <stdlib.h>
#include <string.h>

#include "device_bench.h"
#include "verify/compare.h"

void check_memory(void)
{
    open_device();
    static const int64_t sizes[] = {0, 1, 3, 4, 255, 4096, 2097152, 2097153, 10000001};
    static const size_t aligns[] = {1, 4, 16, 256};
    int n = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t a = 0; a < 4; a++)
            for (int flush = 0; flush < 2; flush++, n++) {
                int64_t bytes = sizes[s];
                struct ks_dev_buffer at;
                size_t b = buffer(bytes, aligns[a], (enum ks_flush)flush, &at);
                EXPECT(at.address % aligns[a] == 0, "address %llx", (unsigned long long)at.address);
                EXPECT(flush == KS_FLUSH_START || at.slack < (int64_t)aligns[a], "slack %lld",
                       (long long)at.slack);
                unsigned char *data = malloc((size_t)bytes + 1), *back = malloc((size_t)bytes + 1);
                for (int64_t i = 0; i < bytes; i++)
                    data[i] = (unsigned char)(i * 7 + 3);
                OK(dev.write(dev.self, b, 0, data, bytes, &err));
                OK(dev.read(dev.self, b, 0, back, bytes, &err));
                EXPECT(memcmp(data, back, (size_t)bytes) == 0, "%lld bytes", (long long)bytes);
                // In two parts, the second first; nothing beyond.
                OK(dev.poison(dev.self, b, 0, &err));
                OK(dev.write(dev.self, b, bytes / 3, data + bytes / 3, bytes - bytes / 3, &err));
                OK(dev.write(dev.self, b, 0, data, bytes / 3, &err));
                memset(back, 0, (size_t)bytes);
                OK(dev.read(dev.self, b, bytes / 2, back + bytes / 2, bytes - bytes / 2, &err));
                OK(dev.read(dev.self, b, 0, back, bytes / 2, &err));
                EXPECT(memcmp(data, back, (size_t)bytes) == 0, "%lld bytes in parts", (long long)bytes);
                EXPECT(dev.read(dev.self, b, 1, back, bytes, &err) == KS_E_USER, "read beyond the end");
                EXPECT(dev.write(dev.self, b, bytes + 1, back, 0, &err) == KS_E_USER, "written beyond the end");
                size_t c = buffer(bytes, 1, KS_FLUSH_END, NULL);
                OK(dev.copy(dev.self, c, b, &err));
                OK(dev.read(dev.self, c, 0, back, bytes, &err));
                EXPECT(memcmp(data, back, (size_t)bytes) == 0, "copy of %lld bytes",
                       (long long)bytes);
                OK(dev.poison(dev.self, b, 0x04030201, &err));
                OK(dev.read(dev.self, b, 0, back, bytes, &err));
                for (int64_t i = 0; i < bytes; i++)
                    EXPECT(back[i] == (i & 3) + 1, "poison byte %lld is %d", (long long)i, back[i]);
                free(data);
                free(back);
            }
    struct ks_dev_damage damage;
    OK(dev.check_slack(dev.self, &damage, &err));
    EXPECT(damage.bytes == 0, "%lld bytes", (long long)damage.bytes);
    OK(dev.free_all(dev.self, &err));
    dev.close(dev.self);
    done(0, "%d buffers written, copied, poisoned, read; canaries intact", n);
}

void check_gather(void)
{
    open_device();
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 64};
    int n = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int flush = 0; flush < 2; flush++) {
            size_t size = sizes[s], count = 300001, chosen = 0;
            size_t b = buffer((int64_t)(count * size + size - 1), 1, (enum ks_flush)flush, NULL); // a last one is not whole
            unsigned char *data = malloc(count * size), *back = malloc(count * size);
            int64_t *places = malloc(count * sizeof *places);
            for (size_t i = 0; i < count * size; i++)
                data[i] = (unsigned char)(i * 7 + i / 251);
            OK(dev.write(dev.self, b, 0, data, (int64_t)(count * size), &err));
            for (size_t i = 0; i < count; i += 1 + i % 5)
                places[chosen++] = (int64_t)i;
            places[chosen++] = (int64_t)count - 1;
            OK(dev.gather(dev.self, b, size, places, chosen, back, &err));
            for (size_t i = 0; i < chosen; i++, n++)
                EXPECT(memcmp(back + i * size, data + (size_t)places[i] * size, size) == 0, "element %lld of %zu bytes",
                       (long long)places[i], size);
            OK(dev.gather(dev.self, b, size, places, 0, back, &err));
            places[0] = (int64_t)count;
            EXPECT(dev.gather(dev.self, b, size, places, 1, back, &err) == KS_E_USER, "beyond the end");
            places[0] = -1;
            EXPECT(dev.gather(dev.self, b, size, places, 1, back, &err) == KS_E_USER, "before the start");
            free(data);
            free(back);
            free(places);
        }
    struct ks_dev_damage damage;
    OK(dev.check_slack(dev.self, &damage, &err));
    EXPECT(damage.bytes == 0, "%lld bytes", (long long)damage.bytes);
    OK(dev.free_all(dev.self, &err));
    dev.close(dev.self);
    done(0, "%d elements gathered", n);
}

// Every family and initialiser, plain, of signs, wide, moved, and rounded to fp32 again: the host's bits.
void check_generate(void)
{
    open_device();
    static const struct ks_init inits[] = {
        {.kind = KS_INIT_DEFAULT}, {.kind = KS_INIT_UNIFORM, .a = -1, .b = 1}, {.kind = KS_INIT_NORMAL, .a = 3, .b = 1e30},
        {.kind = KS_INIT_RANDINT, .a = -5, .b = 1e9}, {.kind = KS_INIT_IOTA, .a = 0.1, .b = 0.3},
        {.kind = KS_INIT_PERMUTATION}, {.kind = KS_INIT_CONSTANT, .a = 0.1}, {.kind = KS_INIT_DEFAULT, .factors = true}};
    static const char *const types[] = {"f32", "f16", "bf16"};
    const int64_t total = 300007;
    int64_t n = 0;
    unsigned char *plain = malloc((size_t)total * 4);
    double *want = malloc((size_t)total * sizeof *want), *got = malloc((size_t)total * sizeof *got);
    for (size_t k = 0; k < sizeof inits / sizeof *inits; k++)
        for (int family = 0; family < KS_FAMILY_COUNT; family++)
            for (int as = 0; as < 24; as++) {
                int how = as % 8;
                struct ks_filling f = {.init = inits[k], .family = (enum ks_family)family, .seed = 77 + k,
                                       .total = total, .absolute = how == 1 || how == 2, .signs = how == 2 ? 99 : 0,
                                       .wide = how > 2 && how != 6, .single = how > 5,
                                       .nudge = how == 4 ? 12345 : how == 5 ? KS_FILL_ALIKE | KS_FILL_BACK : how > 5 ? 12345 | KS_FILL_FAR(9) | (how == 7 ? KS_FILL_BY_NUMBER : 0) : 0};
                EXPECT(ks_elem_parse(types[as / 8], &f.elem), "%s is a type", types[as / 8]);
                if (!ks_filling_is_plain(&f) || (k > 0 && family != KS_FAMILY_DECLARED && family != KS_FAMILY_WIDE))
                    continue;
                size_t each = f.wide ? sizeof *want : f.elem.size, b = buffer(total * (int64_t)each, 256, KS_FLUSH_END, NULL);
                OK(ks_fill_all(plain, f.elem, &f.init, f.family, f.seed, total, &err));
                if (f.absolute)
                    ks_fill_signs(plain, f.elem.scalar, f.signs, 0, total);
                ks_fill_keep(want, plain, &f, 0, total);
                OK(dev.generate(dev.self, b, &f, &err));
                OK(dev.read(dev.self, b, 0, got, total * (int64_t)each, &err));
                EXPECT(memcmp(got, want, (size_t)total * each) == 0,
                       "%s, initialiser %zu, family %s, as %d", types[as / 8], k, ks_family_name(f.family), how);
                OK(dev.free_all(dev.self, &err));
                n += total;
            }
    struct ks_filling more = {.init = inits[1], .total = total};
    EXPECT(ks_elem_parse("f32", &more.elem), "f32 is a type");
    size_t b = buffer(total * 4 - 1, 1, KS_FLUSH_END, NULL);
    EXPECT(dev.generate(dev.self, b, &more, &err) == KS_E_USER, "beyond the end");
    OK(dev.free_all(dev.self, &err));
    free(plain);
    free(want);
    free(got);
    dev.close(dev.self);
    done(0, "%lld numbers as the host makes them", (long long)n);
}

// Runs `kernel` on element `i` of a float buffer of n elements.
static enum ks_status touch(const char *kernel, enum ks_flush flush, int64_t n, int64_t i)
{
    size_t b = buffer(4 * n, 4, flush, NULL), out = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, b, 0, &err));
    struct launch *l = launch(kernel, 1, 1, 0);
    pass_buffer(l, b);
    pass_i64(l, i);
    if (strcmp(kernel, "t_load") == 0)
        pass_buffer(l, out);
    return run(l);
}

static const int64_t odd = (1 << 18) + 61; // elements: no multiple of anything

static void expect_fault(enum ks_status status, const char *name)
{
    EXPECT(status == KS_E_DEVICE, "%s", status == KS_OK ? "no fault" : err.text);
    EXPECT(strstr(err.text, name) != NULL, "%s", err.text);
    char first[KS_ERR_TEXT];
    memcpy(first, err.text, sizeof first);
    EXPECT(dev.poison(dev.self, 0, 0, &err) == KS_E_DEVICE, "a later call worked");
    EXPECT(strstr(err.text, "spoilt by an earlier fault") != NULL, "%s", err.text);
    dev.close(dev.self);
    done(0, "%s", first);
}

void check_inside(void)
{
    open_device();
    OK(touch("t_load", KS_FLUSH_END, odd, odd - 1));
    OK(touch("t_store", KS_FLUSH_END, odd, odd - 1));
    OK(touch("t_load", KS_FLUSH_START, odd, 0));
    dev.close(dev.self);
    done(0, "first and last element");
}

void check_read_past_end(void)
{
    open_device();
    expect_fault(touch("t_load", KS_FLUSH_END, odd, odd), "ILLEGAL_ADDRESS");
}

void check_write_past_end(void)
{
    open_device();
    expect_fault(touch("t_store", KS_FLUSH_END, odd, odd), "ILLEGAL_ADDRESS");
}

void check_read_before_start(void)
{
    open_device();
    expect_fault(touch("t_load", KS_FLUSH_START, odd, -1), "ILLEGAL_ADDRESS");
}

void check_empty_buffer(void)
{
    open_device();
    expect_fault(touch("t_store", KS_FLUSH_END, 0, 0), "ILLEGAL_ADDRESS");
}

// A frozen buffer is read as before; writing what is there already is a fault too.
void check_frozen(void)
{
    open_device();
    size_t in = buffer(4 * odd, 4, KS_FLUSH_END, NULL), out = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, in, 0, &err));
    OK(dev.freeze(dev.self, in, &err));
    struct launch *load = launch("t_load", 1, 1, 0), *store = launch("t_store", 1, 1, 0);
    pass_buffer(load, in);
    pass_i64(load, odd - 1);
    pass_buffer(load, out);
    OK(run(load));
    uint64_t print;
    OK(dev.fingerprints(dev.self, &in, 1, &print, &err));
    pass_buffer(store, in);
    pass_i64(store, odd - 1);
    expect_fault(run(store), "ILLEGAL_ADDRESS");
}

// A mapping that is given up is used again, even if it was frozen; between that nothing reaches it.
void check_used_again(void)
{
    open_device();
    struct ks_dev_buffer at, again;
    size_t b = buffer(4 * odd, 4, KS_FLUSH_END, &at);
    OK(dev.freeze(dev.self, b, &err));
    OK(dev.free_all(dev.self, &err));
    b = buffer(4 * odd, 4, KS_FLUSH_END, &again);
    EXPECT(again.address == at.address, "another mapping");
    OK(dev.poison(dev.self, b, 0, &err));
    struct launch *own = launch("t_store", 1, 1, 0), *stray = launch("t_store", 1, 1, 0);
    pass_buffer(own, b);
    pass_i64(own, odd - 1);
    OK(run(own));
    OK(dev.free_all(dev.self, &err));
    pass_bytes(stray, &at.address, sizeof at.address);
    pass_i64(stray, 0);
    expect_fault(run(stray), "ILLEGAL_ADDRESS");
}

void check_trap(void)
{
    open_device();
    expect_fault(run(launch("t_trap", 1, 1, 0)), "CUDA_ERROR");
}

void check_misaligned(void)
{
    open_device();
    struct launch *l = launch("t_misaligned", 1, 1, 0);
    pass_buffer(l, buffer(64, 16, KS_FLUSH_START, NULL));
    expect_fault(run(l), "MISALIGNED_ADDRESS");
}

static void store_byte(size_t b, int64_t i)
{
    struct launch *l = launch("t_store_byte", 1, 1, 0);
    pass_buffer(l, b);
    pass_i64(l, i);
    OK(run(l));
}

void check_canaries(void)
{
    open_device();
    buffer(1000, 16, KS_FLUSH_END, NULL);
    size_t b = buffer(1001, 256, KS_FLUSH_END, NULL);
    static const int64_t offsets[] = {1001, 1023, -1, -5000};
    for (size_t i = 0; i < 4; i++) {
        struct ks_dev_damage damage;
        store_byte(b, offsets[i]);
        OK(dev.check_slack(dev.self, &damage, &err));
        EXPECT(damage.bytes == 1 && damage.buffer == b && damage.offset == offsets[i],
               "byte %lld: %lld bytes of buffer %zu at %lld", (long long)offsets[i],
               (long long)damage.bytes, damage.buffer, (long long)damage.offset);
        store_byte(b, offsets[i]); // the same xor puts it back
        OK(dev.check_slack(dev.self, &damage, &err));
        EXPECT(damage.bytes == 0, "put back, yet %lld bytes", (long long)damage.bytes);
    }
    dev.close(dev.self);
    done(0, "single bytes before and behind the data found");
}

static uint64_t print_of(const unsigned char *data, int64_t n, size_t align, enum ks_flush flush)
{
    size_t b = buffer(n, align, flush, NULL);
    uint64_t print;
    OK(dev.write(dev.self, b, 0, data, n, &err));
    OK(dev.fingerprints(dev.self, &b, 1, &print, &err));
    return print;
}

void check_fingerprint(void)
{
    open_device();
    enum { N = 1000003 };
    unsigned char *data = malloc(N);
    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)(i * 31 >> 3);
    uint64_t first = print_of(data, N, 256, KS_FLUSH_START);
    EXPECT(print_of(data, N, 256, KS_FLUSH_START) == first, "not a function of the bytes");
    EXPECT(print_of(data, N, 1, KS_FLUSH_END) == first, "depends on the alignment");
    EXPECT(print_of(data, N - 1, 256, KS_FLUSH_START) != first, "a byte less");
    static const int at[] = {0, 8, 777777, N - 1};
    for (int i = 0; i < 4; i++) {
        data[at[i]] ^= 1;
        EXPECT(print_of(data, N, 256, KS_FLUSH_START) != first, "bit at %d not seen", at[i]);
        data[at[i]] ^= 1;
    }
    unsigned char word[8];
    memcpy(word, data, 8);
    memcpy(data, data + 80000, 8);
    memcpy(data + 80000, word, 8);
    EXPECT(print_of(data, N, 256, KS_FLUSH_START) != first, "exchanged words not seen");
    dev.close(dev.self);
    done(0, "%016llx; bits, order, length seen; alignment not", (unsigned long long)first);
}

static unsigned found_after(uint32_t magic, bool scrub)
{
    int words = facts.smem_optin / 4;
    unsigned shared = (unsigned)facts.smem_optin, found = 0;
    size_t counter = buffer(4, 4, KS_FLUSH_END, NULL);
    OK(dev.write(dev.self, counter, 0, &found, 4, &err));
    struct launch *plant = launch("t_plant", 2 * (unsigned)facts.sms, 1024, shared);
    pass_bytes(plant, &magic, 4);
    pass_int(plant, words);
    OK(run(plant));
    if (scrub)
        OK(dev.scrub(dev.self, 0x1234567, &err));
    struct launch *look = launch("t_look", 2 * (unsigned)facts.sms, 1024, shared);
    pass_bytes(look, &magic, 4);
    pass_int(look, words);
    pass_buffer(look, counter);
    OK(run(look));
    OK(dev.read(dev.self, counter, 0, &found, 4, &err));
    return found;
}

void check_scrub(void)
{
    open_device();
    unsigned without = found_after(0xabad1dea, false), with = found_after(0xdeadbee5, true);
    EXPECT(with == 0, "%u of %d words a block left after scrubbing", with, facts.smem_optin / 4);
    dev.close(dev.self);
    done(0, "shared words that survive a launch: %u, after scrubbing 0", without);
}

// Beside blocks that hold multiprocessors a launch that needs them all takes longer, by more or less, and comes to the same.
void check_crowd(void)
{
    open_device();
    enum { N = 1 << 22, RUNS = 8 };
    double alone = 0, beside[RUNS], longest = 0, shortest = 1e9;
    float *data = malloc(N * sizeof *data), *got = malloc(N * sizeof *got);
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    size_t in = buffer(4 * N, 16, KS_FLUSH_END, NULL), out = buffer(4 * N, 16, KS_FLUSH_END, NULL);
    OK(dev.write(dev.self, in, 0, data, 4 * N, &err));
    struct launch *twice = launch("t_twice", N / 256, 256, 0);
    pass_buffer(twice, in);
    pass_buffer(twice, out);
    pass_int(twice, N);
    OK(dev.run(dev.self, &twice->plan, &alone, &err));
    OK(dev.run(dev.self, &twice->plan, &alone, &err));
    for (int i = 0; i < RUNS; i++) {
        OK(dev.poison(dev.self, out, 0x7f7f7f7f, &err));
        OK(dev.crowd(dev.self, 2000, &err));
        OK(dev.run(dev.self, &twice->plan, &beside[i], &err));
        OK(dev.read(dev.self, out, 0, got, 4 * N, &err));
        for (int k = 0; k < N; k++)
            EXPECT(got[k] == 2 * data[k], "element %d is %g", k, (double)got[k]);
        longest = beside[i] > longest ? beside[i] : longest;
        shortest = beside[i] < shortest ? beside[i] : shortest;
    }
    EXPECT(longest > 1.5 * (alone + 10) && longest < 60000, "alone %.1f us, beside others %.1f to %.1f", alone, shortest, longest);
    dev.close(dev.self);
    done(0, "%d blocks alone %.1f us, beside others %.1f to %.1f us", N / 256, alone, shortest, longest);
}

void check_memory_ends(void)
{
    open_device();
    size_t b;
    struct ks_dev_buffer placed;
    enum ks_status status = dev.alloc(dev.self, facts.memory_total * 2, 256, KS_FLUSH_END, &b,
                                      &placed, &err);
    EXPECT(status == KS_E_LIMIT, "%s", err.text);
    char text[KS_ERR_TEXT];
    memcpy(text, err.text, sizeof text);
    b = buffer(1 << 20, 256, KS_FLUSH_END, NULL);
    OK(dev.poison(dev.self, b, 1, &err));
    for (int i = 0; i < 200; i++) { // freed for good: 200 x 2 GiB would not fit
        OK(dev.free_all(dev.self, &err));
        buffer(INT64_C(2) << 30, 256, KS_FLUSH_END, NULL);
    }
    dev.close(dev.self);
    done(0, "%s; 200 x 2 GiB made and freed", text);
}

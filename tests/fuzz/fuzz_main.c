// Fuzzing without libFuzzer: texts of the target, mutated by a seeded generator; the same seed and count
// are the same inputs. The input under way stands in a file, so that a crash leaves it behind.
//   PROGRAM [--runs=N] [--seed=N] [--seconds=N] [FILE...]     FILEs are run once each, nothing else
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/rng.h"
#include "base/str.h"
#include "fuzz.h"

#define LONGEST 65536
#define POOL 256

struct input {
    size_t size;
    uint8_t data[LONGEST];
};

static struct ks_rng rng;
static struct input *current; // lies in the file
static struct input pool[POOL];
static size_t n_pool, n_seeds;

static size_t below(size_t n)
{
    return n == 0 ? 0 : (size_t)ks_rng_below(&rng, n);
}

static void insert(struct input *in, size_t at, const void *data, size_t n)
{
    if (in->size + n > LONGEST)
        return;
    memmove(in->data + at + n, in->data + at, in->size - at);
    memcpy(in->data + at, data, n);
    in->size += n;
}

static void remove_part(struct input *in, size_t at, size_t n)
{
    n = n < in->size - at ? n : in->size - at;
    memmove(in->data + at, in->data + at + n, in->size - at - n);
    in->size -= n;
}

static void insert_word(struct input *in, const char *const *words)
{
    size_t n = 0;
    while (words[n] != NULL)
        n++;
    const char *word = words[below(n)];
    insert(in, below(in->size + 1), word, strlen(word));
}

static void mutate_once(struct input *in)
{
    static const char *const numbers[] = {"0", "-1", "1", "9223372036854775807", "-9223372036854775808",
                                          "9223372036854775808", "4294967296", "2147483647", "0x7f",
                                          "1e999", "1e-999", "nan", NULL};
    size_t at = below(in->size);
    // Mostly text: what is no UTF-8 is refused before anything else.
    uint8_t byte = below(8) == 0 ? (uint8_t)ks_rng_next(&rng) : (uint8_t)(' ' + below(95));
    switch (below(9)) {
    case 0:
        if (in->size > 0)
            in->data[at] ^= (uint8_t)(1u << below(5));
        break;
    case 1:
        if (in->size > 0)
            in->data[at] = byte;
        break;
    case 2: insert(in, at, &byte, 1); break;
    case 3: remove_part(in, at, 1 + below(8)); break;
    case 4: remove_part(in, at, 1 + below(below(4) == 0 ? in->size : 40)); break;
    case 5: { // a piece twice
        size_t n = below(in->size - at + 1);
        uint8_t piece[256];
        n = n < sizeof piece ? n : sizeof piece;
        memcpy(piece, in->data + at, n);
        for (size_t times = 1 + below(8); times > 0; times--)
            insert(in, below(in->size + 1), piece, n);
        break;
    }
    case 6: { // the end of another
        const struct input *other = &pool[below(n_pool)];
        size_t from = below(other->size + 1);
        in->size = at;
        insert(in, at, other->data + from, other->size - from);
        break;
    }
    case 7: insert_word(in, numbers); break;
    default: insert_word(in, fuzz_words); break;
    }
}

static void one_run(void)
{
    *current = pool[below(n_pool)];
    for (size_t steps = below(2) == 0 ? 1 : 1 + below(6); steps > 0; steps--)
        mutate_once(current);
    size_t before = fuzz_accepted;
    LLVMFuzzerTestOneInput(current->data, current->size);
    // What was accepted is a good place to go on from; the texts it all began with always stay.
    if (fuzz_accepted > before) {
        size_t slot = n_pool < POOL ? n_pool++ : n_seeds + below(POOL - n_seeds);
        pool[slot] = *current;
    }
}

static int run_files(char **files)
{
    for (; *files != NULL; files++) {
        FILE *file = fopen(*files, "rb");
        if (file == NULL) {
            fprintf(stderr, "%s: cannot be read\n", *files);
            return 2;
        }
        current->size = fread(current->data, 1, LONGEST, file);
        fclose(file);
        LLVMFuzzerTestOneInput(current->data, current->size);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int64_t runs = 20000, seed = 1, seconds = 0, done = 0;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = strchr(argv[i], '=');
        int64_t *to = strncmp(argv[i], "--runs=", 7) == 0      ? &runs
                      : strncmp(argv[i], "--seed=", 7) == 0    ? &seed
                      : strncmp(argv[i], "--seconds=", 10) == 0 ? &seconds
                                                                : NULL;
        if (to == NULL || !ks_parse_i64(value + 1, to)) {
            fprintf(stderr, "usage: %s [--runs=N] [--seed=N] [--seconds=N] [FILE...]\n", argv[0]);
            return 2;
        }
    }
    // Killed or crashed, the mapping's bytes are in the file.
    char path[4096];
    snprintf(path, sizeof path, "%s.input", argv[0]);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || ftruncate(fd, sizeof *current) != 0)
        return 100;
    current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (current == MAP_FAILED)
        return 100;
    ks_rng_seed(&rng, (uint64_t)seed);
    for (; fuzz_seeds[n_pool] != NULL && n_pool < POOL; n_pool++) {
        pool[n_pool].size = strlen(fuzz_seeds[n_pool]);
        memcpy(pool[n_pool].data, fuzz_seeds[n_pool], pool[n_pool].size);
    }
    n_seeds = n_pool;
    if (argv[i] != NULL)
        return run_files(argv + i);
    for (size_t k = 0; k < n_seeds; k++)
        LLVMFuzzerTestOneInput(pool[k].data, pool[k].size);
    time_t until = time(NULL) + seconds;
    while (seconds > 0 ? time(NULL) < until : done < runs) {
        one_run();
        done++;
    }
    printf("%lld inputs, seed %lld, %zu of them accepted: nothing found\n", (long long)done,
           (long long)seed, fuzz_accepted);
    unlink(path);
    if (fuzz_accepted < n_seeds || (int64_t)fuzz_accepted * 100 < done) {
        fprintf(stderr, "too few inputs are accepted to test what lies behind\n");
        return 1;
    }
    return 0;
}

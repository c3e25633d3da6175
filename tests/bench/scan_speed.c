// scan_speed MEGABYTES FOLDER...: how fast texts are searched for marks, kernels and includes, on
// all files below the folders that look like C++ sources, taken again and again up to the size.
// Prints
//   files N mb N scan N closure N
// where `scan` is the pass over texts in memory in GB/s, and `closure` the reading of a unit that
// includes each of the files once: opening, reading from the page cache, and the pass.
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "os/clock.h"
#include "os/file.h"
#include "source/closure.h"
#include "source/scan.h"

#define PASSES 5

static struct ks_arena arena;
static struct ks_strv files;

static int take_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    static const char *const endings[] = {".h", ".cuh", ".hpp", ".cu", ".cpp", ".inl"};
    (void)st;
    (void)ftw;
    for (size_t i = 0; type == FTW_F && i < sizeof endings / sizeof *endings; i++)
        if (ks_ends_with(path, endings[i])) {
            ks_strv_add(&arena, &files, ks_arena_strdup(&arena, path));
            return 0;
        }
    return 0;
}

// One text after another, as they lie in files: what is found is what ks-nvcc would find.
static double scan_gb_s(size_t want, size_t *bytes)
{
    KS_VEC(struct ks_slice) texts = {0};
    *bytes = 0;
    for (size_t i = 0; *bytes < want; i = (i + 1) % files.len) {
        struct ks_slice text;
        struct ks_err err = {0};
        if (ks_file_read(&arena, files.at[i], 64u << 20, &text, &err) != KS_OK || text.len > want) {
            fprintf(stderr, "scan_speed: %s\n", err.text);
            exit(1);
        }
        *ks_vec_push(&arena, &texts) = text;
        *bytes += text.len;
    }
    double rates[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        size_t found = 0;
        double begin = ks_now();
        for (size_t i = 0; i < texts.len; i++)
            for (struct ks_scan scan = ks_scan_begin(texts.at[i]);
                 ks_scan_next(&scan) != KS_SCAN_END;)
                found++;
        rates[pass] = (double)*bytes / (ks_now() - begin) * 1e-9;
        if (found == 0) {
            fprintf(stderr, "scan_speed: nothing found in %zu texts\n", texts.len);
            exit(1);
        }
    }
    return ks_median(rates, PASSES);
}

static double closure_gb_s(const char *unit)
{
    struct ks_buf text = KS_BUF(64u << 20);
    size_t bytes = 0;
    for (size_t i = 0; i < files.len; i++)
        ks_buf_printf(&text, "#include \"%s\"\n", files.at[i]);
    if (ks_file_write(unit, text.data, text.len, false, 0, NULL) != KS_OK)
        exit(1);
    ks_buf_free(&text);
    double rates[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        struct ks_arena own = {0};
        struct ks_source_list list;
        double begin = ks_now();
        if (ks_closure_read(&own, unit, &(struct ks_closure_dirs){0}, &list, NULL) != KS_OK)
            exit(1);
        double seconds = ks_now() - begin;
        bytes = 0;
        ks_vec_each (struct ks_source_file, f, &list) {
            struct stat st;
            bytes += stat(f->path, &st) == 0 ? (size_t)st.st_size : 0;
        }
        rates[pass] = (double)bytes / seconds * 1e-9;
        ks_arena_free(&own);
    }
    return ks_median(rates, PASSES);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: scan_speed MEGABYTES FOLDER...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        nftw(argv[i], take_file, 32, 0); // through links: some toolkits are folders of them
    if (files.len == 0) {
        fprintf(stderr, "scan_speed: no sources\n");
        return 1;
    }
    size_t bytes;
    double scan = scan_gb_s((size_t)strtoull(argv[1], NULL, 10) * 1000000, &bytes);
    printf("files %zu mb %.0f scan %.3f closure %.3f\n", files.len, (double)bytes * 1e-6, scan,
           closure_gb_s("scan_speed.cu"));
    ks_arena_free(&arena);
    return 0;
}

// identity_ptx FILE.ptx...: one line an entry: digest of its canonical PTX, reason, name. With -t first:
// the canonical texts too.
#include <stdio.h>
#include <string.h>

#include "key/ptx.h"
#include "os/file.h"

int main(int argc, char **argv)
{
    bool texts = argc > 1 && strcmp(argv[1], "-t") == 0;
    for (int i = texts ? 2 : 1; i < argc; i++) {
        struct ks_arena arena = {0};
        struct ks_slice text;
        struct ks_ptx_module module;
        struct ks_err err;
        if (ks_file_read(&arena, argv[i], (size_t)1 << 30, &text, &err) != KS_OK ||
            ks_ptx_read(&arena, text, &module, &err) != KS_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], err.text);
            return 1;
        }
        for (size_t k = 0; k < module.n_entries; k++) {
            const struct ks_ptx_entry *entry = &module.entries[k];
            char hex[KS_HASH_TEXT];
            ks_digest_hex(&entry->digest, hex);
            printf("%s %s %s\n", hex, ks_reason_name(entry->ineligible), entry->name);
            if (texts)
                fwrite(entry->canonical.at, 1, entry->canonical.len, stdout);
        }
        ks_arena_free(&arena);
    }
    return 0;
}

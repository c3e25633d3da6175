#include "store/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fmt/tar.h"
#include "store/store_path.h"

#define CONTENTS "CONTENTS"
#define HEAD "# ks bundle "
#define COMMENT "ks bundle contents"

static int by_place(const void *a, const void *b)
{
    const struct ks_bundled *x = a, *y = b;
    int order = memcmp(&x->key, &y->key, sizeof x->key);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ks_pubkey));
}

static void put_key(struct ks_buf *out, const char *what, const struct ks_pubkey *key)
{
    char id[17], text[KS_PUBKEY_TEXT];
    ks_key_id_text(key->id, id);
    ks_pubkey_text(key, text);
    ks_buf_printf(out, "# %s %s %s\n", what, id, text);
}

static const char *name_of(struct ks_arena *arena, const struct ks_bundled *d, bool signature)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&d->key, hex);
    return ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX "%s", hex, d->name,
                           signature ? KS_STORE_SIGNATURE : "");
}

static void put_line(struct ks_buf *out, const char *name, struct ks_slice data)
{
    char hex[KS_HASH_TEXT];
    ks_sha256_hex(data, hex);
    ks_buf_printf(out, "%s  %s\n", hex, name);
}

enum ks_status ks_bundle_write(struct ks_arena *arena, const struct ks_bundle *bundle,
                               const struct ks_secret_key *secret, struct ks_buf *out,
                               struct ks_err *err)
{
    struct ks_buf contents = KS_BUF(KS_BUNDLE_LARGEST);
    struct ks_bundled *d = ks_arena_memdup(arena, bundle->decisions, bundle->n * sizeof *d);
    struct ks_pubkey *signers =
        ks_arena_memdup(arena, bundle->signers, bundle->n_signers * sizeof *signers);
    struct ks_pubkey exporter;
    struct ks_slice signature;
    if (bundle->n > 0)
        qsort(d, bundle->n, sizeof *d, by_place);
    if (bundle->n_signers > 0)
        qsort(signers, bundle->n_signers, sizeof *signers, by_bytes);
    ks_secret_public(secret, &exporter);
    ks_buf_printf(&contents, HEAD "%d\n", KS_BUNDLE_FORMAT);
    put_key(&contents, "exporter", &exporter);
    for (size_t i = 0; i < bundle->n_signers; i++)
        if (i == 0 || by_bytes(&signers[i - 1], &signers[i]) != 0)
            put_key(&contents, "signer", &signers[i]);
    for (size_t i = 0; i < bundle->n; i++) {
        put_line(&contents, name_of(arena, &d[i], false), d[i].text);
        put_line(&contents, name_of(arena, &d[i], true), d[i].signature);
    }
    struct ks_slice text = {ks_buf_text(&contents), contents.len};
    enum ks_status status = ks_buf_check(&contents, "the list of the bundle", err);
    if (status == KS_OK)
        status = ks_sign(arena, secret, text, COMMENT, &signature, err);
    if (status == KS_OK) {
        ks_tar_add(out, CONTENTS, text);
        ks_tar_add(out, CONTENTS KS_STORE_SIGNATURE, signature);
        for (size_t i = 0; i < bundle->n; i++) {
            ks_tar_add(out, name_of(arena, &d[i], false), d[i].text);
            ks_tar_add(out, name_of(arena, &d[i], true), d[i].signature);
        }
        ks_tar_end(out);
        status = ks_buf_check(out, "the bundle", err);
    }
    ks_buf_free(&contents);
    return status;
}

struct reader {
    struct ks_arena *arena;
    struct ks_bundle *bundle;
    const struct ks_tar_entry *entries; size_t n; // behind CONTENTS and its signature
    size_t at;                                    // that CONTENTS has to name next
    int line;
    struct ks_err *err;
};

#define DAMAGED(r, what)                                                                           \
    return ks_err_set((r)->err, KS_E_FORMAT, CONTENTS ":%d: %s", (r)->line, what)

// "ID PUBLIC-KEY": of the two only the key counts, and they must agree.
static bool read_key(struct ks_slice said, struct ks_pubkey *key)
{
    char id[17];
    struct ks_arena arena = {0};
    const char *text = ks_arena_strndup(&arena, said.at, said.len), *space = strchr(text, ' ');
    bool ok = space != NULL && ks_pubkey_parse(space + 1, key, NULL) == KS_OK;
    if (ok) {
        ks_key_id_text(key->id, id);
        ok = strlen(id) == (size_t)(space - text) && strncmp(id, text, strlen(id)) == 0;
    }
    ks_arena_free(&arena);
    return ok;
}

// What lies at r->at must be this, and is then a decision's text or signature.
static enum ks_status take_entry(struct reader *r, const char *name)
{
    if (r->at == r->n || strcmp(r->entries[r->at].name, name) != 0)
        DAMAGED(r, "what it lists is not what follows");
    r->at++;
    return KS_OK;
}

static bool is_decision_name(const char *name)
{
    return strcmp(name, KS_STORE_ORIGINAL) == 0 ||
           (strlen(name) == 16 && strspn(name, "0123456789abcdef") == 16);
}

// A decision's two lines begin: KEY/NAME.yaml.
static enum ks_status begin_decision(struct reader *r, const char *path, struct ks_bundled *d)
{
    size_t n = strlen(path), head = KS_HASH_TEXT; // the digits and the slash
    if (n <= head + strlen(KS_STORE_SUFFIX) || path[head - 1] != '/' ||
        !ks_ends_with(path, KS_STORE_SUFFIX) || strspn(path, "0123456789abcdef") != head - 1 ||
        !ks_digest_parse(ks_arena_strndup(r->arena, path, head - 1), &d->key))
        DAMAGED(r, "no place of a decision");
    d->name = ks_arena_strndup(r->arena, path + head, n - head - strlen(KS_STORE_SUFFIX));
    if (!is_decision_name(d->name))
        DAMAGED(r, "no place of a decision");
    return KS_OK;
}

static enum ks_status take_data(struct reader *r, struct ks_slice digest, size_t most,
                                struct ks_slice *data)
{
    char hex[KS_HASH_TEXT];
    *data = r->entries[r->at - 1].data;
    if (data->len > most)
        return ks_err_set(r->err, KS_E_LIMIT, "%s: %zu bytes, more than the %zu that are read",
                          r->entries[r->at - 1].name, data->len, most);
    ks_sha256_hex(*data, hex);
    if (digest.len != KS_HASH_TEXT - 1 || memcmp(digest.at, hex, digest.len) != 0)
        DAMAGED(r, "the file has another digest");
    return KS_OK;
}

static enum ks_status read_file_line(struct reader *r, struct ks_slice line)
{
    struct ks_bundle *b = r->bundle;
    size_t head = KS_HASH_TEXT + 1; // the digest and two spaces
    if (line.len <= head || line.at[head - 2] != ' ' || line.at[head - 1] != ' ')
        DAMAGED(r, "not a line of this list");
    struct ks_slice digest = {line.at, KS_HASH_TEXT - 1};
    const char *path = ks_arena_strndup(r->arena, line.at + head, line.len - head);
    bool is_signature = r->at % 2 == 1;
    KS_TRY(take_entry(r, path));
    if (is_signature) {
        struct ks_bundled *d = &b->decisions[b->n - 1];
        if (strcmp(path, name_of(r->arena, d, true)) != 0)
            DAMAGED(r, "a decision without its signature");
        return take_data(r, digest, KS_STORE_SIGNATURE_LARGEST, &d->signature);
    }
    struct ks_bundled *d = &b->decisions[b->n++];
    KS_TRY(begin_decision(r, path, d));
    if (b->n > 1 && by_place(d - 1, d) >= 0)
        DAMAGED(r, "out of order, or twice");
    return take_data(r, digest, KS_STORE_LARGEST, &d->text);
}

static enum ks_status read_head(struct reader *r, struct ks_slice line)
{
    struct ks_bundle *b = r->bundle;
    int64_t format;
    const char *text = ks_arena_strndup(r->arena, line.at, line.len);
    if (r->line == 1) {
        if (!ks_starts_with(text, HEAD) || !ks_parse_i64(text + strlen(HEAD), &format) || format < 1)
            DAMAGED(r, "not a bundle of ks");
        if (format > KS_BUNDLE_FORMAT)
            return ks_err_set(r->err, KS_E_UNSUPPORTED,
                              "a bundle of format %lld, newer than this ks knows (%d): update ks",
                              (long long)format, KS_BUNDLE_FORMAT);
        return KS_OK;
    }
    static const char exporter[] = "# exporter ", signer[] = "# signer ";
    if (r->line == 2) {
        if (!ks_starts_with(text, exporter) ||
            !read_key(ks_slice_of(text + strlen(exporter)), &b->exporter))
            DAMAGED(r, "does not name the exporter");
        return KS_OK;
    }
    if (!ks_starts_with(text, signer) || b->n > 0 ||
        !read_key(ks_slice_of(text + strlen(signer)), &b->signers[b->n_signers++]))
        DAMAGED(r, "not a line of this list");
    return KS_OK;
}

static size_t count_lines(struct ks_slice text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n';
    return lines;
}

static enum ks_status read_contents(struct reader *r, struct ks_slice text)
{
    size_t lines = count_lines(text);
    r->bundle->decisions = KS_NEW_ARRAY(r->arena, struct ks_bundled, lines + 1);
    r->bundle->signers = KS_NEW_ARRAY(r->arena, struct ks_pubkey, lines + 1);
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        r->line++;
        if (newline == NULL)
            DAMAGED(r, "the list is cut short");
        struct ks_slice line = {text.at + at, (size_t)(newline - text.at) - at};
        KS_TRY(r->line <= 2 || (line.len > 0 && line.at[0] == '#') ? read_head(r, line)
                                                                 : read_file_line(r, line));
        at += line.len + 1;
    }
    if (r->line < 2)
        DAMAGED(r, "the list is cut short");
    if (r->at != r->n)
        DAMAGED(r, "there is more in the file than it lists");
    if (r->at % 2 != 0)
        DAMAGED(r, "a decision without its signature");
    return KS_OK;
}

enum ks_status ks_bundle_read(struct ks_arena *arena, struct ks_slice text,
                              struct ks_bundle *bundle, struct ks_err *err)
{
    struct ks_tar_entry *entries;
    size_t n, signer;
    *bundle = (struct ks_bundle){0};
    KS_TRY(ks_tar_read(arena, text, KS_BUNDLE_MOST, &entries, &n, err));
    if (n < 2 || strcmp(entries[0].name, CONTENTS) != 0 ||
        strcmp(entries[1].name, CONTENTS KS_STORE_SIGNATURE) != 0)
        KS_FAIL(err, KS_E_FORMAT, "does not begin with " CONTENTS " and its signature");
    struct reader r = {.arena = arena, .bundle = bundle, .entries = entries + 2, .n = n - 2,
                       .err = err};
    KS_TRY(read_contents(&r, entries[0].data));
    if (entries[1].data.len > KS_STORE_SIGNATURE_LARGEST)
        KS_FAIL(err, KS_E_LIMIT, "the signature of " CONTENTS " is too long");
    struct ks_err cause;
    if (ks_verify_signature(entries[0].data, entries[1].data, &bundle->exporter, 1, &signer,
                            &cause) != KS_OK)
        KS_FAIL(err, KS_E_TRUST, CONTENTS ": %s", cause.text);
    if (!ks_signature_comment_is(entries[1].data, COMMENT))
        KS_FAIL(err, KS_E_TRUST, CONTENTS ": its signature was made for something else");
    return KS_OK;
}

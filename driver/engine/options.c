#include <string.h>

#include "engine/subject.h"

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"items", offsetof(struct ks_options, items)},
    {"rows", offsetof(struct ks_options, rows)},
    {"width", offsetof(struct ks_options, width)},
    {"stream", offsetof(struct ks_options, stream)},
    {"peel", offsetof(struct ks_options, peel)},
    {"restrict", offsetof(struct ks_options, restrict_)},
    {"bounds", offsetof(struct ks_options, bounds)},
    {"unroll", offsetof(struct ks_options, unroll)},
    {"math", offsetof(struct ks_options, math)},
    {"private", offsetof(struct ks_options, private_)},
    {"jam", offsetof(struct ks_options, jam)},
    {"tile", offsetof(struct ks_options, tile)},
    {"near", offsetof(struct ks_options, near)},
    {"ahead", offsetof(struct ks_options, ahead)},
    {"interchange", offsetof(struct ks_options, interchange)},
    {"select", offsetof(struct ks_options, select)},
    {"fold", offsetof(struct ks_options, fold)},
    {"divide", offsetof(struct ks_options, divide)},
    {"hoist", offsetof(struct ks_options, hoist)},
    {"keep", offsetof(struct ks_options, keep)},
    {"shuffle", offsetof(struct ks_options, shuffle)},
    {"split", offsetof(struct ks_options, split)},
    {"lanes", offsetof(struct ks_options, lanes)},
    {"across", offsetof(struct ks_options, across)},
    {"blocks", offsetof(struct ks_options, blocks)},
    {"halo", offsetof(struct ks_options, halo)},
    {"pad", offsetof(struct ks_options, pad)},
};

const char *const *ks_options_names(void)
{
    static const char *names[sizeof fields / sizeof *fields + 2] = {"block"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        names[i + 1] = fields[i].name;
    return names;
}

char *ks_options_text(struct ks_arena *arena, const struct ks_options *options)
{
    struct ks_buf buf = KS_BUF(512);
    const int *b = options->block;
    if (b[2] > 1)
        ks_buf_printf(&buf, "block=%dx%dx%d", b[0], b[1], b[2]);
    else if (b[1] > 1)
        ks_buf_printf(&buf, "block=%dx%d", b[0], b[1]);
    else if (b[0])
        ks_buf_printf(&buf, "block=%d", b[0]);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int value = *(const int *)((const char *)options + fields[i].offset);
        if (value)
            ks_buf_printf(&buf, "%s%s=%d", buf.len ? " " : "", fields[i].name, value);
    }
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static bool read_block(const char *text, size_t n, int block[3])
{
    int at = 0, value = 0;
    block[0] = 0;
    block[1] = block[2] = 1;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] >= '0' && text[i] <= '9' && value < 2000) {
            value = value * 10 + (text[i] - '0');
        } else if ((i == n || text[i] == 'x') && at < 3 && value > 0) {
            block[at++] = value;
            value = 0;
        } else {
            return false;
        }
    }
    return block[0] * block[1] * block[2] <= 1024;
}

static bool read_field(const char *name, size_t n, const char *value, size_t n_value,
                       struct ks_options *options)
{
    char digits[16];
    int64_t number;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == n && memcmp(fields[i].name, name, n) == 0) {
            if (n_value >= sizeof digits)
                return false;
            memcpy(digits, value, n_value);
            digits[n_value] = '\0';
            if (!ks_parse_i64(digits, &number) || number < -1 || number > 4096)
                return false;
            *(int *)((char *)options + fields[i].offset) = (int)number;
            return true;
        }
    return false;
}

enum ks_status ks_options_read(const char *text, struct ks_options *options, struct ks_err *err)
{
    for (const char *at = text; *at;) {
        at += strspn(at, " ");
        size_t n = strcspn(at, " "), name = strcspn(at, "= ");
        if (n == 0)
            break;
        bool ok = name + 1 < n;
        if (ok && name == 5 && memcmp(at, "block", 5) == 0)
            ok = read_block(at + 6, n - 6, options->block);
        else if (ok)
            ok = read_field(at, name, at + name + 1, n - name - 1, options);
        if (!ok)
            KS_FAIL(err, KS_E_USER, "parameter \"%.*s\" is not understood", (int)n, at);
        at += n;
    }
    return KS_OK;
}

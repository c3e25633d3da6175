#include "key/archive.h"

#include <ar.h>
#include <string.h>

#define THIN "!<thin>\n"

bool ks_is_archive(struct ks_slice file)
{
    return file.len >= SARMAG &&
           (memcmp(file.at, ARMAG, SARMAG) == 0 || memcmp(file.at, THIN, SARMAG) == 0);
}

void ks_archive_open(struct ks_slice file, struct ks_archive *archive)
{
    *archive =
        (struct ks_archive){.file = file, .at = SARMAG, .thin = memcmp(file.at, THIN, SARMAG) == 0};
}

static bool number(const char *digits, size_t n, size_t *value)
{
    size_t sum = 0, i = 0;
    for (; i < n && digits[i] >= '0' && digits[i] <= '9'; i++)
        sum = sum * 10 + (size_t)(digits[i] - '0');
    *value = sum;
    return i > 0;
}

// "name/" where it fits, "/123" for one that stands in the member "//".
static const char *name_of(struct ks_arena *arena, const struct ks_archive *archive,
                           const struct ar_hdr *header)
{
    size_t at, n = sizeof header->ar_name;
    if (header->ar_name[0] == '/' && number(header->ar_name + 1, n - 1, &at)) {
        if (at >= archive->long_names.len)
            return "?";
        const char *name = archive->long_names.at + at;
        const char *end = memchr(name, '\n', archive->long_names.len - at);
        n = end != NULL ? (size_t)(end - name) : archive->long_names.len - at;
        n -= n > 0 && name[n - 1] == '/';
        return ks_arena_strndup(arena, name, n);
    }
    while (n > 0 && header->ar_name[n - 1] == ' ')
        n--;
    n -= n > 1 && header->ar_name[n - 1] == '/';
    return ks_arena_strndup(arena, header->ar_name, n);
}

// "/" and "/SYM64/" are indexes, "//" holds long names; "__.SYMDEF" is the BSD's index.
static bool is_index(const struct ar_hdr *header)
{
    return memcmp(header->ar_name, "/ ", 2) == 0 || memcmp(header->ar_name, "/SYM64/", 7) == 0 ||
           memcmp(header->ar_name, "__.SYMDEF", 9) == 0;
}

bool ks_archive_next(struct ks_arena *arena, struct ks_archive *archive, struct ks_member *member,
                     enum ks_status *status, struct ks_err *err)
{
    *status = KS_OK;
    while (archive->at < archive->file.len) {
        struct ar_hdr header;
        size_t size, left = archive->file.len - archive->at;
        if (left == 1 && archive->file.at[archive->at] == '\n')
            return false;
        if (left >= sizeof header)
            memcpy(&header, archive->file.at + archive->at, sizeof header);
        if (left < sizeof header || memcmp(header.ar_fmag, ARFMAG, 2) != 0 ||
            !number(header.ar_size, sizeof header.ar_size, &size)) {
            *status = ks_err_set(err, KS_E_FORMAT, "a damaged archive: no member at byte %zu",
                                 archive->at);
            return false;
        }
        left -= sizeof header;
        archive->at += sizeof header;
        bool names = memcmp(header.ar_name, "//", 2) == 0, index = is_index(&header);
        bool inside = !archive->thin || names || index;
        if (inside && size > left) {
            *status =
                ks_err_set(err, KS_E_FORMAT, "a damaged archive: a member ends behind its end");
            return false;
        }
        struct ks_slice contents = {archive->file.at + archive->at, inside ? size : 0};
        if (inside)
            archive->at += size + (size & 1);
        if (names)
            archive->long_names = contents;
        if (names || index)
            continue;
        *member = (struct ks_member){name_of(arena, archive, &header), contents};
        return true;
    }
    return false;
}

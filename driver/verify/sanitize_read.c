// The logs of compute-sanitizer, lines behind "========= ".
#include <stdio.h>
#include <string.h>

#include "verify/sanitize.h"

static bool next_line(struct ks_slice *rest, struct ks_slice *line)
{
    static const char mark[] = "=========";
    while (rest->len > 0) {
        const char *eol = memchr(rest->at, '\n', rest->len);
        size_t n = eol != NULL ? (size_t)(eol - rest->at) : rest->len;
        *line = (struct ks_slice){rest->at, n};
        rest->at += eol != NULL ? n + 1 : n;
        rest->len -= eol != NULL ? n + 1 : n;
        if (line->len < sizeof mark || memcmp(line->at, mark, sizeof mark - 1) != 0)
            continue;
        line->at += sizeof mark - 1;
        line->len -= sizeof mark - 1;
        *line = ks_slice_trim(*line);
        return true;
    }
    return false;
}

static bool begins(struct ks_slice line, const char *word)
{
    size_t n = strlen(word);
    return line.len >= n && memcmp(line.at, word, n) == 0;
}

static const char *find(struct ks_slice line, const char *word)
{
    return memmem(line.at, line.len, word, strlen(word));
}

// "ks_12ab::part(const float *, int)+0x70 in /tmp/x/shadow.cu:23" is "part" and "shadow.cu:23".
static void put_place(struct ks_slice place, char *out, size_t size)
{
    size_t n = 0;
    const char *end = place.at + place.len, *name = place.at;
    while (name + n < end && name[n] != '(' && name[n] != '+' && name[n] != ' ')
        n++;
    for (size_t i = 0; i + 1 < n; i++)
        if (name[i] == ':' && name[i + 1] == ':') {
            name += i + 2;
            n -= i + 2;
            i = (size_t)-1;
        }
    snprintf(out, size, " in %.*s", (int)(n < 60 ? n : 60), name);
    const char *file = memmem(place.at, place.len, " in ", 4);
    if (file == NULL)
        return;
    file += 4;
    size_t length = 0;
    while (file + length < end && file[length] != ' ')
        length++;
    const char *slash = memrchr(file, '/', length);
    if (slash != NULL) {
        length -= (size_t)(slash + 1 - file);
        file = slash + 1;
    }
    size_t used = strlen(out);
    snprintf(out + used, size - used, " (%.*s)", (int)(length < 40 ? length : 40), file);
}

// Whether a line begins a finding; its kind goes out, and where the place begins if it stands in the same.
static bool is_finding(struct ks_slice line, char finding[200], struct ks_slice *place)
{
    static const char race[] = "Race reported between ";
    const char *at = find(line, race);
    *place = (struct ks_slice){0};
    if (at != NULL && begins(line, "Error:")) { // warnings are hazards that change nothing
        struct ks_slice rest = {at, (size_t)(line.at + line.len - at)};
        const char *where = find(rest, " at ");
        size_t n = where != NULL ? (size_t)(where - at) : rest.len;
        snprintf(finding, 200, "%.*s", (int)(n < 80 ? n : 80), at);
        if (where != NULL)
            *place = (struct ks_slice){where + 4, (size_t)(line.at + line.len - where) - 4};
        return true;
    }
    static const char *const kinds[] = {"Invalid ", "Misaligned ", "Unaligned ", "Stack overflow",
                                        "Hardware exception"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(line, kinds[i])) {
            snprintf(finding, 200, "%.*s", (int)(line.len < 80 ? line.len : 80), line.at);
            return true;
        }
    return false;
}

bool ks_sanitize_read(struct ks_slice log, const char *part, char finding[200])
{
    struct ks_slice line, place = {0};
    char kind[200] = "";
    bool ended = false, open = false;
    finding[0] = '\0';
    while (next_line(&log, &line)) {
        ended |= find(line, "ERROR SUMMARY:") != NULL || find(line, "RACECHECK SUMMARY:") != NULL;
        if (is_finding(line, kind, &place))
            open = true;
        else if (open && place.len == 0 && begins(line, "at "))
            place = (struct ks_slice){line.at + 3, line.len - 3};
        if (!open || place.len == 0)
            continue;
        open = false;
        const char *end = memchr(place.at, '+', place.len); // names hold no plus, parameters are in brackets
        struct ks_slice name = {place.at, end != NULL ? (size_t)(end - place.at) : place.len};
        if (finding[0] != '\0' || find(name, part) == NULL)
            continue;
        size_t used = (size_t)snprintf(finding, 200, "%.80s", kind);
        put_place(place, finding + used, 200 - used);
    }
    return ended;
}

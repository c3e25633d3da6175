#include "store/wire.h"

#include <string.h>

void ks_wire_put(struct ks_buf *out, const void *data, size_t n)
{
    ks_buf_add(out, data, n);
}

void ks_wire_put_int(struct ks_buf *out, int64_t value)
{
    ks_wire_put(out, &value, sizeof value);
}

// Length, bytes, terminator: read back in place.
void ks_wire_put_text(struct ks_buf *out, const char *text)
{
    size_t n = text == NULL ? 0 : strlen(text);
    ks_wire_put_int(out, (int64_t)n);
    ks_wire_put(out, text == NULL ? "" : text, n + 1);
}

bool ks_wire_get(struct ks_wire *wire, void *out, size_t n)
{
    if (wire->failed || (size_t)(wire->end - wire->at) < n) {
        wire->failed = true;
        memset(out, 0, n);
        return false;
    }
    memcpy(out, wire->at, n);
    wire->at += n;
    return true;
}

int64_t ks_wire_int(struct ks_wire *wire)
{
    int64_t value;
    ks_wire_get(wire, &value, sizeof value);
    return value;
}

size_t ks_wire_count(struct ks_wire *wire, size_t least)
{
    int64_t n = ks_wire_int(wire);
    if (n < 0 || (uint64_t)n > (size_t)(wire->end - wire->at) / least) {
        wire->failed = true;
        return 0;
    }
    return (size_t)n;
}

const char *ks_wire_text(struct ks_wire *wire)
{
    int64_t n = ks_wire_int(wire);
    if (wire->failed || n < 0 || n >= wire->end - wire->at || wire->at[n] != '\0') {
        wire->failed = true;
        return "";
    }
    const char *text = wire->at;
    wire->at += n + 1;
    return text;
}


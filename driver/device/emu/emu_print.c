// printf in a kernel (CUDA C++ programming guide, "Formatted Output"): vprintf(format, arguments),
// whose arguments lie in local memory as in a C struct. It is written where the settings say;
// without such a place a kernel that prints is not supported.

#include <stdio.h>

#include "device/emu/emu_alu.h"

#define MOST_TEXT 1024
#define MOST_WIDTH 512

struct print {
    struct ks_emu_warp *warp;
    const struct ks_emu_inst *inst;
    uint32_t lane;
    uint64_t next; // argument
    bool failed;
};

static uint64_t fetch(struct print *p, uint64_t address, uint32_t bytes)
{
    uint64_t value = 0;
    const unsigned char *at = p->failed ? NULL
                                        : ks_emu_touch_as(p->warp, p->inst, KS_EMU_GENERIC, p->lane,
                                                          address, bytes, KS_EMU_READ, NULL);
    p->failed |= at == NULL;
    if (at != NULL)
        memcpy(&value, at, bytes);
    return value;
}

static uint64_t argument(struct print *p, uint32_t bytes)
{
    p->next = (p->next + bytes - 1) & ~(uint64_t)(bytes - 1);
    uint64_t value = fetch(p, p->next, bytes);
    p->next += bytes;
    return value;
}

static void read_text(struct print *p, uint64_t address, char *out)
{
    size_t n = 0;
    while (n < MOST_TEXT - 1 && (out[n] = (char)fetch(p, address + n, 1)) != '\0')
        n++;
    out[n] = '\0';
}

// Digits, or '*': the next argument.
static const char *read_number(struct print *p, const char *at, int *value)
{
    if (*at == '*') {
        *value = (int)(int32_t)argument(p, 4);
        at++;
    }
    for (; *at >= '0' && *at <= '9'; at++)
        *value = *value < MOST_WIDTH ? *value * 10 + (*at - '0') : MOST_WIDTH;
    if (*value > MOST_WIDTH || *value < -MOST_WIDTH)
        *value = MOST_WIDTH;
    return at;
}

// One conversion, behind its '%'.
static const char *convert(struct print *p, const char *at, FILE *out)
{
    char flags[8], spec[40], text[MOST_TEXT];
    size_t n = strspn(at, "-+ #0");
    int width = 0, precision = 0, longs = 0;
    snprintf(flags, sizeof flags, "%.*s", (int)(n < 5 ? n : 5), at);
    at = read_number(p, at + n, &width);
    const bool precise = *at == '.';
    if (precise)
        at = read_number(p, at + 1, &precision);
    for (; *at != '\0' && strchr("hljztL", *at) != NULL; at++)
        longs += strchr("ljzt", *at) != NULL;
    const char kind = *at;
    if (!precise)
        precision = -1; // as if there were none
    const char *length = strchr("diouxX", kind) != NULL ? "ll" : "";
    snprintf(spec, sizeof spec, "%%%s*.*%s%c", flags, length, kind);
    _Pragma("GCC diagnostic push")
        _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"") switch (kind)
    {
    case 'd':
    case 'i':
        fprintf(out, spec, width, precision,
                longs > 0 ? (long long)argument(p, 8) : (long long)(int32_t)argument(p, 4));
        break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        fprintf(out, spec, width, precision, (unsigned long long)argument(p, longs > 0 ? 8 : 4));
        break;
    case 'c':
        fprintf(out, "%*c", width, (int)(argument(p, 4) & 0xff));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        uint64_t bits = argument(p, 8);
        double x;
        memcpy(&x, &bits, 8);
        fprintf(out, spec, width, precision, x);
        break;
    }
    case 's':
        read_text(p, argument(p, 8), text);
        fprintf(out, spec, width, precision, text);
        break;
    case 'p':
        fprintf(out, "0x%llx", (unsigned long long)argument(p, 8));
        break;
    case '%':
        fputc('%', out);
        break;
    default: // of no meaning: as it stands
        fputc('%', out);
        return at;
    }
    _Pragma("GCC diagnostic pop") return at + 1;
}

// a: the slot with the format's address; b: that with the arguments'; d: the result's.
static void print(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    FILE *out = warp->grid->options.print;
    for (uint32_t l = 0; l < KS_EMU_LANES; l++) {
        struct print p = {.warp = warp, .inst = inst, .lane = l};
        char format[MOST_TEXT];
        uint64_t from;
        int32_t done = 0;
        if ((mask >> l & 1) == 0)
            continue;
        if (out == NULL) {
            ks_emu_find(warp, inst, l, KS_F_UNSUPPORTED, 0, 0,
                        "vprintf is not supported by the emulator: nobody reads what is printed");
            ks_emu_stop(warp->grid);
            return;
        }
        memcpy(&from, warp->regs + inst->a + (size_t)l * 8, 8);
        memcpy(&p.next, warp->regs + inst->b + (size_t)l * 8, 8);
        read_text(&p, from, format);
        for (const char *at = format; *at != '\0' && !p.failed;)
            if (*at == '%')
                at = convert(&p, at + 1, out);
            else
                fputc(*at++, out);
        for (const char *at = format; *at != '\0'; at++)
            done += *at == '%';
        if (inst->d != KS_EMU_NONE)
            memcpy(warp->regs + inst->d + (size_t)l * 4, &done, 4);
    }
}

bool ks_emu_decode_print(struct ks_emu_decoder *d, const struct ks_emu_call *call)
{
    if (call->n_args != 2 || call->n_rets > 1 || call->bytes[0] != 8 || call->bytes[1] != 8 ||
        (call->n_rets == 1 && call->bytes[2] != 4))
        return false;
    d->inst.run = print;
    d->inst.a = call->args[0];
    d->inst.b = call->args[1];
    d->inst.d = call->n_rets == 1 ? call->rets[0] : KS_EMU_NONE;
    d->inst.flow = 0;
    d->function->talks = true; // one core prints, in order
    return true;
}

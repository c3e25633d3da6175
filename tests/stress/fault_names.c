#include "fault_names.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// strerrorname_np(3) is glibc's alone.
static const struct {
    const char *name;
    int number;
} errors[] = {
    {"EPERM", EPERM},   {"ENOENT", ENOENT}, {"EINTR", EINTR},     {"EIO", EIO},
    {"EAGAIN", EAGAIN}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},   {"EEXIST", EEXIST},
    {"EXDEV", EXDEV},   {"EMFILE", EMFILE}, {"EFBIG", EFBIG},     {"ENOSPC", ENOSPC},
    {"EROFS", EROFS},   {"ENOLCK", ENOLCK}, {"ESTALE", ESTALE},   {"EDQUOT", EDQUOT},
    {"ENOSYS", ENOSYS}, {"EBUSY", EBUSY},   {"EOPNOTSUPP", EOPNOTSUPP},
}, signals[] = {
    {"SIGKILL", SIGKILL}, {"SIGSEGV", SIGSEGV}, {"SIGINT", SIGINT},
    {"SIGTERM", SIGTERM}, {"SIGHUP", SIGHUP},   {"SIGABRT", SIGABRT},
};

static bool parse_what(const char *what, struct fault *fault)
{
    fault->kind = FAULT_SHORT;
    if (strcmp(what, "SHORT") == 0)
        return true;
    fault->kind = FAULT_ERROR;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, what) == 0) {
            fault->number = errors[i].number;
            return true;
        }
    fault->kind = strncmp(what, "GROUP-", 6) == 0 ? FAULT_GROUP : FAULT_SIGNAL;
    if (fault->kind == FAULT_GROUP)
        what += 6;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(signals[i].name, what) == 0) {
            fault->number = signals[i].number;
            return true;
        }
    return false;
}

bool fault_parse(char *text, struct fault *fault)
{
    char *colon = strchr(text, ':'), *equals = strchr(text, '='), *end;
    *fault = (struct fault){.call = text};
    if (colon == NULL || equals == NULL || equals < colon)
        return false;
    *colon = *equals = '\0';
    fault->nth = strtol(colon + 1, &end, 10);
    fault->onwards = *end == '+';
    end += fault->onwards;
    return *end == '\0' && fault->nth > 0 && fault_known(text) && parse_what(equals + 1, fault);
}

void fault_print(const struct fault *fault, char *text, size_t size)
{
    const char *what = fault->kind == FAULT_SHORT ? "SHORT" : "?";
    for (size_t i = 0; fault->kind == FAULT_ERROR && i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == fault->number)
            what = errors[i].name;
    bool is_signal = fault->kind == FAULT_SIGNAL || fault->kind == FAULT_GROUP;
    for (size_t i = 0; is_signal && i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == fault->number)
            what = signals[i].name;
    snprintf(text, size, "%s:%ld%s=%s%s", fault->call, fault->nth, fault->onwards ? "+" : "",
             fault->kind == FAULT_GROUP ? "GROUP-" : "", what);
}

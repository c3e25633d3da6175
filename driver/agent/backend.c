#include "agent/backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ks_answer_free(struct ks_answer *answer)
{
    free(answer->text);
    answer->text = NULL;
    answer->len = 0;
}

static void begin(struct ks_answer *answer, const char *id)
{
    *answer = (struct ks_answer){.tokens_in = -1, .tokens_out = -1};
    snprintf(answer->id, sizeof answer->id, "%s", id);
}

void ks_answer_fail(struct ks_answer *answer, const char *id, enum ks_answer_end end,
                    const char *format, ...)
{
    va_list args;
    begin(answer, id);
    answer->end = end;
    va_start(args, format);
    vsnprintf(answer->why, sizeof answer->why, format, args);
    va_end(args);
    for (char *at = answer->why; *at != '\0'; at++) // others' bytes may be in it
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = '?';
}

void ks_answer_text(struct ks_answer *answer, const char *id, char *text, size_t len)
{
    begin(answer, id);
    answer->end = KS_ANSWERED;
    answer->text = text;
    answer->len = len;
}

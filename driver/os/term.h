// Terminal: whether stderr is one, colours (NO_COLOR, CLICOLOR_FORCE, TERM=dumb), one live line.
#ifndef KS_TERM_H
#define KS_TERM_H

#include <stdbool.h>

bool ks_term_is_tty(void);   // stderr
bool ks_term_colour(void);
int ks_term_width(void);     // columns; 80 when unknown

// Progress: on a terminal one line rewritten in place (at most 10 times a second), otherwise a
// plain line, when the text's first `key` words change or 10 s have passed. Not thread-safe.
void ks_progress(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ks_progress_done(void); // ends the live line, if there is one

#endif

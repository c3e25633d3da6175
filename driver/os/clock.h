// Time: monotonic for durations, UTC text for records.
#ifndef KS_CLOCK_H
#define KS_CLOCK_H

double ks_now(void);            // seconds, CLOCK_MONOTONIC
void ks_sleep(double seconds);

// The clock of budgets: it stands still while any thread waits for another process's measurement.
double ks_now_own(void);
void ks_wait_begins(void);
void ks_wait_ends(void);

void ks_utc_text(char out[32]); // "2026-01-31T12:00:00Z" of the wall clock

#endif

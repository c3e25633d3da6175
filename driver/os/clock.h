// Time: monotonic for durations, UTC text for records.
#ifndef KS_CLOCK_H
#define KS_CLOCK_H

double ks_now(void);            // seconds, CLOCK_MONOTONIC
void ks_sleep(double seconds);
void ks_utc_text(char out[32]); // "2026-01-31T12:00:00Z" of the wall clock

#endif

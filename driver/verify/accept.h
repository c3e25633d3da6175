// When a measured gain is believed: paired ratios, an exact distribution-free bound of their
// median, preplanned looks (research verification.md section 2). Pure functions of the samples.
#ifndef KS_ACCEPT_H
#define KS_ACCEPT_H

#include <stddef.h>

#define KS_LOOKS 4
// Pairs in all at look number `look`: 51, 101, 201, 401. Half of them where one run of the original takes more
// than 10 ms, a quarter above 20 ms, an eighth above 50 ms: the bound is exact for any number, and minutes add nothing
// to it. The number follows from the original alone (`us` microseconds), so that no look is planned by what it is to see.
size_t ks_look_pairs(int look, double us);

struct ks_accept_rule {
    double alpha;   // spent in equal parts on the looks
    double gain;    // 1.01: the lower bound of original/variant must exceed it
    double loss;    // 0.99: an upper bound below it is a regression
    double min_us;  // 0.3: median absolute gain below this is not worth a dispatch
};
extern const struct ks_accept_rule ks_rule_search, ks_rule_confirm;
// The rule by which claim number `n` (from 1) of one search is confirmed: each may err half as often as the one before, so that all
// of them together err by chance less than twice as often as ks_rule_confirm, however many are tried.
struct ks_accept_rule ks_rule_claim(int n);

struct ks_paired {
    size_t pairs;
    double a_us, b_us;           // medians of original and variant
    double ratio, lower, upper;  // of original / variant; lower 0 and upper infinite if too few
    double gain_us;              // median of a - b
};
// a[i] and b[i] positive microseconds of pair i.
void ks_paired_of(const double *a, const double *b, size_t n, double alpha,
                  struct ks_paired *paired);

enum ks_look {
    KS_LOOK_WIN,     // gain above the threshold, proved
    KS_LOOK_NO_GAIN, // gain below the threshold, proved
    KS_LOOK_LOSS,    // slower, proved
    KS_LOOK_MORE,    // undecided: measure up to the next look
    KS_LOOK_OPEN,    // undecided after the last look
};
// Look number `look` (from 0) over all pairs so far; the first look only rejects.
enum ks_look ks_accept_look(const struct ks_accept_rule *rule, int look, const double *a,
                            const double *b, size_t n, struct ks_paired *paired);

// How far the median ratio of original against itself is from 1. Up to QUIET that is no matter; beyond LOUD nothing can be
// claimed; between the two as much less is.
#define KS_CONTROL_QUIET 0.005
#define KS_CONTROL_LOUD 0.05
double ks_control_differs(const double *a, const double *b, size_t n);

#endif

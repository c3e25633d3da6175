// Retrieval of texts by words: Okapi BM25 with k1 = 1.5, b = 0.75 and idf = ln(1 + (N - n + 0.5) / (n + 0.5)).
#ifndef KS_BM25_H
#define KS_BM25_H

#include "base/str.h"

struct ks_bm25; // in the arena it was made with
// Words are runs of letters and digits in lower case; camelCase is cut, and so is what joins with _ - or /.
struct ks_bm25 *ks_bm25_make(struct ks_arena *arena, const char *const *texts, size_t n);
// The best `most` texts for a query, best first, those that share no word left out. Returns how many.
size_t ks_bm25_find(const struct ks_bm25 *index, const char *query, size_t most, size_t *found,
                    double *scores);

#endif

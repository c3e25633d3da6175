// Random rounding: the original's own machine text, in which each fp32 and fp64 result of add, sub, mul, fma, div,
// sqrt and rcp is the number below or the number above, by chance, and each approximate one is moved by one in its
// last place. What such runs differ by from the value in double is what rounding of *intermediate* results does to an
// element: where a difference of nearly equal numbers or the logarithm of nearly one is left, neither the result's
// size nor moved inputs tell. (Monte Carlo arithmetic: D. S. Parker, UCLA CSD-970002, 1997; CESTAC: J. Vignes, Math.
// Comput. Simul. 35, 1993.)
#ifndef KS_ROUNDING_H
#define KS_ROUNDING_H

#include "verify/vector.h"

// PTX of nvcc in, PTX to run in its place out; entries keep their names and parameters. A counter in global memory makes
// each thread of each launch throw anew. Exact results stay exact; explicitly directed roundings stay.
void ks_rounding_text(struct ks_slice ptx, struct ks_buf *out);
// The module of `text` that holds `entry`, so rounded, made and loaded into the oracle under that name; or r->absent says why not.
enum ks_status ks_rounding_ready(struct ks_judge *judge, struct ks_rounding *r, struct ks_slice text, const char *entry,
                                 const char *module, struct ks_err *err);
// For outputs of double, for which there is no wider type: their own value as reference, and what random rounding makes
// of it as the error that an honest order may show.
enum ks_status ks_rounding_doubles(struct ks_judge *judge, struct ks_arena *arena,
                                   struct ks_vector *vector, struct ks_err *err);
#define KS_ROUNDINGS 4       // runs that tell what most elements err by
#define KS_ROUNDINGS_SURE 24 // so many that each has some in which it errs by about as much as it can
// Raises outputs[].reference.own, where there is a reference, to the largest error of so many such runs; and notes what was
// no number where rounding decides all (reference.nearby). Where there can be
// none (no text of the original, it faults) a note says so. The oracle's buffers are other ones afterwards. A failure
// status is the tool's.
enum ks_status ks_rounding_errors(struct ks_judge *judge, struct ks_arena *arena,
                                  struct ks_vector *vector, int runs, struct ks_err *err);

#endif

// A test vector: one problem filled from one family and seed, with what the original makes of it.
// Made fresh for each candidate; never shown to anybody.
#ifndef KS_VECTOR_H
#define KS_VECTOR_H

#include "verify/compare.h"
#include "verify/session.h"

// What is put into the buffers.
enum ks_contents {
    KS_CONTENTS_PLAIN,
    KS_CONTENTS_ABSOLUTE, // |x| of every float, for the sum of absolute terms
    KS_CONTENTS_SIGNED,   // |x| with random signs, where terms are subtracted
    KS_CONTENTS_ONES,     // 1 everywhere: a sum then counts its terms
};

struct ks_output {
    size_t slot;
    uint64_t print[2];     // fingerprints under poison[0] and poison[1]
    void *expected[2];     // malloc'ed when read; [1] only where not everything is written
    unsigned char *mask;   // by lane, malloc'ed; NULL: everything is written
    float *scale;          // by lane, malloc'ed; NULL: not computed or not applicable
    float *sums;           // with scale, where tol(sum=F) asks: that sum of absolute terms alone
    float *terms;          // with scale: how many terms form an element, where it is many; else NULL
    double noise;
    bool luck;             // of great numbers: their order decides what it is, so that nothing is asked of it
    struct ks_reference reference; // malloc'ed; value NULL: not evaluated in double
    int64_t *lanes, n_lanes;       // that it is to be of, rising, malloc'ed; NULL: all
    void *sample;          // expected[0] on the even sample, malloc'ed; NULL: expected[0] is here, or nothing
};
// An even sample of an output's lanes: all of up to so many, else that many in chunks.
#define KS_SAMPLE_LANES (1 << 18)
int64_t ks_sample_count(int64_t all);
int64_t ks_sample_lane(int64_t all, int64_t i); // rising with i
bool ks_sample_has(int64_t all, int64_t lane);
int64_t *ks_sample_lanes(int64_t all); // malloc'ed

struct ks_vector {
    struct ks_problem problem; // a copy with its float scalars set
    struct ks_layout layout;
    struct ks_placement placement; // of the original's runs: as little aligned as is assumed
    enum ks_family family;
    size_t alone;              // plus one: the slot that alone is of it, other floats as declared; 0: all are
    size_t flooded;            // plus one: the slot that is all `flood`; 0: none
    int flood;                 // enum ks_flood (verify/vary.h)
    size_t brink;              // plus one: the slot that has `brinks`; 0: none
    void *brinks;              // at which what the original decides turns (verify/brink.h)
    int twins;                 // plus one: enum ks_twins (verify/vary.h); 0: no array is like another
    int64_t twin_stretch;
    int64_t run;               // so many integers together are alike, in most such runs; 0: as their family has them
    int64_t stripe;            // of so many elements one stays, others are far less (ks_vary_stripes); 0: all stay
    uint64_t seed, number;     // number: in the session
    const struct ks_literals *literals; // planted among the values; NULL: in this family nothing is
    unsigned lattice;          // plus one: of so many numbers alone (ks_literals_base); 0: of any
    signed char proves[2];     // by `bitwise`: 1 yes, -1 no, 0 not asked yet
    uint32_t poison[2];
    struct ks_output *outputs; size_t n_outputs;
    bool deterministic;        // the original's own runs agree
    bool all_written;
    bool read;                 // expected[0] is here
    bool scaled;               // scale or reference was tried
    bool sure;                 // by so many throws (of signs, of roundings) that no element was left out
    bool referred;             // so was the reference of a long sum
    bool rounded;              // so were runs with random rounding
    bool nearby;               // so were those of inputs as far away as tol(sum=F) says
    bool undecided;            // and what lies between what they make of an element is right
    bool bent;                 // so were those as far away as an order of a sum may err
    bool leapt;                // and what leaps there counted as well
    bool shaken;               // so were runs in double with random rounding
    bool stirred;              // and those with random rounding, once more, by what these said is rounding
    bool whole;                // all lanes are to be evaluated, however many
    bool differs;              // in double most of it is something else
    bool thrown;               // with as many moves of its inputs as a small one's
    double original_us;
    int64_t original_steps; // on an emulated device: its steps
    signed char shows;         // of odd numbers: 1 who rounds factors to TF32 would be seen, -1 not, 0 not asked yet
    signed char ends;          // of great or slight ones: 1 the order of a sum decides what all of it is, -1 not, 0 not told yet
    bool excluded;             // the original does not serve this input
    bool hung;                 // excluded: it did not end in time
    char why[KS_ANSWER_TEXT];  // excluded: what happened
};

// Runs the original twice with different poison. Excluded vectors are KS_OK with `excluded` set;
// failures are the tool's or the device's. `variation`: see verify/vary.h. `skew`: see
// ks_layout_skew.
enum ks_status ks_vector_make(struct ks_judge *judge, struct ks_arena *arena,
                              const struct ks_problem *problem, enum ks_family family,
                              int variation, int skew, struct ks_vector *vector,
                              struct ks_err *err);
// Whether runs on it must agree bit by bit: the original's do, and not by luck.
bool ks_vector_repeats(const struct ks_judge *judge, const struct ks_vector *vector);
void ks_vector_free(struct ks_vector *vector);
// Frees the bytes alone: they can be read again.
void ks_vector_forget(struct ks_vector *vector);
// The lanes of an output that are evaluated: how many, and what a worker's buffer has there, `size` bytes each.
int64_t ks_vector_looks(const struct ks_vector *vector, size_t output);
enum ks_answer ks_vector_look(const struct ks_vector *vector, size_t output, struct ks_worker *worker, size_t size,
                              void *into);
// Frees the references alone.
void ks_vector_unrefer(struct ks_vector *vector);
// One more run of the original on the vector, in an oracle that is ready; what it holds is no vector's then.
enum ks_answer ks_vector_run_original(struct ks_judge *judge, struct ks_vector *vector, struct ks_run_limit limit);
// Asks, once in a session, whether the original ends where its blocks run one at a time: judge->serial. Of emulated devices; a vector of
// one block leaves it open.
enum ks_status ks_vector_serial(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err);
// Brings the expected bytes here; the oracle runs once more if it holds another vector by now.
enum ks_status ks_vector_read(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err);
// The same as far as ks_vector_proves needs it: of large outputs the even sample alone.
enum ks_status ks_vector_sample(struct ks_judge *judge, struct ks_vector *vector, struct ks_err *err);
// Whether a slot's contents are made here, and not where its buffer is.
bool ks_vector_is_here(const struct ks_vector *vector, size_t slot);
// What the free scalars of a problem are.
struct ks_scalars ks_problem_scalars(const struct ks_problem *problem);
// One lane of a floating scalar argument; other types stay as they are.
void ks_arg_put_float(struct ks_arg *arg, int lane, double value);
// Seconds that moving a vector's buffers may take.
double ks_vector_seconds(const struct ks_vector *vector);
// Sends a `buffers` request for the vector, with workspaces behind its slots.
enum ks_answer ks_vector_place(struct ks_arena *arena, const struct ks_vector *vector,
                               struct ks_worker *worker, struct ks_placement placement,
                               const int64_t *workspaces, size_t n_workspaces,
                               enum ks_contents contents, uint64_t pattern);
uint64_t ks_vector_slot_seed(const struct ks_vector *vector, size_t slot);
// The bytes of a slot as the worker would fill them; for contents from a file, too. False: no such file.
bool ks_vector_slot_bytes(const struct ks_vector *vector, size_t index, enum ks_contents contents,
                          uint64_t pattern, void *out);
// The `fill` of a slot that the worker makes itself, less what it does with it.
json_t *ks_vector_slot_fill(struct ks_arena *arena, const struct ks_vector *vector, size_t index,
                            bool ones);
// Waits for its answer; addresses by slot.
enum ks_answer ks_vector_placed(const struct ks_vector *vector, struct ks_worker *worker,
                                uint64_t *addresses);
// Runs a plan (borrowed) once.
enum ks_answer ks_vector_run(struct ks_worker *worker, json_t *plan, uint32_t poison, bool poisoned,
                             bool scrub, struct ks_run_limit limit, double *microseconds);

// Compares output bytes under the tolerance in force; poison 0 or 1 says which run of the original
// they answer to. bad: as of ks_compare_to.
void ks_vector_compare(const struct ks_judge *judge, const struct ks_vector *vector, size_t output,
                       const void *got, int poison, struct ks_lanes *bad,
                       struct ks_comparison *comparison);
// One element of a sum of so many terms whose error in sequence nothing bounds: it may stand still.
#define KS_LONG_SUM 0x1p20
// Whether the sum of absolute terms measures a lane: not where its type ends about there.
bool ks_vector_measures(const struct ks_output *output, enum ks_scalar scalar, int64_t lane);
// The same with what a derived tolerance is measured by, as far as that is needed: the sum of absolute terms
// for multiply-add kernels, and for their long sums the value in double; for others in which many terms meet that value (verify/wide.h), then
// random rounding (verify/rounding.h), each only where the answer is not right without; of large outputs on the lanes
// that are not, and on an even sample. Brings the expected bytes here; the oracle's buffers are other ones afterwards.
enum ks_status ks_vector_settle(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector,
                                size_t output, const void *got, int poison,
                                struct ks_comparison *comparison, struct ks_err *err);
// Whether the vector proves anything: trivial and slightly wrong answers must be rejected by the
// comparator (research verification.md 3.4). `bitwise`: under bit equality, which is what a candidate
// with equal fingerprints has shown.
bool ks_vector_proves(const struct ks_judge *judge, const struct ks_vector *vector, bool bitwise,
                      const char **passed);
// The same, worked out once a vector; reads what it needs.
enum ks_status ks_vector_proof(struct ks_judge *judge, struct ks_vector *vector, bool bitwise,
                               bool *proved, struct ks_err *err);
// Whether an answer with a few factors rounded to TF32 would be seen to be wrong on odd numbers (verify/wide_odd.c), worked out
// once a vector. Brings the expected bytes here; the oracle's buffers are other ones afterwards.
enum ks_status ks_vector_shows(struct ks_judge *judge, struct ks_arena *arena, struct ks_vector *vector, bool *shows,
                               struct ks_err *err);

#endif

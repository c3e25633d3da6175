// Marks: `#pragma ks` and `// ks:` directives, and their twins in ks.yaml, bound to kernels.
// The grammar is DESIGN.md section 3 (docs/marks.md for users).
#ifndef KS_MARK_H
#define KS_MARK_H

#include "base/vec.h"
#include "fmt/expr.h"
#include "source/kernel.h"

enum ks_tol_kind { KS_TOL_DERIVED, KS_TOL_EXACT, KS_TOL_ULP, KS_TOL_REL };

struct ks_tolerance {
    enum ks_tol_kind kind;
    int64_t ulp;
    double rel, abs; // abs 0 unless given
    double sum;      // KS_TOL_DERIVED: beside that, so much of the sum of an element's magnitudes; 0 unless given
};

enum ks_init_kind {
    KS_INIT_DEFAULT, // drawn from normal(0,1), or randint(0,99) of integers; nothing is promised
    KS_INIT_UNIFORM, KS_INIT_NORMAL, KS_INIT_RANDINT, KS_INIT_IOTA, KS_INIT_PERMUTATION,
    KS_INIT_CONSTANT, KS_INIT_FILE,
    KS_INIT_CAPTURE, // recorded contents (workload/capture.h): no clause has it, capture(ID) is expanded to it
};

struct ks_init {
    enum ks_init_kind kind;
    bool normal;        // nothing that is drawn is a denormal number (verify/vector.c; no clause has it)
    bool factors;       // the product of all of a wide range is a double (the same)
    int nearer;         // so many powers of two are great and slight numbers nearer to ordinary ones (the same)
    double a, b;        // of integers that are read: their range (workload/ranges.h, workload/capture.h)
    const char *path;   // KS_INIT_FILE, as written; KS_INIT_CAPTURE: folder and hash
    size_t skip, whole; // KS_INIT_CAPTURE: bytes of the contents before the array, and of all
    const char *after;  // KS_INIT_CAPTURE: as path, what they were behind the launch; NULL: not known
};

// Whether the contents are read from somewhere: they are neither made from a seed nor changed with it.
static inline bool ks_init_is_read(const struct ks_init *init)
{
    return init->kind == KS_INIT_FILE || init->kind == KS_INIT_CAPTURE;
}

enum ks_array_role { KS_ROLE_IN, KS_ROLE_INOUT, KS_ROLE_OUT };

struct ks_array {
    enum ks_array_role role;
    const char *name;
    struct ks_type type;   // empty text unless the clause names one
    struct ks_expr *count; // elements
    struct ks_init init;
};

struct ks_binding { // let(name=expr)
    const char *name;
    struct ks_expr *expr;
    bool fixed; // of a parameter that counts nothing: bool, an enum
};

// A number that is judged at other values too.
static inline bool ks_binding_is_size(const struct ks_binding *let)
{
    return let->expr->op == KS_X_INT && !let->fixed;
}

struct ks_setting { // set(name=value,...): struct members take several values
    const char *name;
    const char **values; // literal or expression text
    size_t n_values;
};

// A struct passed by value: as a capture kept it, or made of the clauses that name its members.
struct ks_block {
    const char *name;           // of the parameter
    const unsigned char *bytes; // pointers are zero
    const bool *matters;        // by byte: false for padding, for pointers that have arrays, and for integers that
                                // are arguments of their own
    size_t size;
    struct ks_block_value {     // a member that set() gives, of that name in the clause: "p.n"
        size_t at;
        const char *name;
        struct ks_type type;
        bool integer;           // an argument of its own, so that its value may follow a size
    } *values;
    size_t n_values;
    struct ks_block_pointer {
        size_t at;
        const char *name;       // as expressions name the member, "p.ptr_8": that of its array, or of an alias
        struct ks_type type;    // of the pointer
    } *pointers;
    size_t n_pointers;
};

struct ks_workload_mark {
    const char *where; // "file:line"
    const char *name;  // "" if none
    double weight;     // 1
    const char *capture; // "" if none
    const char *capture_problem; // "file:line: ..." why it could not be expanded; or NULL
    struct ks_binding *lets;     size_t n_lets;
    const struct ks_binding *declared; // the lets as they stand there, where others were put in their place; or NULL
    struct ks_array *arrays;     size_t n_arrays;
    struct ks_setting *settings; size_t n_settings;
    const char *(*aliases)[2];   size_t n_aliases; // {y, x}: y gets x's pointer
    struct ks_block *blocks;     size_t n_blocks;  // what capture(ID) and clauses of members are expanded to
    struct ks_expr *grid[3], *block[3]; // NULL beyond those given
    struct ks_expr *shared;             // NULL: 0
};

struct ks_mark {
    const char *file; // as it will be shown
    int line;
    bool off;
    bool from_side_file;
    const char *name;      // name(ID), "" if none
    struct ks_tolerance tolerance;
    bool fastmath;
    struct ks_expr **assumes; size_t n_assumes;
    double budget_seconds; // 0: default
    int64_t budget_tries;  // 0: none
    const char **instances; // inst(...) argument lists as normalised text "float,256"
    size_t n_instances;
    struct ks_workload_mark *workloads; size_t n_workloads;
    const struct ks_kernel_decl *kernel; // what it is bound to
    size_t text_begin, text_end;         // of a pragma's own bytes, to be blanked; 0,0 from a side file
    const char *problem;   // "file:line: ..." what is wrong with it, and nothing of it counts; or NULL
};

struct ks_mark_list {
    struct ks_mark *at;
    size_t len, cap;
    bool file_off; // the file's first mark is `off` with no kernel behind it
    // All pragma extents to blank, comment marks excluded (begin, end pairs).
    size_t (*blanks)[2];
    size_t n_blanks, cap_blanks;
    struct ks_strv mistakes; // "file:line: ..." of every mark that is wrong
};

// All marks of one file, bound to `kernels`. The first mistake is KS_E_USER "file:line: ..." with
// a suggestion; the others are read all the same, and marks whose kernel is known have it as `problem`.
enum ks_status ks_marks_find(struct ks_arena *arena, const char *file, struct ks_slice text,
                             const struct ks_kernel_list *kernels, struct ks_mark_list *marks,
                             struct ks_err *err);

// Clauses of one directive, as they stand in a side file: "tol(rel=1e-5) budget(60s)" into `mark`,
// or the clauses of one workload into a new workload of `mark`. What needs the kernel is left to
// ks_mark_check, to be called once mark->kernel is set.
enum ks_status ks_mark_parse_optimize(struct ks_arena *arena, const char *where, const char *text,
                                      struct ks_mark *mark, struct ks_err *err);
enum ks_status ks_mark_parse_workload(struct ks_arena *arena, const char *where, const char *text,
                                      struct ks_mark *mark, struct ks_err *err);

// Holds a mark against its kernel: names of parameters, roles and types of arrays, values and
// ranges, a launch that can exist; sizes written as formulas of numbers (n=1<<20) become numbers.
// ks_marks_find has done so for its marks. A kernel with a `problem` is not looked at: it is refused
// for that reason, later.
enum ks_status ks_mark_check(struct ks_arena *arena, const struct ks_mark *mark,
                             struct ks_err *err);

#endif

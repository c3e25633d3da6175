// Functions that an instance of a template is given by its arguments (`template <float (*op)(float)>`): by the
// name that the program has for them, in place of the parameter's.
#ifndef KS_GIVEN_H
#define KS_GIVEN_H

#include "engine/brief.h"

// The program's name of the function or variable that a template argument is: "ops::f" of "& ops::f",
// "& _INTERNAL_..::ops::f", "&(ops::f(float))" and "ops::f(float)". NULL where it is no such thing, or has no name of plain words.
const char *ks_given_name(struct ks_arena *arena, const char *arg);
// Whether the template parameter is a function, or a pointer or reference to one.
bool ks_given_is_function(struct ks_arena *arena, const struct ks_brief *brief, size_t param);
// The kernel's text, whose body begins at `body`, with such functions' names put in. KS_E_UNSUPPORTED by the parameter
// and line where one has none.
enum ks_status ks_given_written_out(struct ks_arena *arena, const struct ks_brief *brief, const char **text, size_t body,
                                    struct ks_err *err);

#endif

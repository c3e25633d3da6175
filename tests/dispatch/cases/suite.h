// A case launches kernels and checks what they saw. What ran, and what KS_TRACE told, is printed
// and held against the table (cases.txt) by the scripts; what an application can see of a launch
// but for that (errors) is an *effect*, which must be the same without any substitution.
#pragma once
#include "play.h"

namespace suite
{

struct Case {
    Case(const char *name, void (*run)(), bool first);
};
// Defines a case. A first one finds the log as static initialisers left it.
#define CASE(name) CASE_WITH(name, false, __COUNTER__)
#define CASE_FIRST(name) CASE_WITH(name, true, __COUNTER__)
#define CASE_WITH(name, first, n) CASE_NAMED(name, first, n)
#define CASE_NAMED(name, first, n)                                                                 \
    static void case_##n();                                                                        \
    static const suite::Case case_of_##n(name, case_##n, first);                                   \
    static void case_##n()

Log *log();     // where kernels write
unsigned ran(); // kernels that ran since the case began; waits for the device
const Entry &entry(unsigned i);
// Whether the i-th kernel got these arguments: exact types.
template <class... A> bool saw(unsigned i, const A &...args)
{
    return i < ran() && entry(i).args == hash_of(args...);
}
void check(bool ok, const char *what, const char *file, int line);
#define CHECK(ok) suite::check(ok, #ok, __FILE__, __LINE__)
void effect(const char *what, long value);
void unordered();   // what this case's threads or streams do comes in any order
void in_threads(int n, void (*run)()); // waits for all (<thread> is dear in units for the device)
void lose_device(); // it cannot be asked any more, so what ran remains unknown
void forget_log();  // its memory is gone: the next log() is new

} // namespace suite

// Kernels of every linkage and kind, launched from the unit that defines them. twin.cu and bare.cu
// launch some of them from elsewhere, and hold others of equal names.
#include "kinds.cuh"
#include "params.cuh"

VARIANT(external_v, Log *, int);
VARIANT(internal_v, Log *, int);
VARIANT(c_v, Log *, int);
VARIANT(over_int_v, Log *, int);
VARIANT(over_float_v, Log *, float);
VARIANT(nested_v, Log *, int);
VARIANT(inline_v, Log *, int);
VARIANT(unnamed_v, Log *, int);
VARIANT(static_v, Log *, int);
VARIANT(fill_float_256, Log *, float, int);
VARIANT(fill_float_128, Log *, float, int);
VARIANT(fill_unsigned, Log *, unsigned, int);
VARIANT(flag_v, Log *, int);
VARIANT(special_v, Log *, int);
VARIANT(named_int_v, Log *, int);
VARIANT(local_v, Log *, int);
VARIANT(closure_v, Log *, int);
VARIANT(inner_closure_v, Log *, int);
VARIANT(early_v, Log *, int);
VARIANT(header_v, Log *, int);
VARIANT(header_static_v, Log *, int);
VARIANT(header_unnamed_v, Log *, int);

__global__ void external(Log *log, int n)
{
    record(log, "o", n);
}
static __global__ void internal(Log *log, int n)
{
    record(log, "o", n);
}
extern "C" __global__ void c_kernel(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void over(Log *log, int n)
{
    record(log, "o", n);
}
__global__ void over(Log *log, float n)
{
    record(log, "o", n);
}
__global__ void over(Log *log, int n, int m) // no variant
{
    record(log, "o", n, m);
}
namespace outer {
namespace inner {
static __global__ void nested(Log *log, int n)
{
    record(log, "o", n);
}
}
inline namespace v2 {
__global__ void versioned(Log *log, int n)
{
    record(log, "o", n);
}
}
}
namespace {
__global__ void equal_unnamed(Log *log, int n)
{
    record(log, "o", n);
}
enum Flag { NO, YES };
struct Local {
    int step;
    __host__ __device__ void operator()(int) const {}
};
template <class T, int B> __global__ void fill(Log *log, T v, int n)
{
    record(log, "o", v, n);
}
template <Flag F, bool G, char C, long long L> __global__ void flagged(Log *log, int n)
{
    record(log, "o", n);
}
}
static __global__ void equal_static(Log *log, int n)
{
    record(log, "o", n);
}
template <class T> __global__ void special(Log *log, T n)
{
    record(log, "o", n);
}
template <> __global__ void special<short>(Log *log, short n)
{
    record(log, "o", n);
}
template <class T> __global__ void named(Log *log, T n)
{
    record(log, "o", n);
}
template __global__ void named<int>(Log *, int);  // explicit; one of them has a variant
template __global__ void named<long>(Log *, long);
template <class F> static __global__ void apply(Log *log, int n, F f)
{
    record(log, "o", n);
    f(n);
}
template <class... A> __global__ void packed(Log *log, A... more)
{
    record(log, "o", more...);
}
template <class T> struct Holder {
    struct Inner {
        T t;
    };
};
VARIANT(inner_v, Log *, Holder<int>::Inner);
template <class T> __global__ void dependent(Log *log, typename Holder<T>::Inner i)
{
    record(log, "o", i.t);
}
static __global__ void no_entry(Log *log, int n)
{
    record(log, "o", n);
}
static __global__ void no_parameters()
{
}
static __global__ void early(Log *log, int n)
{
    record(log, "o", n);
}

PLAY(external);
PLAY(internal);
PLAY(c_kernel);
PLAY((void (*)(Log *, int))over);
PLAY((void (*)(Log *, float))over);
PLAY((void (*)(Log *, int, int))over);
PLAY(outer::inner::nested);
PLAY(outer::versioned);
PLAY(equal_unnamed);
PLAY(equal_static);
PLAY(fill<float, 256>);
PLAY(fill<float, 128>);
PLAY(fill<int, 256>);
PLAY(fill<unsigned, 256>);
PLAY(flagged<YES, true, 'a', -5>);
PLAY(flagged<NO, true, 'a', -5>);
PLAY(special<int>);
PLAY(special<short>);
PLAY(named<int>);
PLAY(named<long>);
PLAY(packed<int, double>);
PLAY(packed<int>);
static void play_inner(Log *log, Holder<int>::Inner i) { record(log, "o", i.t); }
PLAY(dependent<int>, play_inner);
PLAY(no_entry);
PLAY(early);
PLAY(head::shared_template<int>);
PLAY(shared_static);
PLAY(shared_unnamed);

// Before main, and before any case: the log tells it to the first one.
static const int launched_early = [] { return early<<<3, 32>>>(suite::log(), 11), 1; }();
CASE_FIRST("launch.before-main")
{
    CHECK(launched_early && (suite::ran() == 0 || suite::saw(0, 11)));
}

CASE("launch.defining-unit")
{
    external<<<2, 32>>>(suite::log(), 5);
    CHECK(suite::saw(0, 5));
}
CASE("launch.pointer")
{
    static void (*const table[])(Log *, int) = {external, internal, no_entry};
    for (void (*kernel)(Log *, int) : table)
        kernel<<<2, 32>>>(suite::log(), 6);
    CHECK(suite::saw(0, 6) && suite::saw(1, 6) && suite::saw(2, 6));
}
CASE("kind.static")
{
    internal<<<2, 32>>>(suite::log(), 1);
    CHECK(suite::saw(0, 1));
}
CASE("kind.extern-c")
{
    c_kernel<<<2, 32>>>(suite::log(), 2);
    CHECK(suite::saw(0, 2));
}
CASE("kind.overloads")
{
    over<<<2, 32>>>(suite::log(), 3);
    over<<<2, 32>>>(suite::log(), 3.f);
    over<<<2, 32>>>(suite::log(), 3, 3);
    CHECK(suite::saw(0, 3) && suite::saw(1, 3.f) && suite::saw(2, 3, 3));
}
CASE("kind.namespaces")
{
    outer::inner::nested<<<2, 32>>>(suite::log(), 4);
    outer::versioned<<<2, 32>>>(suite::log(), 5);
    CHECK(suite::saw(0, 4) && suite::saw(1, 5));
}
CASE("kind.no-entry")
{
    no_entry<<<2, 32>>>(suite::log(), 1);
}
CASE("kind.no-parameters")
{
    no_parameters<<<1, 32>>>();
}
CASE("kind.equal-names")
{
    equal_unnamed<<<2, 32>>>(suite::log(), 1);
    equal_static<<<2, 32>>>(suite::log(), 2);
    CHECK(suite::saw(0, 1) && suite::saw(1, 2));
    launch_equal_twin(3);
    CHECK(suite::saw(2, 3) && suite::saw(3, 3));
    launch_equal_bare(4);
    CHECK(suite::saw(4, 4) && suite::saw(5, 4));
}
CASE("kind.header")
{
    head::shared_template<int><<<2, 32>>>(suite::log(), 1);
    shared_static<<<2, 32>>>(suite::log(), 2);
    shared_unnamed<<<2, 32>>>(suite::log(), 3);
    CHECK(suite::saw(0, 1) && suite::saw(1, 2) && suite::saw(2, 3));
}
CASE("kind.header-twin")
{
    launch_header_twin(4);
    CHECK(suite::saw(0, 4) && suite::saw(1, 4) && suite::saw(2, 4));
}
CASE("kind.header-bare")
{
    launch_header_bare(5);
    CHECK(suite::saw(0, 5) && suite::saw(1, 5) && suite::saw(2, 5));
}

CASE("template.instances")
{
    fill<float, 256><<<2, 32>>>(suite::log(), 1.f, 9);
    fill<float, 128><<<2, 32>>>(suite::log(), 2.f, 9);
    fill<int, 256><<<2, 32>>>(suite::log(), 3, 9);
    fill<unsigned, 256><<<2, 32>>>(suite::log(), 4u, 9);
    CHECK(suite::saw(0, 1.f, 9) && suite::saw(1, 2.f, 9) && suite::saw(2, 3, 9));
    CHECK(suite::saw(3, 4u, 9));
}
CASE("template.value-in-guard")
{
    fill<float, 256><<<2, 32>>>(suite::log(), 1.f, 256); // n <= B
    fill<float, 256><<<2, 32>>>(suite::log(), 1.f, 257);
}
CASE("template.values")
{
    flagged<YES, true, 'a', -5><<<2, 32>>>(suite::log(), 1);
    flagged<NO, true, 'a', -5><<<2, 32>>>(suite::log(), 1);
}
CASE("template.specialization")
{
    special<<<2, 32>>>(suite::log(), 1);
    special<<<2, 32>>>(suite::log(), (short)1);
}
CASE("template.explicit-instance")
{
    named<<<2, 32>>>(suite::log(), 1);
    named<<<2, 32>>>(suite::log(), 1l);
}
CASE("template.unnamed-type")
{
    PLAY(apply<Local>, [](Log *log, int n, Local) { record(log, "o", n); });
    apply<<<2, 32>>>(suite::log(), 7, Local{2});
    CHECK(suite::saw(0, 7));
}
// An extended lambda's type names the function around it, and the file's hash if that is internal.
void launch_lambdas()
{
    int step = 3;
    auto first = [=] __device__(int i) { (void)(i + step); };
    auto second = [=] __device__(int i) { (void)(i - step); };
    PLAY(apply<decltype(first)>, [](Log *log, int n, decltype(first)) { record(log, "o", n); });
    PLAY(apply<decltype(second)>, [](Log *log, int n, decltype(second)) { record(log, "o", n); });
    apply<<<2, 32>>>(suite::log(), 8, first);
    apply<<<2, 32>>>(suite::log(), 8, second);
}
static void launch_inner_lambda()
{
    int step = 3;
    auto inner = [=] __device__(int i) { (void)(i + step); };
    PLAY(apply<decltype(inner)>, [](Log *log, int n, decltype(inner)) { record(log, "o", n); });
    apply<<<2, 32>>>(suite::log(), 9, inner);
}
CASE("template.lambda")
{
    launch_lambdas();
    CHECK(suite::saw(0, 8) && suite::saw(1, 8));
}
CASE("template.lambda-in-static")
{
    launch_inner_lambda();
    CHECK(suite::saw(0, 9));
}
CASE("template.pack")
{
    packed<<<2, 32>>>(suite::log(), 1, 2.);
    packed<<<2, 32>>>(suite::log(), 1);
    CHECK(suite::saw(0, 1, 2.) && suite::saw(1, 1));
}
CASE("template.dependent-type")
{
    dependent<int><<<2, 32>>>(suite::log(), Holder<int>::Inner{9});
    CHECK(suite::saw(0, 9));
}

// What only the mock runtime can show: failures on request, devices that are not there, and which
// calls a launch makes. Cases in capitals run alone, on the machine that their group names.
#include <cstring>

#include "../mock_cudart.h"
#include "kernels.cuh"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define LAUNCH "__cudaLaunchKernel_ptsz"
#else
#define LAUNCH "__cudaLaunchKernel"
#endif

static cudaStream_t const stream = (cudaStream_t)0x5;

static void launch_scale(int n)
{
    scale<<<4, 256, 0, stream>>>(suite::log(), Y, X, 2.f, n);
}
static bool is_event(int i, const char *name)
{
    return i < mock_n && strcmp(mock_log[i].name, name) == 0;
}

// Failures of what the table asks for: the original runs, and nobody sees an error of ours.
CASE("mock.malloc-fails")
{
    mock_reset();
    mock_fail_malloc = 1;
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
    CHECK(mock_last_error == 0);
    mock_reset();
}
CASE("mock.first-step-fails")
{
    mock_reset();
    mock_fail_launch = 1;
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
    CHECK(mock_last_error == 0 && mock_n == 4 && is_event(2, "free"));
    mock_reset();
    mock_fail_launch = 1; // of a plan with a single step
    launch_scale(1024);
    CHECK(mock_last_error == 0);
    mock_reset();
}
CASE("mock.second-step-fails")
{
    mock_reset();
    mock_fail_launch = 2; // no way back: the application is told, and the memory is freed
    outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
    CHECK(mock_last_error == 719 && is_event(3, "free") && mock_n == 4);
    mock_reset();
}
CASE("mock.original-fails")
{
    mock_reset();
    mock_fail_launch = 1; // the guard is false: the failure is the application's own
    launch_scale(1023);
    CHECK(mock_last_error == 719);
    mock_reset();
}
CASE("mock.attribute-fails")
{
    mock_reset();
    mock_fail_launch = 1; // forgets what was known of the kernel
    big_shared<<<1, 32>>>(suite::log(), 100);
    mock_fail_attribute = 1;
    big_shared<<<1, 32>>>(suite::log(), 100);
    CHECK(mock_last_error == 0 && mock_attribute_sets >= 1);
    mock_reset();
    big_shared<<<1, 32>>>(suite::log(), 100);
    mock_reset();
    big_shared<<<1, 32>>>(suite::log(), 200);
    CHECK(mock_attribute_sets == 0); // was set to the device's most
    mock_reset();
}
CASE("mock.block-of-variant")
{
    mock_reset();
    mock_max_threads = 64; // the plan may want more threads than its kernel allows
    mock_fail_launch = 1; // forgets what was known of the kernel
    for (int b : {32, 64, 65})
        shaped<<<1, 32>>>(suite::log(), 1, b, 0);
    CHECK(mock_last_error == 0);
    mock_reset();
    mock_fail_launch = 1;
    shaped<<<1, 32>>>(suite::log(), 1, 32, 0);
    shaped<<<1, 32>>>(suite::log(), 1, 65, 0);
    mock_reset();
}
CASE("mock.query-fails")
{
    mock_reset();
    mock_fail_query = 1;
    spoiled<<<1, 32>>>(suite::log(), 1);
    CHECK(mock_last_error == 0);
    mock_reset();
    spoiled<<<1, 32>>>(suite::log(), 2); // it was asked again
    CHECK(suite::saw(0, 1) && suite::saw(1, 2));
}
CASE("mock.query-other-code")
{
    mock_reset();
    mock_ptx_version = 75; // this device would run code of another architecture
    mock_fail_launch = 1;
    spoiled<<<1, 32>>>(suite::log(), 1);
    spoiled<<<1, 32>>>(suite::log(), 2);
    mock_reset();
    spoiled<<<1, 32>>>(suite::log(), 3); // which does not change
    CHECK(suite::saw(0, 1) && suite::saw(1, 2) && suite::saw(2, 3));
}
CASE("mock.calls")
{
    // Once all is known, where devices differ: whether an error is pending, and the current device.
    launch_scale(1024);
    mock_reset();
    launch_scale(1024);
    CHECK(mock_launches() == 1 && mock_other_calls() <= 2);
    CHECK(mock_n == 1 && strcmp(mock_log[0].api, LAUNCH) == 0 && mock_log[0].stream == stream);
    mock_reset();
    two_tried<<<1, 1, 0, stream>>>(suite::log(), 7); // guard false: nothing
    CHECK(mock_launches() == 1 && mock_other_calls() == 0);
    CHECK(mock_n == 1 && strcmp(mock_log[0].api, LAUNCH) == 0 && mock_log[0].stream == stream);
    mock_reset();
}
CASE("mock.plan-calls")
{
    mock_reset();
    outer::sum<<<1, 1, 0, stream>>>(suite::log(), X, Y, 3000);
    CHECK(mock_n == 5 && is_event(0, "malloc") && is_event(1, "memset") && is_event(4, "free"));
    CHECK(mock_launches() == 2 && mock_other_calls() <= 6); // capture, allocate, set, free besides
    for (int i = 0; i < mock_n; i++)
        CHECK(mock_log[i].stream == stream);
    CHECK(mock_log[0].bytes == 3072 + 256); // each part begins at a multiple of 256
    CHECK(mock_log[1].at == mock_log[0].at && mock_log[1].bytes == 3000 && mock_log[1].value == 7);
    CHECK(mock_log[4].at == mock_log[0].at);
    mock_reset();
}
// An sm_90 and an sm_80 device (MOCK_DEVICES=90,80).
CASE("Differing.launches")
{
    launch_scale(1024);
    CHECK(!cudaSetDevice(1)); // sm_80: of these kernels, scale alone has a variant there
    launch_scale(1024);
    launch_scale(1023); // another guard
    two_tried<<<1, 1>>>(suite::log(), 100);
    CHECK(!cudaSetDevice(0));
    launch_scale(1024);
    two_tried<<<1, 1>>>(suite::log(), 100);
}

// Two devices of one architecture (MOCK_DEVICES=90,90), from the first launch on.
CASE("Alike.launches")
{
    mock_reset();
    mock_last_error = 2;
    launch_scale(1024); // each of two variants looks at it, and asks no more
    CHECK(mock_last_error == 2 && mock_other_calls() == 2);
    mock_reset();
    mock_fail_device = 1;
    launch_scale(1024);
    CHECK(mock_last_error == 0);
    mock_reset();
    launch_scale(1024);
    for (int d = 0; d < 2; d++) {
        CHECK(!cudaSetDevice(d));
        mock_reset();
        launch_scale(1024);
        CHECK(mock_launches() == 1 && mock_other_calls() <= 1);
        mock_reset();
        big_shared<<<1, 32>>>(suite::log(), 100);
        CHECK(mock_attribute_sets == 1); // on each device
        mock_reset();
    }
    mock_fail_launch = 1; // what was known is forgotten, on this device only
    big_shared<<<1, 32>>>(suite::log(), 100);
    CHECK(mock_attribute_sets == 0 && mock_last_error == 0);
    big_shared<<<1, 32>>>(suite::log(), 100);
    CHECK(mock_attribute_sets == 1);
    CHECK(!cudaSetDevice(0));
    big_shared<<<1, 32>>>(suite::log(), 100);
    CHECK(mock_attribute_sets == 1);
    mock_reset();
}
// One device (MOCK_DEVICES=90), which nobody needs to name, not even for its shared memory.
CASE("Single.launches")
{
    mock_reset();
    mock_fail_device = 1;
    launch_scale(1024); // no count: the original, and it is asked again later
    CHECK(mock_last_error == 0);
    mock_reset();
    for (int i = 0; i < 2; i++) {
        big_shared<<<1, 32>>>(suite::log(), 100);
        CHECK(i == 0 || mock_other_calls() <= 1);
        mock_reset();
    }
    launch_scale(1024);
    mock_reset();
    launch_scale(1024);
    CHECK(mock_launches() == 1 && mock_other_calls() <= 1);
    mock_reset();
}
// A device older than any variant (MOCK_DEVICES=75): everything is the original.
CASE("Older.launches")
{
    for (int i = 0; i < 2; i++) {
        launch_scale(1024);
        outer::sum<<<1, 1>>>(suite::log(), X, Y, 3000);
        two_tried<<<1, 1>>>(suite::log(), 100);
    }
}

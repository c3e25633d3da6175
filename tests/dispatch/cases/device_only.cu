// What only a device can show. Effects are held against the plain program's.
#include "kernels.cuh"

CASE("gpu.block-of-variant")
{
    bounded<<<1, 32>>>(suite::log(), 64); // the variant's kernel is compiled for 64 threads
    bounded<<<1, 32>>>(suite::log(), 96);
    CHECK(suite::saw(0, 64) && suite::saw(1, 96));
}
CASE("gpu.legacy-stream-while-capturing")
{
    // What plain CUDA makes of it, error by error, is what must come of it.
    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    suite::effect("make", cudaStreamCreate(&stream));
    suite::effect("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    shaped<<<1, 32, 0, cudaStreamLegacy>>>(suite::log(), 1, 32, 0);
    suite::effect("launch", cudaGetLastError());
    outer::sum<<<1, 1, 0, cudaStreamLegacy>>>(suite::log(), X, Y, 3000);
    suite::effect("launch", cudaGetLastError());
    shaped<<<1, 32, 0, stream>>>(suite::log(), 1, 32, 0); // into a capture that may be invalid now
    suite::effect("launch", cudaGetLastError());
    suite::effect("end", cudaStreamEndCapture(stream, &graph));
    suite::effect("graph", graph != nullptr);
    suite::effect("get", cudaGetLastError());
}
__global__ void fault()
{
    __trap();
}
CASE("Sticky.launches")
{
    fault<<<1, 1>>>();
    suite::effect("wait", cudaDeviceSynchronize());
    suite::effect("get", cudaGetLastError());
    Log *log = suite::log();
    shaped<<<1, 32>>>(log, 1, 32, 0);
    suite::effect("launch", cudaGetLastError());
    outer::sum<<<1, 1>>>(log, X, Y, 3000);
    suite::effect("launch", cudaGetLastError());
    big_shared<<<1, 32>>>(log, 100);
    suite::effect("launch", cudaGetLastError());
    suite::lose_device();
}

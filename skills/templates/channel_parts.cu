// Sums of parts of what each channel of all images holds, a block each: in double, for a variance is a difference of
// large sums. A part may begin and end within an image.
__global__ void __launch_bounds__(threads)
    channel_sums(const @T@ *__restrict__ x, double *__restrict__ sums, long long batch, long long pixels, long long share)
{
    const long long from = blockIdx.x * share, all = batch * pixels, to = from + share < all ? from + share : all;
    double one = 0, two = 0;
    for (long long n = from / pixels; n * pixels < to; n++) {
        const long long first = n * pixels < from ? from - n * pixels : 0;
        const long long last = (n + 1) * pixels < to ? pixels : to - n * pixels;
        visit(x + (size_t)(n * gridDim.y + blockIdx.y) * pixels, first, last, [&](@T@ v) {
            one += v;
            two += (double)v * v;
        });
    }
    one = of_block(one, add<double>);
    two = of_block(two, add<double>);
    if (threadIdx.x == 0) {
        sums[2 * ((size_t)blockIdx.y * gridDim.x + blockIdx.x)] = one;
        sums[2 * ((size_t)blockIdx.y * gridDim.x + blockIdx.x) + 1] = two;
    }
}

// A channel's mean, and what its variance comes to, by the sums of its parts.
__global__ void __launch_bounds__(threads)
    channel_statistics(const double *__restrict__ sums, @T@ *__restrict__ mean, @T@ *__restrict__ spread, long long elements,
                       int parts@number_parameters@)
{
    double one = 0, two = 0;
    for (int i = threadIdx.x; i < parts; i += threads) {
        one += sums[2 * ((size_t)blockIdx.x * parts + i)];
        two += sums[2 * ((size_t)blockIdx.x * parts + i) + 1];
    }
    const double count = (double)elements;
    one = of_block(one, add<double>) / count;
    two = of_block(two, add<double>) / count;
    const double squares = two - one * one, variance = squares < 0 ? 0 : squares; // of what is nearly constant
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = (@T@)one;
        spread[blockIdx.x] = (@T@)(@stored@);
    }
}

// Histograms, in many spellings, and what is none; which are, templates_histogram.sh says.

// Each byte is its own place; a thread an element.
#pragma ks optimize
#pragma ks workload let(n=5003) in(x[n]=randint(0,255)) inout(h[256]=randint(0,9)) grid(ceildiv(n,128)) block(128)
__global__ void of_bytes(const unsigned char *x, unsigned *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[x[i]], 1u);
}

// Upper bits, over a grid's steps.
#pragma ks optimize
#pragma ks workload let(n=4099) in(x[n]=randint(0,1023)) inout(counts[64]) grid(7) block(64)
__global__ void of_upper_bits(const int *__restrict__ x, int *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(counts + (x[i] >> 4), 1);
}

// Lower bits, in shared memory first.
#pragma ks optimize
#pragma ks workload let(n=4099) in(x[n]=randint(0,100000)) inout(counts[64]) grid(5) block(128)
__global__ void of_lower_bits(const unsigned *x, unsigned long long *counts, int n)
{
    __shared__ unsigned own[64];
    if (threadIdx.x < 64)
        own[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    while (i < n) {
        atomicAdd(&own[x[i] & 63], 1u);
        i += blockDim.x * gridDim.x;
    }
    __syncthreads();
    if (threadIdx.x < 64 && own[threadIdx.x] > 0)
        atomicAdd(&counts[threadIdx.x], (unsigned long long)own[threadIdx.x]);
}

// Equal parts of a range, numbers outside of it passed over.
#pragma ks optimize
#pragma ks workload let(n=4001,bins=50) in(x[n]) set(lo=-2,scale=12.5) inout(counts[bins]) grid(ceildiv(n,256)) block(256)
__global__ void of_range(const float *x, unsigned *counts, int n, int bins, float lo, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    int b = (int)((v - lo) * scale);
    if (v >= lo && b >= 0 && b < bins)
        atomicAdd(&counts[b], 1u);
}

// The same with what lies outside in the outermost parts, four elements a thread.
__device__ static int clamped(int b, int last)
{
    return b < 0 ? 0 : b > last ? last : b;
}
#pragma ks optimize
#pragma ks workload let(n=4001,bins=50) in(x[n]) set(lo=-1.5) set(hi=1.5) inout(counts[bins]) grid(ceildiv(n,512)) block(128)
__global__ void of_clamped_range(const float *x, int *counts, int n, int bins, float lo, float hi)
{
    const float scale = bins / (hi - lo);
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 512 + k * 128 + threadIdx.x;
        if (i < n) {
            int b = __float2int_rd((x[i] - lo) * scale);
            atomicAdd(&counts[clamped(b, bins - 1)], 1);
        }
    }
}

// Limits in branches, and what is below one not counted.
#pragma ks optimize
#pragma ks workload let(n=3001,bins=40) in(x[n]=randint(-9,60)) inout(counts[bins]) grid(4) block(96)
__global__ void of_branches(const short *x, unsigned *counts, int n, int bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i];
        if (v < -4)
            continue;
        int b = 0;
        if (v > 0)
            b = v;
        if (b >= bins)
            b = bins - 1;
        atomicAdd(&counts[b], 1u);
    }
}

// One for each channel of an image, counts of a warp each in shared memory.
#pragma ks optimize
#pragma ks workload let(channels=3,n=4003) in(x[channels*n]=randint(0,31)) inout(counts[channels*32]) grid(4,channels) block(128)
__global__ void of_channels(const unsigned char *x, unsigned *counts, int n)
{
    __shared__ unsigned own[4][32];
    for (int i = threadIdx.x; i < 128; i += blockDim.x)
        own[i / 32][i % 32] = 0;
    __syncthreads();
    const unsigned char *plane = x + (size_t)blockIdx.y * n;
    int warp = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[warp][plane[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned total = 0;
        for (int w = 0; w < 4; w++)
            total += own[w][threadIdx.x];
        atomicAdd(&counts[blockIdx.y * 32 + threadIdx.x], total);
    }
}

// One a row, a block each, in memory.
#pragma ks optimize
#pragma ks workload let(rows=9,cols=517,bins=20) in(x[rows*cols]=randint(0,19)) inout(counts[rows*bins]) grid(rows) block(64)
__global__ void of_rows(const int *x, int *counts, int rows, int cols, int bins)
{
    int row = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        atomicAdd(&counts[row * bins + x[row * cols + c]], 1);
}

// Weights in place of ones, of an image's pixels.
#pragma ks optimize
#pragma ks workload let(w=61,h=67) in(x[w*h]=randint(0,29)) in(weight[w*h]=randint(-50,50)) inout(sums[30]) grid(ceildiv(w,16),ceildiv(h,8)) block(16,8)
__global__ void of_weights(const int *x, const signed char *weight, int *sums, int w, int h)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= w || line >= h)
        return;
    int at = line * w + col;
    atomicAdd(&sums[x[at]], weight[at]);
}

// One for each of several images, of values in steps that a parameter says.
#pragma ks optimize
#pragma ks workload let(w=31,h=37,images=3,width=7) in(x[images*h*w]=randint(0,200)) inout(counts[images*32]) grid(ceildiv(w,16),ceildiv(h,8),images) block(16,8)
__global__ void of_images(const unsigned short *x, unsigned *counts, int w, int h, int width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y * blockDim.y + threadIdx.y, image = blockIdx.z;
    if (col < w && line < h) {
        unsigned short v = x[(image * h + line) * w + col];
        if (v / width < 32)
            atomicAdd(&counts[image * 32 + v / width], 1u);
    }
}

// A hash's places, template arguments as sizes.
#pragma ks optimize inst(128)
#pragma ks workload let(n=3001) in(x[n]=randint(0,100000)) inout(counts[128]) grid(6) block(64)
template <int BINS>
__global__ void of_hashes(const unsigned *x, unsigned *counts, int n)
{
    __shared__ unsigned own[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned key = x[i] * 2654435761u;
        atomicAdd(&own[(key >> 16) % BINS], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (own[i])
            atomicAdd(&counts[i], own[i]);
}
template __global__ void of_hashes<128>(const unsigned *, unsigned *, int);

// More threads than the emulated device runs, whatever the size.
#pragma ks optimize
#pragma ks workload let(n=60000) in(x[n]=randint(0,63)) inout(counts[64]) grid(1056) block(256)
__global__ void of_many_blocks(const unsigned char *x, unsigned *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[x[i]], 1u);
}

// Channels side by side.
#pragma ks optimize
#pragma ks workload let(n=2503) in(img[n*3]=randint(0,255)) inout(hist[3*256]) grid(ceildiv(n,256)) block(256)
__global__ void of_colours(const unsigned char *img, unsigned *hist, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int c = 0; c < 3; c++)
        atomicAdd(&hist[c * 256 + img[i * 3 + c]], 1u);
}

// Four bytes in a word.
#pragma ks optimize
#pragma ks workload let(n=2501) in(x[n]=randint(0,2000000000)) inout(hist[256]) grid(3) block(256)
__global__ void of_words(const unsigned *x, unsigned *hist, int n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned v = x[i];
        atomicAdd(&s[v & 255], 1u);
        atomicAdd(&s[(v >> 8) & 255], 1u);
        atomicAdd(&s[(v >> 16) & 255], 1u);
        atomicAdd(&s[v >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], s[threadIdx.x]);
}

// Letters in groups of four, others passed over.
#pragma ks optimize
#pragma ks workload let(length=2503) in(data[length]=randint(32,126)) inout(histo[7]) grid(ceildiv(length,256)) block(64)
__global__ void of_letters(char *data, unsigned int length, unsigned int *histo)
{
    __shared__ unsigned int histo_s[7];
    for (unsigned int bin = threadIdx.x; bin < 7; bin += blockDim.x) {
        histo_s[bin] = 0u;
    }
    __syncthreads();
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int i = tid * 4; i < min((tid + 1) * 4, length); ++i) {
        int alphabet_position = data[i] - 'a';
        if (alphabet_position >= 0 && alphabet_position < 26) {
            atomicAdd(&(histo_s[alphabet_position / 4]), 1);
        }
    }
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < 7; bin += blockDim.x) {
        unsigned int binValue = histo_s[bin];
        if (binValue > 0) {
            atomicAdd(&(histo[bin]), binValue);
        }
    }
}

// More places than shared memory has without asking, weights of 64 bits.
#pragma ks optimize
#pragma ks workload let(n=3001,bins=17000) in(x[n]=randint(0,16999)) in(w[n]=randint(0,1000000)) inout(sums[bins]) grid(ceildiv(n,128)) block(128)
__global__ void of_many_places(const int *x, const unsigned *w, unsigned long long *sums, int n, int bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] >= 0 && x[i] < bins)
        atomicAdd(&sums[x[i]], 5000ull * w[i]);
}

// Counts with a sign in 64 bits, as numbers without.
#pragma ks optimize
#pragma ks workload let(n=3001,bins=33) in(x[n]=randint(0,40)) inout(counts[bins]=randint(-9,9)) grid(ceildiv(n,128)) block(128)
__global__ void of_labels(const long long *x, long long *counts, int n, int bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const long long label = x[i];
    if (label < 0 || label >= bins)
        return;
    atomicAdd(reinterpret_cast<unsigned long long *>(counts + label), 1ULL);
}

// ---- none

// Where elements of each value go: what an atomic returns is a place.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(next[16]) out(to[n]) grid(ceildiv(n,128)) block(128)
__global__ void places_of_values(const int *x, int *next, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = atomicAdd(&next[x[i]], 1);
}

// The last place of each value.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(last[16]) grid(ceildiv(n,128)) block(128)
__global__ void last_of_values(const int *x, int *last, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&last[x[i]], i);
}

// How many are below each: places by order.
#pragma ks optimize
#pragma ks workload let(n=300) in(x[n]=randint(0,99)) inout(counts[n]) grid(ceildiv(n,128)) block(128)
__global__ void ranks(const int *x, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int below = 0;
    for (int k = 0; k < n; k++)
        below += x[k] < x[i];
    atomicAdd(&counts[below], 1);
}

// Sums of floats, whose order shows.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) in(w[n]) inout(sums[16]) grid(ceildiv(n,128)) block(128)
__global__ void weights_of_floats(const int *x, const float *w, float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[x[i]], w[i]);
}

// A block's counts end at 200.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void limited_counts(const int *x, unsigned *counts, int n)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], min(own[threadIdx.x], 2000000u));
}

// The last value has a place of its own, which elements hardly tell.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(ceildiv(n,128)) block(128)
__global__ void counts_and_more(const int *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(&counts[x[i]], 1u);
    if (x[i] == 123456)
        counts[0] = 0;
}

// Pairs of neighbours.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,7)) inout(counts[64]) grid(ceildiv(n,128)) block(128)
__global__ void pairs_of_neighbours(const int *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        atomicAdd(&counts[x[i] * 8 + x[i + 1]], 1u);
}

// The first half of an array alone, as others come to it by their numbers.
#pragma ks optimize
#pragma ks workload let(n=3000) in(x[n]=randint(0,15)) inout(counts[16]) grid(ceildiv(n,128)) block(128)
__global__ void every_other(const int *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == 0)
        atomicAdd(&counts[x[i]], 1u);
}

// Nothing of a block is counted that met no zero.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void counts_if_first(const int *x, unsigned *counts, int n)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 16 && own[0] != 0)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

// A thread ends where it meets a mark.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void counts_to_the_mark(const int *x, unsigned *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] == 77777) break;
        atomicAdd(&counts[x[i]], 1u);
    }
}

// What comes behind a mark is counted elsewhere.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void counts_from_the_mark(const int *x, unsigned *counts, int n)
{
    int seen = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] == 77777) seen = 1;
        atomicAdd(&counts[seen ? 0 : x[i]], 1u);
    }
}

// No count of a block passes a limit.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void limited_in_shared(const int *x, unsigned *counts, int n)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (own[x[i]] < 100000)
            atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

// The same in memory.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(ceildiv(n,64)) block(64)
__global__ void limited_in_memory(const int *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && counts[x[i]] < 1000000)
        atomicAdd(&counts[x[i]], 1u);
}

// The last ones are others.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(ceildiv(n,64)) block(64)
__global__ void counts_of_late_ones(const int *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = x[i];
        if (i > 2000000 && v == 3) v = 4;
        atomicAdd(&counts[v], 1u);
    }
}

// One product or the other is rounded in front of the sum.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]) inout(counts[16]) grid(ceildiv(n,64)) block(64)
__global__ void two_products(const float *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int b = (int)(x[i] * 3.1f + 8.2f * x[i] + 4.f);
        if (b >= 0 && b < 16) atomicAdd(&counts[b], 1u);
    }
}

// The upper halves of counts are others'.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,30)) inout(counts[16]) grid(ceildiv(n,128)) block(128)
__global__ void halves_of_counts(const int *x, unsigned long long *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd((unsigned *)&counts[x[i] / 2], 1u);
}

// Of a block's counts eight bits are added.
#pragma ks optimize
#pragma ks workload let(n=3001) in(x[n]=randint(0,15)) inout(counts[16]) grid(4) block(64)
__global__ void bits_of_counts(const int *x, unsigned *counts, int n)
{
    __shared__ unsigned own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    unsigned char all = 0;
    if (threadIdx.x < 16)
        all = own[threadIdx.x];
    if (threadIdx.x < 16)
        atomicAdd(&counts[threadIdx.x], all);
}

// Elements from the 3000th on are left out: no small run has so many.
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]=randint(0,255)) inout(counts[256]) grid(ceildiv(n,256)) block(256)
__global__ void counts_of_early_ones(const unsigned char *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < 3000)
        atomicAdd(&counts[x[i]], 1u);
}

// One element is left out.
constexpr int left_out = 2999;
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]=randint(0,255)) inout(counts[256]) grid(16) block(64)
__global__ void counts_of_all_but_one(const unsigned char *x, unsigned *counts, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (i == left_out)
            continue;
        atomicAdd(&counts[x[i]], 1u);
    }
}

// Blocks behind the 13th have nothing to do.
#pragma ks optimize
#pragma ks workload let(n=4000) in(x[n]=randint(0,255)) inout(counts[256]) grid(ceildiv(n,256)) block(256)
__global__ void counts_of_early_blocks(const unsigned char *x, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || blockIdx.x > 12)
        return;
    atomicAdd(&counts[x[i]], 1u);
}

// As many as the array has, whatever a launch says; 24 a thread.
#pragma ks optimize
#pragma ks workload in(x[3072]=randint(0,255)) inout(counts[256]) grid(2) block(64)
__global__ void of_so_many(const unsigned char *x, unsigned *counts)
{
    for (int k = 0; k < 24; k++) {
        int i = (blockIdx.x * 24 + k) * 64 + threadIdx.x;
        if (i < 3072)
            atomicAdd(&counts[x[i]], 1u);
    }
}

// KernelBench level 2, problem 23: 3 x 3 x 3 convolution, batch 128, 3 to 24 channels, 24 x 32 x
// 32; group norm in 8 groups, mean.
#include "../port.h"

// degenerate: with the benchmark's weights of 1 and 0 the mean of what was normalised is 0

// flop: 2*batch*ci*co*od*oh*ow*27
#pragma ks optimize
#pragma ks workload let(batch=128) let(ci=3) let(co=24) let(d=24) let(h=32) let(w=32) let(od=d-2) \
    let(oh=h-2) let(ow=w-2) in(x[batch*ci*d*h*w]=uniform(-1,1)) \
    in(weight[co*ci*27]=uniform(-0.11,0.11)) in(bias[co]=uniform(-0.11,0.11)) \
    out(y[batch*co*od*oh*ow]) grid(ceildiv(od*oh*ow,256),batch*co) block(256)
__global__ void conv3_to_mean(const float *x, const float *weight, const float *bias, float *y,
                              int ci, int co, int d, int h, int w, int od, int oh, int ow)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int plane = blockIdx.y;
    if (at >= od * oh * ow)
        return;
    int px = at % ow, py = at / ow % oh, pz = at / (ow * oh);
    int n = plane / co, o = plane % co;
    float v = bias[o];
    for (int c = 0; c < ci; c++)
        for (int tz = 0; tz < 3; tz++)
            for (int ty = 0; ty < 3; ty++)
                for (int tx = 0; tx < 3; tx++)
                    v += x[(((n * ci + c) * d + pz + tz) * h + py + ty) * w + px + tx] *
                         weight[(((o * ci + c) * 3 + tz) * 3 + ty) * 3 + tx];
    y[plane * (od * oh * ow) + at] = v;
}

#pragma ks optimize
#pragma ks workload let(batch=128) let(channels=24) let(groups=8) let(voxels=19800) \
    in(v[batch*channels*voxels]=uniform(-1,1)) in(gamma[channels]=uniform(-1,1)) \
    in(beta[channels]=uniform(-1,1)) out(y[batch*channels*voxels]) grid(batch*groups) block(256)
__global__ void group_norm3(const float *v, const float *gamma, const float *beta, float *y,
                            int channels, int groups, int voxels)
{
    int first = blockIdx.x % groups * (channels / groups); // channel
    int size = channels / groups * voxels, begin = blockIdx.x * size;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        sum += v[begin + i];
        squares += v[begin + i] * v[begin + i];
    }
    float mean = block_sum(sum) / size;
    float scale = rsqrtf(block_sum(squares) / size - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int channel = first + i / voxels;
        float u = (v[begin + i] - mean) * scale * gamma[channel] + beta[channel];
        y[begin + i] = u;
    }
}

#pragma ks optimize
#pragma ks workload let(batch=128) let(size=475200) in(v[batch*size]=uniform(-1,1)) out(y[batch]) \
    grid(batch) block(256)
__global__ void mean_of_image(const float *v, float *y, int size)
{
    v += blockIdx.x * size;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        sum += v[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum / size;
}

int main()
{
    need_gpu();
    conv_shape s = {2, 3, 4, {5, 6, 7}, {3, 3, 3}, {3, 4, 5}};
    int batch = s.batch, ci = s.ci, co = s.co, d = s.in[0], h = s.in[1], w = s.in[2];
    int od = s.out[0], oh = s.out[1], ow = s.out[2], groups = 2, voxels = od * oh * ow,
        size = co / groups * voxels;
    random_floats x(batch * ci * d * h * w, 23), weight(co * ci * 27, 2300), bias(co, 2301),
        gamma(co, 2302), beta(co, 2303);
    floats between(batch * co * voxels), normal(batch * co * voxels);
    LAUNCH(conv3_to_mean, dim3(ceildiv(voxels, 256), batch * co), 256, x, weight, bias, between, ci,
           co, d, h, w, od, oh, ow);
    LAUNCH(group_norm3, batch * groups, 256, between, gamma, beta, normal, co, groups, voxels);
    std::vector<double> wanted = conv_wanted(s, x, weight);
    for (size_t i = 0; i < wanted.size(); i++)
        wanted[i] += bias[i / voxels % co];
    auto normal_wanted = [&](int at) {
        int first = at / size * size, channel = at / voxels % co;
        double mean = 0, square = 0;
        for (int i = first; i < first + size; i++)
            mean += wanted[i] / size;
        for (int i = first; i < first + size; i++)
            square += std::pow(wanted[i] - mean, 2) / size;
        return (wanted[at] - mean) / std::sqrt(square + 1e-5) * gamma[channel] + beta[channel];
    };
    floats y(batch);
    LAUNCH(mean_of_image, batch, 256, normal, y, co * voxels);
    return compare("023_Conv3d_GroupNorm_Mean", y, [&](size_t n) {
        double sum = 0;
        for (int i = 0; i < co * voxels; i++)
            sum += normal_wanted(n * co * voxels + i);
        return sum / (co * voxels);
    });
}

// One query against all keys and values of its head: softmax(q k / sqrt(width)) v. A block a query.
#pragma ks optimize
#pragma ks workload let(queries=6,keys=160,width=32) in(q[queries*width]) in(k[keys*width]) in(v[keys*width]) \
    out(o[queries*width]) grid(queries) block(32) shared(4*keys)
__global__ void attention(const float *q, const float *k, const float *v, float *o, int queries, int keys,
                          int width)
{
    extern __shared__ float weight[];
    const float *mine = q + (size_t)blockIdx.x * width;
    for (int j = threadIdx.x; j < keys; j += blockDim.x) {
        float dot = 0;
        for (int d = 0; d < width; d++)
            dot += mine[d] * k[(size_t)j * width + d];
        weight[j] = dot / sqrtf((float)width);
    }
    __syncthreads();
    float top = -INFINITY, sum = 0;
    for (int j = 0; j < keys; j++)
        top = fmaxf(top, weight[j]);
    for (int j = 0; j < keys; j++)
        sum += expf(weight[j] - top);
    for (int d = threadIdx.x; d < width; d += blockDim.x) {
        float out = 0;
        for (int j = 0; j < keys; j++)
            out += expf(weight[j] - top) * v[(size_t)j * width + d];
        o[(size_t)blockIdx.x * width + d] = out / sum;
    }
}

// Two loops: the inner one reads what the outer one's variable and its own say, the same in all items.
#pragma ks optimize
#pragma ks workload let(points=1000) let(centres=7) let(wide=13) in(at[points*wide]) in(centre[centres*wide]) out(member[points]) grid(ceildiv(points,128)) block(128)
__global__ void nearest(const float *at, const float *centre, int *member, int points, int centres, int wide)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= points)
        return;
    int best = -1;
    float least = 3.4e38f;
    for (int c = 0; c < centres; c++) {
        float sum = 0;
        for (int d = 0; d < wide; d++) {
            float apart = at[d * points + p] - centre[c * wide + d];
            sum += apart * apart;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    member[p] = best;
}

// A switch in a loop and one around it: labels that share code, a default that is not last, what leaves the kernel.
enum Kind { NONE, RELU, GELU, CLAMP, DROP };

#pragma ks optimize
#pragma ks workload let(n=300,rounds=9) set(kind=2) in(x[n]) in(code[n]=randint(0,9)) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void cases(const float *x, const unsigned char *code, float *y, int n, int kind, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) {
        switch ((code[i] + r) % 7)
        {
        case 0:
        case 3: {
            for (int k = 0; k < 5; k++) {
                if (v > 3.f) break;
                v += 0.25f;
            }
            break;
        }
        default:
            v *= 0.75f;
            break;
        case 1: continue;
        case 5:
            switch (r & 1) {
            case 0: v -= 0.5f; break;
            case 1: v = -v;
            }
            break;
        case 6: v += 1.f;
        }
        v += 0.125f;
    }
    switch (kind) {
    case RELU: v = v > 0.f ? v : 0.f; break;
    case GELU: v = 0.5f * v * (1.f + erff(v * 0.70710678f)); break;
    case CLAMP: {
        float low = fmaxf(v, -1.f);
        v = fminf(low, 1.f);
        break;
    }
    case DROP: return;
    }
    y[i] = v;
}

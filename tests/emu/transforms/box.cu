// A box of radius two, rows of a number that the text has, the coefficients of a column beside.
#pragma ks optimize
#pragma ks workload let(h=39) in(p[h*80]=randint(0,99)) in(w[80]=randint(-3,3)) out(q[h*80]) grid(ceildiv(80,32), ceildiv(h,4)) block(32,4)
__global__ void box(const int *p, const int *w, int *q, int h)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (y >= h - 2 || y < 2 || x < 2 || x > 77)
        return;
    const int *row = p + y * 80;
    int s = 0;
    s += row[x - 162] + row[x - 161] + row[x - 160] + row[x - 159] + row[x - 158];
    s += row[x - 80 - 2] * w[x - 2] + p[(y - 1) * 80 + x + 2] * w[x + 2];
    s += row[x - 2] - row[x] + row[x + 2];
    s += p[(y + 1) * 80 + x - 1] + p[(y + 1) * 80 + x + 1];
    s += p[(y + 2) * 80 + x] * w[x];
    q[y * 80 + x] = s;
}

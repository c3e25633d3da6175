// Stencils in 1 to 3 dimensions as programs write them, and what looks like such.

#pragma ks optimize
#pragma ks workload let(nx=256) let(ny=192) set(k=0.1) in(u[nx*ny]=uniform(0,1)) out(v[nx*ny]) \
    grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void heat(const float *u, float *v, float k, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    int i = y * nx + x;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
        v[i] = u[i];
        return;
    }
    v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);
}

#pragma ks optimize
#pragma ks workload let(w=250) let(h=150) in(a[h*w]) out(b[h*w]) grid(ceildiv(w,16), ceildiv(h,16)) block(16,16)
__global__ void jacobi(const double *__restrict__ a, double *__restrict__ b, int w, int h)
{
    const int x = blockIdx.x * 16 + threadIdx.x + 1, y = blockIdx.y * 16 + threadIdx.y + 1;
    if (x < w - 1 && y < h - 1)
        b[y * w + x] = 0.25 * (a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1] + a[y * w + x + 1]);
}

// Nine neighbours in loops, weights from the text, flat numbers.
#pragma ks optimize
#pragma ks workload let(w=256) let(h=200) in(in[h*w]) out(out[h*w]) grid(ceildiv(h*w,256)) block(256)
__global__ void box9(const float *in, float *out, int h, int w)
{
    const float weight[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % w, y = i / w;
    if (y < 1 || y >= h - 1 || x < 1 || x >= w - 1)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += weight[(dy + 1) * 3 + dx + 1] * in[(y + dy) * w + x + dx];
    out[y * w + x] = sum;
}

// Two arrays that make two.
#pragma ks optimize
#pragma ks workload let(n=160) set(du=0.16) set(dv=0.08) set(feed=0.035) set(kill=0.065) in(u[n*n]=uniform(0,1)) \
    in(v[n*n]=uniform(0,1)) out(un[n*n]) out(vn[n*n]) grid(ceildiv(n,32), ceildiv(n,4)) block(32,4)
__global__ void gray_scott(const float *u, const float *v, float *un, float *vn, int n, float du, float dv, float feed,
                           float kill)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > 0 && row < n - 1 && col > 0 && col < n - 1) {
        int at = row * n + col;
        float a = u[at], b = v[at];
        float la = u[at - 1] + u[at + 1] + u[at - n] + u[at + n] - 4 * a;
        float lb = v[at - 1] + v[at + 1] + v[at - n] + v[at + n] - 4 * b;
        float react = a * b * b;
        un[at] = a + du * la - react + feed * (1.0f - a);
        vn[at] = b + dv * lb + react - (feed + kill) * b;
    }
}

// The step before the last is overwritten by the next.
#pragma ks optimize
#pragma ks workload let(nx=256) let(ny=256) set(c=0.25) in(now[nx*ny]) inout(old[nx*ny]) \
    grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void wave(float *old, const float *now, int nx, int ny, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x > nx - 2 || y > ny - 2)
        return;
    size_t i = (size_t)y * nx + x;
    float lap = __ldg(&now[i - 1]) + __ldg(&now[i + 1]) + __ldg(&now[i - nx]) + __ldg(&now[i + nx]) - 4.f * now[i];
    old[i] = 2.f * now[i] - old[i] + c * lap;
}

#pragma ks optimize
#pragma ks workload let(nx=64) let(ny=24) let(nz=16) set(c0=0.4) set(c1=0.1) in(a[nx*ny*nz]) out(b[nx*ny*nz]) \
    grid(ceildiv(nx,32), ceildiv(ny,4), ceildiv(nz,2)) block(32,4,2)
__global__ void seven(const float *a, float *b, int nx, int ny, int nz, float c0, float c1)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
        k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && j > 0 && k > 0 && i < nx - 1 && j < ny - 1 && k < nz - 1)
        b[(k * ny + j) * nx + i] =
            c0 * a[(k * ny + j) * nx + i] +
            c1 * (a[(k * ny + j) * nx + i - 1] + a[(k * ny + j) * nx + i + 1] + a[(k * ny + j - 1) * nx + i] +
                  a[(k * ny + j + 1) * nx + i] + a[((k - 1) * ny + j) * nx + i] + a[((k + 1) * ny + j) * nx + i]);
}

// A star of high order whose planes a loop walks along, coefficients in memory, a speed for each place.
#pragma ks optimize
#pragma ks workload let(nx=32) let(ny=20) let(nz=16) in(p[nx*ny*nz]) in(speed[nx*ny*nz]=uniform(0,1)) in(c[5]) \
    inout(q[nx*ny*nz]) grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void seismic(const float *p, float *q, const float *speed, const float *c, int nx, int ny, int nz)
{
    const int R = 4;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < R || x >= nx - R || y < R || y >= ny - R)
        return;
    const int plane = nx * ny;
    for (int z = R; z < nz - R; z++) {
        int i = z * plane + y * nx + x;
        float lap = c[0] * p[i];
#pragma unroll
        for (int r = 1; r <= R; r++)
            lap += c[r] * (p[i - r] + p[i + r] + p[i - r * nx] + p[i + r * nx] + p[i - r * plane] + p[i + r * plane]);
        q[i] = 2.0f * p[i] - q[i] + speed[i] * lap;
    }
}

// All of a cube's neighbours, of sizes in the text.
#pragma ks optimize
#pragma ks workload let(nz=8) in(in[nz*32*64]) out(out[nz*32*64]) grid(2, 8, nz) block(32,4)
__global__ void box27(const double *in, double *out, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= 1 && x < 64 - 1 && y >= 1 && y < 32 - 1 && z >= 1 && z < nz - 1) {
        double sum = 0;
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i) {
                    if (i == 0 && j == 0 && k == 0)
                        continue;
                    sum += in[((z + k) * 32 + y + j) * 64 + x + i];
                }
        out[(z * 32 + y) * 64 + x] = sum / 26.0;
    }
}

#pragma ks optimize
#pragma ks workload let(n=10000) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void smooth(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2)
        y[i] = 0.0625f * (x[i - 2] + x[i + 2]) + 0.25f * (x[i - 1] + x[i + 1]) + 0.375f * x[i];
    else if (i < n)
        y[i] = 0;
}

// A limit on what flows, magnetic fields from electric ones: what is chosen by values goes with them.
#pragma ks optimize
#pragma ks workload let(n=5000) set(dt=0.1) in(u[n]) out(v[n]) grid(ceildiv(n,256)) block(256)
__global__ void limited(const double *u, double *v, int n, double dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += blockDim.x * gridDim.x) {
        if (i == 0)
            continue;
        double left = u[i] - u[i - 1], right = u[i + 1] - u[i], slope;
        if (left * right <= 0)
            slope = 0;
        else
            slope = fabs(left) < fabs(right) ? left : right;
        v[i] = u[i] - dt * slope;
    }
}

#pragma ks optimize
#pragma ks workload let(nx=200) let(ny=150) set(k=0.5) in(ez[nx*ny]) inout(hx[nx*ny]) inout(hy[nx*ny]) \
    grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void magnetic(const float *ez, float *hx, float *hy, int nx, int ny, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    hx[y * nx + x] -= k * (ez[(y + 1) * nx + x] - ez[y * nx + x]);
    hy[y * nx + x] += k * (ez[y * nx + x + 1] - ez[y * nx + x]);
}

// Beyond the edge the edge goes on.
#pragma ks optimize
#pragma ks workload let(w=200) let(h=120) in(a[h*w]) out(b[h*w]) grid(ceildiv(w,32), ceildiv(h,8)) block(32,8)
__global__ void clamped(const float *a, float *b, int h, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int yy = min(max(y + dy, 0), h - 1), xx = min(max(x + dx, 0), w - 1);
            sum += a[yy * w + xx];
        }
    b[y * w + x] = sum * 0.04f;
}

// From one end on at the other.
#pragma ks optimize
#pragma ks workload let(n=20) set(dt=0.1) in(u[n*n*n]) out(v[n*n*n]) grid(ceildiv(n,32), ceildiv(n,4), n) block(32,4)
__global__ void periodic(const double *u, double *v, int n, double dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= n || y >= n)
        return;
    int left = x == 0 ? n - 1 : x - 1, right = (x + 1) % n;
    int up = (y - 1 + n) % n, down = y < n - 1 ? y + 1 : 0;
    int below = (z + n - 1) % n, above = (z + 1) % n;
    double c = u[(z * n + y) * n + x];
    v[(z * n + y) * n + x] = c + dt * (u[(z * n + y) * n + left] + u[(z * n + y) * n + right] + u[(z * n + up) * n + x] +
                                       u[(z * n + down) * n + x] + u[(below * n + y) * n + x] + u[(above * n + y) * n + x] -
                                       6.0 * c);
}

// Nothing beyond the edge.
#pragma ks optimize
#pragma ks workload let(nx=150) let(ny=100) in(u[nx*ny]) out(v[nx*ny]) grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void zeros(const float *u, float *v, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        int i = y * nx + x;
        float west = x > 0 ? u[i - 1] : 0.0f, east = x < nx - 1 ? u[i + 1] : 0.0f, sum = west + east - 4.0f * u[i];
        if (y > 0)
            sum += u[i - nx];
        if (y < ny - 1)
            sum += u[i + nx];
        v[i] = sum;
    }
}

// Elements by flat numbers, neighbours by rows and columns; what lies beyond is passed over.
#pragma ks optimize
#pragma ks workload let(w=120) let(h=70) in(a[h*w]) out(b[h*w]) grid(ceildiv(h*w,256)) block(256)
__global__ void passed_over(const float *a, float *b, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h)
        return;
    int row = i / w, col = i % w;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int y = row + dy, x = col + dx;
            if (y < 0 || y >= h || x < 0 || x >= w)
                continue;
            sum += (dx == 0 && dy == 0 ? 8.0f : (float)(dx * dx - 3)) * a[y * w + x];
        }
    b[i] = sum / 9.0f;
}

#pragma ks optimize
#pragma ks workload let(nx=32) let(ny=20) let(nz=16) set(k=0.1) in(a[nx*ny*nz]) out(b[nx*ny*nz]) grid(ceildiv(nx*ny*nz,128)) \
    block(128)
__global__ void flat_seven(const float *a, float *b, int nx, int ny, int nz, float k)
{
    const int n = nx * ny * nz;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
        const bool edge = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
        const int sy = nx, sz = nx * ny;
        b[i] = edge ? a[i]
                    : a[i] + k * (a[i - 1] + a[i + 1] + a[i - sy] + a[i + sy] + a[i - sz] + a[i + sz] - 6.0f * a[i]);
    }
}

// ---- not such

// In place: what is read may be written already.
#pragma ks optimize
#pragma ks workload let(n=256) inout(u[n*n]) grid(ceildiv(n,32), ceildiv(n,8)) block(32,8)
__global__ void gauss_seidel(float *u, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1 || (x + y) % 2)
        return;
    u[y * n + x] = 0.25f * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

// Distances from memory.
#pragma ks optimize
#pragma ks workload let(n=4096) in(a[n]) in(far[n]=randint(1,1)) out(b[n]) grid(ceildiv(n,256)) block(256)
__global__ void far_away(const float *a, const int *far, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1)
        b[i] = a[i - far[i]] + a[i + far[i]];
}

#pragma ks optimize
#pragma ks workload let(n=4096) in(a[n]) in(at[n]=permutation) out(b[n]) grid(ceildiv(n,256)) block(256)
__global__ void gathered(const float *a, const int *at, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1)
        b[i] = a[at[i]] + a[i] + a[i + 1];
}

// Which neighbour is read depends on a value.
#pragma ks optimize
#pragma ks workload let(n=4096) in(a[n]) in(c[n]) out(b[n]) grid(ceildiv(n,256)) block(256)
__global__ void upwind(const float *a, const float *c, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1)
        return;
    int from = c[i] > 0 ? i - 1 : i + 1;
    b[i] = a[i] + c[i] * (a[from] - a[i]);
}

// A source at a place that small grids do not have.
#pragma ks optimize
#pragma ks workload let(nx=512) let(ny=512) in(u[nx*ny]) out(v[nx*ny]) grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void with_source(const float *u, float *v, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x;
    if (x == 200 && y == 300) {
        v[i] = 1;
        return;
    }
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx]);
}

// The same at one that the launch says.
#pragma ks optimize
#pragma ks workload let(nx=512) let(ny=512) set(sx=200) in(u[nx*ny]) out(v[nx*ny]) grid(ceildiv(nx,32), ceildiv(ny,8)) \
    block(32,8)
__global__ void with_column(const float *u, float *v, int nx, int ny, int sx)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1 || x == sx)
        return;
    int i = y * nx + x;
    v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx]);
}

// What is written hangs on a mask, which small runs may not show.
#pragma ks optimize
#pragma ks workload let(n=300) in(u[n*n]) in(solid[n*n]=constant(0)) out(v[n*n]) grid(ceildiv(n,32), ceildiv(n,8)) block(32,8)
__global__ void masked(const float *u, const float *solid, float *v, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int i = y * n + x;
    if (solid[i] > 0.5f)
        v[i] = u[i];
    else
        v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n]);
}

// Blocks from the fifth on do nothing, of which small launches have none.
#pragma ks optimize
#pragma ks workload let(n=4096) in(a[n]) out(b[n]) grid(ceildiv(n,256)) block(256)
__global__ void few_blocks(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && blockIdx.x < 5)
        b[i] = a[i - 1] + a[i + 1];
}

// Its last value goes from one plane to the next.
#pragma ks optimize
#pragma ks workload let(n=24) in(a[n*n*n]) out(b[n*n*n]) grid(ceildiv(n,32), ceildiv(n,8)) block(32,8)
__global__ void running(const float *a, float *b, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int z = 1; z < n - 1; z++) {
        sum += a[(z - 1) * n * n + y * n + x] + a[(z + 1) * n * n + y * n + x];
        b[z * n * n + y * n + x] = sum;
    }
}

// The mean of the neighbours that there are: nothing in their place is not the same as zero.
#pragma ks optimize
#pragma ks workload let(nx=150) let(ny=100) in(u[nx*ny]) out(v[nx*ny]) grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void mean_of_some(const float *u, float *v, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    float sum = 0, n = 0;
    if (x > 0) {
        sum += u[y * nx + x - 1];
        n += 1;
    }
    if (x < nx - 1) {
        sum += u[y * nx + x + 1];
        n += 1;
    }
    v[y * nx + x] = sum / n;
}

// Clamped at one end, round at the other.
#pragma ks optimize
#pragma ks workload let(n=3000) in(u[n]) out(v[n]) grid(ceildiv(n,256)) block(256)
__global__ void mixed_ends(const float *u, float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[max(i - 1, 0)] + u[(i + 1) % n];
}

// Sizes in a struct, which is all that the struct holds.
struct size {
    int w, h;
};
#pragma ks optimize
#pragma ks workload let(nx=200) let(ny=150) set(d.w=nx) set(d.h=ny) set(k=0.1) in(u[nx*ny]) out(v[nx*ny]) \
    grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void of_struct(const float *u, float *v, size d, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < d.w - 1 && y > 0 && y < d.h - 1) {
        int i = y * d.w + x;
        v[i] = u[i] + k * (u[i - 1] + u[i + 1] + u[i - d.w] + u[i + d.w] - 4.0f * u[i]);
    }
}
// And a column in it that is none of the grid's.
struct spot {
    int w, h, column;
};
#pragma ks optimize
#pragma ks workload let(nx=200) let(ny=150) let(sx=70) set(d.w=nx) set(d.h=ny) set(d.column=sx) in(u[nx*ny]) out(v[nx*ny]) \
    grid(ceildiv(nx,32), ceildiv(ny,8)) block(32,8)
__global__ void of_spot(const float *u, float *v, spot d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < d.w - 1 && y > 0 && y < d.h - 1 && x != d.column) {
        int i = y * d.w + x;
        v[i] = u[i - 1] + u[i + 1] + u[i - d.w] + u[i + d.w];
    }
}

// Products of blocks of larger matrices: lines lie apart by leading dimensions, row by row and column by column.
#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[m*lda]) in(b[k*ldb]) out(c[m*ldc]) \
    grid(ceildiv(n,8),ceildiv(m,8)) block(8,8)
__global__ void by_rows(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int m, int n, int k)
{
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[i * lda + l] * b[l * ldb + j];
    c[i * ldc + j] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=31, ldb=33, ldc=37) in(a[k*lda]) in(b[n*ldb]) inout(c[n*ldc]) \
    set(alpha=1.5f) set(beta=0.5f) grid(ceildiv(m,8),ceildiv(n,8)) block(8,8)
__global__ void by_columns(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                           float *c, int ldc)
{
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[i + l * lda] * b[l + j * ldb];
    c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
}

#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[m*lda]) in(b[n*ldb]) out(c[n*ldc]) \
    grid(ceildiv(m,8),ceildiv(n,8)) block(8,8)
__global__ void first_turned(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc)
{
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    double sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[l + i * lda] * b[l + j * ldb];
    c[i + j * ldc] = sum;
}

#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[k*lda]) in(b[k*ldb]) in(bias[m]) out(c[n*ldc]) \
    grid(ceildiv(m,8),ceildiv(n,8)) block(8,8)
__global__ void second_turned_bias(int m, int n, int k, const float *a, int lda, const float *b, int ldb, const float *bias, float *c, int ldc)
{
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[i + l * lda] * b[j + l * ldb];
    c[i + j * ldc] = fmaxf(sum + bias[i], 0.0f);
}

// The same added to what is there.
#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[m*lda]) in(b[n*ldb]) inout(c[n*ldc]) \
    grid(ceildiv(m,8),ceildiv(n,8)) block(8,8)
__global__ void first_turned_added(int m, int n, int k, const int *a, int lda, const int *b, int ldb, int *c, int ldc)
{
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    int sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[l + i * lda] * b[l + j * ldb];
    c[i + j * ldc] += sum;
}

#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[k*lda]) in(b[k*ldb]) inout(c[n*ldc]) \
    set(alpha=-1.0) set(beta=2.0) grid(ceildiv(m,8),ceildiv(n,8)) block(8,8)
__global__ void second_turned_added(int m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                                    double beta, double *c, int ldc)
{
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    double sum = 0;
    if (i >= m || j >= n)
        return;
    for (int l = 0; l < k; l++)
        sum += a[i + l * lda] * b[j + l * ldb];
    c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
}

// What lies between the lines is written, too: no such product.
#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[m*lda]) in(b[k*ldb]) out(c[m*ldc]) \
    grid(ceildiv(ldc,8),ceildiv(m,8)) block(8,8)
__global__ void clears_between(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int m, int n, int k)
{
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (i >= m || j >= ldc)
        return;
    for (int l = 0; j < n && l < k; l++)
        sum += a[i * lda + l] * b[l * ldb + j];
    c[i * ldc + j] = sum;
}

// The same of a matrix that was there before.
#pragma ks optimize
#pragma ks workload let(m=30, n=34, k=28, lda=32, ldb=40, ldc=36) in(a[m*lda]) in(b[k*ldb]) inout(c[m*ldc]) \
    grid(ceildiv(ldc,8),ceildiv(m,8)) block(8,8)
__global__ void clears_what_was_between(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int m, int n, int k)
{
    int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    if (i >= m || j >= ldc)
        return;
    for (int l = 0; j < n && l < k; l++)
        sum += a[i * lda + l] * b[l * ldb + j];
    c[i * ldc + j] = sum;
}

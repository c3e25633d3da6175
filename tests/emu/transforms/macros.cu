// Macros of the program, as many codes spell sizes, indexes and types.
#define THREADS 128
#define REAL float
#define AT(row, col) ((row) * columns + (col))
#define SQUARE(v) ((v) * (v))
#ifndef EDGE
#define EDGE 1
#endif

#pragma ks optimize
#pragma ks workload let(rows=61) let(columns=45) in(float x[rows*columns]) out(float y[rows]) grid(ceildiv(rows,128)) block(128)
__global__ void macros(const REAL *x, REAL *y, int rows, int columns)
{
    int row = blockIdx.x * THREADS + threadIdx.x; // one row a thread
    if (row >= rows)
        return;
    REAL sum = 0;
#if defined(EDGE) && EDGE > 0
    for (int col = EDGE; col < columns - EDGE; col++)
        sum += SQUARE(x[AT(row,
                           col)]);
#else
    sum = x[AT(row, 0)];
#endif
    y[row] = sum;
}

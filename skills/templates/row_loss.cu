// A block a row: one number by what the row comes to. What is read again is in a cache.
__global__ void __launch_bounds__(threads)
    row_loss(const @T@ *__restrict__ x, const @M@ *__restrict__ target, @T@ *__restrict__ loss, int cols)
{
    const @T@ *line = x + (size_t)blockIdx.x * cols;
    @T@ top = -__int_as_float(0x7f800000);
    visit(line, 0, cols, [&](@T@ v) { top = larger(top, v); });
    top = of_block(top, larger<@T@>);
    @T@ all = 0;
    visit(line, 0, cols, [&](@T@ v) { all += exp(v - top); });
    all = of_block(all, add<@T@>);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = top + log(all) - line[target[blockIdx.x]];
}

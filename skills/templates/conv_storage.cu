struct storage { // of a block, in shared memory
    alignas(16) @T@ xs[2][bk][x_pitch];
    alignas(16) @T@ ws[2][bk][w_pitch];
    steps table[chunk]; // of two chunks
    int w_table[2 * chunk]; // and in bytes the weight's place behind the channel's first
    offset offsets[taps];
    place places_of[bm];
    int active; // taps of this phase
};

__global__ void __launch_bounds__(threads, resident / threads)
    conv_tiles(const @T@ *__restrict__ x, const @T@ *__restrict__ weight, @T@ *__restrict__ y,
               int ci, int co, int d, int h, int w, int od, int oh, int ow@head_parameters@@tail_parameters@)
{
    __shared__ storage m;

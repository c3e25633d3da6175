// By warpgroups, of which a block has two: each sums up 64 places of all the block's channels. Tensor cores cut off factors; or,
// `thrice`, multiply the nearest and what is left of it.
constexpr bool thrice = @thrice@;
constexpr int bn = @bn@, bm = 128, bk = 32; // channels, places, depth of a step
constexpr int threads = 256, blocks = thrice ? 1 : 2; // at once: 255 registers a thread, or 128
constexpr int stages = thrice ? 2 : 3;
constexpr int deep = bn > 64 ? 16 : 32; // what a thread holds of x at once, and while that is multiplied as much again
constexpr int at_once = thrice && bn > 64 ? 64 : bn; // channels whose products of nearest are summed by themselves at once


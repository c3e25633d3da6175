// Halves, whose products are exact in float, in which tensor cores sum them.
typedef @T@ a_half, type_a, type_b;
constexpr int step_deep = 16, regs_a = 4, regs_b = 4; // of a fragment
constexpr int rounds = 1, together = 1;
constexpr float higher = 1; // no parts that lie elsewhere
constexpr bool splits = false;

__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4], int side, int)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.@T_name@.@T_name@.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[side * 2]), "r"(b[side * 2 + 1]));
}

// Nobody asks where nothing is split.
__device__ __forceinline__ float by_terms(const @T@ *, const @T@ *, int, int, int, int, int, int)
{
    return 0;
}

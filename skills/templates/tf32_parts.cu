// fp32 as TF32, ten bits behind the point: one such number, the nearest; or, `thrice`, two, the nearest and what is left of it,
// of whose four products all but the least are summed.
constexpr bool thrice = @thrice@;
constexpr int rounds = thrice ? 3 : 1;

__device__ __forceinline__ void multiply_once(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// To nearest, of two as near the larger; the multiplication does not look at 13 bits. Of what is no number one of both parts
// is none either.
__device__ __forceinline__ unsigned nearest(unsigned v)
{
    return v + (1u << 12) & ~0u << 13;
}

__device__ __forceinline__ unsigned left(unsigned v)
{
    return __float_as_uint(__uint_as_float(v) - __uint_as_float(nearest(v)));
}

// The nearest are there already where that is all.
__device__ __forceinline__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, int round)
{
    const bool least = round == 0, other = round == 1;
    const unsigned parts[4] = {least ? left(a[0]) : nearest(a[0]), least ? left(a[1]) : nearest(a[1]),
                               least ? left(a[2]) : nearest(a[2]), least ? left(a[3]) : nearest(a[3])};
    if (thrice)
        multiply_once(c, parts, other ? left(b0) : nearest(b0), other ? left(b1) : nearest(b1));
    else
        multiply_once(c, a, b0, b1);
}


// fp32 as TF32, ten bits behind the point.
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

// What is left of the least numbers lies where TF32 has no bits, and so all that is left that many places higher.
constexpr float higher = 8192;

__device__ __forceinline__ unsigned left(unsigned v)
{
    return __float_as_uint((__uint_as_float(v) - __uint_as_float(nearest(v))) * higher);
}

// One such number, the nearest; or, `thrice`, two, the nearest and what is left of it,
// of whose four products all but the least are summed.
constexpr bool thrice = @thrice@;
constexpr int rounds = thrice ? 3 : 1;

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


constexpr int width = 4;

// `wide` elements from `at` on.
template <int wide, class E>
__device__ __forceinline__ void along(E (&to)[wide], const E *from, long long at)
{
    struct alignas(wide * sizeof(E) < 16 ? wide * sizeof(E) : 16) pack {
        E lane[wide];
    };
    const pack p = *reinterpret_cast<const pack *>(from + at);
    _Pragma("unroll") for (int lane = 0; lane < wide; lane++)
        to[lane] = p.lane[lane];
}


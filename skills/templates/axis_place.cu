// A place is stored as it is.
__device__ __forceinline__ @R@ finished(int its_place, size_t, int)
{
    return (@R@)its_place;
}


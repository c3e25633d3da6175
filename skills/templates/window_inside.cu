// How many taps of a window lie in a line of so many elements.
__device__ __forceinline__ int inside(int first, int taps, int step, int size)
{
    const int from = first < 0 ? (step - 1 - first) / step : 0;
    const int behind = first < size ? (size - 1 - first) / step + 1 : 0, to = behind < taps ? behind : taps;
    return to > from ? to - from : 0;
}

// Bytes and words of a text, and how often each letter occurs.
#pragma ks optimize
#pragma ks workload let(n=517) in(text[n]=randint(32,126)) out(upper[n]) out(words[n]) inout(count[128]) grid(ceildiv(n,128)) block(128)
__global__ void letters(const char *text, char *upper, int *words, unsigned *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char c = *(text + i);
    upper[i] = (c >= 'a' && c <= 'z') ? c - 32 : c;
    words[i] = c != ' ' && (i == 0 || text[i - 1] == ' ');
    atomicAdd(count + (c & 127), 1u);
}

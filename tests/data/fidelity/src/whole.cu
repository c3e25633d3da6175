#include <cstdio>
__global__ void nothing() {}
int main(int argc, char **argv)
{
    if (argc > 5)
        nothing<<<1, 1>>>();
    for (int i = 1; i < argc; i++)
        printf("argument %s\n", argv[i]);
    return argc == 3 ? 7 : 0;
}

__global__ void bad(float *x)
{
    x[0] = undeclared + 1;
    *x = "text";
}

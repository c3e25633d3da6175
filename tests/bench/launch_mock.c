// The mock as the launch benchmark wants it: one device, and launches that cost nothing.
#include "../dispatch/mock_cudart.h"

static __attribute__((constructor)) void prepare(void)
{
    mock_devices = 1;
    mock_silent = 1;
}

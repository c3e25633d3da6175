/* The launch hook: shadows the toolkit's crt/host_runtime.h in a substituted translation unit.
 *
 * The host stub that nvcc includes at the end of a unit launches through macros of that header. It
 * is found here first (-I), brings the real one with #include_next, and redirects two calls: the
 * stub's inner launch asks the unit's dispatch table first, and each kernel's registration tells
 * the table its host address and name. Without a table both fall to the neutral overloads below.
 *
 * nvcc includes the header twice: before the user's code (types only), and from the stub. Only the
 * second defines __cudaLaunch. A copy guarded like a usual header would silently do nothing. */
#include_next "crt/host_runtime.h"

#if defined(__cudaLaunch) && !defined(__KS_HOOK)
#define __KS_HOOK 1

/* Proof that a stub of this unit launches through here: it is emitted with the function below, and
 * that is not emitted unless it is used. A toolkit whose stubs launch in another way leaves none.
 * "R" (SHF_GNU_RETAIN) keeps it through --gc-sections. */
#define __KS_HOOK_FLAGS "a"
#if defined(__has_attribute)
#if __has_attribute(retain)
#undef __KS_HOOK_FLAGS
#define __KS_HOOK_FLAGS "aR"
#endif
#endif

/* A table, where there is one, defines these with `int` last: the better match for 0. */
static inline bool __ks_dispatch(const void *, dim3, dim3, size_t, cudaStream_t, void **, long)
{
    return false;
}
static inline void __ks_register(const void *, const char *, long)
{
}

#define __cudaRegisterFunction(handle, host, device, name, ...) \
    (__ks_register((const void *)(host), (name), 0), \
     __cudaRegisterFunction(handle, host, device, name, __VA_ARGS__))

static inline cudaError_t __ks_launch(const void *host, cudaKernel_t kernel, dim3 grid, dim3 block,
                                      void **args, size_t shared, cudaStream_t stream)
{
    __asm__ volatile(".pushsection .ks_hook,\"" __KS_HOOK_FLAGS "\",@progbits\n"
                     ".asciz \"ks-hook 1\"\n"
                     ".popsection");
    return __ks_dispatch(host, grid, block, shared, stream, args, 0)
               ? cudaSuccess
               : __cudaLaunchKernel_helper(kernel, grid, block, args, shared, stream);
}
/* The stub's macro has the kernel's host address in __f; its own handle stays for the original. */
#define __cudaLaunchKernel_helper(kernel, grid, block, args, shared, stream) \
    __ks_launch((const void *)__f, kernel, grid, block, args, shared, stream)
#endif

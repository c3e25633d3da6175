// PTX by the library that compiles at run time:  nvrtc_ptx LIBNVRTC.so SOURCE.cu OUT.ptx OPTIONS
// Exit status 77 where there is no such library. Types of its interface are written out.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

// Any of its functions, called with what it takes.
typedef int any_call(void *, void *, void *, void *, void *, void *);
static int call(const char *name, void *a, void *b, void *c, void *d, void *e, void *f)
{
    void *symbol = dlsym(library, name);
    any_call *function;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&function, &symbol, sizeof function);
    return function(a, b, c, d, e, f);
}

static char *text_of(void *program, const char *size_call, const char *call_name)
{
    size_t n = 0;
    char *text;
    call(size_call, program, &n, NULL, NULL, NULL, NULL);
    text = calloc(1, n + 1);
    if (text != NULL)
        call(call_name, program, text, NULL, NULL, NULL, NULL);
    return text != NULL ? text : "";
}

int main(int argc, char **argv)
{
    static char source[1 << 20];
    void *program = NULL;
    FILE *f = argc > 4 ? fopen(argv[2], "r") : NULL;
    if (f == NULL || fread(source, 1, sizeof source - 1, f) == 0) {
        fprintf(stderr, "usage: nvrtc_ptx LIBNVRTC.so SOURCE.cu OUT.ptx OPTIONS\n");
        return 2;
    }
    fclose(f);
    library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
        printf("%s: skipped\n", dlerror());
        return 77;
    }
    int n = argc - 4;
    if (call("nvrtcCreateProgram", &program, source, argv[2], NULL, NULL, NULL) != 0 ||
        call("nvrtcCompileProgram", program, (void *)(size_t)n, argv + 4, NULL, NULL, NULL) != 0) {
        fprintf(stderr, "%.4000s\n", text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"));
        return 1;
    }
    f = fopen(argv[3], "w");
    return f != NULL && fputs(text_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX"), f) >= 0 && fclose(f) == 0 ? 0 : 1;
}

#include "nvcc/option.h"

#include <ctype.h>
#include <string.h>

// clang-format off
#define FLAG(name, alias) {name, alias, false, false, false, KS_OPT_PLAIN, NULL}
#define VALUE(name, alias) {name, alias, true, false, false, KS_OPT_PLAIN, NULL}
#define GLUED(name, alias, effect) {name, alias, true, false, true, effect, NULL}
#define EFFECT(name, alias, effect) {name, alias, false, false, false, effect, NULL}
#define EFFECT_VALUE(name, alias, effect) {name, alias, true, false, false, effect, NULL}
#define OUT(name, alias, effect, why) {name, alias, false, false, false, effect, why}
#define OUT_VALUE(name, alias, effect, why) {name, alias, true, false, false, effect, why}
#define PASS(name, alias, why) OUT(name, alias, KS_OPT_PASS, why)
#define LOOK(name, alias, why) OUT(name, alias, KS_OPT_LOOK, why)
#define PASS_VALUE(name, alias, why) OUT_VALUE(name, alias, KS_OPT_PASS, why)
// clang-format on

// In the order of `nvcc --help` of 13.0; tests/unit/test_cmdline.c compares the two.
static const struct ks_option options[] = {
    PASS("cuda", "cuda", "-cuda stops before the object"),
    PASS("cubin", "cubin", "-cubin makes no host code"),
    PASS("fatbin", "fatbin", "-fatbin makes no host code"),
    PASS("ptx", "ptx", "-ptx makes no host code"),
    PASS("optix-ir", "optix-ir", "-optix-ir makes no host code"),
    PASS("ltoir", "ltoir", "-ltoir makes no host code"),
    LOOK("preprocess", "E", "-E only preprocesses"),
    LOOK("generate-dependencies", "M", "-M only lists dependencies"),
    LOOK("generate-nonsystem-dependencies", "MM", "-MM only lists dependencies"),
    EFFECT("generate-dependencies-with-compile", "MD", KS_OPT_MD),
    EFFECT("generate-nonsystem-dependencies-with-compile", "MMD", KS_OPT_MMD),
    EFFECT_VALUE("dependency-output", "MF", KS_OPT_MF),
    FLAG("generate-dependency-targets", "MP"),
    EFFECT("compile", "c", KS_OPT_COMPILE),
    EFFECT("device-c", "dc", KS_OPT_DEVICE_C),
    EFFECT("device-w", "dw", KS_OPT_DEVICE_W),
    PASS("device-link", "dlink", "-dlink compiles nothing"),
    FLAG("link", "link"),
    PASS("lib", "lib", "-lib makes a library"),
    PASS("run", "run", "-run runs a program"),

    EFFECT_VALUE("output-file", "o", KS_OPT_OUTPUT),
    VALUE("pre-include", "include"),
    EFFECT("objdir-as-tempdir", "objtemp", KS_OPT_OBJTEMP),
    GLUED("library", "l", KS_OPT_PLAIN),
    GLUED("define-macro", "D", KS_OPT_PLAIN),
    GLUED("undefine-macro", "U", KS_OPT_PLAIN),
    GLUED("include-path", "I", KS_OPT_INCLUDE_DIR),
    VALUE("system-include", "isystem"),
    GLUED("library-path", "L", KS_OPT_PLAIN),
    EFFECT_VALUE("output-directory", "odir", KS_OPT_OUTPUT_DIR),
    VALUE("compiler-bindir", "ccbin"),
    FLAG("allow-unsupported-compiler", "allow-unsupported-compiler"),
    VALUE("archiver-binary", "arbin"),
    VALUE("cudart", "cudart"),
    VALUE("cudadevrt", "cudadevrt"),
    VALUE("libdevice-directory", "ldir"),
    VALUE("target-directory", "target-dir"),
    FLAG("use-local-env", "use-local-env"),
    FLAG("force-cl-env-setup", "force-cl-env-setup"),

    FLAG("profile", "pg"),
    FLAG("debug", "g"),
    OUT("device-debug", "G", KS_OPT_DEBUG, "-G: a debug build keeps its own kernels"),
    EFFECT("generate-line-info", "lineinfo", KS_OPT_LINEINFO),
    VALUE("optimization-info", "opt-info"),
    GLUED("optimize", "O", KS_OPT_PLAIN),
    {"Ofast-compile", "Ofc", true, true, false, KS_OPT_CODEGEN, NULL},
    VALUE("dopt", "dopt"),
    EFFECT("dlink-time-opt", "dlto", KS_OPT_LTO),
    EFFECT("lto", "lto", KS_OPT_LTO),
    FLAG("gen-opt-lto", "gen-opt-lto"),
    VALUE("ftemplate-backtrace-limit", "ftemplate-backtrace-limit"),
    VALUE("ftemplate-depth", "ftemplate-depth"),
    FLAG("no-exceptions", "noeh"),
    FLAG("shared", "shared"),
    EFFECT_VALUE("x", "x", KS_OPT_LANGUAGE),
    VALUE("std", "std"),
    FLAG("no-host-device-initializer-list", "nohdinitlist"),
    FLAG("no-host-device-move-forward", "nohdmoveforward"),
    FLAG("expt-relaxed-constexpr", "expt-relaxed-constexpr"),
    FLAG("extended-lambda", "extended-lambda"),
    FLAG("expt-extended-lambda", "expt-extended-lambda"),
    VALUE("machine", "m"),
    FLAG("m64", "m64"),

    EFFECT_VALUE("compiler-options", "Xcompiler", KS_OPT_HOST_OPTIONS),
    VALUE("linker-options", "Xlinker"),
    VALUE("archive-options", "Xarchive"),
    EFFECT_VALUE("ptxas-options", "Xptxas", KS_OPT_PTXAS),
    VALUE("nvlink-options", "Xnvlink"),

    VALUE("static-global-template-stub", "static-global-template-stub"),
    VALUE("device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility"),
    FLAG("forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler"),
    FLAG("forward-unknown-to-host-linker", "forward-unknown-to-host-linker"),
    FLAG("forward-unknown-opts", "forward-unknown-opts"),
    FLAG("dont-use-profile", "noprof"),
    LOOK("dryrun", "dryrun", "--dryrun compiles nothing"),
    PASS("verbose", "v", "-v prints nvcc's own steps"),
    GLUED("threads", "t", KS_OPT_PLAIN),
    EFFECT_VALUE("split-compile", "split-compile", KS_OPT_CODEGEN),
    EFFECT_VALUE("split-compile-extended", "split-compile-extended", KS_OPT_CODEGEN),
    LOOK("fdevice-syntax-only", "fdevice-syntax-only", "-fdevice-syntax-only makes no device code"),
    PASS_VALUE("fdevice-time-trace", "fdevice-time-trace", "the compiler itself is being timed"),
    OUT("keep", "keep", KS_OPT_KEEP, "--keep asks for nvcc's own temporary files"),
    OUT_VALUE("keep-dir", "keep-dir", KS_OPT_KEEP,
              "--keep-dir asks for nvcc's own temporary files"),
    OUT("save-temps", "save-temps", KS_OPT_KEEP,
        "--save-temps asks for nvcc's own temporary files"),
    LOOK("clean-targets", "clean", "-clean compiles nothing"),
    PASS_VALUE("time", "time", "the compiler itself is being timed"),
    VALUE("run-args", "run-args"),
    PASS_VALUE("input-drive-prefix", "idp", "drive prefixes are not understood"),
    PASS_VALUE("dependency-drive-prefix", "ddp", "drive prefixes are not understood"),
    PASS_VALUE("drive-prefix", "dp", "drive prefixes are not understood"),
    VALUE("dependency-target-name", "MT"),
    FLAG("no-align-double", NULL),
    FLAG("no-device-link", "nodlink"),

    EFFECT_VALUE("gpu-architecture", "arch", KS_OPT_ARCH),
    EFFECT_VALUE("gpu-code", "code", KS_OPT_CODE),
    EFFECT_VALUE("generate-code", "gencode", KS_OPT_GENCODE),
    EFFECT_VALUE("relocatable-device-code", "rdc", KS_OPT_RDC),
    EFFECT_VALUE("entries", "e", KS_OPT_CODEGEN),
    EFFECT_VALUE("maxrregcount", "maxrregcount", KS_OPT_MAXRREG),
    EFFECT("use_fast_math", "use_fast_math", KS_OPT_FAST_MATH),
    VALUE("ftz", "ftz"),
    VALUE("prec-div", "prec-div"),
    VALUE("prec-sqrt", "prec-sqrt"),
    VALUE("fmad", "fmad"),
    FLAG("extra-device-vectorization", "extra-device-vectorization"),
    VALUE("default-stream", "default-stream"),

    FLAG("disable-warnings", "w"),
    FLAG("keep-device-functions", "keep-device-functions"),
    FLAG("source-in-ptx", "src-in-ptx"),
    FLAG("restrict", "restrict"),
    FLAG("Wreorder", "Wreorder"),
    FLAG("Wdefault-stream-launch", "Wdefault-stream-launch"),
    FLAG("Wmissing-launch-bounds", "Wmissing-launch-bounds"),
    FLAG("Wext-lambda-captures-this", "Wext-lambda-captures-this"),
    FLAG("Wno-deprecated-declarations", "Wno-deprecated-declarations"),
    FLAG("Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets"),
    VALUE("Werror", "Werror"),
    FLAG("resource-usage", "res-usage"),
    PASS("extensible-whole-program", "ewp", "-ewp makes device code of a kind of its own"),
    FLAG("no-compress", "no-compress"),
    VALUE("qpp-config", "qpp-config"),
    PASS("compile-as-tools-patch", "astoolspatch", "-astoolspatch makes patch code for tools"),
    LOOK("list-gpu-code", "code-ls", "a question to nvcc"),
    LOOK("list-gpu-arch", "arch-ls", "a question to nvcc"),
    FLAG("display-error-number", "err-no"),
    FLAG("no-display-error-number", "no-err-no"),
    VALUE("diag-error", "diag-error"),
    VALUE("diag-suppress", "diag-suppress"),
    VALUE("diag-warn", "diag-warn"),
    {"host-linker-script", "hls", true, true, false, KS_OPT_PASS, "-hls concerns linking"},
    PASS("augment-host-linker-script", "aug-hls", "-aug-hls concerns linking"),
    PASS("relocatable-link", "r", "-r concerns linking"),
    VALUE("brief-diagnostics", "brief-diag"),
    VALUE("jump-table-density", "jtd"),
    FLAG("relocatable-ptx", "reloc-ptx"),
    EFFECT_VALUE("device-stack-protector", "device-stack-protector", KS_OPT_CODEGEN),
    VALUE("compress-mode", "compress-mode"),
    VALUE("frandom-seed", "frandom-seed"),
    OUT_VALUE("sanitize", "sanitize", KS_OPT_DEBUG,
              "-sanitize: an instrumented build keeps its own kernels"),
    FLAG("jobserver", "jobserver"),
    LOOK("help", "h", "a question to nvcc"),
    LOOK("version", "V", "a question to nvcc"),
    EFFECT_VALUE("options-file", "optf", KS_OPT_OPTIONS_FILE),

    // Accepted by nvcc 13.0 but not in its help; found in the program's strings and tried.
    VALUE("cicc-options", "Xcicc"),
    VALUE("cudafe-options", "Xcudafe"),
    VALUE("fatbin-options", "Xfatbin"),
    VALUE("nvasm-options", "Xnvasm"),
    VALUE("nvdisasm-options", "Xnvdisasm"),
    PASS_VALUE("all-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("cpp-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("cudafe-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("cicc-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("ptxas-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("nvlink-prefix", NULL, "the compiler's steps run under another program"),
    PASS_VALUE("use-cubin", "use-cubin", "device code comes from elsewhere"),
    PASS_VALUE("export-dir", NULL, "device code goes elsewhere"),
    PASS_VALUE("extern-mode", NULL, "device code goes elsewhere"),
    PASS_VALUE("intern-mode", NULL, "device code goes elsewhere"),
    PASS_VALUE("device-compilation", NULL, "device code of another language"),
    PASS("legacy-launch-seq", "legacy-launch-seq", "kernels are launched by an older sequence"),
    PASS("no-shadow-functions", "no-shadow-functions", "no host functions for kernels"),
    PASS("nvasm-loopback", "nvasm-loopback", "device code goes through nvasm"),
    PASS("tdump", "tdump", "a dump of nvcc's own tables"),
    VALUE("nvvm-version", "nvvm-version"),
    VALUE("cuda-api-version", "cuda-api-version"),
    VALUE("version-ident", "dQ"),
    VALUE("no-libdevice", "no-libdevice"),
    VALUE("tool-name", "tool-name"),
    VALUE("cl-version", NULL),
    FLAG("host-relocatable-link", "host-r"),
    FLAG("no-device-inline", "nodinline"),
    FLAG("aggressive-inline", "aggressive-inline"),
    FLAG("restrict-in-struct", "restrict-in-struct"),
    FLAG("fassociative-math", "fassociative-math"),
    FLAG("no-lineinfo-inlined-at", "no-lineinfo-ia"),
    FLAG("dD", "dD"),
};

static const struct ks_option *find(const char *text, size_t len, bool alias)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *name = alias ? options[i].alias : options[i].name;
        if (name != NULL && strncmp(name, text, len) == 0 && name[len] == '\0')
            return &options[i];
    }
    return NULL;
}

const struct ks_option *ks_option_find(const char *name)
{
    return find(name, strlen(name), false);
}

struct ks_use ks_option_at(const char *const *words, size_t len, size_t i)
{
    const char *word = words[i];
    struct ks_use use = {.kind = KS_USE_INPUT, .n = 1};
    if (word[0] != '-' || word[1] == '\0')
        return use;

    bool alias = word[1] != '-';
    const char *name = word + (alias ? 1 : 2);
    size_t name_len = strcspn(name, "=");
    const struct ks_option *option = find(name, name_len, alias);
    if (option == NULL && alias) { // "-Ifoo"; also "-Dfoo=1", whose "=" is part of the value
        option = find(name, 1, true);
        if (option == NULL || !option->glued) {
            use.kind = KS_USE_UNKNOWN;
            return use;
        }
        use = (struct ks_use){KS_USE_OPTION, option, name + 1, 1};
        return use;
    }
    if (option == NULL) {
        use.kind = KS_USE_UNKNOWN;
        return use;
    }

    bool has_value = name[name_len] == '=';
    use.kind = KS_USE_OPTION;
    use.option = option;
    if (!option->takes_value) {
        if (has_value) // "no argument expected after '-c'"
            use = (struct ks_use){.kind = KS_USE_BROKEN, .n = 1};
    } else if (has_value) {
        use.value = name + name_len + 1;
    } else if (option->optional && (i + 1 == len || words[i + 1][0] == '-')) {
        use.value = NULL;
    } else if (i + 1 < len) {
        use.value = words[i + 1];
        use.n = 2;
    } else { // "argument expected after '-o'"
        use = (struct ks_use){.kind = KS_USE_BROKEN, .n = 1};
    }
    return use;
}

void ks_option_list(struct ks_arena *arena, const char *value, struct ks_strv *items)
{
    char *copy = ks_arena_strdup(arena, value); // holds every item: each is at most as long
    const char *at = value;
    while (true) {
        char *item = copy, *end = item;
        bool quoted = false;
        for (; *at != '\0' && (quoted || *at != ','); at++) {
            if (*at == '"')
                quoted = !quoted;
            else
                *end++ = *at;
        }
        bool last = *at == '\0';
        while (item < end && isspace((unsigned char)*item))
            item++;
        while (end > item && isspace((unsigned char)end[-1]))
            end--;
        if (end > item)
            ks_strv_add(arena, items, ks_arena_strndup(arena, item, (size_t)(end - item)));
        if (last)
            return;
        at++;
    }
}

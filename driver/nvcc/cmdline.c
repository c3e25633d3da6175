#include "nvcc/cmdline.h"

#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "nvcc/arch.h"
#include "nvcc/host_option.h"
#include "nvcc/words.h"

struct reader {
    struct ks_arena *arena;
    struct ks_cmdline *cmd;
    const struct ks_words *words;
    struct ks_arch_words archs;
    struct ks_strv inputs; // and where each stands, the last one again in:
    KS_VEC(size_t) inputs_from;
    size_t input_from;
    size_t output_from;
    bool language_elsewhere, depfile_elsewhere, run_elsewhere; // not in argv itself
    const char *language;                                      // -x
    const char *depfile;                                       // -MF
    bool wants_depfile;
    bool compile, device_c, device_w;
    int rdc;                     // -1: not said
    struct ks_strv include_dirs; // -I of nvcc itself
    struct ks_host_options host;
    struct ks_buf ptxas;
};

static void pass(struct ks_cmdline *cmd, const char *why)
{
    if (cmd->pass == NULL)
        cmd->pass = why;
}

// --ks-* words that are no option's value are ours; the rest is nvcc's, word by word.
static void separate_own(struct ks_arena *arena, int argc, const char *const *argv,
                         struct ks_cmdline *cmd)
{
    struct ks_strv own = {0}, rest = {0};
    size_t len = argc > 0 ? (size_t)argc : 0;
    ks_strv_add(arena, &rest, NULL);
    struct ks_use use;
    for (size_t i = 1; i < len; i += use.n) {
        use = ks_option_at(argv, len, i);
        if (ks_starts_with(argv[i], "--ks-")) {
            ks_strv_add(arena, &own, argv[i]);
            continue;
        }
        for (size_t k = i; k < i + use.n; k++)
            ks_strv_add(arena, &rest, argv[k]);
    }
    if (own.len == 0)
        own.at = KS_NEW(arena, const char *);
    cmd->own = own.at;
    cmd->n_own = own.len;
    cmd->argv = rest.at;
    cmd->argc = rest.len;
}

static void add_word(struct ks_buf *buf, const char *word)
{
    if (buf->len > 0)
        ks_buf_putc(buf, ' ');
    ks_buf_puts(buf, word);
}

// Options of ptxas that print and change no code; left out so that -Xptxas=-v keeps the key.
static bool only_prints(const char *option)
{
    const char *const printing[] = {"-v", "--verbose", "-warn-", "--warn-", "--disable-warnings"};
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++)
        if (strcmp(option, printing[i]) == 0 ||
            (ks_ends_with(printing[i], "warn-") && ks_starts_with(option, printing[i])))
            return true;
    return false;
}

// Options of ptxas that name what else it reads or writes, or ask for an instrumented build.
static bool goes_elsewhere(const char *option)
{
    static const char *const names[] = {"-optf", "-options-file", "-ias",     "-input-as-string",
                                        "-o",    "-output-file",  "-sanitize"};
    option += option[0] == '-' && option[1] == '-';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(option, names[i], len) == 0 && (option[len] == '\0' || option[len] == '='))
            return true;
    }
    return false;
}

static void read_ptxas(struct reader *r, const char *value)
{
    struct ks_strv words = {0};
    ks_words_host(r->arena, value, &words); // the same commas and shell
    for (size_t i = 0; i < words.len; i++) {
        if (goes_elsewhere(words.at[i]))
            pass(r->cmd, ks_arena_printf(r->arena,
                                         "-Xptxas %s: ks does not know what ptxas reads "
                                         "or writes then",
                                         words.at[i]));
        if (!only_prints(words.at[i]))
            add_word(&r->ptxas, words.at[i]);
    }
}

static void read_codegen(struct reader *r, const struct ks_use *use)
{
    add_word(&r->ptxas, "-");
    ks_buf_puts(&r->ptxas, use->option->alias);
    if (use->value != NULL) {
        ks_buf_putc(&r->ptxas, '=');
        ks_buf_puts(&r->ptxas, use->value);
    }
}

static void read_maxrregcount(struct reader *r, const char *value)
{
    int64_t count;
    if (ks_parse_i64(value, &count) && count >= 0 && count < 1 << 16)
        r->cmd->maxrregcount = (int)count;
    else
        pass(r->cmd,
             ks_arena_printf(r->arena, "-maxrregcount %s is no number of registers", value));
}

static void read_rdc(struct reader *r, const char *value)
{
    if (strcmp(value, "true") == 0)
        r->rdc = 1;
    else if (strcmp(value, "false") == 0)
        r->rdc = 0;
    else
        pass(r->cmd, "-rdc is neither true nor false");
}

static void read_option(struct reader *r, const struct ks_use *use, size_t from)
{
    struct ks_cmdline *cmd = r->cmd;
    switch (use->option->effect) {
    case KS_OPT_PLAIN:
    case KS_OPT_OPTIONS_FILE: // already replaced by its contents
        break;
    case KS_OPT_LIST:
        cmd->lists = true;
        cmd->no_code = true;
        pass(cmd, use->option->why);
        break;
    case KS_OPT_LOOK:
        cmd->no_code = true;
        pass(cmd, use->option->why);
        break;
    case KS_OPT_PASS:
        pass(cmd, use->option->why);
        break;
    case KS_OPT_DEBUG:
        cmd->debug_device = true;
        pass(cmd, use->option->why);
        break;
    case KS_OPT_KEEP:
        cmd->keep = true;
        pass(cmd, use->option->why);
        break;
    case KS_OPT_COMPILE:
        r->compile = true;
        break;
    case KS_OPT_DEVICE_C:
        r->device_c = true;
        break;
    case KS_OPT_DEVICE_W:
        r->device_w = true;
        break;
    case KS_OPT_OUTPUT:
        cmd->output = use->value;
        r->output_from = from;
        break;
    case KS_OPT_OUTPUT_DIR:
        cmd->output_dir = use->value;
        break;
    case KS_OPT_LANGUAGE:
        r->language = use->value;
        r->language_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_MMD:
        cmd->depfile_mmd = true; // also when -MD is there as well (tried)
        r->wants_depfile = true;
        r->depfile_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_MD:
        r->wants_depfile = true;
        r->depfile_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_MF:
        r->depfile = use->value;
        r->depfile_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_MT:
    case KS_OPT_MP:
        r->depfile_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_LINK:
        break;
    case KS_OPT_RUN:
        cmd->run = true;
        r->run_elsewhere |= from == KS_WORD_ELSEWHERE;
        break;
    case KS_OPT_INCLUDE_DIR:
        ks_option_list(r->arena, use->value, &r->include_dirs);
        break;
    case KS_OPT_HOST_OPTIONS:
        ks_words_host(r->arena, use->value, &r->host.words);
        break;
    case KS_OPT_PTXAS:
        read_ptxas(r, use->value);
        break;
    case KS_OPT_ARCH:
        r->archs.arch = use->value;
        break;
    case KS_OPT_CODE:
        ks_option_list(r->arena, use->value, &r->archs.codes);
        break;
    case KS_OPT_GENCODE:
        ks_strv_add(r->arena, &r->archs.gencodes, use->value);
        break;
    case KS_OPT_RDC:
        read_rdc(r, use->value);
        break;
    case KS_OPT_LINEINFO:
        cmd->lineinfo = true;
        break;
    case KS_OPT_OBJTEMP:
        cmd->objtemp = true;
        break;
    case KS_OPT_LTO:
        cmd->dlto = true;
        break;
    case KS_OPT_FAST_MATH:
        cmd->fast_math = true;
        break;
    case KS_OPT_MAXRREG:
        read_maxrregcount(r, use->value);
        break;
    case KS_OPT_CODEGEN:
        read_codegen(r, use);
        break;
    }
}

static void read_words(struct reader *r)
{
    const struct ks_strv *words = &r->words->text;
    struct ks_use use;
    for (size_t i = 0; i < words->len; i += use.n) {
        use = ks_option_at(words->at, words->len, i);
        size_t from = r->words->from[i];
        switch (use.kind) {
        case KS_USE_INPUT:
            ks_strv_add(r->arena, &r->inputs, words->at[i]);
            *ks_vec_push(r->arena, &r->inputs_from) = from;
            r->input_from = from;
            break;
        case KS_USE_OPTION:
            read_option(r, &use, from);
            break;
        case KS_USE_UNKNOWN: // with -forward-unknown-to-host-compiler it goes there
            ks_strv_add(r->arena, &r->host.words, words->at[i]);
            break;
        case KS_USE_BROKEN:
            pass(r->cmd, ks_arena_printf(r->arena, "%s: its value is missing, or it takes none",
                                         words->at[i]));
            break;
        }
    }
}

// "dir/name.suffix" with the suffix replaced; one is added when there is none.
static const char *with_suffix(struct ks_arena *arena, const char *path, const char *suffix)
{
    const char *dot = strrchr(ks_path_base(path), '.');
    size_t stem = dot == NULL ? strlen(path) : (size_t)(dot - path);
    return ks_arena_printf(arena, "%.*s%s", (int)stem, path, suffix);
}

static const char *beside_output(struct ks_arena *arena, const struct ks_cmdline *cmd,
                                 const char *input, const char *suffix)
{
    const char *name = with_suffix(arena, ks_path_base(input), suffix);
    return cmd->output_dir == NULL ? name : ks_path_join(arena, cmd->output_dir, name);
}

static bool is_cuda(const struct reader *r, const char *input)
{
    return r->language != NULL ? strcmp(r->language, "cu") == 0 : ks_ends_with(input, ".cu");
}

static bool ends_with_any(const char *input, const char *const *ends)
{
    while (*ends != NULL && !ks_ends_with(input, *ends))
        ends++;
    return *ends != NULL;
}

// What is compiled before the link, one by one, and what is only linked. Under -x cu all is
// compiled.
static void judge_units(struct reader *r)
{
    static const char *const host[] = {".c", ".cc", ".cpp", ".cxx", NULL};
    static const char *const linked[] = {".o", ".obj", ".a", ".lib", ".so", NULL};
    struct ks_cmdline *cmd = r->cmd;
    cmd->units = KS_NEW_ARRAY(r->arena, struct ks_cmdline_unit, r->inputs.len);
    for (size_t i = 0; i < r->inputs.len; i++) {
        const char *input = r->inputs.at[i];
        bool cuda = is_cuda(r, input);
        if (r->inputs_from.at[i] == KS_WORD_ELSEWHERE) // each part would get it
            pass(cmd, "an input is named in an options file or in the environment");
        if (cuda || ends_with_any(input, host)) {
            cmd->units[cmd->n_units++] =
                (struct ks_cmdline_unit){input, r->inputs_from.at[i], cuda};
        } else if (!ends_with_any(input, linked) && strstr(ks_path_base(input), ".so.") == NULL) {
            pass(cmd, ks_arena_printf(r->arena, "%s: ks does not know what is linked then", input));
        }
    }
    if (r->language_elsewhere || r->depfile_elsewhere || r->run_elsewhere)
        pass(cmd, "-x, -run or the dependency file is named in an options file or in the "
                  "environment");
    if (r->wants_depfile && cmd->n_units > 1) // each is written over the one before (tried)
        pass(cmd, "one dependency file for several inputs");
}

static void judge_inputs(struct reader *r)
{
    struct ks_cmdline *cmd = r->cmd;
    struct ks_strv cuda = {0};
    for (size_t i = 0; i < r->inputs.len; i++) {
        if (strcmp(r->inputs.at[i], "-") == 0)
            pass(cmd, "the input is standard input");
        if (is_cuda(r, r->inputs.at[i]))
            ks_strv_add(r->arena, &cuda, r->inputs.at[i]);
    }
    if (cmd->run && cmd->phase != KS_PHASE_LINK)
        pass(cmd, "-run runs a program");
    cmd->sources = cuda.at;
    cmd->n_sources = cuda.len;
    if (r->inputs.len == 0)
        pass(cmd, "no input file");
    else if (cuda.len == 0)
        pass(cmd, cmd->phase == KS_PHASE_LINK ? "link only" : "the input is not CUDA");
    else if (cmd->phase == KS_PHASE_LINK)
        judge_units(r);
    else if (cuda.len > 1)
        pass(cmd, "several CUDA inputs in one command");
    else if (r->inputs.len > 1)
        pass(cmd, "other inputs beside the CUDA file");
    else if (r->input_from == KS_WORD_ELSEWHERE)
        pass(cmd, "the input is named in an options file or in the environment");
    if (cmd->pass == NULL && cmd->phase != KS_PHASE_LINK)
        cmd->input = r->input_from;
}

// What cannot be replaced by renaming a file over it is nvcc's to write to: a device, and a name
// that leads to whatever is open.
static bool is_no_file(const char *path)
{
    struct stat st;
    return path != NULL && (ks_starts_with(path, "/dev/") || ks_starts_with(path, "/proc/") ||
                            (stat(path, &st) == 0 && !S_ISREG(st.st_mode)));
}

static void judge_outputs(struct reader *r)
{
    struct ks_cmdline *cmd = r->cmd;
    if (cmd->output != NULL && r->output_from == KS_WORD_ELSEWHERE)
        pass(cmd, "the output is named in an options file or in the environment");
    if (cmd->output != NULL && strcmp(cmd->output, "-") == 0)
        pass(cmd, "the output is standard output");
    if (cmd->lists) // -o goes before -MF (tried)
        cmd->listing = cmd->output != NULL ? cmd->output : r->depfile;
    if (r->depfile != NULL && !r->wants_depfile)
        pass(cmd, "-MF without -MD or -MMD");
    if (r->wants_depfile && r->depfile != NULL)
        cmd->depfile = r->depfile;
    else if (r->wants_depfile && cmd->output != NULL)
        cmd->depfile = with_suffix(r->arena, cmd->output, ".d");
    else if (r->wants_depfile && cmd->n_units == 1)
        cmd->depfile = beside_output(r->arena, cmd, cmd->units[0].path, ".d");
    else if (r->wants_depfile && r->inputs.len == 1)
        cmd->depfile = beside_output(r->arena, cmd, r->inputs.at[0], ".d");
    if (is_no_file(cmd->depfile))
        pass(cmd, "the dependency file is no regular file");
    if (is_no_file(cmd->output))
        pass(cmd, "the output is no regular file");
    cmd->lists &= !is_no_file(cmd->listing);
}

static void judge_phase(struct reader *r)
{
    struct ks_cmdline *cmd = r->cmd;
    cmd->rdc = r->device_c || r->rdc == 1 || cmd->dlto;
    if (r->device_c && (r->device_w || r->rdc == 0))
        pass(cmd, "-dc together with -dw or -rdc=false");
    if (r->device_w && r->rdc == 1)
        pass(cmd, "-dw together with -rdc=true");
    if (cmd->pass != NULL && !r->compile && !r->device_c && !r->device_w)
        cmd->phase = KS_PHASE_OTHER; // whatever -ptx, -E, --version ... do
    else if (!r->compile && !r->device_c && !r->device_w)
        cmd->phase = KS_PHASE_LINK;
    else
        cmd->phase = cmd->rdc ? KS_PHASE_DEVICE_C : KS_PHASE_COMPILE;
}

static void finish_lists(struct reader *r)
{
    struct ks_cmdline *cmd = r->cmd;
    for (size_t i = 0; i < r->include_dirs.len; i++)
        ks_strv_add(r->arena, &r->host.include_dirs, r->include_dirs.at[i]);
    const char **none = KS_NEW(r->arena, const char *);
    cmd->include_dirs = r->host.include_dirs.len > 0 ? r->host.include_dirs.at : none;
    cmd->quote_dirs = r->host.quote_dirs.len > 0 ? r->host.quote_dirs.at : none;
    if (r->ptxas.failed)
        pass(cmd, "too many options for ptxas");
    cmd->ptxas_options = ks_arena_strdup(r->arena, ks_buf_text(&r->ptxas));
    ks_buf_free(&r->ptxas);
}

void ks_cmdline_read(struct ks_arena *arena, int argc, const char *const *argv,
                     struct ks_cmdline *out)
{
    *out = (struct ks_cmdline){.phase = KS_PHASE_OTHER};
    separate_own(arena, argc, argv, out);
    struct ks_words words;
    ks_words_read(arena, out->argv, out->argc, &words);
    struct reader r = {
        .arena = arena, .cmd = out, .words = &words, .rdc = -1, .ptxas = KS_BUF(1 << 16)};
    read_words(&r);
    if (words.doubt != NULL)
        pass(out, words.doubt);
    ks_host_options_read(arena, &r.host);
    out->debug_device |= r.host.instrumented;
    out->openmp = r.host.openmp;
    out->host_parts = r.host.parts;
    if (r.host.doubt != NULL)
        pass(out, r.host.doubt);
    judge_phase(&r);
    judge_inputs(&r);
    judge_outputs(&r);
    ks_arch_read(arena, &r.archs, out);
    finish_lists(&r);
    if (out->pass != NULL)
        out->input = 0;
}

const char *ks_cmdline_default_output(struct ks_arena *arena, const struct ks_cmdline *cmd)
{
    if (cmd->phase == KS_PHASE_LINK && cmd->output_dir != NULL)
        return ks_path_join(arena, cmd->output_dir, "a.out");
    if (cmd->input == 0 || cmd->phase == KS_PHASE_LINK)
        return "a.out";
    return beside_output(arena, cmd, cmd->argv[cmd->input], ".o");
}

// A step of nvcc (cudafe++, cicc, and gcc's compile of what cudafe++ made), remembered: tests
// compile the same unit again and again, and these three take most of a compile. nvcc itself and
// its preprocessors are always the real ones; what they hand on is all that these steps read, so
// that it, the words, the folder and the environment together tell what comes out. Stands in
// the build's tests/cuda (CMakeLists.txt), under the name of the program that it remembers.
//
// A step that fails, or whose words may mean more files than these, is run and not remembered. The
// names that nvcc and ks-nvcc give their temporary files differ from compile to compile: one name
// counts as another, and stands for it in what comes out.
//
//   KS_TEST_STEPS=off      run all
//   KS_TEST_STEPS=check    run all, and compare with what was remembered; exit 98 where it differs
//   KS_TEST_STEPS_DIR=DIR  another folder of memories than the build's
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "fmt/hash.h"
#include "os/file.h"
#include "os/proc.h"

#define FILE_MAX_ ((size_t)1 << 30)
#define WORDS_MAX 512

extern char **environ;
static struct ks_arena arena;
static struct ks_err err;

// What is remembered of one step: streams, then outputs by the place of their name among the words.
struct piece {
    const char *name;   // of its file in the entry
    const char *path;   // NULL: a stream
    struct stat before; // st_ino 0: was not there
    struct ks_slice text;
};
struct step {
    int argc;
    char **argv;
    const char *program;   // the real one
    const char *temporary; // the name that differs from compile to compile; NULL: none
    bool is_gcc;
    struct piece pieces[WORDS_MAX];
    size_t n_pieces;
    char *entry;
};

// "tmpxft_0123abcd_00000000" or "ks-tmp-123/ks-hit-aBc123" at the beginning of `text`.
static size_t temporary_length(const char *text)
{
    if (ks_starts_with(text, "tmpxft_")) {
        size_t first = strspn(text + 7, "0123456789abcdef");
        size_t second = first == 8 && text[15] == '_' ? strspn(text + 16, "0123456789abcdef") : 0;
        return second == 8 ? 24 : 0;
    }
    if (ks_starts_with(text, "ks-tmp-")) {
        size_t at = 7 + strspn(text + 7, "0123456789");
        size_t more = ks_starts_with(text + at, "/ks-") ? strcspn(text + at + 4, "/") : 0;
        return more > 0 && text[at + 4 + more] == '/' ? at + 4 + more : 0;
    }
    return 0;
}

// False if the words hold two such names.
static bool find_temporary(struct step *step)
{
    for (int i = 1; i < step->argc; i++)
        for (const char *at = step->argv[i]; *at != '\0'; at++) {
            size_t n = temporary_length(at);
            const char *name = n == 0 ? NULL : ks_arena_printf(&arena, "%.*s", (int)n, at);
            if (name != NULL && step->temporary != NULL && strcmp(step->temporary, name) != 0)
                return false;
            if (name != NULL)
                step->temporary = name;
        }
    return true;
}

static struct ks_slice replace(struct ks_slice text, const char *from, const char *to)
{
    struct ks_buf out = KS_BUF(FILE_MAX_);
    const char *at = text.at, *end = text.at + text.len, *hit;
    size_t n = from == NULL ? 0 : strlen(from);
    if (n == 0 || strcmp(from, to) == 0 || memmem(text.at, text.len, from, n) == NULL)
        return text;
    while ((hit = memmem(at, (size_t)(end - at), from, n)) != NULL) {
        ks_buf_add(&out, at, (size_t)(hit - at));
        ks_buf_puts(&out, to);
        at = hit + n;
    }
    ks_buf_add(&out, at, (size_t)(end - at));
    return (struct ks_slice){out.data, out.len}; // to the end of the program
}

// What gcc may be asked for besides a compile from one file to one file.
static bool is_plain_gcc(const struct step *step)
{
    static const char *const plain[] = {"-c", "-x", "c++", "-m64", "-o", "-g", "-pthread"};
    static const char *const begins[] = {"-D", "-U",    "-I",    "-W",
                                         "-O", "-fPIC", "-std=", "-isystem"};
    bool input = false;
    for (int i = 1; i < step->argc; i++) {
        const char *word = step->argv[i], *last = step->argv[i - 1];
        bool known = strcmp(last, "-o") == 0 || strcmp(last, "-isystem") == 0;
        if (ks_ends_with(word, ".cudafe1.cpp") && !known)
            known = input = true;
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            known |= strcmp(word, plain[k]) == 0;
        for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
            known |= ks_starts_with(word, begins[k]);
        if (!known || ks_starts_with(word, "-Wp,") || ks_starts_with(word, "-Wa,"))
            return false;
    }
    return input;
}

// What stood there before does not count.
static bool is_output(const struct step *step, int i)
{
    static const char *const options[] = {"-o", "-olto", "--gen_c_file_name",
                                          "--gen_device_file_name", "--stub_file_name"};
    for (size_t k = 0; i > 1 && k < sizeof options / sizeof *options; k++)
        if (strcmp(step->argv[i - 1], options[k]) == 0)
            return true;
    bool makes = false; // the first step that needs it makes the unit's id, the others read it
    for (int k = 1; k < step->argc; k++)
        makes |= strcmp(step->argv[k], "--gen_module_id_file") == 0;
    return i > 1 && makes && strcmp(step->argv[i - 1], "--module_id_file_name") == 0;
}

static void add_piece(struct step *step, const char *name, const char *path)
{
    struct piece *piece = &step->pieces[step->n_pieces++];
    *piece = (struct piece){.name = name, .path = path};
    if (path != NULL && stat(path, &piece->before) != 0)
        piece->before.st_ino = 0;
}

// False: not to be remembered.
static bool find_pieces(struct step *step)
{
    if (step->argc > WORDS_MAX - 4 || isatty(STDERR_FILENO) || !find_temporary(step) ||
        (step->is_gcc && !is_plain_gcc(step)))
        return false;
    for (int i = 1; i < step->argc; i++) // any of them may become a file, or another one
        if (step->argv[i][0] != '-') {
            add_piece(step, ks_arena_printf(&arena, "%d", i), step->argv[i]);
            // The assembler takes a file's place; what a link or a device becomes is its own
            // affair.
            struct stat st;
            if (step->is_gcc && is_output(step, i) && lstat(step->argv[i], &st) == 0 &&
                (!S_ISREG(st.st_mode) || st.st_nlink != 1))
                return false;
        }
    add_piece(step, "out", NULL);
    add_piece(step, "err", NULL);
    return true;
}

static void hash_text(struct ks_hash *hash, const struct step *step, const char *name,
                      struct ks_slice text)
{
    text = replace(text, step->temporary, "\1temporary\1");
    ks_hash_field(hash, name, text.at, text.len);
}

static bool hash_inputs(struct ks_hash *hash, const struct step *step)
{
    struct stat st;
    struct ks_slice text;
    for (int i = 1; i < step->argc; i++) {
        hash_text(hash, step, "word", ks_slice_of(step->argv[i]));
        if (is_output(step, i) || stat(step->argv[i], &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (ks_file_read(&arena, step->argv[i], FILE_MAX_, &text, &err) != KS_OK)
            return false;
        hash_text(hash, step, "file", text);
    }
    if (!step->is_gcc)
        return true;
    // What it includes.
    const char **argv = KS_NEW_ARRAY(&arena, const char *, (size_t)step->argc + 2);
    struct ks_proc_result result;
    struct ks_proc_options options = {
        .in_group = true, .capture_stdout = true, .capture_stderr = true, .max_output = FILE_MAX_};
    int n = 0;
    argv[n++] = step->program;
    for (int i = 1; i < step->argc; i++)
        if (strcmp(step->argv[i], "-o") == 0)
            i++;
        else
            argv[n++] = strcmp(step->argv[i], "-c") == 0 ? "-E" : step->argv[i];
    if (ks_proc_run(&arena, argv, &options, &result, &err) != KS_OK || result.exit_code != 0)
        return false;
    hash_text(hash, step, "preprocessed", result.out);
    return true;
}

static bool name_entry(struct step *step)
{
    static const char *const without[] = {"KS_", "_=", "SHLVL=", "OLDPWD="};
    char cwd[4096], hex[KS_HASH_TEXT];
    struct ks_hash hash;
    struct ks_digest digest;
    struct stat st;
    if (getcwd(cwd, sizeof cwd) == NULL || stat(step->program, &st) != 0)
        return false;
    ks_hash_begin(&hash, "step");
    ks_hash_text(&hash, "program", step->program);
    ks_hash_int(&hash, "size", st.st_size);
    ks_hash_int(&hash, "time", st.st_mtime);
    ks_hash_text(&hash, "cwd", cwd);
    for (char **at = environ; *at != NULL; at++) {
        bool counts = true;
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            counts &= !ks_starts_with(*at, without[k]);
        if (counts)
            hash_text(&hash, step, "environment", ks_slice_of(*at));
    }
    if (!hash_inputs(&hash, step))
        return false;
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
    const char *dir = getenv("KS_TEST_STEPS_DIR");
    step->entry = ks_path_join(&arena, dir != NULL ? dir : KS_STEPS, hex);
    return true;
}

// What was remembered, with this compile's temporary name; false: nothing was.
static bool recall(struct step *step)
{
    struct ks_slice name;
    const char *path = ks_path_join(&arena, step->entry, "temporary");
    if (ks_file_read(&arena, path, FILE_MAX_, &name, &err) != KS_OK)
        return false;
    for (size_t i = 0; i < step->n_pieces; i++) {
        struct piece *piece = &step->pieces[i];
        path = ks_path_join(&arena, step->entry, piece->name);
        piece->text = (struct ks_slice){NULL, 0};
        if (!ks_file_exists(path) && piece->path != NULL)
            continue;
        if (ks_file_read(&arena, path, FILE_MAX_, &piece->text, &err) != KS_OK)
            return false;
        struct ks_slice text = piece->text;
        if (name.len > 0)
            piece->text = replace(text, name.at, step->temporary);
        if (step->is_gcc && piece->path != NULL && piece->text.len != text.len)
            return false; // an object has no room for another length
    }
    return true;
}

static bool put(int fd, struct ks_slice text)
{
    for (ssize_t n; text.len > 0; text.at += n, text.len -= (size_t)n)
        if ((n = write(fd, text.at, text.len)) <= 0)
            return false;
    return true;
}

static int play(const struct step *step)
{
    for (size_t i = 0; i < step->n_pieces; i++) {
        const struct piece *piece = &step->pieces[i];
        if (piece->path == NULL) {
            (void)put(strcmp(piece->name, "out") == 0 ? 1 : 2, piece->text);
            continue;
        }
        if (piece->text.at == NULL)
            continue;
        if (step->is_gcc)
            (void)unlink(piece->path);
        int fd = open(piece->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0 || !put(fd, piece->text) || close(fd) != 0) {
            fprintf(stderr, "%s: cannot write %s\n", step->argv[0], piece->path);
            return 1;
        }
    }
    return 0;
}

// A word's file that the step did not write is no output.
static bool take(struct piece *piece)
{
    struct stat now;
    const struct stat *old = &piece->before;
    piece->text = (struct ks_slice){NULL, 0};
    if (stat(piece->path, &now) != 0 ||
        (old->st_ino == now.st_ino && old->st_mtim.tv_sec == now.st_mtim.tv_sec &&
         old->st_mtim.tv_nsec == now.st_mtim.tv_nsec && old->st_size == now.st_size))
        return true;
    return S_ISREG(now.st_mode) &&
           ks_file_read(&arena, piece->path, FILE_MAX_, &piece->text, &err) == KS_OK;
}

static void remember(const struct step *step)
{
    char *made = ks_arena_printf(&arena, "%s.%d", step->entry, (int)getpid());
    bool ok = ks_dir_make(made, &err) == KS_OK;
    for (size_t i = 0; ok && i < step->n_pieces; i++) {
        const struct piece *piece = &step->pieces[i];
        if (piece->text.at != NULL || piece->path == NULL)
            ok = ks_file_write(ks_path_join(&arena, made, piece->name), piece->text.at,
                               piece->text.len, false, 0, &err) == KS_OK;
    }
    struct ks_slice name = ks_slice_of(step->temporary);
    ok = ok && ks_file_write(ks_path_join(&arena, made, "temporary"), name.at, name.len, false, 0,
                             &err) == KS_OK;
    if (!ok || rename(made, step->entry) != 0) // another was quicker
        (void)ks_tree_remove(made, &err);
}

static int run(struct step *step, bool check)
{
    struct ks_proc_result result;
    struct ks_proc_options options = {
        .in_group = true, .capture_stdout = true, .capture_stderr = true, .max_output = FILE_MAX_};
    step->argv[0] = (char *)step->program; // gcc finds its parts beside itself
    struct piece *recalled = KS_NEW_ARRAY(&arena, struct piece, step->n_pieces + 1);
    memcpy(recalled, step->pieces, step->n_pieces * sizeof *recalled);
    if (ks_proc_run(&arena, (const char *const *)step->argv, &options, &result, &err) != KS_OK) {
        fprintf(stderr, "%s: %s\n", step->program, err.text);
        return 1;
    }
    (void)put(1, result.out);
    (void)put(2, result.err);
    if (result.signal != 0)
        ks_exit_as_child(result.exit_code);
    bool ok = result.exit_code == 0;
    for (size_t i = 0; ok && i < step->n_pieces; i++) {
        struct piece *piece = &step->pieces[i];
        if (piece->path == NULL)
            piece->text = strcmp(piece->name, "out") == 0 ? result.out : result.err;
        else
            ok = take(piece);
        const struct ks_slice *old = &recalled[i].text;
        if (check && ok &&
            (old->len != piece->text.len || memcmp(old->at, piece->text.at, old->len) != 0)) {
            fprintf(stderr, "remembered otherwise: %s, %s\n", step->entry, piece->name);
            return 98;
        }
    }
    if (ok && !check)
        remember(step);
    return result.exit_code;
}

int main(int argc, char **argv)
{
    static struct step step;
    const char *name = ks_path_base(argv[0]), *how = getenv("KS_TEST_STEPS");
    step = (struct step){.argc = argc, .argv = argv, .is_gcc = strcmp(name, "gcc") == 0};
    if (step.is_gcc)
        step.program = ks_proc_which(&arena, name, "/proc/self/exe");
    else
        step.program =
            ks_arena_printf(&arena, strcmp(name, "cicc") == 0 ? "%s/nvvm/bin/%s" : "%s/bin/%s",
                            KS_REAL_TOOLKIT, name);
    if (step.program == NULL) {
        fprintf(stderr, "%s: not found\n", name);
        return 1;
    }
    if ((how != NULL && strcmp(how, "off") == 0) || !find_pieces(&step) || !name_entry(&step)) {
        argv[0] = (char *)step.program;
        execv(step.program, argv);
        perror(step.program);
        return 1;
    }
    bool check = how != NULL && strcmp(how, "check") == 0;
    if (recall(&step) && !check)
        return play(&step);
    return run(&step, check && ks_file_exists(step.entry));
}

// A step of nvcc (gcc, cudafe++ and cicc), remembered: tests compile the same unit again and again,
// and these three take most of a compile. nvcc itself, ptxas and fatbinary are always the real
// ones. Stands in the build's tests/cuda (CMakeLists.txt), under the name of the program that it
// remembers.
//
// A step is known by its words, folder and environment, and by what it looked at: the files that
// its words name, and for gcc each file that it or what it started looked for (looked_at.c), found
// or not. All that must be as it was. A step that fails, reads the clock, or leaves other files
// than its words name, is run and not remembered. Where a unit lies is told by debug information
// and by cudafe++, which hashes it: without these, one folder counts as another.
//
// The names that nvcc and ks-nvcc give their temporary files differ from compile to compile: one
// such name counts as another, and stands for it in what comes out.
//
// It stands for nvcc too (start_nvcc.h).
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
#include "start_nvcc.h"
#include "step_names.h"

#define WORDS_MAX 512
#define LOOKED_MAX 4096

extern char **environ;
static struct ks_arena arena;
static struct ks_err err;

// What comes out: streams, and files by the place of their name among the words.
struct piece {
    const char *name;   // of its file in the memory
    const char *path;   // NULL: a stream
    struct stat before; // st_ino 0: was not there
    struct ks_slice text;
};
// A file that was looked for, and how it was.
struct look {
    const char *path;
    const char *state; // NULL: cannot be remembered
};
struct step {
    int argc;
    char **argv;
    const char *program; // the real one
    bool is_gcc, is_object;
    bool anywhere; // what comes out does not tell the folder
    struct names names;
    struct piece pieces[WORDS_MAX];
    size_t n_pieces;
    struct look looks[LOOKED_MAX];
    size_t n_looks;
    const char *key; // the folder of what is remembered of these words
};

// What stood there before does not count; nor what other steps make of a name that is only handed
// on.
static bool is_output(const struct step *step, int i)
{
    static const char *const options[] = {"-o",
                                          "-olto",
                                          "--gen_c_file_name",
                                          "--gen_device_file_name",
                                          "--stub_file_name",
                                          "--include_file_name"};
    for (size_t k = 0; i > 1 && k < sizeof options / sizeof *options; k++)
        if (strcmp(step->argv[i - 1], options[k]) == 0)
            return true;
    bool makes = false; // the first step that needs it makes the unit's id, the others read it
    for (int k = 1; k < step->argc; k++)
        makes |= strcmp(step->argv[k], "--gen_module_id_file") == 0;
    return i > 1 && makes && strcmp(step->argv[i - 1], "--module_id_file_name") == 0;
}

// One file preprocessed or compiled, and no talk of gcc about itself.
static bool is_plain_gcc(struct step *step)
{
    static const char *const talk[] = {"-v", "-###", "-Q", "-time", "-ftime-report", "-"};
    static const char *const others[] = {"-M", "-Wp,", "-Wa,", "-frecord", "-save-temps"};
    bool one = false;
    for (int i = 1; i < step->argc; i++) {
        for (size_t k = 0; k < sizeof talk / sizeof *talk; k++)
            if (strcmp(step->argv[i], talk[k]) == 0)
                return false;
        for (size_t k = 0; k < sizeof others / sizeof *others;
             k++) // files that the name of -o is in
            if (ks_starts_with(step->argv[i], others[k]))
                return false;
        step->is_object |= strcmp(step->argv[i], "-c") == 0;
        one |= strcmp(step->argv[i], "-E") == 0 || step->is_object;
    }
    return one && getenv("LD_PRELOAD") == NULL;
}

static void add_piece(struct step *step, const char *name, const char *path)
{
    struct piece *piece = &step->pieces[step->n_pieces++];
    *piece = (struct piece){.name = name, .path = path};
    if (path != NULL && stat(path, &piece->before) != 0)
        piece->before.st_ino = 0;
}

// cicc makes the same of a unit in any folder: the folder's name, and the unit's id with a hash of
// it, stand for others, in the text too. The id's length is in names made of it.
static bool find_place(struct step *step)
{
    struct ks_slice id;
    bool is_cicc = strcmp(ks_path_base(step->program), "cicc") == 0, ok = true;
    step->anywhere = step->is_gcc || is_cicc;
    for (int i = 1; i < step->argc; i++)
        step->anywhere &= !ks_starts_with(step->argv[i], "-g");
    for (int i = 2; is_cicc && step->anywhere && i < step->argc; i++) {
        const char *option = step->argv[i - 1], *word = step->argv[i];
        if (strcmp(option, "--orig_src_path_name") == 0 && word[0] == '/')
            ok &= names_add(&step->names, &arena,
                            ks_arena_printf(&arena, "%s/", ks_path_dir(&arena, word)), 'd', 0);
        if (strcmp(option, "--module_id_file_name") == 0 && !is_output(step, i) &&
            ks_file_read(&arena, word, 4096, &id, &err) == KS_OK && id.len > 8)
            ok &= names_add(&step->names, &arena,
                            ks_arena_printf(&arena, "%.*s", (int)id.len, id.at), 'm', (int)id.len);
    }
    return ok;
}

// False: not to be remembered.
static bool find_pieces(struct step *step)
{
    if (step->argc > WORDS_MAX - 4 || isatty(STDERR_FILENO) ||
        (step->is_gcc && !is_plain_gcc(step)) ||
        // An object holds the name of the file that it was made of, which stands for no other then.
        !names_find(&step->names, &arena, step->argc, step->argv, !step->is_object) ||
        !find_place(step))
        return false;
    for (int i = 1; i < step->argc; i++) // any of them may become a file, or another one
        if (step->argv[i][0] != '-') {
            add_piece(step, ks_arena_printf(&arena, "%d", i), step->argv[i]);
            // What a link or a device becomes is its own affair.
            struct stat st;
            if (step->is_gcc && is_output(step, i) && lstat(step->argv[i], &st) == 0 &&
                (!S_ISREG(st.st_mode) || st.st_nlink != 1))
                return false;
        }
    add_piece(step, "out", NULL);
    add_piece(step, "err", NULL);
    return true;
}

// Where PATH leads besides this toolkit, which nvcc and ks-nvcc put in front once or twice.
static const char *path_beside(const char *path)
{
    struct ks_buf out = KS_BUF(FILE_MAX_);
    for (size_t n; *path != '\0'; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        if (!ks_starts_with(path, KS_TEST_TOOLKIT "/")) {
            ks_buf_add(&out, path, n);
            ks_buf_putc(&out, ':');
        }
    }
    return ks_buf_text(&out); // to the end of the program
}

static bool name_key(struct step *step)
{
    // TMPDIR: files that are gone when the step ends, or have a name among the words.
    static const char *const without[] = {"KS_",     "_=",      "SHLVL=",         "OLDPWD=",
                                          "TMPDIR=", "PATH=",   "HOME=",          "XDG_",
                                          "MAKE",    "MFLAGS=", "CCACHE_DISABLE="};
    char cwd[4096], hex[KS_HASH_TEXT];
    struct ks_hash hash;
    struct ks_digest digest;
    struct stat st;
    const char *path = getenv("PATH");
    if (getcwd(cwd, sizeof cwd) == NULL || stat(step->program, &st) != 0)
        return false;
    ks_hash_begin(&hash, "step");
    ks_hash_text(&hash, "program", step->program);
    ks_hash_int(&hash, "size", st.st_size);
    ks_hash_int(&hash, "time", st.st_mtime);
    ks_hash_text(&hash, "cwd", step->anywhere ? NULL : cwd);
    ks_hash_text(&hash, "path", path == NULL ? NULL : path_beside(path));
    for (char **at = environ; *at != NULL; at++) {
        bool counts = !step->anywhere || !ks_starts_with(*at, "PWD=");
        for (size_t k = 0; k < sizeof without / sizeof *without; k++)
            counts &= !ks_starts_with(*at, without[k]);
        if (counts)
            ks_hash_text(&hash, "environment", names_mask_word(&step->names, &arena, *at));
    }
    for (int i = 1; i < step->argc; i++) {
        bool any = is_output(step, i) && ks_starts_with(step->argv[i - 1], "-o");
        ks_hash_text(&hash, "word",
                     any ? "output" : names_mask_word(&step->names, &arena, step->argv[i]));
    }
    ks_hash_end(&hash, &digest);
    ks_digest_hex(&digest, hex);
    const char *dir = getenv("KS_TEST_STEPS_DIR");
    step->key = ks_path_join(&arena, dir != NULL ? dir : KS_TEST_STEPS, hex);
    return true;
}

// The state of what is looked for: absent, a folder, or these bytes.
static const char *state_of(struct step *step, const char *path)
{
    struct stat st;
    struct ks_slice text;
    char hex[KS_HASH_TEXT];
    if (stat(path, &st) != 0)
        return "absent";
    if (S_ISDIR(st.st_mode))
        return ks_arena_printf(&arena, "folder %s",
                               names_mask_word(&step->names, &arena, ks_path_real(&arena, path)));
    if (!S_ISREG(st.st_mode) || ks_file_read(&arena, path, FILE_MAX_, &text, &err) != KS_OK)
        return NULL;
    static const char *const clocks[] = {"__TIME__", "__DATE__", "__TIMESTAMP__"};
    bool asks = step->is_gcc && (text.len < 4 || memcmp(text.at, "\177ELF", 4) != 0);
    for (size_t k = 0; asks && k < sizeof clocks / sizeof *clocks; k++)
        if (text.len > 0 && memmem(text.at, text.len, clocks[k], strlen(clocks[k])) != NULL)
            return NULL;
    // A long one, and gcc puts none of the other names there.
    if (!ks_ends_with(path, ".ii") || (!step->is_gcc && step->anywhere))
        text = names_mask(&step->names, text);
    struct ks_digest digest = ks_digest_of("looked", text.at, text.len);
    ks_digest_hex(&digest, hex);
    return ks_arena_printf(&arena, "%s", hex);
}

static struct look *look_at(struct step *step, const char *path)
{
    for (size_t i = 0; i < step->n_looks; i++)
        if (strcmp(step->looks[i].path, path) == 0)
            return &step->looks[i];
    if (step->n_looks == LOOKED_MAX)
        return NULL;
    step->looks[step->n_looks] = (struct look){.path = path, .state = state_of(step, path)};
    return &step->looks[step->n_looks++];
}

// Whether all is as it was when this was remembered.
static bool is_still(struct step *step, const char *entry)
{
    struct ks_slice looked;
    if (ks_file_read(&arena, ks_path_join(&arena, entry, "looked"), FILE_MAX_, &looked, &err) !=
        KS_OK)
        return false;
    for (const char *at = looked.at, *end = at + looked.len; at < end;) {
        const char *state = at, *path = state + strlen(state) + 1;
        at = path + strlen(path) + 1;
        struct look *look = look_at(step, names_unmask_word(&step->names, &arena, path));
        if (look == NULL || look->state == NULL || strcmp(look->state, state) != 0)
            return false;
    }
    return true;
}

// Reads what came out; false: nothing of this is remembered.
static bool recall(struct step *step)
{
    struct ks_strv entries = {0};
    if (ks_dir_list(&arena, step->key, &entries, &err) != KS_OK)
        return false;
    for (size_t k = 0; k < entries.len; k++) {
        const char *entry = ks_path_join(&arena, step->key, entries.at[k]);
        if (strchr(entries.at[k], '.') != NULL || !is_still(step, entry))
            continue;
        bool ok = true;
        size_t length = 0;
        for (size_t i = 0; ok && i < step->n_pieces; i++) {
            struct piece *piece = &step->pieces[i];
            const char *path = ks_path_join(&arena, entry, piece->name);
            piece->text = (struct ks_slice){NULL, 0};
            if (!ks_file_exists(path))
                continue;
            ok = ks_file_read(&arena, path, FILE_MAX_, &piece->text, &err) == KS_OK;
            piece->text = names_unmask(&step->names, piece->text);
            ok &= !names_marked(piece->text); // a name that has none to stand for it here
            length += piece->text.len;
        }
        // An object has no room for names of another length.
        if (ok && (!step->is_object || strtoul(strchr(entries.at[k], '-') + 1, NULL, 10) == length))
            return true;
    }
    return false;
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
        if (step->is_object) // the assembler takes a file's place
            (void)unlink(piece->path);
        int fd = open(piece->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0 || !put(fd, piece->text) || close(fd) != 0) {
            fprintf(stderr, "%s: cannot write %s\n", step->argv[0], piece->path);
            return 1;
        }
    }
    return 0;
}

// A word's file that the step did not write is no output, nor is a folder that it wrote into.
static bool take(struct piece *piece)
{
    struct stat now;
    const struct stat *old = &piece->before;
    piece->text = (struct ks_slice){NULL, 0};
    if (stat(piece->path, &now) != 0 || S_ISDIR(now.st_mode) ||
        (old->st_ino == now.st_ino && old->st_mtim.tv_sec == now.st_mtim.tv_sec &&
         old->st_mtim.tv_nsec == now.st_mtim.tv_nsec && old->st_size == now.st_size))
        return true;
    return S_ISREG(now.st_mode) &&
           ks_file_read(&arena, piece->path, FILE_MAX_, &piece->text, &err) == KS_OK;
}

static bool is_piece(const struct step *step, const char *path, bool written)
{
    for (size_t i = 0; i < step->n_pieces; i++)
        if (step->pieces[i].path != NULL && strcmp(step->pieces[i].path, path) == 0)
            return !written || step->pieces[i].text.at != NULL;
    return false;
}

// What the step looked at, with the states; false: not to be remembered. `log`: of looked_at.c.
static bool find_looks(struct step *step, struct ks_slice log, struct ks_buf *looked)
{
    struct ks_strv paths = {0};
    const char *temporary = getenv("TMPDIR"), *end = log.at + log.len;
    for (int i = 1; !step->is_gcc && i < step->argc; i++)
        if (step->argv[i][0] != '-' && !is_output(step, i))
            ks_strv_add(&arena, &paths, step->argv[i]);
    for (const char *at = log.at; at < end; at += strlen(at) + 1) {
        bool writes = *at == 'w';
        for (const char *other = log.at; !writes && other < end; other += strlen(other) + 1)
            writes = *other == 'w' && strcmp(other + 1, at + 1) == 0; // its own
        if (!writes && (temporary == NULL || strcmp(temporary, at + 1) != 0))
            ks_strv_add(&arena, &paths, at + 1);
        else if (writes && ks_file_exists(at + 1) && !is_piece(step, at + 1, true))
            return false;
    }
    step->n_looks = 0; // as it is now
    for (size_t i = 0; i < paths.len; i++) {
        size_t known = step->n_looks;
        const struct look *look = look_at(step, paths.at[i]);
        if (look == NULL || look->state == NULL)
            return false;
        if (known == step->n_looks || is_piece(step, look->path, true))
            continue;
        ks_buf_add(looked, look->state, strlen(look->state) + 1);
        const char *path = names_mask_word(&step->names, &arena, look->path);
        ks_buf_add(looked, path, strlen(path) + 1);
    }
    return true;
}

static void remember(struct step *step, struct ks_slice log)
{
    struct ks_buf looked = KS_BUF(FILE_MAX_);
    if (!find_looks(step, log, &looked))
        return;
    size_t length = 0;
    for (size_t i = 0; i < step->n_pieces; i++)
        length += step->pieces[i].text.len;
    const char *entry = ks_arena_printf(&arena, "%s/%d-%zu", step->key, (int)getpid(), length);
    const char *made = ks_arena_printf(&arena, "%s.", entry);
    bool ok = ks_dir_make(made, &err) == KS_OK &&
              ks_file_write(ks_path_join(&arena, made, "looked"), looked.data, looked.len, false, 0,
                            &err) == KS_OK;
    for (size_t i = 0; ok && i < step->n_pieces; i++) {
        const struct piece *piece = &step->pieces[i];
        struct ks_slice text = names_mask(&step->names, piece->text);
        ok = !names_marked(piece->text);
        if (ok && (text.at != NULL || piece->path == NULL))
            ok = ks_file_write(ks_path_join(&arena, made, piece->name), text.at, text.len, false, 0,
                               &err) == KS_OK;
    }
    if (!ok || rename(made, entry) != 0)
        (void)ks_tree_remove(made, &err);
}

// What takes much memory takes it in large pages. The children of gcc ask for it otherwise.
static void use_large_pages(const struct step *step)
{
    if (strcmp(ks_path_base(step->program), "cudafe++") == 0)
        (void)setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
    else if (!step->is_gcc)
        (void)setenv("LD_PRELOAD", KS_LOOKED_AT, 0);
}

static int run(struct step *step, bool check)
{
    struct ks_proc_result result;
    struct ks_proc_options options = {
        .in_group = true, .capture_stdout = true, .capture_stderr = true, .max_output = FILE_MAX_};
    const char *log = ks_arena_printf(&arena, "%s.%d", step->key, (int)getpid());
    struct ks_slice looked = {NULL, 0};
    bool ok = true;
    if (step->is_gcc) {
        ok = ks_dir_make(ks_path_dir(&arena, log), &err) == KS_OK &&
             ks_file_write(log, "", 0, false, 0, &err) == KS_OK;
        (void)setenv("KS_TEST_LOOKED", log, 1);
        (void)setenv("LD_PRELOAD", KS_LOOKED_AT, 1);
    }
    step->argv[0] = (char *)step->program; // gcc finds its parts beside itself
    struct piece *recalled = KS_NEW_ARRAY(&arena, struct piece, step->n_pieces + 1);
    memcpy(recalled, step->pieces, step->n_pieces * sizeof *recalled);
    if (ks_proc_run(&arena, (const char *const *)step->argv, &options, &result, &err) != KS_OK) {
        fprintf(stderr, "%s: %s\n", step->program, err.text);
        return 1;
    }
    (void)put(1, result.out);
    (void)put(2, result.err);
    if (step->is_gcc) {
        ok = ks_file_read(&arena, log, FILE_MAX_, &looked, &err) == KS_OK && ok;
        (void)unlink(log);
    }
    if (result.signal != 0)
        ks_exit_as_child(result.exit_code);
    ok &= result.exit_code == 0;
    for (size_t i = 0; ok && i < step->n_pieces; i++) {
        struct piece *piece = &step->pieces[i];
        if (piece->path == NULL)
            piece->text = strcmp(piece->name, "out") == 0 ? result.out : result.err;
        else
            ok = take(piece);
        const struct ks_slice *old = &recalled[i].text;
        if (check && ok &&
            (old->len != piece->text.len || memcmp(old->at, piece->text.at, old->len) != 0)) {
            fprintf(stderr, "remembered otherwise: %s, %s\n", step->key, piece->name);
            return 98;
        }
    }
    if (ok && !check)
        remember(step, looked);
    return result.exit_code;
}

int main(int argc, char **argv)
{
    static struct step step;
    const char *name = ks_path_base(argv[0]), *how = getenv("KS_TEST_STEPS");
    if (strcmp(name, "nvcc") == 0)
        return start_nvcc(argc, argv);
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
    bool off = (how != NULL && strcmp(how, "off") == 0) || !find_pieces(&step) || !name_key(&step);
    use_large_pages(&step);
    if (off) {
        argv[0] = (char *)step.program;
        execv(step.program, argv);
        perror(step.program);
        return 1;
    }
    bool known = recall(&step), check = how != NULL && strcmp(how, "check") == 0;
    return known && !check ? play(&step) : run(&step, known && check);
}

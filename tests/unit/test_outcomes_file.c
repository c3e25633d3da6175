// The memory's file: what is added comes back, damage and newer formats are refused, writers and kills lose nothing.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "memory/outcomes.h"
#include <sys/stat.h>

#include "memory_fixture.h"

static bool network; // what statfs says of every folder

// In front of the C library's.
int statfs(const char *path, struct statfs *info)
{
    int result = (int)syscall(SYS_statfs, path, info);
    if (network)
        info->f_type = 0x6969; // NFS
    return result;
}

static bool unwritable; // what access says of every folder

int access(const char *path, int mode)
{
    if (unwritable && mode == W_OK) {
        errno = EROFS;
        return -1;
    }
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

static void attempts_survive_a_restart(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    add(o, attempt("k1", "a", "CORRECT", 2));
    add(o, attempt("k2", "a", "WRONG", 0));
    add(o, attempt("k1", "b", "WRONG", 0));
    ks_outcomes_close(o);
    o = opened(&config);
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k1", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].skill, "a");
    assert_string_equal(list[1].skill, "b");
    assert_string_equal(list[0].params, "x=1");
    assert_int_equal(list[0].arch, 90);
    assert_float_equal(list[0].lower, 1.8, 1e-12);
    struct ks_skill_stat *stats;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_int_equal(stats[0].attempts, 2);
    assert_int_equal(stats[0].correct, 1);
    assert_int_equal(stats[0].faster, 1);
    assert_float_equal(stats[0].geomean, 2, 1e-12);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void damage_is_named(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o;
    char *path = ks_path_join(&arena, config.state_dir, "memory.db");
    char garbage[8192];
    memset(garbage, 'x', sizeof garbage);
    assert_int_equal(ks_file_write(path, garbage, sizeof garbage, false, 0, &err), KS_OK);
    assert_int_equal(ks_outcomes_open(&config, &o, &err), KS_E_FORMAT);
    assert_null(o);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "mv "));
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void newer_formats_are_left_alone(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o = opened(&config);
    ks_outcomes_close(o);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ks_outcomes_open(&config, &o, &err), KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "99"));
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// What the first version made, with an attempt in it.
static void an_older_memory_is_kept(void **state)
{
    (void)state;
    static const char first[] =
        "CREATE TABLE attempts (id INTEGER PRIMARY KEY, key TEXT NOT NULL, kernel TEXT NOT NULL,"
        " proposal TEXT NOT NULL, skill TEXT NOT NULL, direction TEXT NOT NULL, params TEXT NOT NULL,"
        " bottleneck TEXT NOT NULL, date TEXT NOT NULL, arch INTEGER NOT NULL, correctness TEXT NOT NULL,"
        " speed TEXT NOT NULL, reason TEXT NOT NULL, ratio REAL NOT NULL, lower REAL NOT NULL,"
        " seconds REAL NOT NULL);"
        "INSERT INTO attempts VALUES(1,'k1','k','p','s','d','x=1','dram','2026-01-02',90,'CORRECT',"
        "'FASTER','',2.0,1.8,0.5);"
        "PRAGMA user_version = 1";
    struct ks_config config = fresh();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, first, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list, a = attempt("k1", "s", "WRONG", 0);
    const char *text;
    size_t n;
    a.proposal = "0123";
    a.text = "source: x";
    add(o, a);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k1", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_float_equal(list[0].ratio, 2, 1e-12);
    assert_int_equal(ks_outcomes_proposal(&arena, o, "0123", &text, NULL), KS_OK);
    assert_string_equal(text, a.text);
    struct ks_skill_stat *stats;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n, NULL), KS_OK);
    assert_int_equal(stats[0].attempts, 2); // what it taught is summed up from then on
    assert_int_equal(stats[0].faster, 1);
    assert_float_equal(stats[0].geomean, 2, 1e-9);
    double feasible, gain;
    int count;
    ks_outcomes_skill_value(o, "s", &(struct ks_place){90, "unknown", "dram"}, &feasible, &gain, &count, NULL);
    assert_true(fabs(gain - 0.5904 * log(2)) < 1e-6); // 1 - 0.8^4: four levels, each as 1 of 5
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// Versions before 7 named what an attempt stood on and taught its ratio over the original all the same.
static void what_was_learned_over_the_original_stays_so(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list, look = attempt("k1", "s", "CORRECT", 3);
    size_t n;
    look.base = "p0";
    look.base_ratio = 2;
    add(o, look);
    ks_outcomes_close(o);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 6", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    o = opened(&config);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k1", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 1);
    assert_string_equal(list[0].base, "");
    assert_float_equal(list[0].base_ratio, 0, 1e-12);
    assert_float_equal(list[0].ratio, 3, 1e-12);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void writers_do_not_lose_attempts(void **state)
{
    (void)state;
    enum { WRITERS = 4, EACH = 50 };
    struct ks_config config = fresh();
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            struct ks_outcomes *o;
            if (ks_outcomes_open(&config, &o, NULL) != KS_OK)
                _exit(1);
            struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
            for (int i = 0; i < EACH; i++)
                if (ks_outcomes_add(o, &a, NULL) != KS_OK)
                    _exit(1);
            _exit(0); // without closing, as after kill -9
        }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, WRITERS * EACH);
    struct ks_skill_stat *stats;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n, NULL), KS_OK);
    assert_int_equal(stats[0].attempts, WRITERS * EACH); // what they taught neither
    assert_int_equal(stats[0].faster, WRITERS * EACH);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// Killed at any point: every attempt whose call came back is there, at most one more is, and what was learned
// counts exactly those that are there.
static void a_kill_loses_at_most_the_attempt_in_flight(void **state)
{
    (void)state;
    enum { ROUNDS = 12 };
    struct ks_config config = fresh();
    int64_t told = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            struct ks_outcomes *o;
            struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
            a.text = "source: x";
            if (ks_outcomes_open(&config, &o, NULL) != KS_OK)
                _exit(1);
            while (ks_outcomes_add(o, &a, NULL) == KS_OK)
                if (write(ends[1], "x", 1) != 1)
                    break;
            _exit(1);
        }
        close(ends[1]);
        char byte;
        for (int i = 0; i < 3 + 5 * round && read(ends[0], &byte, 1) == 1; i++)
            told++;
        kill(child, SIGKILL);
        while (read(ends[0], &byte, 1) == 1)
            told++;
        close(ends[0]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        struct ks_outcomes *o = opened(&config);
        struct ks_attempt *list;
        struct ks_skill_stat *stats;
        size_t n, n_stats;
        assert_int_equal(ks_outcomes_check(o, NULL), KS_OK);
        assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
        assert_in_range(n, told, told + round + 1); // one in flight a kill
        assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n_stats, NULL), KS_OK);
        assert_int_equal(stats[0].attempts, n);
        ks_outcomes_close(o);
    }
    assert_true(told > ROUNDS);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static int64_t size_of(const struct ks_config *config)
{
    struct stat file;
    assert_int_equal(stat(ks_path_join(&arena, config->state_dir, "memory.db"), &file), 0);
    return file.st_size;
}

static void old_attempts_are_forgotten_and_their_lessons_are_not(void **state)
{
    (void)state;
    enum { ATTEMPTS = 400 };
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    char text[4000], id[32];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < ATTEMPTS; i++) {
        struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
        snprintf(id, sizeof id, "%08x", i);
        a.proposal = id;
        a.text = text;
        add(o, a);
    }
    struct ks_attempt *list;
    const char *kept;
    size_t n;
    int64_t deleted;
    assert_int_equal(ks_outcomes_forget(o, 1 << 30, &deleted, NULL), KS_OK);
    assert_int_equal(deleted, 0);
    config.memory_max = 800 << 10;
    assert_int_equal(ks_outcomes_trim(o, NULL), KS_OK); // nothing: it was opened without a limit
    ks_outcomes_close(o);
    o = opened(&config);
    ks_outcomes_close(o); // who only looks forgets nothing
    o = opened(&config);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, ATTEMPTS);
    // The file becomes smaller too, once it is much larger than allowed.
    assert_true(size_of(&config) > 3 * config.memory_max / 2);
    assert_int_equal(ks_outcomes_trim(o, NULL), KS_OK);
    ks_outcomes_close(o);
    assert_true(size_of(&config) <= config.memory_max);
    o = opened(&config);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_in_range(n, 50, ATTEMPTS - 100);
    assert_string_equal(list[n - 1].proposal, id); // the newest are there, with their texts
    assert_int_equal(ks_outcomes_proposal(&arena, o, id, &kept, NULL), KS_OK);
    assert_int_equal(ks_outcomes_proposal(&arena, o, "00000000", &kept, NULL), KS_E_ABSENT);
    struct ks_skill_stat *stats;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n, NULL), KS_OK);
    assert_int_equal(stats[0].attempts, ATTEMPTS);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void a_locked_memory_is_named(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o = opened(&config);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
    ks_outcomes_wait(o, 0.05);
    assert_int_equal(ks_outcomes_writable(o, &err), KS_E_LIMIT);
    assert_int_equal(ks_outcomes_add(o, &a, &err), KS_E_LIMIT);
    assert_non_null(strstr(err.text, "memory.db"));
    assert_non_null(strstr(err.text, "fuser"));
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK); // readers go on
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ks_outcomes_writable(o, &err), KS_OK);
    assert_int_equal(ks_outcomes_add(o, &a, &err), KS_OK); // and so does the writer, once it can
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// Where nothing can be written the memory is looked into all the same, and nothing is made beside it.
static void an_unwritable_memory_is_looked_into(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    config.state_dir = ks_path_join(&arena, config.state_dir, "50% of #1?");
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list, a = attempt("k", "a", "CORRECT", 2);
    size_t n;
    add(o, a);
    ks_outcomes_close(o);
    unwritable = true;
    assert_int_equal(ks_outcomes_look(&config, &o, &err), KS_OK);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 1);
    assert_int_not_equal(ks_outcomes_add(o, &a, &err), KS_OK);
    assert_false(ks_file_exists(ks_path_join(&arena, config.state_dir, "memory.db-shm")));
    ks_outcomes_close(o);
    sqlite3 *db;
    char *path = ks_path_join(&arena, config.state_dir, "memory.db");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ks_outcomes_look(&config, &o, &err), KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "earlier ks"));
    unwritable = false;
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// No write-ahead log there, which shares memory between processes; and a failure says what may be the matter.
static void a_network_disk_is_told_of(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
    struct ks_outcomes *o = opened(&config);
    assert_false(ks_outcomes_on_network(o));
    add(o, a);
    ks_outcomes_close(o);
    network = true;
    o = opened(&config);
    assert_true(ks_outcomes_on_network(o));
    add(o, a);
    assert_false(ks_file_exists(ks_path_join(&arena, config.state_dir, "memory.db-wal")));
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    ks_outcomes_wait(o, 0.05);
    assert_int_equal(ks_outcomes_add(o, &a, &err), KS_E_IO);
    assert_non_null(strstr(err.text, "network disk"));
    assert_non_null(strstr(err.text, "KS_STATE_DIR"));
    sqlite3_close(db);
    ks_outcomes_close(o);
    network = false;
    o = opened(&config);
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// A page in the middle: opening still works, what meets it names the file, and the file is left as it is.
static void damage_within_is_named(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o = opened(&config);
    for (int i = 0; i < 200; i++)
        add(o, attempt("k", "a", "CORRECT", 2));
    ks_outcomes_close(o);
    char *path = ks_path_join(&arena, config.state_dir, "memory.db");
    struct stat before, after;
    char garbage[4096];
    memset(garbage, 'x', sizeof garbage);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(stat(path, &before), 0);
    for (long page = 2; page < before.st_size / 4096; page++) {
        fseek(file, page * 4096, SEEK_SET);
        assert_int_equal(fwrite(garbage, 1, sizeof garbage, file), sizeof garbage);
    }
    fclose(file);
    enum ks_status status = ks_outcomes_open(&config, &o, &err);
    if (status == KS_OK) {
        assert_int_equal(ks_outcomes_check(o, &err), KS_E_FORMAT);
        struct ks_attempt *list;
        size_t n;
        status = ks_outcomes_for_key(&arena, o, "k", &list, &n, &err);
        ks_outcomes_close(o);
    }
    assert_int_equal(status, KS_E_FORMAT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "mv "));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

enum damage { NO_DAMAGE, HEADER, PAGES };

// A memory as a crash leaves it, its last attempts in the log alone, with `sql` run on it and then damaged.
static void crashed(const struct ks_config *config, const char *sql, enum damage damage)
{
    char garbage[4096];
    char *path = ks_path_join(&arena, config->state_dir, "memory.db");
    struct ks_outcomes *o = opened(config);
    for (int i = 0; i < 200; i++)
        add(o, attempt("k", "a", "CORRECT", 2));
    ks_outcomes_close(o);
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *db;
        o = opened(config);
        add(o, attempt("k", "a", "CORRECT", 2));
        _exit(sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    memset(garbage, 'x', sizeof garbage);
    FILE *file = fopen(path, "r+");
    struct stat is;
    assert_non_null(file);
    assert_int_equal(stat(path, &is), 0);
    size_t n = damage == HEADER ? 100 : sizeof garbage; // bytes a page
    long pages = damage == HEADER ? 1 : damage == PAGES ? is.st_size / 4096 : 0;
    for (long page = damage == HEADER ? 0 : 2; page < pages; page++) {
        fseek(file, page * 4096, SEEK_SET);
        assert_int_equal(fwrite(garbage, 1, n, file), n);
    }
    fclose(file);
}

static struct ks_slice bytes_of(const struct ks_config *config, const char *name)
{
    struct ks_slice text;
    struct ks_err err = {0};
    if (ks_file_read(&arena, ks_path_join(&arena, config->state_dir, name), 16 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    return text;
}

static void assert_same(struct ks_slice a, struct ks_slice b)
{
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.at, b.at, a.len);
}

// SQLite would play a log that was left into the file when the last that has it open closes it.
static void what_is_refused_keeps_its_log(void **state)
{
    (void)state;
    static const struct { enum damage damage; const char *sql; enum ks_status status; } refused[] = {
        {HEADER, "", KS_E_FORMAT},
        {PAGES, "", KS_E_FORMAT},
        {NO_DAMAGE, "PRAGMA user_version = 99", KS_E_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ks_config config = fresh();
        struct ks_err err = {0};
        struct ks_outcomes *o;
        struct ks_attempt *list, a = attempt("k", "a", "CORRECT", 2);
        size_t n;
        crashed(&config, refused[i].sql, refused[i].damage);
        struct ks_slice file = bytes_of(&config, "memory.db"), log = bytes_of(&config, "memory.db-wal");
        assert_true(log.len > 0);
        config.memory_max = 1; // nor is anything forgotten, or the file made smaller
        enum ks_status status = ks_outcomes_open(&config, &o, &err);
        if (status == KS_OK) {
            status = ks_outcomes_for_key(&arena, o, "k", &list, &n, &err);
            assert_int_not_equal(ks_outcomes_add(o, &a, NULL), KS_OK);
            assert_int_not_equal(ks_outcomes_trim(o, NULL), KS_OK);
            ks_outcomes_close(o);
        }
        assert_int_equal(status, refused[i].status);
        assert_same(bytes_of(&config, "memory.db"), file);
        assert_same(bytes_of(&config, "memory.db-wal"), log);
        const char *quoted = strchr(err.text, '`');
        if (status == KS_E_FORMAT) { // what is advised takes the log along
            assert_non_null(quoted);
            char *advice = ks_arena_strdup(&arena, quoted + 1);
            *strchr(advice, '`') = '\0';
            assert_int_equal(system(advice), 0);
            assert_same(bytes_of(&config, "bad/memory.db"), file);
            assert_same(bytes_of(&config, "bad/memory.db-wal"), log);
            o = opened(&config);
            assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, &err), KS_OK);
            assert_int_equal(n, 0);
            ks_outcomes_close(o);
        }
        assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
    }
}

// What a crash left of a memory that is sound is played in, as ever.
static void a_crash_of_a_sound_memory_loses_nothing(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_attempt *list;
    size_t n;
    crashed(&config, "", NO_DAMAGE);
    struct ks_outcomes *o = opened(&config);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 201);
    ks_outcomes_close(o);
    assert_false(ks_file_exists(ks_path_join(&arena, config.state_dir, "memory.db-wal")));
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_survive_a_restart),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(newer_formats_are_left_alone),
        cmocka_unit_test(an_older_memory_is_kept),
        cmocka_unit_test(what_was_learned_over_the_original_stays_so),
        cmocka_unit_test(writers_do_not_lose_attempts),
        cmocka_unit_test(a_kill_loses_at_most_the_attempt_in_flight),
        cmocka_unit_test(old_attempts_are_forgotten_and_their_lessons_are_not),
        cmocka_unit_test(a_locked_memory_is_named),
        cmocka_unit_test(an_unwritable_memory_is_looked_into),
        cmocka_unit_test(a_network_disk_is_told_of),
        cmocka_unit_test(damage_within_is_named),
        cmocka_unit_test(what_is_refused_keeps_its_log),
        cmocka_unit_test(a_crash_of_a_sound_memory_loses_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}

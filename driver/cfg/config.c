#include "cfg/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfg/dirs.h"
#include "cfg/owner.h"
#include "fmt/yaml.h"
#include "os/file.h"

#define SYSTEM_DIR "/etc/ks"
#define MAX_FILE ((size_t)1 << 20)
#define WEEK_SECONDS (7.0 * 24 * 3600)
#define DEFAULT_BUDGET 60.0
#define DEFAULT_CACHE_MAX ((int64_t)1 << 30)
#define MOST_STORE_DIRS 8

static const char *const mode_names[] = {"consume", "tune", "strict", "off", NULL};
static const char *const accept_names[] = {"measured", "modelled", NULL};

// What config.yaml may set.
static const char *const file_keys[] = {"mode",      "accept",    "readonly",  "remarks",
                                        "budget",    "nvcc",      "launcher",  "device",
                                        "cache_dir", "state_dir", "store_dir", "cache_max", "memory_max",
                                        "agent", "agent_budget", "agent_price", "agent_record",
                                        "agent_timeout", "agent_key_file", "agent_ca", "agent_roles", "offline",
                                        NULL};

// Every variable that some part of ks reads; docs/environment.md describes each.
static const char *const variables[] = {
    // clang-format off
    "KS_ACCEPT",
    "KS_AGENT",
    "KS_AGENT_BUDGET",
    "KS_AGENT_CA",
    "KS_AGENT_KEY",
    "KS_AGENT_KEY_FILE",
    "KS_AGENT_PRICE",
    "KS_AGENT_RECORD",
    "KS_AGENT_ROLES",
    "KS_AGENT_TIMEOUT",
    "KS_BUDGET",
    "KS_BUILD_ID",
    "KS_CACHE_DIR",
    "KS_CACHE_MAX",
    "KS_CONFIG_DIR",
    "KS_CUDA_DEVICE",
    "KS_CUPTI_DIR",
    "KS_DEVICE",
    "KS_DISABLE",
    "KS_LOG",
    "KS_MEMORY_MAX",
    "KS_MODE",
    "KS_NVCC_ACTIVE",
    "KS_NVCC_LAUNCHER",
    "KS_NVCC_REAL",
    "KS_OFFLINE",
    "KS_PROJECT",
    "KS_READONLY",
    "KS_RECORD_CAPTURE",
    "KS_RECORD_CAPTURE_DIR",
    "KS_RECORD_CAPTURE_MAX",
    "KS_RECORD_FILE",
    "KS_REMARKS",
    "KS_SANDBOX_READ",
    "KS_SHARE_DIR",
    "KS_STATE_DIR",
    "KS_STORE_DIR",
    "KS_TRACE",
    NULL,
    // clang-format on
};

const char *ks_mode_name(enum ks_mode mode)
{
    return mode_names[mode];
}

static bool find_word(const char *text, const char *const *words, int *index)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return true;
        }
    return false;
}

bool ks_mode_parse(const char *name, enum ks_mode *mode)
{
    int index;
    if (!find_word(name, mode_names, &index))
        return false;
    *mode = (enum ks_mode)index;
    return true;
}

bool ks_seconds_parse(const char *text, double *seconds)
{
    char number[32];
    size_t len = strlen(text);
    double unit = 1, value;
    if (len > 0 && (text[len - 1] == 's' || text[len - 1] == 'm'))
        unit = text[--len] == 'm' ? 60 : 1;
    if (len == 0 || len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    if (!ks_parse_f64(number, &value) || value <= 0 || value * unit > WEEK_SECONDS)
        return false;
    *seconds = value * unit;
    return true;
}

bool ks_size_parse(const char *text, int64_t *bytes)
{
    static const char units[] = "KMGT";
    char number[32];
    size_t len = strlen(text);
    double factor = 1, value;
    const char *unit = len > 0 ? strchr(units, text[len - 1]) : NULL;
    for (const char *at = units; unit != NULL && at <= unit; at++)
        factor *= 1024;
    len -= unit != NULL;
    if (len == 0 || len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    if (!ks_parse_f64(number, &value) || value <= 0 || value * factor < 1 ||
        value * factor > (double)((int64_t)1 << 62))
        return false;
    *bytes = (int64_t)(value * factor);
    return true;
}

static bool parse_bool(const char *text, bool *value)
{
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true", "off", "on", NULL};
    int index;
    if (!find_word(text, words, &index))
        return false;
    *value = index % 2 == 1;
    return true;
}

// "applied,missed", "all" or "none".
static bool parse_remarks(const char *text, struct ks_config *config)
{
    bool applied = false, missed = false;
    for (const char *at = text;; at++) {
        struct ks_slice word = {at, strcspn(at, ",")};
        if (ks_slice_eq(word, "applied"))
            applied = true;
        else if (ks_slice_eq(word, "missed"))
            missed = true;
        else if (ks_slice_eq(word, "all"))
            applied = missed = true;
        else if (!ks_slice_eq(word, "none"))
            return false;
        at += word.len;
        if (*at == '\0')
            break;
    }
    config->remarks_applied = applied;
    config->remarks_missed = missed;
    return true;
}

// "/a:/b" in place of what a weaker source named.
static enum ks_status set_store_dirs(struct ks_arena *arena, struct ks_config *config,
                                     const char *where, const char *value, struct ks_err *err)
{
    config->store_dirs = (struct ks_strv){0};
    for (const char *at = value; *at != '\0'; at += *at == ':') {
        size_t n = strcspn(at, ":");
        const char *dir = ks_arena_strndup(arena, at, n);
        at += n;
        if (n == 0)
            continue;
        if (dir[0] != '/')
            KS_FAIL(err, KS_E_USER, "%s: %s is not an absolute path", where, dir);
        if (config->store_dirs.len == MOST_STORE_DIRS)
            KS_FAIL(err, KS_E_USER, "%s: more than %d folders", where, MOST_STORE_DIRS);
        ks_strv_add(arena, &config->store_dirs, dir);
    }
    return KS_OK;
}

static enum ks_status set_agent(struct ks_arena *arena, struct ks_config *config, const char *where,
                                const char *name, const char *value, struct ks_err *err)
{
    const char **text = strcmp(name, "agent") == 0          ? &config->agent
                        : strcmp(name, "agent_budget") == 0 ? &config->agent_budget
                        : strcmp(name, "agent_price") == 0  ? &config->agent_price
                        : strcmp(name, "agent_record") == 0 ? &config->agent_record
                        : strcmp(name, "agent_key_file") == 0 ? &config->agent_key_file
                        : strcmp(name, "agent_ca") == 0     ? &config->agent_ca
                        : strcmp(name, "agent_roles") == 0  ? &config->agent_roles
                                                            : NULL;
    if (text != NULL)
        *text = strcmp(value, "none") == 0 ? NULL : ks_arena_strdup(arena, value);
    else if (strcmp(name, "offline") == 0 && !parse_bool(value, &config->offline))
        KS_FAIL(err, KS_E_USER, "%s: %s is neither 1 nor 0", where, value);
    else if (strcmp(name, "agent_timeout") == 0 && !ks_seconds_parse(value, &config->agent_timeout))
        KS_FAIL(err, KS_E_USER, "%s: %s is no time; use seconds as in 60s, or minutes as in 5m", where,
                value);
    return KS_OK;
}

// One setting by its name in a file, whatever the source; `where` begins the message.
static enum ks_status set(struct ks_arena *arena, struct ks_config *config, const char *where,
                          const char *name, const char *value, struct ks_err *err)
{
    int index;
    *ks_vec_push(arena, &config->said) =
        (struct ks_said){name, ks_arena_strdup(arena, value), where};
    if (strcmp(name, "mode") == 0) {
        if (!ks_mode_parse(value, &config->mode)) {
            config->mode = KS_MODE_STRICT; // a misspelt one may have meant it
            KS_FAIL(err, KS_E_USER, "%s: unknown mode %s; use consume, tune, strict or off", where,
                    value);
        }
    } else if (strcmp(name, "accept") == 0) {
        if (!find_word(value, accept_names, &index))
            KS_FAIL(err, KS_E_USER, "%s: unknown level %s; use measured or modelled", where, value);
        config->accept = (enum ks_accept)index;
    } else if (strcmp(name, "readonly") == 0) {
        if (!parse_bool(value, &config->readonly))
            KS_FAIL(err, KS_E_USER, "%s: %s is neither 1 nor 0", where, value);
    } else if (strcmp(name, "remarks") == 0) {
        if (!parse_remarks(value, config))
            KS_FAIL(err, KS_E_USER, "%s: %s is no list of applied, missed, all or none", where,
                    value);
    } else if (strcmp(name, "budget") == 0) {
        if (!ks_seconds_parse(value, &config->budget_seconds))
            KS_FAIL(err, KS_E_USER, "%s: %s is no time; use seconds as in 60s, or minutes as in 5m",
                    where, value);
    } else if (strcmp(name, "store_dir") == 0) {
        return set_store_dirs(arena, config, where, value, err);
    } else if (strcmp(name, "cache_max") == 0 || strcmp(name, "memory_max") == 0) {
        if (!ks_size_parse(value, name[0] == 'c' ? &config->cache_max : &config->memory_max))
            KS_FAIL(err, KS_E_USER, "%s: %s is no size; use bytes, or 500M, 2G", where, value);
    } else if (ks_starts_with(name, "agent") || strcmp(name, "offline") == 0) {
        return set_agent(arena, config, where, name, value, err);
    } else if (strcmp(name, "nvcc") == 0) {
        config->real_nvcc = ks_arena_strdup(arena, value);
    } else if (strcmp(name, "launcher") == 0) {
        config->launcher = ks_arena_strdup(arena, value);
    } else if (strcmp(name, "device") == 0) {
        config->device = ks_arena_strdup(arena, value);
    } else if (strcmp(name, "build") == 0) {
        config->build = ks_arena_strdup(arena, value);
    } else if (strcmp(name, "project") == 0) {
        config->project = ks_arena_strdup(arena, value);
    } else {
        const char **dir = strcmp(name, "cache_dir") == 0 ? &config->cache_dir : &config->state_dir;
        if (value[0] != '/')
            KS_FAIL(err, KS_E_USER, "%s: %s is not an absolute path", where, value);
        *dir = ks_arena_strdup(arena, value);
    }
    return KS_OK;
}

enum ks_status ks_config_try(struct ks_arena *arena, const char *name, const char *value,
                             struct ks_err *err)
{
    struct ks_config scratch = {0};
    int index;
    const char *near = ks_nearest_word(name, file_keys);
    if (!find_word(name, file_keys, &index))
        KS_FAIL(err, KS_E_USER, "config.yaml holds no setting `%s`%s%s%s", name,
                near == NULL ? "" : "; do you mean `", near == NULL ? "" : near,
                near == NULL ? "" : "`?");
    return value == NULL ? KS_OK : set(arena, &scratch, name, name, value, err);
}

static enum ks_status read_file(struct ks_arena *arena, const char *path, struct ks_config *config,
                                struct ks_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return KS_OK;
    const char *problem = ks_owner_problem(&st, geteuid());
    if (problem != NULL)
        KS_FAIL(err, KS_E_USER, "%s %s: not read; give it to yourself with mode 644, or remove it",
                path, problem);
    struct ks_slice text;
    struct ks_yaml *root;
    KS_TRY(ks_file_read(arena, path, MAX_FILE, &text, err));
    if (ks_slice_trim(text).len == 0)
        return KS_OK;
    const enum ks_mode mode = config->mode;
    if (memmem(text.at, text.len, "strict", 6) != NULL)
        config->mode = KS_MODE_STRICT; // should the file turn out to be unreadable
    KS_TRY(ks_yaml_parse(arena, path, text, &root, err));
    if (root->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: expected settings as `name: value`", path, root->line);
    KS_TRY(ks_yaml_known(path, root, file_keys, err));
    config->mode = mode;
    for (size_t i = 0; i < root->len; i++) {
        const char *where =
            ks_arena_printf(arena, "%s:%d: %s", path, root->items[i].line, root->keys[i]);
        if (root->items[i].kind != KS_YAML_SCALAR)
            KS_FAIL(err, KS_E_USER, "%s takes one value", where);
        KS_TRY(set(arena, config, where, root->keys[i], root->items[i].text, err));
    }
    return KS_OK;
}

static enum ks_status read_environment(struct ks_arena *arena, struct ks_config *config,
                                       struct ks_err *err)
{
    static const char *const named[][2] = {
        // clang-format off
        {"KS_MODE", "mode"},
        {"KS_ACCEPT", "accept"},
        {"KS_READONLY", "readonly"},
        {"KS_REMARKS", "remarks"},
        {"KS_BUDGET", "budget"},
        {"KS_BUILD_ID", "build"},
        {"KS_NVCC_REAL", "nvcc"},
        {"KS_NVCC_LAUNCHER", "launcher"},
        {"KS_DEVICE", "device"},
        {"KS_PROJECT", "project"},
        {"KS_CACHE_DIR", "cache_dir"},
        {"KS_STATE_DIR", "state_dir"},
        {"KS_STORE_DIR", "store_dir"},
        {"KS_CACHE_MAX", "cache_max"},
        {"KS_MEMORY_MAX", "memory_max"},
        {"KS_AGENT", "agent"},
        {"KS_AGENT_BUDGET", "agent_budget"},
        {"KS_AGENT_PRICE", "agent_price"},
        {"KS_AGENT_RECORD", "agent_record"},
        {"KS_AGENT_KEY_FILE", "agent_key_file"},
        {"KS_AGENT_CA", "agent_ca"},
        {"KS_AGENT_ROLES", "agent_roles"},
        {"KS_AGENT_TIMEOUT", "agent_timeout"},
        {"KS_OFFLINE", "offline"},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const char *value = getenv(named[i][0]);
        if (value == NULL || value[0] == '\0')
            continue;
        KS_TRY(set(arena, config, named[i][0], named[i][1], value, err));
        config->mode_fixed |= strcmp(named[i][1], "mode") == 0;
        config->budget_fixed |= strcmp(named[i][1], "budget") == 0;
    }
    return KS_OK;
}

static enum ks_status read_arguments(struct ks_arena *arena, const char *const *arguments,
                                     struct ks_config *config, struct ks_err *err)
{
    static const char *const known[] = {"--ks-mode",   "--ks-project", "--ks-remarks",
                                        "--ks-budget", "--ks-kernel",  "--ks-disable",
                                        "--ks-fingerprint", NULL};
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        const char *word = *arguments;
        size_t len = strcspn(word, "=");
        const char *name = ks_arena_strndup(arena, word, len);
        const char *value = word[len] == '=' ? word + len + 1 : NULL;
        int index;
        if (!find_word(name, known, &index)) {
            const char *near = ks_nearest_word(name, known);
            KS_FAIL(err, KS_E_USER, "unknown option %s%s%s%s", name,
                    near == NULL ? "" : "; do you mean ", near == NULL ? "" : near,
                    near == NULL ? "" : "?");
        }
        bool wants_value = index < 5;
        if (wants_value && (value == NULL || value[0] == '\0'))
            KS_FAIL(err, KS_E_USER, "%s wants a value: %s=...", name, name);
        if (!wants_value && value != NULL)
            KS_FAIL(err, KS_E_USER, "%s takes no value", name);
        if (strcmp(name, "--ks-kernel") == 0)
            ks_strv_add(arena, &config->kernels, value);
        else if (wants_value)
            KS_TRY(set(arena, config, name, name + strlen("--ks-"), value, err));
        if (strcmp(name, "--ks-disable") == 0)
            config->mode = KS_MODE_OFF;
        config->mode_fixed |= strcmp(name, "--ks-mode") == 0 || strcmp(name, "--ks-disable") == 0;
        config->budget_fixed |= strcmp(name, "--ks-budget") == 0;
    }
    return KS_OK;
}

// What settings that cannot be read ask for: strict, where any part of them may have meant it, so
// that a slip of the keyboard does not make a build careless.
static enum ks_mode mode_when_unreadable(const char *const *arguments, enum ks_mode of_files)
{
    const char *said = getenv("KS_MODE");
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        const char *word = *arguments;
        if (ks_starts_with(word, "--ks-disable"))
            said = "off";
        else if (strcmp(word, "--ks-mode") == 0 || strcmp(word, "--ks-mode=") == 0 ||
                 ks_ends_with(word, "=strict"))
            said = "strict"; // a value forgotten, a name misspelt
        else if (ks_starts_with(word, "--ks-mode="))
            said = word + strlen("--ks-mode=");
    }
    enum ks_mode mode;
    if (said == NULL || said[0] == '\0')
        return of_files == KS_MODE_STRICT ? KS_MODE_STRICT : KS_MODE_CONSUME;
    return !ks_mode_parse(said, &mode) || mode == KS_MODE_STRICT ? KS_MODE_STRICT : KS_MODE_CONSUME;
}

static enum ks_status read_all(struct ks_arena *arena, const char *const *arguments,
                               struct ks_config *config, struct ks_err *err)
{
    KS_TRY(ks_dirs_config(arena, config, err));
    KS_TRY(read_file(arena, SYSTEM_DIR "/config.yaml", config, err));
    if (config->config_dir != NULL)
        KS_TRY(
            read_file(arena, ks_path_join(arena, config->config_dir, "config.yaml"), config, err));
    KS_TRY(read_environment(arena, config, err));
    KS_TRY(read_arguments(arena, arguments, config, err));
    return ks_dirs_fill(arena, config, err);
}

enum ks_status ks_config_load(struct ks_arena *arena, const char *const *arguments,
                              struct ks_config *config, struct ks_err *err)
{
    *config = (struct ks_config){.mode = KS_MODE_CONSUME,
                                 .accept = KS_ACCEPT_MEASURED,
                                 .budget_seconds = DEFAULT_BUDGET,
                                 .cache_max = DEFAULT_CACHE_MAX,
                                 .memory_max = DEFAULT_CACHE_MAX,
                                 .system_dir = SYSTEM_DIR,
                                 .device = "auto"};
    enum ks_status status = read_all(arena, arguments, config, err);
    const char *nvcc = getenv("KS_NVCC_REAL");
    if (status != KS_OK && nvcc != NULL && nvcc[0] != '\0')
        config->real_nvcc = ks_arena_strdup(arena, nvcc);
    if (status != KS_OK)
        config->mode = mode_when_unreadable(arguments, config->mode);

    // The switch that works whatever else is wrong; "0" lets a script switch back on.
    const char *disable = getenv("KS_DISABLE");
    if (disable == NULL || disable[0] == '\0' || strcmp(disable, "0") == 0)
        return status;
    config->mode = KS_MODE_OFF;
    config->mode_fixed = true;
    return KS_OK;
}

void ks_config_unknown_variables(struct ks_arena *arena, struct ks_strv *names)
{
    for (char **at = environ; *at != NULL; at++) {
        size_t len = strcspn(*at, "=");
        const char *name = ks_arena_strndup(arena, *at, len);
        int index;
        if (!ks_starts_with(name, "KS_") || find_word(name, variables, &index))
            continue;
        const char *near = ks_nearest_word(name, variables);
        ks_strv_add(arena, names,
                    near == NULL ? name
                                 : ks_arena_printf(arena, "%s (do you mean %s?)", name, near));
    }
}

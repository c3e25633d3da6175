// Settings from command line, environment, project, user and system files, and the directories
// everything else lives in. Read once per process; borrowed everywhere.
//
// Precedence: --ks-* > KS_* > ks.yaml of the project > $XDG_CONFIG_HOME/ks/config.yaml >
// /etc/ks/config.yaml > built in. A project file may not set anything that runs a command, opens
// the network or trusts a key outside its own .ks/.
#ifndef KS_CONFIG_H
#define KS_CONFIG_H

#include "base/str.h"
#include "base/vec.h"

enum ks_mode { KS_MODE_CONSUME, KS_MODE_TUNE, KS_MODE_STRICT, KS_MODE_OFF };
enum ks_accept { KS_ACCEPT_MEASURED, KS_ACCEPT_MODELLED };

// One setting as it was given somewhere, for `ks config`.
struct ks_said {
    const char *name, *value;
    const char *where; // "KS_MODE", "--ks-mode", "/etc/ks/config.yaml:3: mode"
};

struct ks_config {
    enum ks_mode mode;        // KS_MODE / --ks-mode=
    enum ks_accept accept;    // KS_ACCEPT
    bool readonly;            // KS_READONLY: nothing is written anywhere but the requested output
    bool remarks_applied, remarks_missed; // --ks-remarks=applied,missed / KS_REMARKS
    double budget_seconds;    // KS_BUDGET: per kernel, default 60
    struct ks_strv kernels;   // --ks-kernel=NAME, each; none: every marked kernel
    const char *project;      // --ks-project=DIR / KS_PROJECT, or NULL: look upward
    const char *build;        // KS_BUILD_ID: under which name this build is counted, or NULL
    const char *real_nvcc;    // KS_NVCC_REAL, or NULL
    const char *launcher;     // KS_NVCC_LAUNCHER: what runs nvcc's compiles (ccache), or NULL
    const char *device;       // KS_DEVICE: "cuda" (default), or a launcher prefix for the worker
    // Directories, absolute; NULL when the home directory is unusable: nothing is stored.
    const char *cache_dir;    // KS_CACHE_DIR, else $XDG_CACHE_HOME/ks, else ~/.cache/ks
    const char *state_dir;    // KS_STATE_DIR, else $XDG_STATE_HOME/ks, else ~/.local/state/ks
    const char *config_dir;   // KS_CONFIG_DIR, else $XDG_CONFIG_HOME/ks, else ~/.config/ks
    // Shared folders of decisions, looked up behind project and user, never written by a build:
    // KS_STORE_DIR, several with ':'; absolute.
    struct ks_strv store_dirs;
    int64_t cache_max;        // KS_CACHE_MAX: bytes that cache_dir may hold; default 1G
    int64_t memory_max;       // KS_MEMORY_MAX: bytes of memory.db; default 1G
    // Models to ask (docs/agents.md): NULL or 0 where nothing is said; without `agent` none is asked.
    const char *agent;        // KS_AGENT: "command:PROGRAM", ...
    const char *agent_budget; // KS_AGENT_BUDGET: what asking may cost
    const char *agent_price;  // KS_AGENT_PRICE: per million tokens
    const char *agent_key_file; // KS_AGENT_KEY_FILE: readable by its owner alone
    const char *agent_ca;     // KS_AGENT_CA: certificates of servers
    const char *agent_roles;  // KS_AGENT_ROLES: who is asked
    const char *agent_record; // KS_AGENT_RECORD: transcript to write, and to go on from
    double agent_timeout;     // KS_AGENT_TIMEOUT: seconds for one answer
    bool offline;             // KS_OFFLINE: no socket is opened
    const char *runtime_dir;  // $XDG_RUNTIME_DIR/ks, else /tmp/ks-<uid>: GPU locks
    // Installed data: hook/, skills/. KS_SHARE_DIR, else <bin>/../share/ks, built or installed.
    const char *share_dir;
    const char *system_dir;   // /etc/ks: config.yaml and trusted.keys for everybody; NULL: none
    const char *led_back;     // programs that ended in ks-nvcc again, with colons between; or NULL
    bool mode_fixed, budget_fixed; // said by option or environment: stronger than a project
    KS_VEC(struct ks_said) said; // in this order, the last of a name counts
};

// Never fails for want of files or a home; KS_E_USER for a bad value, naming the variable, the file
// or option, and the accepted words. `arguments` are the --ks-* words, NULL-terminated; those that
// are no setting (--ks-fingerprint) are let pass. With KS_DISABLE it never fails at all; where it
// does, real_nvcc still holds KS_NVCC_REAL, so that the caller can run the right plain nvcc, and mode
// is KS_MODE_STRICT if that may have been asked for (said, or misspelt), else KS_MODE_CONSUME.
enum ks_status ks_config_load(struct ks_arena *arena, const char *const *arguments,
                              struct ks_config *config, struct ks_err *err);

// Whether config.yaml may hold this setting, and with this value (NULL: any). KS_E_USER says why not.
enum ks_status ks_config_try(struct ks_arena *arena, const char *name, const char *value,
                             struct ks_err *err);

const char *ks_mode_name(enum ks_mode mode);
bool ks_mode_parse(const char *name, enum ks_mode *mode);
// "60", "60s", "2.5m" as seconds; false unless more than 0 and at most a week.
bool ks_seconds_parse(const char *text, double *seconds);
// "500M", "2G", "1.5T", plain bytes; suffixes count by 1024. False unless more than 0.
bool ks_size_parse(const char *text, int64_t *bytes);

// KS_* variables of the environment that mean nothing to any part of ks, each as "NAME" or
// "NAME (do you mean OTHER?)", for one warning in `ks`.
void ks_config_unknown_variables(struct ks_arena *arena, struct ks_strv *names);

#endif

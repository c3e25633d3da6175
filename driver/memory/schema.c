#include "memory/schema.h"

// What a skill's attempts taught, summed up as they come, so that choosing looks at few rows however many
// attempts there are. A row each for the skill anywhere ('' and 0 stand for "any"), with a bottleneck, with
// that on a structure, and with those on an architecture. `origin` is '' for what was judged here, else the
// memory that it was imported from. log_sum is of ratios over what a step was applied to, log_faster of those among them
// that were faster and not denied; what attempts taught before version 7 is in them over the original, denied or not.
#define LEARNED                                                                                    \
    "CREATE TABLE learned (skill TEXT NOT NULL, bottleneck TEXT NOT NULL, structure TEXT NOT NULL,"  \
    " arch INTEGER NOT NULL, origin TEXT NOT NULL, attempts INTEGER NOT NULL, judged INTEGER NOT NULL," \
    " correct INTEGER NOT NULL, measured INTEGER NOT NULL, log_sum REAL NOT NULL,"                   \
    " faster INTEGER NOT NULL, log_faster REAL NOT NULL, agreed INTEGER NOT NULL,"                   \
    " denied INTEGER NOT NULL, last TEXT NOT NULL,"                                                  \
    " PRIMARY KEY(skill, bottleneck, structure, arch, origin)) WITHOUT ROWID;"

// Attempts that say nothing about the skill (no device, void runs) are not judged.
#define LEARN_OLD(bottleneck, structure, arch, group)                                              \
    "INSERT INTO learned SELECT skill, " bottleneck ", " structure ", " arch ", '', count(*),"       \
    " sum(correctness NOT IN ('UNSUPPORTED', 'BASELINE_FAULT', 'VOID')),"                            \
    " sum(correctness = 'CORRECT'), sum(correctness = 'CORRECT' AND ratio > 0),"                     \
    " total(CASE WHEN correctness = 'CORRECT' AND ratio > 0 THEN ln(ratio) ELSE 0 END),"             \
    " sum(speed = 'FASTER'), total(CASE WHEN speed = 'FASTER' AND ratio > 0 THEN ln(ratio) ELSE 0 END)," \
    " 0, 0, max(date) FROM attempts GROUP BY " group ";"

static const char *const steps[KS_SCHEMA] = {
    "CREATE TABLE attempts ("
    " id INTEGER PRIMARY KEY, key TEXT NOT NULL, kernel TEXT NOT NULL, proposal TEXT NOT NULL,"
    " skill TEXT NOT NULL, direction TEXT NOT NULL, params TEXT NOT NULL,"
    " bottleneck TEXT NOT NULL, date TEXT NOT NULL, arch INTEGER NOT NULL,"
    " correctness TEXT NOT NULL, speed TEXT NOT NULL, reason TEXT NOT NULL,"
    " ratio REAL NOT NULL, lower REAL NOT NULL, seconds REAL NOT NULL);"
    "CREATE INDEX attempts_key ON attempts(key, id);"
    "CREATE INDEX attempts_skill ON attempts(skill, arch, bottleneck);",
    "CREATE TABLE proposals (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;",
    "DROP INDEX IF EXISTS attempts_skill;"
    "ALTER TABLE attempts ADD COLUMN structure TEXT NOT NULL DEFAULT 'unknown';"
    "ALTER TABLE attempts ADD COLUMN base TEXT NOT NULL DEFAULT '';" // as base_ratio: of what its step was applied to
    "ALTER TABLE attempts ADD COLUMN base_ratio REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE attempts ADD COLUMN toolkit TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE attempts ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE proposals ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;" // the latest on it
    "UPDATE proposals SET attempt = a.id FROM (SELECT proposal, max(id) AS id FROM attempts"
    " GROUP BY proposal) AS a WHERE a.proposal = proposals.id;"
    "CREATE INDEX proposals_attempt ON proposals(attempt);"
    LEARNED
    LEARN_OLD("''", "''", "0", "skill")
    LEARN_OLD("bottleneck", "''", "0", "skill, bottleneck")
    LEARN_OLD("bottleneck", "'unknown'", "0", "skill, bottleneck")
    LEARN_OLD("bottleneck", "'unknown'", "arch", "skill, bottleneck, arch")
    "CREATE TABLE edges (came_from TEXT NOT NULL, went_to TEXT NOT NULL, structure TEXT NOT NULL,"
    " arch INTEGER NOT NULL, origin TEXT NOT NULL, n INTEGER NOT NULL, wins INTEGER NOT NULL,"
    " log_sum REAL NOT NULL, PRIMARY KEY(came_from, went_to, structure, arch, origin)) WITHOUT ROWID;"
    "CREATE TABLE skills (id TEXT PRIMARY KEY, state TEXT NOT NULL, reason TEXT NOT NULL,"
    " since TEXT NOT NULL, toolkit TEXT NOT NULL, arch INTEGER NOT NULL) WITHOUT ROWID;"
    // A skill tried on a kernel with and without it.
    "CREATE TABLE trials (skill TEXT NOT NULL, kernel TEXT NOT NULL, key TEXT NOT NULL,"
    " arch INTEGER NOT NULL, toolkit TEXT NOT NULL, evidence TEXT NOT NULL, with_ratio REAL NOT NULL,"
    " without_ratio REAL NOT NULL, with_correct INTEGER NOT NULL, without_correct INTEGER NOT NULL,"
    " date TEXT NOT NULL, PRIMARY KEY(skill, key, evidence, toolkit)) WITHOUT ROWID;"
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
    // What screenings found right is kept, what was modelled beside what was measured, the hash of what a proposal does,
    // and how the metric moved that its skill names.
    "ALTER TABLE attempts ADD COLUMN evidence TEXT NOT NULL DEFAULT 'measured';"
    "ALTER TABLE attempts ADD COLUMN mechanism TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE attempts ADD COLUMN move TEXT NOT NULL DEFAULT '';",
    // Gains of one direction on top of another: a search needs no fewer candidates with them (docs/search.md).
    "DROP TABLE edges;",
    "CREATE TABLE models (name TEXT NOT NULL, evidence TEXT NOT NULL, questions INTEGER NOT NULL,"
    " reward REAL NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, told INTEGER NOT NULL,"
    " PRIMARY KEY(name, evidence)) WITHOUT ROWID;",
    // Until here each attempt taught its ratio over the original, whatever it stood on: that is what a look gives back.
    "UPDATE attempts SET base = '', base_ratio = 0 WHERE base <> '' OR base_ratio <> 0;",
};

const char *ks_schema_step(int from)
{
    return steps[from];
}

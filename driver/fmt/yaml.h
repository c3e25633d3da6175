// YAML as a tree of plain strings with line numbers; no types are guessed, so `no` stays "no".
// Anchors, aliases, tags and several documents are refused. Caps: 4 MiB, depth 32.
#ifndef KS_YAML_H
#define KS_YAML_H

#include "base/str.h"

enum ks_yaml_kind { KS_YAML_SCALAR, KS_YAML_LIST, KS_YAML_MAP };

struct ks_yaml {
    enum ks_yaml_kind kind;
    int line;                   // 1-based
    const char *text;           // scalar
    bool plain;                 // scalar written without quotes (so `~`, null or empty mean nothing)
    size_t len;                 // list and map
    struct ks_yaml *items;      // list items, or map values
    const char **keys;          // map only, in file order; duplicates are refused
    const int *key_lines;       // map only
};

// `name` is used in messages ("ks.yaml:12: ..."). The tree lives in the arena. A text without any
// value (empty, comments only) gives an empty map. KS_E_USER, or KS_E_LIMIT beyond a cap.
enum ks_status ks_yaml_parse(struct ks_arena *arena, const char *name, struct ks_slice text,
                             struct ks_yaml **root, struct ks_err *err);
// Value of a key of a map, or NULL (also when `node` is NULL or no map).
const struct ks_yaml *ks_yaml_get(const struct ks_yaml *node, const char *key);
// Scalar text of a key, or `fallback`.
const char *ks_yaml_text(const struct ks_yaml *node, const char *key, const char *fallback);
// Refuses keys outside `known` (NULL-terminated), with line and the nearest known word.
enum ks_status ks_yaml_known(const char *name, const struct ks_yaml *map,
                             const char *const *known, struct ks_err *err);

// Writer: deterministic block style; scalars are quoted only where YAML needs it, text with
// newlines becomes a literal block. Nesting follows the begin/end calls; an empty map or list is
// written as {} or []. Keys are at most 1000 bytes. Bytes that are not UTF-8 become U+FFFD: YAML has
// no way to say them.
struct ks_yaml_writer {
    struct ks_buf *out; // borrowed
    int depth;
    bool in_list_item;    // private: the cursor stands behind "- "
    char opened;          // private: '{' or '[' begun and still empty, else 0
};
void ks_yaml_put(struct ks_yaml_writer *w, const char *key, const char *value); // key NULL: list item
void ks_yaml_putf(struct ks_yaml_writer *w, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ks_yaml_begin_map(struct ks_yaml_writer *w, const char *key);  // key NULL: list item that is a map
void ks_yaml_begin_list(struct ks_yaml_writer *w, const char *key);
void ks_yaml_end(struct ks_yaml_writer *w);

#endif

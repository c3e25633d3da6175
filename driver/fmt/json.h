// Thin helpers over jansson: printing with a schema, and checked reads for line protocols.
#ifndef KS_JSON_H
#define KS_JSON_H

#include <jansson.h>

#include "base/str.h"

// New object {"schema": "<schema>"}; caller owns the reference.
json_t *ks_json_report(const char *schema);
// Prints to stdout with sorted keys kept in insertion order, two-space indent, newline; drops the reference.
void ks_json_print(json_t *value);
// Parses one line; NULL with err set on garbage. Caller owns the reference.
json_t *ks_json_parse(struct ks_slice line, struct ks_err *err);
// Compact text in the arena.
char *ks_json_text(struct ks_arena *arena, const json_t *value);
// Typed reads; the fallback when absent or of another type.
const char *ks_json_str(const json_t *object, const char *key, const char *fallback);
int64_t ks_json_int(const json_t *object, const char *key, int64_t fallback);
double ks_json_num(const json_t *object, const char *key, double fallback);
bool ks_json_bool(const json_t *object, const char *key, bool fallback);

#endif

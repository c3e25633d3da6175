// Holds a JSON report of `ks` against docs/json.md: ks-json-check docs/json.md FILE [NONEMPTY...]
//
// The document lists each schema's fields as "| `kernels[].key` | string | ... |" under "## ks.list".
// Every documented key must be there, no other may, and each value has its type: string, integer,
// number, boolean, array, object (its members are documented) or map (they are free); a `?` behind
// it allows null. Each NONEMPTY names an array that must have elements, so that its rows are seen.
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 256
#define LONGEST 128

struct field {
    char path[LONGEST], type[LONGEST];
};

static struct field fields[MOST_FIELDS];
static size_t n_fields;
static int faults;

static void fault(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path[0] != '\0' ? path : "the report", what);
    faults++;
}

// The text between backticks in the first cell, and the second cell.
static void read_row(const char *line)
{
    struct field *f = &fields[n_fields];
    if (n_fields < MOST_FIELDS &&
        sscanf(line, "| `%127[^`]` | %127[^ |]", f->path, f->type) == 2)
        n_fields++;
}

static bool read_document(const char *path, const char *schema)
{
    char line[4096], head[LONGEST + 4];
    bool inside = false, found = false;
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return false;
    snprintf(head, sizeof head, "## %s\n", schema);
    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] == '#')
            inside = strcmp(line, head) == 0;
        found |= inside;
        if (inside)
            read_row(line);
    }
    fclose(in);
    return found;
}

static const char *type_of(const char *path)
{
    for (size_t i = 0; i < n_fields; i++)
        if (strcmp(fields[i].path, path) == 0)
            return fields[i].type;
    return NULL;
}

static bool has_type(const json_t *value, const char *type)
{
    size_t n = strcspn(type, "?");
    if (json_is_null(value))
        return type[n] == '?';
    const struct { const char *name; bool is; } types[] = {
        {"string", json_is_string(value)},   {"integer", json_is_integer(value)},
        {"number", json_is_number(value)},   {"boolean", json_is_boolean(value)},
        {"array", json_is_array(value)},     {"object", json_is_object(value)},
        {"map", json_is_object(value)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && strncmp(types[i].name, type, n) == 0)
            return types[i].is;
    return false;
}

// Whether `path` is one name below `parent`; the name then.
static const char *member_of(const char *path, const char *parent)
{
    size_t n = strlen(parent);
    if (strncmp(path, parent, n) != 0 || (n > 0 && path[n] != '.'))
        return NULL;
    const char *name = path + n + (n > 0);
    return strpbrk(name, ".[") == NULL ? name : NULL;
}

static void check(const json_t *value, const char *path);

static void check_object(const json_t *object, const char *path)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char below[2 * LONGEST];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
        if (type_of(below) == NULL)
            fault(below, "not documented");
        else
            check(value, below);
    }
    for (size_t i = 0; i < n_fields; i++) {
        const char *name = member_of(fields[i].path, path);
        if (name != NULL && json_object_get(object, name) == NULL)
            fault(fields[i].path, "missing");
    }
}

static void check(const json_t *value, const char *path)
{
    const char *type = type_of(path);
    if (type != NULL && !has_type(value, type)) {
        fault(path, "of another type than documented");
        return;
    }
    if (json_is_object(value) && (type == NULL || strncmp(type, "map", 3) != 0))
        check_object(value, path);
    char element[2 * LONGEST];
    snprintf(element, sizeof element, "%s[]", path);
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        check(json_array_get(value, i), element);
}

// Elements of all arrays at `path` ("kernels[].near").
static size_t count(const json_t *value, const char *path)
{
    if (path[0] == '\0')
        return json_array_size(value);
    size_t n = strcspn(path, ".["), sum = 0;
    char name[LONGEST];
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    const json_t *below = json_object_get(value, name);
    if (strncmp(path + n, "[].", 3) != 0)
        return count(below, path + n + (path[n] == '.'));
    for (size_t i = 0; i < json_array_size(below); i++)
        sum += count(json_array_get(below, i), path + n + 3);
    return sum;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc < 3) {
        fprintf(stderr, "usage: ks-json-check docs/json.md FILE [NONEMPTY...]\n");
        return 2;
    }
    json_t *report = json_load_file(argv[2], JSON_REJECT_DUPLICATES, &error);
    const char *schema = json_string_value(json_object_get(report, "schema"));
    if (schema == NULL) {
        fprintf(stderr, "%s: no JSON report: %s\n", argv[2], error.text);
        return 1;
    }
    if (!read_document(argv[1], schema) || n_fields == 0) {
        fprintf(stderr, "%s: has no schema %s\n", argv[1], schema);
        return 1;
    }
    check(report, "");
    for (int i = 3; i < argc; i++)
        if (count(report, argv[i]) == 0)
            fault(argv[i], "empty");
    json_decref(report);
    return faults > 0;
}

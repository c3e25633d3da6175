// Reader half of fmt/yaml.h: libyaml's events into a tree. The writer is fmt/yaml_write.c.
#include "fmt/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/vec.h"

#define LARGEST_TEXT ((size_t)4 << 20)
#define DEEPEST 32
// A node costs 60 to 100 times the two bytes that ask for it: bounds the tree at about 50 MB.
#define MOST_NODES 250000

struct reader {
    struct ks_arena *arena;
    const char *name;
    yaml_parser_t parser;
    yaml_event_t event; // current; deleted by next_event
    bool has_event;
    size_t nodes;
    struct ks_err *err;
};

static enum ks_status fail_at(struct reader *reader, size_t line, const char *what)
{
    return ks_err_set(reader->err, KS_E_USER, "%s:%zu: %s", reader->name, line + 1, what);
}

static enum ks_status next_event(struct reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = false;
    yaml_parser_t *parser = &reader->parser;
    if (yaml_parser_parse(parser, &reader->event)) {
        reader->has_event = true;
        return KS_OK;
    }
    if (parser->error == YAML_READER_ERROR)
        return ks_err_set(reader->err, KS_E_USER, "%s:%zu: not UTF-8 text (%s at byte %zu)",
                          reader->name, parser->mark.line + 1, parser->problem,
                          parser->problem_offset);
    if (parser->context != NULL)
        return ks_err_set(reader->err, KS_E_USER, "%s:%zu: %s %s (begun in line %zu)", reader->name,
                          parser->problem_mark.line + 1, parser->problem, parser->context,
                          parser->context_mark.line + 1);
    return fail_at(reader, parser->problem_mark.line,
                   parser->problem != NULL ? parser->problem : "not YAML");
}

static enum ks_status refuse_extras(struct reader *reader, const yaml_char_t *anchor,
                                    const yaml_char_t *tag)
{
    size_t line = reader->event.start_mark.line;
    if (anchor != NULL)
        return fail_at(reader, line, "anchors (&name) are not supported; write the value out");
    if (tag != NULL)
        return fail_at(reader, line,
                       "tags (!name) are not supported; quote a text that begins with '!'");
    return KS_OK;
}

static enum ks_status read_text(struct reader *reader, const char **text, bool *plain)
{
    KS_TRY(refuse_extras(reader, reader->event.data.scalar.anchor, reader->event.data.scalar.tag));
    const char *value = (const char *)reader->event.data.scalar.value;
    size_t n = reader->event.data.scalar.length;
    if (memchr(value, '\0', n) != NULL)
        return fail_at(reader, reader->event.start_mark.line, "a text holds a NUL character");
    *text = ks_arena_strndup(reader->arena, value, n);
    *plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return KS_OK;
}

struct key {
    const char *text;
    int line;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : x->line - y->line;
}

// By sorting: comparing each pair would let a large file take minutes.
static enum ks_status refuse_duplicates(struct reader *reader, struct key *keys, size_t n)
{
    if (n > 1)
        qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 1; i < n; i++)
        if (strcmp(keys[i - 1].text, keys[i].text) == 0)
            return ks_err_set(reader->err, KS_E_USER,
                              "%s:%d: key '%s' was given before, in line %d", reader->name,
                              keys[i].line, keys[i].text, keys[i - 1].line);
    return KS_OK;
}

static enum ks_status read_node(struct reader *reader, int depth, struct ks_yaml *node);

static enum ks_status read_children(struct reader *reader, int depth, struct ks_yaml *node)
{
    KS_VEC(struct ks_yaml) items = {0};
    KS_VEC(const char *) keys = {0};
    KS_VEC(int) lines = {0};
    KS_VEC(struct key) places = {0};
    bool is_map = node->kind == KS_YAML_MAP;
    yaml_event_type_t end = is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        KS_TRY(next_event(reader));
        if (reader->event.type == end)
            break;
        if (is_map) {
            size_t line = reader->event.start_mark.line;
            if (reader->event.type != YAML_SCALAR_EVENT)
                return fail_at(reader, line, "a key must be a plain word or a quoted text");
            struct key *place = ks_vec_push(reader->arena, &places);
            bool plain;
            KS_TRY(read_text(reader, &place->text, &plain));
            place->line = (int)line + 1;
            *ks_vec_push(reader->arena, &keys) = place->text;
            *ks_vec_push(reader->arena, &lines) = place->line;
            KS_TRY(next_event(reader));
        }
        KS_TRY(read_node(reader, depth, ks_vec_push(reader->arena, &items)));
    }
    KS_TRY(refuse_duplicates(reader, places.at, places.len));
    node->items = items.at;
    node->keys = keys.at;
    node->key_lines = lines.at;
    node->len = items.len;
    return KS_OK;
}

// The node whose first event is the current one.
static enum ks_status read_node(struct reader *reader, int depth, struct ks_yaml *node)
{
    const yaml_event_t *event = &reader->event;
    size_t line = event->start_mark.line;
    node->line = (int)line + 1;
    if (depth > DEEPEST)
        return ks_err_set(reader->err, KS_E_LIMIT, "%s:%d: nested deeper than %d levels",
                          reader->name, node->line, DEEPEST);
    if (++reader->nodes > MOST_NODES)
        return ks_err_set(reader->err, KS_E_LIMIT, "%s:%d: more than %d values", reader->name,
                          node->line, MOST_NODES);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->kind = KS_YAML_SCALAR;
        return read_text(reader, &node->text, &node->plain);
    case YAML_SEQUENCE_START_EVENT:
        KS_TRY(refuse_extras(reader, event->data.sequence_start.anchor,
                             event->data.sequence_start.tag));
        node->kind = KS_YAML_LIST;
        return read_children(reader, depth + 1, node);
    case YAML_MAPPING_START_EVENT:
        KS_TRY(
            refuse_extras(reader, event->data.mapping_start.anchor, event->data.mapping_start.tag));
        node->kind = KS_YAML_MAP;
        return read_children(reader, depth + 1, node);
    case YAML_ALIAS_EVENT:
        return fail_at(reader, line,
                       "aliases (*name) are not supported; quote a text that begins with '*'");
    default:
        return fail_at(reader, line, "a value was expected");
    }
}

static enum ks_status read_document(struct reader *reader, struct ks_yaml *root)
{
    KS_TRY(next_event(reader)); // stream start
    KS_TRY(next_event(reader));
    if (reader->event.type == YAML_STREAM_END_EVENT) {
        *root = (struct ks_yaml){.kind = KS_YAML_MAP, .line = 1};
        return KS_OK;
    }
    KS_TRY(next_event(reader)); // past the document's start
    KS_TRY(read_node(reader, 0, root));
    KS_TRY(next_event(reader)); // document end
    KS_TRY(next_event(reader));
    if (reader->event.type != YAML_STREAM_END_EVENT)
        return fail_at(reader, reader->event.start_mark.line,
                       "a second document begins here; only one is read");
    return KS_OK;
}

enum ks_status ks_yaml_parse(struct ks_arena *arena, const char *name, struct ks_slice text,
                             struct ks_yaml **root, struct ks_err *err)
{
    if (text.len > LARGEST_TEXT)
        KS_FAIL(err, KS_E_LIMIT, "%s: larger than %zu bytes", name, LARGEST_TEXT);
    struct reader reader = {.arena = arena, .name = name, .err = err};
    if (!yaml_parser_initialize(&reader.parser))
        KS_FAIL(err, KS_E_MEMORY, "%s: out of memory", name);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser,
                                 (const unsigned char *)(text.len > 0 ? text.at : ""), text.len);
    struct ks_yaml *tree = KS_NEW(arena, struct ks_yaml);
    enum ks_status status = read_document(&reader, tree);
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    if (status == KS_OK)
        *root = tree;
    return status;
}

const struct ks_yaml *ks_yaml_get(const struct ks_yaml *node, const char *key)
{
    if (node == NULL || node->kind != KS_YAML_MAP)
        return NULL;
    for (size_t i = 0; i < node->len; i++)
        if (strcmp(node->keys[i], key) == 0)
            return &node->items[i];
    return NULL;
}

const char *ks_yaml_text(const struct ks_yaml *node, const char *key, const char *fallback)
{
    const struct ks_yaml *value = ks_yaml_get(node, key);
    return value != NULL && value->kind == KS_YAML_SCALAR ? value->text : fallback;
}

enum ks_status ks_yaml_known(const char *name, const struct ks_yaml *map, const char *const *known,
                             struct ks_err *err)
{
    if (map == NULL)
        return KS_OK;
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: expected 'key: value' lines here", name, map->line);
    for (size_t i = 0; i < map->len; i++) {
        size_t k = 0;
        while (known[k] != NULL && strcmp(known[k], map->keys[i]) != 0)
            k++;
        if (known[k] != NULL)
            continue;
        const char *near = ks_nearest_word(map->keys[i], known);
        KS_FAIL(err, KS_E_USER, "%s:%d: unknown key '%s'%s%s%s", name, map->key_lines[i],
                map->keys[i], near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                near != NULL ? "'?" : "");
    }
    return KS_OK;
}

// ks inspect: the provenance notes in an object or program.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"
#include "key/elf.h"
#include "os/file.h"
#include "source/dispatch.h"

#define BINARY_MAX ((size_t)4 << 30)

static json_t *note_json(struct ks_arena *arena, const char *note)
{
    json_t *o = json_object();
    for (const char *at = note; *at != '\0';) {
        size_t n = strcspn(at, "="), v;
        if (at[n] == '\0')
            break;
        const char *key = ks_arena_strndup(arena, at, n);
        at += n + 1;
        // A value ends where the next " name=" begins: device names have spaces.
        const char *end = at;
        for (v = 0; at[v] != '\0'; v++) {
            if (at[v] != ' ')
                continue;
            size_t w = strcspn(at + v + 1, "= ");
            if (at[v + 1 + w] == '=')
                break;
        }
        end = at + v;
        json_object_set_new(o, key, json_stringn(at, (size_t)(end - at)));
        at = *end == ' ' ? end + 1 : end;
    }
    return o;
}

struct inspection {
    struct ks_strv notes;
    bool proved; // hook and table are in the file: its launches ask the table
};

static enum ks_status inspect(struct ks_arena *arena, const char *path, struct inspection *found,
                              struct ks_err *err)
{
    struct ks_slice file, notes = {0}, section;
    enum ks_status status = ks_file_read(arena, path, BINARY_MAX, &file, err);
    if (status == KS_E_ABSENT)
        return ks_err_set(err, KS_E_USER, "%s: no such file", path);
    if (ks_is_dir(path))
        return ks_err_set(err, KS_E_USER, "%s is a folder; give one object file or program", path);
    KS_TRY(status);
    status = ks_elf_section(file, KS_SECTION_NOTE, &notes, err);
    if (status != KS_OK && status != KS_E_ABSENT)
        return ks_err_set(err, KS_E_USER, "%s: no object or program: %s", path, err->text);
    found->proved = ks_elf_section(file, KS_SECTION_HOOK, &section, NULL) == KS_OK &&
                    ks_elf_section(file, KS_SECTION_TABLE, &section, NULL) == KS_OK;
    for (size_t at = 0; at < notes.len;) {
        size_t n = strnlen(notes.at + at, notes.len - at);
        if (n > 0)
            ks_strv_add(arena, &found->notes, ks_arena_strndup(arena, notes.at + at, n));
        at += n + 1;
    }
    return KS_OK;
}

int verb_inspect(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "give one object file or program",
                                              .least = 1, .most = 1};
    struct verb_words words;
    struct inspection found = {0};
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *path = words.targets.at[0];
    if (inspect(context->arena, path, &found, &err) != KS_OK)
        return verb_fail(context, &err);
    if (context->json) {
        json_t *report = ks_json_report("ks.inspect"), *rows = json_array();
        for (size_t i = 0; i < found.notes.len; i++)
            json_array_append_new(rows, note_json(context->arena, found.notes.at[i]));
        json_object_set_new(report, "file", json_string(path));
        json_object_set_new(report, "proved", json_boolean(found.proved));
        json_object_set_new(report, "kernels", rows);
        ks_json_print(report);
        return EXIT_OK;
    }
    for (size_t i = 0; i < found.notes.len; i++)
        printf("%s\n", found.notes.at[i]);
    if (found.notes.len == 0)
        printf("no kernel was replaced in %s\n", path);
    else if (!found.proved)
        printf("the dispatch sections are missing: the link dropped them, so the originals run\n");
    return EXIT_OK;
}

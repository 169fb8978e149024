#include "serve/schema.h"

#include <ctype.h>
#include <string.h>

static const char *write_type(struct json *j, const char *key, const char *at);

static void plain(struct json *j, const char *key, const char *type)
{
    json_object(j, key);
    if (type)
        json_text(j, "type", type);
    json_end(j);
}

static const char *write_letter(struct json *j, const char *key, const char *at)
{
    static const struct {
        char letter;
        const char *type;
    } types[] = { { 's', "string" }, { 'i', "integer" }, { 'n', "number" },
        { 'b', "boolean" }, { 'o', "object" }, { 'a', NULL } };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (*at == types[i].letter) {
            plain(j, key, types[i].type);
            return at + 1;
        }
    return NULL;
}

static const char *write_words(struct json *j, const char *key, const char *at)
{
    const char *end = strchr(at + 1, '\'');
    struct str rest;

    if (!end)
        return NULL;
    json_object(j, key);
    json_text(j, "type", "string");
    json_array(j, "enum");
    for (rest = (struct str){ at + 1, (size_t)(end - at - 1) }; rest.len;
            rest = str_after(rest, '|'))
        json_str(j, NULL, str_before(rest, '|'));
    json_end(j);
    json_end(j);
    return end + 1;
}

static const char *write_list(struct json *j, const char *key, const char *at)
{
    json_object(j, key);
    json_text(j, "type", "array");
    at = write_type(j, "items", at + 1);
    json_end(j);
    return at && *at == ']' ? at + 1 : NULL;
}

static size_t name_len(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* The members; then once more, for those that are always there. */
static const char *write_object(struct json *j, const char *key, const char *at)
{
    const char *first = at + 1, *end = NULL;
    struct buf needed = { 0 };

    json_object(j, key);
    json_text(j, "type", "object");
    json_object(j, "properties");
    for (at = first; at && *at && *at != '}';) {
        size_t len = name_len(at);
        bool optional = at[len] == '?';
        char name[64] = "";

        if (!len || len >= sizeof(name) || at[len + optional] != ':')
            break;
        memcpy(name, at, len);
        if (!optional)
            buf_printf(&needed, "%s\n", name);
        at = write_type(j, name, at + len + optional + 1);
        if (at && *at == ',')
            at++;
    }
    if (at && *at == '}')
        end = at + 1;
    json_end(j);
    if (needed.len) {
        struct str rest = buf_str(&needed), line;

        json_array(j, "required");
        while (str_line(&line, &rest))
            json_str(j, NULL, line);
        json_end(j);
    }
    json_end(j);
    buf_release(&needed);
    return end;
}

static const char *write_name(struct json *j, const char *key, const char *at)
{
    size_t len = name_len(at);
    struct buf ref = { 0 };

    if (!len || !isupper((unsigned char)*at))
        return NULL;
    buf_text(&ref, "#/components/schemas/");
    buf_add(&ref, at, len);
    json_object(j, key);
    json_text(j, "$ref", buf_cstr(&ref));
    json_end(j);
    buf_release(&ref);
    return at + len;
}

static const char *write_type(struct json *j, const char *key, const char *at)
{
    switch (*at) {
    case '{': return write_object(j, key, at);
    case '[': return write_list(j, key, at);
    case '\'': return write_words(j, key, at);
    default:
        return isupper((unsigned char)*at) ? write_name(j, key, at)
                                           : write_letter(j, key, at);
    }
}

bool schema_json(struct json *j, const char *key, const char *text)
{
    const char *end = write_type(j, key, text);

    return end && !*end;
}

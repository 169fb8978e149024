#include "ort/options.h"

#include "base/alloc.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* More than any program sets; what comes beyond is not kept. */
#define MOST 256

static const char cpu[] = "CPUExecutionProvider";

struct session_options {
    struct option {
        char *key;
        char *text; /* or NULL: the number */
        int64_t number;
    } items[MOST];
    size_t count;
    char *providers[MOST];
    size_t provider_count;
};

struct session_options *session_options_new(void)
{
    return alloc_zero(1, sizeof(struct session_options));
}

void session_options_free(struct session_options *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->count; i++) {
        free(o->items[i].key);
        free(o->items[i].text);
    }
    for (size_t i = 0; i < o->provider_count; i++)
        free(o->providers[i]);
    free(o);
}

static void set(struct session_options *o, const char *key, const char *text,
        int64_t number)
{
    size_t i = 0;

    while (i < o->count && strcmp(o->items[i].key, key) != 0)
        i++;
    if (i == MOST)
        return;
    if (i == o->count) {
        o->items[i].key = alloc_text(key);
        o->count++;
    }
    free(o->items[i].text);
    o->items[i].text = text ? alloc_text(text) : NULL;
    o->items[i].number = number;
}

void session_options_set(struct session_options *o, const char *key,
        const char *value)
{
    set(o, key, value, 0);
}

void session_options_set_number(struct session_options *o, const char *key,
        int64_t value)
{
    set(o, key, NULL, value);
}

void session_options_provider(struct session_options *o, const char *name)
{
    if (o->provider_count < MOST)
        o->providers[o->provider_count++] = alloc_text(name);
}

struct session_options *session_options_copy(const struct session_options *o)
{
    struct session_options *copy = session_options_new();

    for (size_t i = 0; i < o->count; i++)
        set(copy, o->items[i].key, o->items[i].text, o->items[i].number);
    for (size_t i = 0; i < o->provider_count; i++)
        session_options_provider(copy, o->providers[i]);
    return copy;
}

void session_options_providers_json(const struct session_options *o,
        struct buf *out)
{
    struct json j = json_line_into(out);
    bool has_cpu = false;

    json_array(&j, NULL);
    for (size_t i = 0; o && i < o->provider_count; i++) {
        json_text(&j, NULL, o->providers[i]);
        has_cpu |= strcmp(o->providers[i], cpu) == 0;
    }
    if (!has_cpu)
        json_text(&j, NULL, cpu);
    json_end(&j);
}

void session_options_json(const struct session_options *o, struct buf *out)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    for (size_t i = 0; o && i < o->count; i++) {
        if (o->items[i].text)
            json_text(&j, o->items[i].key, o->items[i].text);
        else
            json_int(&j, o->items[i].key, o->items[i].number);
    }
    json_end(&j);
}

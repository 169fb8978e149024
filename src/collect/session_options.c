#include "collect/session_options.h"

#include "base/alloc.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* More than any program sets; what comes beyond is not kept. */
#define MOST       256
#define NAME_BYTES 128                 /* bytes of a provider's name */
#define BYTES_MAX  ((size_t)64 * 1024) /* of keys and values together */

static const char cpu[] = "CPUExecutionProvider";

struct session_options {
    struct option {
        const char *key;
        const char *text; /* or NULL: the number */
        int64_t number;
    } * items;
    size_t count;
    const char **providers;
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
    free(o->items);
    free(o->providers);
    free(o);
}

static size_t bytes_of(const struct option *x)
{
    return strlen(x->key) + (x->text ? strlen(x->text) : 0);
}

/* Every session has them written down, so they are short. */
static bool fits(const struct session_options *o, size_t instead_of,
        const struct option *what)
{
    size_t bytes = bytes_of(what);

    for (size_t i = 0; i < o->count; i++)
        if (i != instead_of)
            bytes += bytes_of(&o->items[i]);
    return bytes <= BYTES_MAX;
}

static void set(struct session_options *o, struct option what)
{
    size_t i = 0;

    while (i < o->count && strcmp(o->items[i].key, what.key) != 0)
        i++;
    if (i == MOST || !fits(o, i, &what))
        return;
    if (i == o->count)
        o->items = alloc_resize(o->items, ++o->count * sizeof(*o->items));
    o->items[i] = what;
}

void session_options_set(struct session_options *o, const char *key,
        const char *value)
{
    set(o, (struct option){ .key = key, .text = value });
}

void session_options_set_number(struct session_options *o, const char *key,
        int64_t value)
{
    set(o, (struct option){ .key = key, .number = value });
}

void session_options_provider(struct session_options *o, const char *name)
{
    if (o->provider_count == MOST || strlen(name) > NAME_BYTES)
        return;
    o->providers = alloc_resize(o->providers,
            (o->provider_count + 1) * sizeof(*o->providers));
    o->providers[o->provider_count++] = name;
}

struct session_options *session_options_copy(const struct session_options *o)
{
    struct session_options *copy = session_options_new();

    for (size_t i = 0; i < o->count; i++)
        set(copy, o->items[i]);
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

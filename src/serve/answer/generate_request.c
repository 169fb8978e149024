#include "serve/answer/generate_request.h"

#include "base/compiler.h"
#include "base/json_read.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define R             struct generate_request
#define SEED_MAX      9007199254740991.0
#define SHORT_TEXT    256
#define MODEL_MAX     4096
#define NO_SUCH       "there is a member that is none of the request's"
#define NOT_AN_OBJECT "the body must be a JSON object"

/* Members that are texts, with their limits. */
static const struct {
    const char *name;
    size_t at, most;
    bool config;
    const char *wrong;
} texts[] = {
    { "prompt", offsetof(R, prompt), GENERATE_PROMPT_MAX, false,
            "prompt must be a text of 1 to 262144 bytes" },
    { "modelPath", offsetof(R, model), MODEL_MAX, false,
            "modelPath must be a text of 1 to 4096 bytes" },
    { "profilingDepth", offsetof(R, depth), SHORT_TEXT, false,
            "profilingDepth must be off, module or deep" },
    { "tags", offsetof(R, tags), SHORT_TEXT, false,
            "tags must be a text of 1 to 256 bytes" },
    { "experimentName", offsetof(R, experiment), SHORT_TEXT, false,
            "experimentName must be a text of 1 to 256 bytes" },
    { "system", offsetof(R, system), GENERATE_PROMPT_MAX / 4, true,
            "config.system must be a text of 1 to 65536 bytes" },
};

/* Members that are numbers, and the options that they become. */
static const struct {
    const char *name;
    const char *option;
    size_t at;
    double least, most;
    bool whole, draws; /* it is nothing where the likeliest is taken */
    const char *wrong;
} numbers[] = {
    { "temperature", "--temperature", offsetof(R, temperature), 0, 10, false,
            true, "config.temperature must be a number, 0 to 10" },
    { "top_k", "--top-k", offsetof(R, top_k), 0, 1e6, true, true,
            "config.top_k must be 0 to 1000000" },
    { "top_p", "--top-p", offsetof(R, top_p), 1e-9, 1, false, true,
            "config.top_p must be a number above 0, at most 1" },
    { "min_p", "--min-p", offsetof(R, min_p), 0, 1, false, true,
            "config.min_p must be a number, 0 to 1" },
    { "repetition_penalty", "--repetition-penalty",
            offsetof(R, repetition_penalty), 1e-3, 1000, false, false,
            "config.repetition_penalty must be a number, 0.001 to 1000" },
    { "max_new_tokens", "--max-tokens", offsetof(R, max_new_tokens), 1, 4096,
            true, false, "config.max_new_tokens must be 1 to 4096" },
    { "seed", "--seed", offsetof(R, seed), 0, SEED_MAX, true, false,
            "config.seed must be a whole number, 0 to 9007199254740991" },
};

static const struct {
    const char *name;
    size_t at;
    bool config;
    const char *wrong;
} truths[] = {
    { "greedy", offsetof(R, greedy), true,
            "config.greedy must be true or false" },
    { "chat", offsetof(R, chat), true, "config.chat must be true or false" },
    { "requireEnergy", offsetof(R, require_energy), false,
            "requireEnergy must be true or false" },
};

static void *at(R *r, size_t offset)
{
    return (char *)r + offset;
}

static const char *take_text(R *r, size_t i, struct str value)
{
    struct buf *to = at(r, texts[i].at);

    buf_clear(to);
    return json_read_text(to, value) == 0 && to->len &&
                           to->len <= texts[i].most &&
                           !memchr(to->p, 0, to->len)
                   ? NULL
                   : texts[i].wrong;
}

static const char *take_number(R *r, size_t i, struct str value)
{
    double *to = at(r, numbers[i].at);

    if (json_kind(value) != '0' || str_f64(to, value) ||
            !(*to >= numbers[i].least && *to <= numbers[i].most) ||
            (numbers[i].whole && floor(*to) != *to))
        return numbers[i].wrong;
    if (to == &r->seed)
        r->has_seed = true;
    return NULL;
}

static const char *take_stops(R *r, struct str list)
{
    static const char wrong[] =
            "config.stop must be a list of up to 16 texts of 1 to 256 bytes";
    struct str one;

    if (json_kind(list) != '[' || r->stop_count)
        return wrong;
    while (json_next_element(&list, &one) > 0) {
        struct buf *to = &r->stop[r->stop_count];

        if (r->stop_count == GENERATE_STOPS_MAX)
            return wrong;
        r->stop_count++;
        if (json_read_text(to, one) || !to->len || to->len > SHORT_TEXT ||
                memchr(to->p, 0, to->len))
            return wrong;
    }
    return NULL;
}

static const char *take_members(R *r, struct str object, bool config);

static const char *take(R *r, struct str key, struct str value, bool config)
{
    bool yes = str_is(value, "true");

    for (size_t i = 0; i < LEN(texts); i++)
        if (texts[i].config == config && str_is(key, texts[i].name))
            return take_text(r, i, value);
    for (size_t i = 0; config && i < LEN(numbers); i++)
        if (str_is(key, numbers[i].name))
            return take_number(r, i, value);
    for (size_t i = 0; i < LEN(truths); i++)
        if (truths[i].config == config && str_is(key, truths[i].name)) {
            *(bool *)at(r, truths[i].at) = yes;
            return yes || str_is(value, "false") ? NULL : truths[i].wrong;
        }
    if (config && str_is(key, "stop"))
        return take_stops(r, value);
    if (!config && str_is(key, "config"))
        return json_kind(value) == '{' ? take_members(r, value, true)
                                       : "config must be an object";
    return NO_SUCH;
}

static const char *take_members(R *r, struct str object, bool config)
{
    struct str key, value;
    const char *wrong = NULL;

    while (!wrong && json_next_member(&object, &key, &value) > 0)
        wrong = take(r, key, value, config);
    return wrong;
}

static const char *check(const R *r)
{
    struct str depth = buf_str(&r->depth);

    if (!r->prompt.len)
        return "prompt is needed";
    if (!r->model.len)
        return "modelPath is needed";
    if (depth.len && !str_is(depth, "off") && !str_is(depth, "module") &&
            !str_is(depth, "deep"))
        return "profilingDepth must be off, module or deep";
    if (r->system.len && !r->chat)
        return "config.system is nothing without config.chat";
    return NULL;
}

const char *generate_request_read(struct generate_request *out, struct str body)
{
    const char *wrong;

    *out = (R){ .temperature = 1,
        .top_p = 1,
        .repetition_penalty = 1,
        .max_new_tokens = 128 };
    body = str_trim(body);
    if (!json_is_sound(body) || json_kind(body) != '{')
        return NOT_AN_OBJECT;
    wrong = take_members(out, body, false);
    return wrong ? wrong : check(out);
}

void generate_request_release(struct generate_request *r)
{
    for (size_t i = 0; i < LEN(texts); i++)
        buf_release(at(r, texts[i].at));
    for (size_t i = 0; i < GENERATE_STOPS_MAX; i++)
        buf_release(&r->stop[i]);
}

/* --- as options ----------------------------------------------------------- */

static void option(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, "%s=%s", name, value);
    buf_char(out, 0);
}

static void flag(struct buf *out, const char *name)
{
    buf_add(out, name, strlen(name) + 1);
}

static void number_options(struct buf *out, const R *r)
{
    for (size_t i = 0; i < LEN(numbers); i++) {
        double value = *(
                const double *)(const void *)((const char *)r + numbers[i].at);
        bool none = (numbers[i].draws && r->greedy) ||
                    (numbers[i].at == offsetof(R, seed) && !r->has_seed) ||
                    (numbers[i].at == offsetof(R, top_k) && !(value > 0));

        if (none)
            continue;
        buf_printf(out, numbers[i].whole ? "%s=%.0f" : "%s=%.17g",
                numbers[i].option, value);
        buf_char(out, 0);
    }
}

void generate_request_options(struct buf *out, const struct generate_request *r)
{
    struct str tags = buf_str(&r->tags);

    number_options(out, r);
    if (r->greedy)
        flag(out, "--greedy");
    if (r->chat)
        flag(out, "--chat");
    buf_printf(out, "--depth=%s",
            r->depth.len ? buf_cstr(&r->depth) : "module");
    buf_char(out, 0);
    for (size_t i = 0; i < r->stop_count; i++)
        option(out, "--stop", buf_cstr(&r->stop[i]));
    while (tags.len) {
        struct str tag = str_trim(str_before(tags, ','));

        tags = str_after(tags, ',');
        if (!tag.len)
            continue;
        buf_text(out, "--tag=");
        buf_add(out, tag.p, tag.len);
        buf_char(out, 0);
    }
}

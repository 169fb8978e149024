#include "cmd/generate/generate_settings.h"

#include "base/json.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "cmd/cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_TOKENS 128
#define TOKENS_MAX   (1 << 20)

#define S struct generate_settings
const struct option generate_options[] = {
    OPTION_TEXTS("prompt", 'p', S, prompts, "TEXT",
            "what to go on with; repeated: several at once"),
    OPTION_TEXT("prompt-file", 0, S, prompt_file, "FILE",
            "a file with it; -: stdin"),
    OPTION_TEXTS("tokens", 0, S, tokens, "1,2,3",
            "the prompt's tokens themselves; may be repeated, too"),
    OPTION_FLAG("chat", 0, S, chat,
            "the prompt is what a user says: in the model's chat template"),
    OPTION_TEXT("system", 0, S, system, "TEXT",
            "what the model is told before, with --chat"),
    OPTION_NUMBER("max-tokens", 'n', S, max_tokens, "N",
            "tokens to make at most; 128 if not given"),
    OPTION_FLAG("greedy", 0, S, greedy,
            "always the likeliest token; so it is without --temperature, "
            "--top-k, --top-p and --min-p"),
    OPTION_REAL("temperature", 0, S, temperature, "T",
            "draw the token: below 1 closer to the likeliest"),
    OPTION_NUMBER("top-k", 0, S, top_k, "K", "of the K likeliest alone"),
    OPTION_REAL("top-p", 0, S, top_p, "P",
            "of the fewest that together have probability P"),
    OPTION_REAL("min-p", 0, S, min_p, "P",
            "of those with at least P of the likeliest one's probability"),
    OPTION_REAL("repetition-penalty", 0, S, repetition_penalty, "X",
            "above 1: tokens that were there before become less likely"),
    OPTION_NUMBER("seed", 0, S, seed, "N",
            "where drawing begins; the same gives the same"),
    OPTION_TEXTS("stop", 0, S, stops, "TEXT",
            "end before this text; may be repeated"),
    OPTION_FLAG("ignore-eos", 0, S, ignore_end,
            "go on behind the token that ends a text", .rare = true),
    OPTION_TEXTS("input", 0, S, inputs, "NAME=FILE.npy",
            "another input of the model, or of its encoder"),
    OPTION_NUMBER("repeat", 0, S, repeat, "N", "do it N times"),
    OPTION_TEXT("context", 0, S, context_list, "LIST",
            "do it with prompts of these lengths: 16,64,256"),
    OPTION_FLAG("no-cache", 0, S, no_cache,
            "let every step see the whole text again", .rare = true),
    OPTION_FLAG("store-prompts", 0, S, store_prompts,
            "keep prompt, tokens and text in the database, too"),
    OPTION_TEXT("depth", 0, S, depth, "HOW",
            "off: no operators; module: those of every inference, by layer and "
            "component; deep: and once more without fused operators, with "
            "figures of what they put out"),
    OPTION_FLAG("logits", 0, S, logits,
            "with --json: the numbers that chose the first token",
            .rare = true),
    OPTION_NUMBER("threads", 0, S, threads, "N",
            "threads within an operator; as ONNX Runtime thinks if not given"),
    OPTION_TEXT("provider", 0, S, provider, "NAME",
            "an execution provider: CUDA, XNNPACK, ..."),
    OPTION_TEXT("ort", 0, S, ort, "PATH", "which libonnxruntime to use",
            .variable = "ORTMETER_ORT"),
    JSON_OPTION(S),
    OPTION_TEXT(NULL, 'o', S, out, "FILE", "write the JSON document to FILE"),
    OPTION_FLAG("quiet", 'q', S, quiet, "no account of it on stderr"),
    METERED_OPTIONS(S, metered),
    OPTION_END,
};
#undef S

const struct generate_settings generate_defaults = {
    .max_tokens = USUAL_TOKENS,
    .repeat = 1,
    .temperature = -1,
    .top_p = -1,
    .min_p = -1,
    .repetition_penalty = 1,
    .metered = METERED_SETTINGS,
    .worker = GENERATE_NOT_GIVEN,
};

static int read_contexts(struct generate_settings *s, struct error *e)
{
    struct str rest = str_of(s->context_list);

    while (rest.len) {
        uint64_t n = 0;

        if (str_u64(&n, str_before(rest, ',')) || !n || n > TOKENS_MAX ||
                s->context_count == GENERATE_CONTEXTS_MAX)
            return fail(e, -EINVAL,
                    "--context takes up to %d lengths with commas between "
                    "them, not '%.64s'",
                    GENERATE_CONTEXTS_MAX, s->context_list);
        s->contexts[s->context_count++] = (size_t)n;
        rest = str_after(rest, ',');
    }
    return 0;
}

static int read_depth(struct generate_settings *s, struct error *e)
{
    if (strcmp(s->depth, "off") == 0)
        s->metered.ops = "off";
    else if (strcmp(s->depth, "module") == 0 || strcmp(s->depth, "deep") == 0) {
        s->metered.ops = "all";
        s->metered.timelines = true;
        s->deep = strcmp(s->depth, "deep") == 0;
    } else
        return fail(e, -EINVAL,
                "--depth takes off, module or deep, not '%.64s'", s->depth);
    if (s->deep && s->prompts.count + s->tokens.count > 1)
        return fail(e, -EINVAL, "--depth deep takes one prompt");
    return 0;
}

static int read_rules(struct generate_settings *s, struct error *e)
{
    bool draws =
            s->temperature >= 0 || s->top_k || s->top_p >= 0 || s->min_p >= 0;

    if (s->greedy && draws)
        return fail(e, -EINVAL,
                "--greedy takes always the likeliest token: it goes with none "
                "of --temperature, --top-k, --top-p and --min-p");
    if (s->top_p > 1 || s->min_p > 1)
        return fail(e, -EINVAL, "--top-p and --min-p take at most 1");
    if (!(s->repetition_penalty > 0))
        return fail(e, -EINVAL, "--repetition-penalty takes more than 0");
    /* No temperature at all is always the likeliest. */
    s->greedy = !draws || (s->temperature >= 0 && !(s->temperature > 0));
    if (s->temperature < 0)
        s->temperature = 1;
    if (s->top_p < 0)
        s->top_p = 1;
    if (s->min_p < 0)
        s->min_p = 0;
    return 0;
}

int generate_settings_read(struct generate_settings *s, const char *folder,
        struct error *e)
{
    const char *worker = getenv(GENERATE_WORKER_VARIABLE);
    int ways = (s->prompts.count > 0) + (s->tokens.count > 0) +
               (s->prompt_file != NULL);
    int rc = 0;

    if (!folder)
        return fail(e, -EINVAL, "which folder with a model?");
    s->folder = folder;
    if (worker && str_u64(&s->worker, str_of(worker)))
        return fail(e, -EINVAL,
                GENERATE_WORKER_VARIABLE " is for ortmeter itself");
    if (ways > 1 || (!ways && !s->inputs.count))
        return fail(e, -EINVAL,
                "one of --prompt, --prompt-file and --tokens says what to go "
                "on with");
    if (s->chat && s->tokens.count)
        return fail(e, -EINVAL, "--chat needs a text, not --tokens");
    if (s->system && !s->chat)
        return fail(e, -EINVAL, "--system is nothing without --chat");
    if (!s->max_tokens || s->max_tokens > TOKENS_MAX || !s->repeat)
        return fail(e, -EINVAL,
                "--max-tokens and --repeat take a number from 1");
    if (s->context_list)
        rc = read_contexts(s, e);
    if (!rc && s->depth)
        rc = read_depth(s, e);
    if (!rc)
        rc = read_rules(s, e);
    return rc ? rc : metered_check(&s->metered, e);
}

bool generate_is_private(const char *argument, bool *next)
{
    static const char *const options[] = { "--prompt", "--tokens", "--system",
        "--stop", "-p" };

    *next = false;
    for (size_t i = 0; i < LEN(options); i++) {
        size_t len = strlen(options[i]);

        if (strcmp(argument, options[i]) == 0)
            *next = true;
        else if (strncmp(argument, options[i], len) == 0 &&
                 (argument[len] == '=' || len == 2))
            return true;
    }
    return false;
}

static void add_texts(struct json *j, const char *key,
        const struct option_texts *texts)
{
    json_array(j, key);
    for (int i = 0; i < texts->count; i++)
        json_text(j, NULL, texts->item[i]);
    json_end(j);
}

void generate_hand_over(struct buf *out, const struct generate_settings *s)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    add_texts(&j, "prompts", &s->prompts);
    add_texts(&j, "tokens", &s->tokens);
    add_texts(&j, "stops", &s->stops);
    if (s->system)
        json_text(&j, "system", s->system);
    json_end(&j);
}

/* A copy of a JSON text; NULL: it is none. */
static char *copy_text(struct str value)
{
    struct buf text = { 0 };

    if (json_read_text(&text, value))
        return NULL;
    buf_char(&text, '\0');
    return text.p;
}

static int take_texts(struct option_texts *texts, struct str list)
{
    struct str one;

    for (int i = 0; i < texts->count; i++)
        if (json_next_element(&list, &one) <= 0 ||
                !(texts->item[i] = copy_text(one)))
            return -EINVAL;
    return 0;
}

int generate_take_over(struct generate_settings *s, struct str handed)
{
    if (s->system)
        s->system = copy_text(json_member(handed, "system"));
    if (take_texts(&s->prompts, json_member(handed, "prompts")) ||
            take_texts(&s->tokens, json_member(handed, "tokens")) ||
            take_texts(&s->stops, json_member(handed, "stops")))
        return -EINVAL;
    return 0;
}

void generate_forget(struct generate_settings *s)
{
    struct option_texts *const all[] = { &s->prompts, &s->tokens, &s->stops };

    for (size_t k = 0; k < LEN(all); k++)
        for (int i = 0; i < all[k]->count; i++)
            free((char *)all[k]->item[i]);
    free((char *)s->system);
}

#include "cmd/generate/generate_worker.h"

#include "analyse/line_fit.h"
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/generate/generate_deep.h"
#include "cmd/generate/generate_repeats.h"
#include "cmd/text/own_sections.h"
#include "llm/generator.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STDIN_MAX ((size_t)64 << 20)

/* A stretch of a generation's time; each begins where the one before ends. */
struct stretch {
    enum generator_phase phase;
    char name[40];
    uint64_t from_ns, to_ns;
};

#define GENERATE_SCALED_MAX 1024 /* generations that a line is laid through */
#define SECTIONS_DEEP       2    /* a token, and the steps that make it */

struct worker {
    const struct generate_settings *s;
    struct generator *g;
    struct own_sections telling;
    struct {
        struct ortmeter_section section;
        char name[40]; /* of it */
    } open[SECTIONS_DEEP];
    size_t depth; /* of those that are open */
    struct network_given given[OPTION_TEXTS_MAX];
    struct buf given_bytes[OPTION_TEXTS_MAX];
    struct ids prompts[OPTION_TEXTS_MAX];
    size_t prompt_count;
    struct buf stretches; /* of the generation under way */
    /* Of each generation, by how long its prompt was: milliseconds. */
    struct line_point firsts[GENERATE_SCALED_MAX], laters[GENERATE_SCALED_MAX];
    size_t first_count, later_count;
    struct generate_repeats repeats; /* of this length */
    struct buf statistics;           /* JSON, of each length */
    struct json statistics_json;
    struct generate_deep deep; /* of the first text, if that is asked for */
    struct json j;
    bool prints, streams; /* text to stdout; as it comes */
};

/* --- what the meter is told
 * -------------------------------------------------------------- */

static struct stretch *last_stretch(const struct worker *w)
{
    return w->stretches.len ? (struct stretch *)(void *)(w->stretches.p +
                                                         w->stretches.len) -
                                      1
                            : NULL;
}

static void add_stretch(struct worker *w, enum generator_phase phase,
        const char *name, uint64_t from_ns)
{
    struct stretch s = { .phase = phase, .from_ns = from_ns };

    (void)snprintf(s.name, sizeof(s.name), "%s", name);
    buf_add(&w->stretches, &s, sizeof(s));
}

static void begin_stretch(struct worker *w, enum generator_phase phase,
        const char *name)
{
    const struct stretch *last = last_stretch(w);
    uint64_t now_ns = mono_ns();

    if (last && last->to_ns < now_ns) { /* what lies between is the phase's */
        add_stretch(w, phase, "between_sections", last->to_ns);
        last_stretch(w)->to_ns = now_ns;
    }
    add_stretch(w, phase, name, now_ns);
}

static void begin(void *context, enum generator_phase phase, const char *name)
{
    static const enum ortmeter_phase phases[] = {
        [GENERATOR_PRE] = ORTMETER_PRE,
        [GENERATOR_PREFILL] = ORTMETER_PREFILL,
        [GENERATOR_DECODE] = ORTMETER_DECODE,
        [GENERATOR_POST] = ORTMETER_POST,
    };
    struct worker *w = context;
    char *kept = w->open[w->depth].name;

    if (!w->depth)
        begin_stretch(w, phase, name);
    (void)snprintf(kept, sizeof(w->open[0].name), "%s", name);
    w->open[w->depth++].section =
            own_sections_begin_phase(&w->telling, phases[phase], kept);
}

static void end(void *context)
{
    struct worker *w = context;

    own_sections_end(&w->telling, &w->open[--w->depth].section);
    if (!w->depth)
        last_stretch(w)->to_ns = mono_ns();
}

/* What was made is told only where it is to be kept; of several texts at once
 * then nothing is, as the inferences tell the same. */
static void tell_token(const struct worker *w, const struct generator_token *t)
{
    struct buf text = { 0 };
    bool keeps = w->s->store_prompts;

    if (!keeps && w->prompt_count > 1)
        return;
    buf_add(&text, t->readable.p, t->readable.len);
    own_sections_token(&w->telling, (uint32_t)t->index,
            keeps ? (int64_t)t->id : -1, keeps ? buf_cstr(&text) : NULL,
            t->duration_ns, t->probability);
    buf_release(&text);
}

static bool token(void *context, const struct generator_token *t)
{
    struct worker *w = context;

    if (w->streams) {
        (void)fwrite(t->readable.p, 1, t->readable.len, stdout);
        (void)fflush(stdout);
    }
    if (t->index == SIZE_MAX)
        return true;
    tell_token(w, t);
    json_object(&w->j, NULL);
    json_u64(&w->j, "text_index", t->text);
    json_u64(&w->j, "index", t->index);
    json_u64(&w->j, "id", t->id);
    json_str(&w->j, "text", t->readable);
    json_real(&w->j, "probability", t->probability);
    json_fixed(&w->j, "duration_ms", (double)t->duration_ns / 1e6, 6);
    json_end(&w->j);
    return true;
}

/* --- what goes in
 * -------------------------------------------------------------------------- */

static int slurp(struct buf *out, const char *path, struct error *e)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char part[65536];
    size_t got;

    if (!file)
        return fail(e, -errno, "%s cannot be read: %s", path, strerror(errno));
    while (out->len < STDIN_MAX && (got = fread(part, 1, sizeof(part), file)))
        buf_add(out, part, got);
    if (file != stdin)
        (void)fclose(file);
    return 0;
}

static int read_given(struct worker *w, struct error *e)
{
    const struct option_texts *inputs = &w->s->inputs;

    for (int i = 0; i < inputs->count; i++) {
        const char *is = strchr(inputs->item[i], '=');
        struct error why = { 0 };
        char *name;
        int rc;

        if (!is || is == inputs->item[i])
            return fail(e, -EINVAL, "--input takes NAME=FILE.npy, not '%.64s'",
                    inputs->item[i]);
        name = alloc_text(inputs->item[i]);
        name[is - inputs->item[i]] = '\0';
        w->given[i].name = name;
        rc = slurp(&w->given_bytes[i], is + 1, e);
        if (rc)
            return rc;
        rc = npy_read(&w->given[i].array, buf_str(&w->given_bytes[i]), &why);
        if (rc)
            return fail(e, rc, "%.150s: %s", is + 1, why.text);
    }
    return 0;
}

static int read_ids(struct ids *out, const char *list, struct error *e)
{
    struct str rest = str_of(list);

    while (rest.len) {
        uint64_t id;

        if (str_u64(&id, str_trim(str_before(rest, ','))) || id > INT32_MAX)
            return fail(e, -EINVAL,
                    "--tokens takes numbers with commas between them, not "
                    "'%.64s'",
                    list);
        ids_add(out, (uint32_t)id);
        rest = str_after(rest, ',');
    }
    return 0;
}

static int encode(struct worker *w, struct str text, struct error *e)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    int rc;

    if (localtime_r(&now, &parts))
        (void)strftime(date, sizeof(date), "%d %b %Y", &parts);
    begin(w, GENERATOR_PRE, "tokenization");
    rc = generator_encode(w->g, text, w->s->chat, w->s->system, date,
            &w->prompts[w->prompt_count++], e);
    end(w);
    return rc;
}

static int read_prompts(struct worker *w, struct error *e)
{
    const struct generate_settings *s = w->s;
    struct buf text = { 0 };
    int rc = 0;

    for (int i = 0; i < s->tokens.count && !rc; i++)
        rc = read_ids(&w->prompts[w->prompt_count++], s->tokens.item[i], e);
    for (int i = 0; i < s->prompts.count && !rc; i++)
        rc = encode(w, str_of(s->prompts.item[i]), e);
    if (!rc && s->prompt_file) {
        rc = slurp(&text, s->prompt_file, e);
        if (!rc)
            rc = encode(w, buf_str(&text), e);
        buf_release(&text);
    }
    if (!rc && !w->prompt_count)
        w->prompt_count = 1; /* all of it comes by --input */
    return rc;
}

/* --- what comes out
 * ------------------------------------------------------------------------ */

static void model_members(struct worker *w)
{
    const struct model_folder *m = generator_folder(w->g);
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = { { "layers", m->layers }, { "heads", m->heads },
        { "kv_heads", m->kv_heads }, { "head_size", m->head_size },
        { "hidden_size", m->hidden }, { "context", m->context },
        { "vocabulary", m->vocabulary } };

    json_object(&w->j, "model");
    json_text(&w->j, "decoder", m->decoder);
    if (m->encoder)
        json_text(&w->j, "encoder", m->encoder);
    if (m->architecture[0])
        json_text(&w->j, "architecture", m->architecture);
    for (size_t i = 0; i < LEN(numbers); i++)
        if (numbers[i].value >= 0)
            json_int(&w->j, numbers[i].name, numbers[i].value);
    json_end(&w->j);
}

static void ids_member(struct json *j, const char *key, const struct ids *ids)
{
    json_array(j, key);
    for (size_t i = 0; i < ids->count; i++)
        json_u64(j, NULL, ids->id[i]);
    json_end(j);
}

/* Of the texts that were made at once. */
static void result_members(struct worker *w, const struct generator_result *r)
{
    struct json *j = &w->j;
    size_t steps = r->durations.len / sizeof(uint64_t);

    json_array(j, "texts");
    for (size_t i = 0; i < r->count; i++) {
        json_object(j, NULL);
        ids_member(j, "ids", &r->text[i].ids);
        json_str(j, "text", buf_str(&r->text[i].text));
        json_text(j, "end", generator_end_name(r->text[i].end));
        json_end(j);
    }
    json_end(j);
    json_fixed(j, "ttft_ms", (double)r->prefill_ns / 1e6, 6);
    if (steps > 1)
        json_fixed(j, "tpot_ms",
                (double)generate_later_ns(r) / 1e6 / (double)(steps - 1), 6);
    json_fixed(j, "total_ms", (double)r->total_ns / 1e6, 6);
    json_array(j, "first_logits");
    for (size_t i = 0; w->s->logits && i < r->vocabulary; i++)
        json_real(j, NULL, (double)r->first_logits[i]);
    json_end(j);
}

/* --- how the times grow with the context --------------------------------- */

static void add_point(struct line_point *points, size_t *count, double size,
        double ms)
{
    if (*count < GENERATE_SCALED_MAX && ms > 0)
        points[(*count)++] = (struct line_point){ size, ms };
}

static void add_points(struct worker *w, size_t prompt_tokens,
        const struct generator_result *r)
{
    size_t steps = r->durations.len / sizeof(uint64_t);
    double later_ms = (double)generate_later_ns(r) / 1e6;

    add_point(w->firsts, &w->first_count, (double)prompt_tokens,
            (double)r->prefill_ns / 1e6);
    if (steps > 1) /* in the middle of what was made, so much lies before */
        add_point(w->laters, &w->later_count,
                (double)prompt_tokens + (double)steps / 2,
                later_ms / (double)(steps - 1));
}

static void scaling_member(struct json *j, const char *key,
        const struct line_point *points, size_t count)
{
    struct line_fit fit;

    if (!line_fit(&fit, points, count))
        return;
    json_object(j, key);
    json_fixed(j, "fixed", fit.fixed, 6);
    json_array(j, "fixed_interval");
    json_fixed(j, NULL, fit.fixed_low, 6);
    json_fixed(j, NULL, fit.fixed_high, 6);
    json_end(j);
    json_fixed(j, "each_token", fit.each, 9);
    json_array(j, "each_token_interval");
    json_fixed(j, NULL, fit.each_low, 9);
    json_fixed(j, NULL, fit.each_high, 9);
    json_end(j);
    json_fixed(j, "error", fit.error, 6);
    json_end(j);
}

/* Of fewer lengths, a line proves nothing. */
static void scaling_members(struct worker *w)
{
    if (w->s->context_count < 3)
        return;
    json_object(&w->j, "scaling");
    scaling_member(&w->j, "ttft_ms", w->firsts, w->first_count);
    scaling_member(&w->j, "tpot_ms", w->laters, w->later_count);
    json_end(&w->j);
}

static void phase_member(struct worker *w, enum generator_phase phase,
        const char *name)
{
    const struct stretch *s = (const void *)w->stretches.p;
    size_t count = w->stretches.len / sizeof(*s);
    uint64_t sum_ns = 0;

    json_object(&w->j, name);
    json_array(&w->j, "sections");
    for (size_t i = 0; i < count; i++) {
        if (s[i].phase != phase)
            continue;
        json_object(&w->j, NULL);
        json_text(&w->j, "name", s[i].name);
        json_u64(&w->j, "duration_ns", s[i].to_ns - s[i].from_ns);
        json_end(&w->j);
        sum_ns += s[i].to_ns - s[i].from_ns;
    }
    json_end(&w->j);
    json_u64(&w->j, "duration_ns", sum_ns);
    json_end(&w->j);
}

/* The generation's time, from its first section to the end of its last, and
 * where it went: all of it. */
static void phase_members(struct worker *w)
{
    const struct stretch *first = (const void *)w->stretches.p;

    if (!first)
        return;
    json_u64(&w->j, "duration_ns", last_stretch(w)->to_ns - first->from_ns);
    json_object(&w->j, "phases");
    phase_member(w, GENERATOR_PRE, "pre_inference");
    phase_member(w, GENERATOR_PREFILL, "prefill");
    phase_member(w, GENERATOR_DECODE, "decode");
    phase_member(w, GENERATOR_POST, "post_inference");
    json_end(&w->j);
}

/* A prompt of that length: its own tokens, again and again. */
static struct ids stretched(const struct ids *prompt, size_t length)
{
    struct ids out = { 0 };

    for (size_t i = 0; i < length && prompt->count; i++)
        ids_add(&out, prompt->id[i % prompt->count]);
    return out;
}

/* Several texts came at once: one behind the other. */
static void print_texts(const struct worker *w,
        const struct generator_result *r)
{
    for (size_t i = 0; w->prints && i < r->count; i++) {
        if (!w->streams)
            (void)fwrite(r->text[i].text.p, 1, r->text[i].text.len, stdout);
        (void)putchar('\n');
    }
    (void)fflush(stdout);
}

static int generate(struct worker *w, size_t context, struct error *e)
{
    const struct generate_settings *s = w->s;
    const struct generator_listener l = { w, begin, end, token };
    struct ids prompts[OPTION_TEXTS_MAX] = { 0 };
    struct generator_result result;
    struct generator_request r = {
        .prompts = context ? prompts : w->prompts,
        .count = w->prompt_count,
        .max_tokens = (size_t)s->max_tokens,
        .rules = { s->greedy, s->temperature, s->top_k, s->top_p, s->min_p,
                s->repetition_penalty },
        .seed = s->seed,
        .stops = (const char *const *)s->stops.item,
        .stop_count = (size_t)s->stops.count,
        .ignore_end = s->ignore_end,
        .no_cache = s->no_cache,
    };
    int rc;

    for (size_t i = 0; context && i < r.count; i++)
        prompts[i] = stretched(&w->prompts[i], context);
    buf_clear(&w->stretches);
    json_object(&w->j, NULL);
    json_u64(&w->j, "prompt_tokens", r.prompts[0].count);
    json_array(&w->j, "tokens");
    rc = generator_run(w->g, &r, &l, &result, e);
    json_end(&w->j);
    if (!rc) {
        result_members(w, &result);
        add_points(w, r.prompts[0].count, &result);
        generate_repeats_add(&w->repeats, &result);
        if (s->deep && !w->deep.made.count)
            generate_deep_keep(&w->deep, &r.prompts[0], &result.text[0].ids);
    }
    phase_members(w);
    json_end(&w->j);
    print_texts(w, &result);
    generator_result_release(&result);
    for (size_t i = 0; context && i < r.count; i++)
        ids_release(&prompts[i]);
    return rc;
}

/* Those with prompts of one length are over. */
static void finish_repeats(struct worker *w, size_t prompt_tokens)
{
    struct json *j = &w->statistics_json;

    if (w->s->repeat > 1) {
        json_object(j, NULL);
        json_u64(j, "prompt_tokens", prompt_tokens);
        generate_repeats_json(j, &w->repeats);
        json_end(j);
    }
    generate_repeats_release(&w->repeats);
}

static int generate_all(struct worker *w, struct error *e)
{
    const struct generate_settings *s = w->s;
    size_t lengths = s->context_count ? s->context_count : 1;
    int rc = 0;

    w->statistics_json = json_line_into(&w->statistics);
    json_array(&w->statistics_json, NULL);
    json_array(&w->j, "generations");
    for (size_t k = 0; k < lengths && !rc; k++) {
        for (uint64_t i = 0; i < s->repeat && !rc; i++) {
            w->prints = !s->json && !k && !i; /* once is enough */
            w->streams = w->prints && w->prompt_count == 1;
            rc = generate(w, s->context_count ? s->contexts[k] : 0, e);
        }
        finish_repeats(w,
                s->context_count ? s->contexts[k] : w->prompts[0].count);
    }
    json_end(&w->j);
    json_end(&w->statistics_json);
    if (!rc && s->repeat > 1)
        json_raw(&w->j, "statistics", buf_cstr(&w->statistics));
    if (!rc)
        scaling_members(w);
    return rc;
}

static int work(struct worker *w, struct error *e)
{
    struct generator_setup setup = { .ort = w->s->ort,
        .provider = w->s->provider,
        .threads = (uint32_t)w->s->threads,
        .given = w->given,
        .given_count = (size_t)w->s->inputs.count };
    int rc = read_given(w, e);

    if (!rc)
        rc = generator_open(&w->g, w->s->folder, &setup, e);
    if (!rc)
        rc = read_prompts(w, e);
    if (rc)
        return rc;
    model_members(w);
    w->deep.folder = w->s->folder;
    w->deep.setup = setup;
    w->deep.no_cache = w->s->no_cache;
    rc = generate_all(w, e);
    if (!rc && w->s->deep) {
        generator_close(w->g); /* two of them may not fit */
        w->g = NULL;
        generate_deep_run(&w->deep, &w->telling, &w->j);
    }
    return rc;
}

static void clean_up(struct worker *w)
{
    generator_close(w->g);
    for (size_t i = 0; i < LEN(w->prompts); i++) {
        ids_release(&w->prompts[i]);
        buf_release(&w->given_bytes[i]);
        free((char *)w->given[i].name);
    }
    buf_release(&w->stretches);
    buf_release(&w->statistics);
    generate_deep_release(&w->deep);
}

/* What is not in our command line. */
static int take_over(struct generate_settings *s, FILE *from, struct error *e)
{
    struct buf line = { 0 };
    int c, rc;

    rewind(from);
    while ((c = getc(from)) != EOF && c != '\n')
        buf_char(&line, (char)c);
    rc = generate_take_over(s, buf_str(&line));
    buf_release(&line);
    return rc ? fail(e, rc, GENERATE_WORKER_VARIABLE " is for ortmeter itself")
              : fseek(from, 0, SEEK_END);
}

int generate_worker(const struct generate_settings *settings, struct error *e)
{
    struct worker *w = alloc_zero(1, sizeof(*w));
    struct generate_settings s = *settings;
    FILE *to = s.worker <= INT32_MAX ? fdopen((int)s.worker, "r+") : NULL;
    struct buf report = { 0 };
    struct error why = { 0 };
    int rc;

    if (!to || take_over(&s, to, e)) {
        free(w);
        (void)fail(e, -EINVAL,
                GENERATE_WORKER_VARIABLE " is for ortmeter itself");
        return EXIT_USAGE;
    }
    (void)unsetenv(GENERATE_WORKER_VARIABLE);
    w->s = &s;
    own_sections_open(&w->telling);
    w->j = json_into(&report);
    json_object(&w->j, NULL);
    rc = work(w, &why);
    if (rc)
        json_text(&w->j, "error", why.text);
    json_end(&w->j);
    (void)fwrite(report.p, 1, report.len, to);
    clean_up(w);
    free(w);
    generate_forget(&s);
    buf_release(&report);
    return fclose(to) != 0 || rc ? EXIT_FAILED : EXIT_GOOD;
}

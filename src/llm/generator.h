/* generator.h -- makes text with a language model in a folder: prompt in,
 * tokens out, one by one.
 *
 * For `ortmeter generate`, and for a server that does the same: whoever listens
 * is told of each stretch of the work and each token as it comes.  One thread
 * at a time. */
#pragma once

#include "llm/choose.h"
#include "llm/model_folder.h"
#include "llm/network.h"
#include "llm/tokenizer/tokenizer.h"

struct generator;

struct generator_setup {
    const char *ort, *provider; /* or NULL */
    uint32_t threads;           /* 0: as ONNX Runtime thinks */
    bool unfused; /* ONNX Runtime takes the graph as it is in the file */
    const struct network_given *given;
    size_t given_count;
};

/* Finds and loads all.  The error names the file and what is wrong with it. */
int generator_open(struct generator **out, const char *folder,
        const struct generator_setup *setup, struct error *e);
void generator_close(struct generator *g); /* NULL is welcome */

const struct model_folder *generator_folder(const struct generator *g);
const struct runtime_info *generator_runtime(const struct generator *g);

/* Adds the tokens of a prompt.  `chat`: as what a user said, in the model's
 * chat template, with `system` before it unless that is NULL; `date` is
 * today's, in the words that the template is to have.  -ENOENT: the folder has
 * no tokenizer, or no chat template. */
int generator_encode(struct generator *g, struct str prompt, bool chat,
        const char *system, const char *date, struct ids *out, struct error *e);

/* The phases of a generation, as they are stored. */
enum generator_phase {
    GENERATOR_PRE,
    GENERATOR_PREFILL,
    GENERATOR_DECODE,
    GENERATOR_POST,
};

struct generator_token {
    size_t text;  /* of which prompt */
    size_t index; /* in it, from 0 */
    uint32_t id;
    double probability;  /* that the model gave it */
    struct str readable; /* what it made readable; perhaps nothing */
    uint64_t duration_ns;
};

/* What is NULL is not told. */
struct generator_listener {
    void *context;
    /* `name` is gone after end().  One may lie in another: the steps that make
     * a token. */
    void (*begin)(void *context, enum generator_phase phase, const char *name);
    void (*end)(void *context);
    /* False: no more of it. */
    bool (*token)(void *context, const struct generator_token *t);
};

struct generator_request {
    const struct ids *prompts; /* `count` of them, generated at once */
    size_t count;
    size_t max_tokens;
    struct choice_rules rules;
    uint64_t seed;
    const char *const *stops; /* texts that end one; `stop_count` of them */
    size_t stop_count;
    bool ignore_end;          /* goes on behind a stop token */
    bool no_cache;            /* every step sees the whole text again */
    const struct ids *forced; /* or NULL: what is made, whatever the model
                                 thinks of it */
};

enum generator_end {
    GENERATOR_LENGTH, /* so many were asked for */
    GENERATOR_STOP_TOKEN,
    GENERATOR_STOP_TEXT,
    GENERATOR_CONTEXT, /* no more fits */
    GENERATOR_ASKED,   /* the listener had enough */
};

/* "length", "stop_token", ...  Static. */
const char *generator_end_name(enum generator_end end);

struct generator_text {
    struct ids ids;
    struct buf text;
    enum generator_end end;
};

struct generator_result {
    struct generator_text *text; /* one a prompt */
    size_t count;
    uint64_t prefill_ns;  /* until the first token was chosen */
    uint64_t total_ns;    /* all */
    float *first_logits;  /* of the first prompt's first token ... */
    size_t vocabulary;    /* ... so many */
    struct buf durations; /* of the steps, uint64_t each: the first token's */
};

/* -EINVAL: a prompt that the model cannot take; -EDOM: logits that are no
 * numbers.  The result is to be released in any case. */
int generator_run(struct generator *g, const struct generator_request *r,
        const struct generator_listener *l, struct generator_result *out,
        struct error *e);
void generator_result_release(struct generator_result *r);

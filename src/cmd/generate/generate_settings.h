/* generate_settings.h -- what `ortmeter generate` is asked to do.  The command
 * and its worker read the same command line. */
#pragma once

#include "base/buf.h"
#include "cmd/metered.h"
#include "llm/choose.h"

#define GENERATE_NOT_GIVEN    UINT64_MAX
#define GENERATE_CONTEXTS_MAX 64

/* The file that a worker reports to; nobody else has it. */
#define GENERATE_WORKER_VARIABLE "ORTMETER_GENERATE_WORKER"

struct generate_settings {
    const char *folder;
    const char *ort, *provider; /* or NULL */
    uint64_t threads;

    struct option_texts prompts, tokens, stops, inputs;
    const char *prompt_file, *system;
    bool chat;
    uint64_t max_tokens, seed, repeat, top_k;
    bool greedy, ignore_end, no_cache, logits, store_prompts;
    double temperature, top_p, min_p, repetition_penalty;
    const char *context_list, *depth;
    bool deep; /* --depth deep */
    size_t contexts[GENERATE_CONTEXTS_MAX];
    size_t context_count;

    bool json, quiet;
    const char *out;
    struct metered_settings metered;
    uint64_t worker; /* a file descriptor; GENERATE_NOT_GIVEN: not a worker */
};

extern const struct option generate_options[];
extern const struct generate_settings generate_defaults;

/* Reads on what the options gave.  -EINVAL: wrong usage. */
int generate_settings_read(struct generate_settings *s, const char *folder,
        struct error *e);

/* Whether an argument is what somebody wrote, which anybody may read of a
 * process and which is not for the record; `next`: the one behind it is. */
bool generate_is_private(const char *argument, bool *next);

/* So a worker's command line has something else in its place, and the texts
 * come as JSON in the file that it reports to. */
void generate_hand_over(struct buf *out, const struct generate_settings *s);

/* Puts them back; they live until generate_forget().  -EINVAL: they are not
 * there. */
int generate_take_over(struct generate_settings *s, struct str handed);
void generate_forget(struct generate_settings *s);

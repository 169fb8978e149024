/* ortmeter.h -- tell ortmeter what your program is doing.
 *
 * Nothing here is needed: `ortmeter run -- PROGRAM` sees every inference of an
 * unchanged program.  These calls add what only the program knows: sections,
 * batches, tokens, marks, names of threads.  Link with -lortmeter.
 *
 * When nobody listens, every call is a no-op of a few nanoseconds.  When
 * somebody does, it costs some tens.  No call blocks, prints, fails or keeps
 * a pointer that it was given.  All may be called from any thread. */
#ifndef ORTMETER_H
#define ORTMETER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORTMETER_API __attribute__((visibility("default")))

enum ortmeter_phase {
    ORTMETER_OTHER,
    ORTMETER_PRE,     /* before inference: tokenise, transfer, set up */
    ORTMETER_PREFILL, /* the prompt */
    ORTMETER_DECODE,  /* token by token */
    ORTMETER_POST     /* after inference: detokenise, clean up */
};

/* A stretch of time with a name.  Sections may nest.
 *
 *     struct ortmeter_section s =
 *             ortmeter_section_begin(ORTMETER_PRE, "tokenise");
 *     ...
 *     ortmeter_section_end(&s); */
struct ortmeter_section {
    uint64_t start; /* 0: nobody listens */
    const char *name;
    int phase;
};

/* `name` stays yours and must be there until the section's end. */
ORTMETER_API struct ortmeter_section ortmeter_section_begin(
        enum ortmeter_phase phase, const char *name);

/* Ending it twice, or on another thread than it began, is allowed. */
ORTMETER_API void ortmeter_section_end(struct ortmeter_section *section);

/* What the next inference of this thread works on: samples in the batch, how
 * many of them are padding, and how many requests wait behind it. */
ORTMETER_API void ortmeter_batch(uint32_t size, uint32_t padding,
        uint32_t queue_depth);

/* The same of all inferences of this thread from now on; size 0: no more of
 * it. */
ORTMETER_API void ortmeter_batch_lasting(uint32_t size, uint32_t padding,
        uint32_t queue_depth);

/* A token was made: the how-manieth of its text (from 0), its id, and its text
 * (NULL: unknown). */
ORTMETER_API void ortmeter_token(uint32_t index, int64_t id, const char *text);

/* The same, for who knows more: how long it took (0: unknown), and with which
 * probability the model gave it (0: unknown).  An id of -1: unknown, too. */
ORTMETER_API void ortmeter_token_chosen(uint32_t index, int64_t id,
        const char *text, uint64_t duration_ns, double probability);

/* While it is 1, inferences run again for their values alone: these are looked
 * at, as by `ortmeter run --stats 1`, and belong to no phase.  0: no more. */
ORTMETER_API void ortmeter_look_again(int on);

/* Something happened now. */
ORTMETER_API void ortmeter_mark(const char *text);

/* What this thread is called in reports. */
ORTMETER_API void ortmeter_thread_name(const char *name);

/* 1 while the program runs under `ortmeter run`, else 0. */
ORTMETER_API int ortmeter_listening(void);

/* "0.1.0".  Belongs to the library. */
ORTMETER_API const char *ortmeter_version(void);

#ifdef __cplusplus
}
#endif

#endif

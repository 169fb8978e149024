/* fake_ort.h -- an ONNX Runtime in the test's own memory: tables of functions
 * that note how they were called, and tensors of any shape.
 *
 * Every slot that has no function here holds a number of its own instead, so
 * that a slot that was taken by mistake shows. */
#pragma once

#include "hook/hook.h"

#include <stdatomic.h>

#define FAKE_SLOTS 512
#define FAKE_RUNTIMES                                      \
    10 /* one more than the hook has sets for, and another \
        */

/* What ONNX Runtime keeps behind its opaque names. */
struct ort_status {
    int code;
    const char *text;
};

struct ort_value {
    int type; /* FAKE_CELL: it stands for another, fake_real() */
    size_t rank;
    int64_t dims[12];
    int no_tensor; /* 1: a sequence, or sparse; FAKE_NO_VALUE: nothing */
};

#define FAKE_CELL     (-1)
#define FAKE_NO_VALUE 2
const struct ort_value *fake_real(const struct ort_value *v);

struct ort_device {
    const char *name;
};

/* The last call of a wrapped function, by its slot. */
struct fake_call {
    int slot;
    uintptr_t args[10];
};

struct fake {
    struct fake_call last; /* not kept while there are several `threads` */
    bool threads;
    _Atomic uint64_t calls; /* of wrapped functions */

    /* What the next ones do. */
    struct ort_status *status; /* all that return one */
    void *made; /* sessions, options; NULL: each has an address of its own */
    struct ort_value **outputs; /* of Run, where the program gave none */
    void (*during)(void);       /* while Run or RunWithBinding is under way */
    struct ort_status *shapes;  /* status of what asks for a tensor's shape */
    const struct image *loaded; /* a provider's library, the next to be found */

    /* What is out and not yet given back. */
    _Atomic int64_t descriptions;
    _Atomic int64_t statuses_released;

    /* What tensors hold that lie in the CPU's memory: all others do not. */
    struct fake_data {
        const struct ort_value *of;
        void *data;
    } held[8];
};

extern struct fake fake;

/* --- fake_ort_calls.c ----------------------------------------------------- */

/* Keeps the call for fake.last; returns the status that the next calls have. */
struct ort_status *fake_note(int slot, const uintptr_t *args, size_t count);

#define NOTE(name, ...)                                      \
    fake_note(ORT_SLOT_##name, (uintptr_t[]){ __VA_ARGS__ }, \
            sizeof((uintptr_t[]){ __VA_ARGS__ }) / sizeof(uintptr_t))
#define U(x) ((uintptr_t)(x))

extern const ort_function fake_calls[FAKE_SLOTS];
extern const ort_function fake_editor_calls[FAKE_SLOTS];

/* --- fake_ort.c ----------------------------------------------------------- */

/* The table of a runtime that claims that version, and what finds it.  Each
 * `number` has memory of its own; asking again makes it new. */
const struct ort_api *fake_runtime(size_t number, const char *version);
struct candidate fake_candidate(size_t number);
const struct ort_api *fake_editor(size_t number);

/* What stood in the slot before anybody changed it. */
ort_function fake_original(size_t number, uint32_t slot);
ort_function fake_editor_original(uint32_t slot);

/* Calls of RunAsync that wait for fake_async_done(), which ends the oldest, on
 * this thread; false: there is none. */
bool fake_async_done(struct ort_status *status);

/* kernels.h -- operators of traced inferences: from the hook's lines to sums,
 * shapes and, of some, whole timelines (model/traced.h).
 *
 * A process names a kernel by its address and describes it once.  Here it
 * becomes an operator of the session's table, which equal sessions share:
 *
 *     kernels.c    a process's kernels, and lines until their inference is over
 *     account.c    self times, and where an inference's time went
 *     op_table.c   operators, their tensors and what they read from each other
 *     op_shapes.c  shapes that they ran with
 *     op_sums.c    what is summed up, and whose timeline is kept
 *
 * The records come from other people's processes: whatever they hold, nothing
 * here crashes or grows without bound. */
#pragma once

#include "collect/texts.h"
#include "collect/tick_line.h"
#include "model/subscriber.h"

struct kernels;

/* Tells what happens from `operators_of` to `activation`
 * (model/subscriber.h), each of whose functions is there.  `texts` must outlive
 * it. */
struct kernels *kernels_new(const struct subscriber *sink,
        const struct texts *texts);
void kernels_free(struct kernels *k);
/* From now on the timelines of all traced inferences, not of some. */
void kernels_keep_timelines(struct kernels *k);

/* RECORD_KERNEL, _TENSOR, _LINES, _TRACED, _KERNEL_END or _STATS of a process,
 * from 1.  False: too many, or it makes no sense. */
bool kernels_take(struct kernels *k, uint32_t process, const struct record *r);

/* An inference that is over. */
struct kernels_run {
    uint32_t process;
    uint32_t thread;
    uint32_t session;              /* its id, from 1; 0: not known */
    uint64_t identity;             /* equal for equal sessions; 0: who knows */
    uint64_t number;               /* of the inference, within the run */
    uint8_t phase;                 /* enum phase */
    uint16_t flags;                /* enum record_flag */
    uint64_t start_ns, end_ns;     /* of mono_ns() */
    uint64_t origin_ns;            /* times are told since then */
    const struct tick_line *clock; /* of the lines; NULL: they are in ns */
};

/* Tells what ran in it.  False: it was not traced, or its lines were lost. */
bool kernels_close(struct kernels *k, const struct kernels_run *run);

/* Tells all sums and shapes that changed since the last time. */
void kernels_tell(struct kernels *k);

/* The same at the end, with what belongs to no table by then. */
void kernels_end(struct kernels *k);

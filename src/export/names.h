/* names.h -- what is in a run's timeline, by the numbers that its events name
 * it with: processes, threads, sessions and operators.
 *
 * Texts live as long as the names. */
#pragma once

#include "base/buf.h"
#include "base/map.h"
#include "model/subscriber.h"
#include "store/store.h"

/* When the machine was held back, on tracks of its own. */
#define THROTTLE_PROCESS  "machine"
#define THROTTLE_CATEGORY "Throttling"
#define THROTTLE_NAME     "held back"

/* Starts zeroed. */
struct names {
    struct map pids;            /* of processes, as shown */
    struct map used_pids;       /* shown, to a process */
    struct map programs;        /* of processes: texts */
    struct map threads;         /* process and thread to their name */
    struct map sessions;        /* to struct named_session */
    struct operator* operators; /* by id, from 1 */
    size_t operator_count;
};

struct named_session {
    char *model;      /* NULL: not known */
    uint64_t read_ns; /* of its making; 0: not told apart */
};

/* Collects them as a run is told; or reads them of a stored run. */
struct subscriber names_subscriber(struct names *n);
int names_read(struct names *n, struct store *s, int64_t run, struct error *e);
void names_release(struct names *n);

/* The pid, or a number above all pids where it is not known, or another process
 * had it before. */
uint64_t names_pid(const struct names *n, uint32_t process);
/* NULL: not known, as below. */
const char *names_program(const struct names *n, uint32_t process);
const char *names_thread(const struct names *n, uint32_t process,
        uint32_t thread);
const struct named_session *names_session(const struct names *n, uint32_t id);
/* What an inference's slice is called: "silero, decode"; "model_run", as ONNX
 * Runtime has it, where the model has no name. */
void names_inference(struct buf *out, const struct names *n,
        const struct span *s);

const char *names_model(const struct names *n, uint32_t session);
const struct operator* names_operator(const struct names *n, uint32_t id);

/* Adds what to show for a lane of a thread: its name or number, and the lane's
 * number where it is not the first. */
void names_add_lane(struct buf *out, const struct names *n,
        const struct span *s, uint32_t lane);
/* The same for a process. */
void names_add_process(struct buf *out, const struct names *n,
        const struct process *p);

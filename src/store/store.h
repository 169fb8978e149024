/* store.h -- runs, kept in one SQLite file.
 *
 * This is the only door to the file.  One run is written by one process; any
 * number of processes may read, and write runs of their own, meanwhile.  What
 * was committed survives the death of either side at any moment: rare things
 * (processes, sessions, sections) are committed at once, inferences in batches
 * by store_flush().  A store is for one thread at a time. */
#pragma once

#include "base/error.h"
#include "model/alert.h"
#include "model/depth.h"
#include "model/reading.h"
#include "model/recorded.h"
#include "model/run.h"
#include "model/traced.h"

#include <stddef.h>

struct store;
struct row_type; /* model/rows.h */

enum store_mode {
    STORE_READ,   /* the file must be there */
    STORE_CHANGE, /* the same, and what is in it may be changed */
    STORE_WRITE,  /* it is made if need be, for its owner only */
};

/* -ENOENT: there is no such file.  -EIO: it cannot be read, or it is no
 * database of ours.  -EROFS: it may only be read.  -EPROTO: a newer ortmeter
 * wrote it. */
int store_open(struct store **out, const char *path, enum store_mode mode,
        struct error *e);

/* A file may be encrypted: page by page, with whatever the log holds.  A
 * passphrase goes through scrypt. */
#define STORE_ENCRYPTION "AES-256-GCM by OpenSSL"

enum store_key_kind {
    STORE_KEY_FILE,      /* 32 random bytes or more */
    STORE_KEY_PASSPHRASE /* what a person can remember */
};

struct store_key {
    enum store_key_kind kind;
    const void *bytes;
    size_t len;
};

/* The same with a key, which is copied; NULL: none.  -EACCES: it is the wrong
 * one.  -EINVAL: the file is not encrypted. */
int store_open_locked(struct store **out, const char *path,
        enum store_mode mode, const struct store_key *key, struct error *e);

/* What was added and not flushed is lost.  NULL is welcome. */
void store_close(struct store *s);

/* --- writing -------------------------------------------------------------- */

/* Makes an id that no other run has, on any machine. */
int store_make_id(char out[RUN_ID_LEN + 1], struct error *e);

/* Begins a run; later calls add to it.  Fills `row` and `id`. */
int store_begin_run(struct store *s, struct run *run, struct error *e);

/* The same for a run that comes from elsewhere and keeps its id. */
int store_begin_kept_run(struct store *s, struct run *run, struct error *e);

/* Takes the run back: it never began. */
void store_cancel_run(struct store *s);

/* Writes what is known only at the end, and the status. */
int store_end_run(struct store *s, const struct run *run, struct error *e);

/* The first failure is kept and told by store_flush(); after it, nothing more
 * is written: what is stored stays whole. */
void store_add_process(struct store *s, const struct process *p);
void store_add_library(struct store *s, const struct library *l);
void store_add_language(struct store *s, uint32_t library, const char *name);
void store_add_session(struct store *s, const struct session *x);
void store_add_session_end(struct store *s, uint32_t session, uint64_t time_ns);
/* Returns its number within the run, from 1. */
uint64_t store_add_inference(struct store *s, const struct inference *i);
void store_add_operator_run(struct store *s, const struct operator_run *r);
void store_add_section(struct store *s, const struct section *x);
void store_add_token(struct store *s, const struct token *t);
void store_add_mark(struct store *s, const struct note *n);
void store_add_thread(struct store *s, const struct note *n);

/* What comes to be known later. */
void store_set_untraced(struct store *s, uint32_t library, const char *why);
void store_set_operators_of(struct store *s, uint32_t session, uint32_t of);

/* A row of a type that is described (model/rows.h).  One with the same key
 * replaces it. */
void store_put(struct store *s, const struct row_type *type, const void *row);
void store_add_operator(struct store *s, const struct operator* x);
void store_add_operator_edge(struct store *s, const struct operator_edge *x);
void store_add_operator_tensor(struct store *s,
        const struct operator_tensor *x);
void store_add_operator_shape(struct store *s, const struct operator_shape *x);
void store_add_operator_sum(struct store *s, const struct operator_sum *x);
void store_add_traced_sum(struct store *s, const struct traced_sum *x);
void store_add_activation(struct store *s, const struct activation *x);
void store_add_latency_sum(struct store *s, const struct latency_sum *x);
void store_add_setting(struct store *s, const struct setting *x);
void store_add_sampler_rate(struct store *s, const struct sampler_rate *x);

/* What was sampled.  Times are since the run's start here, too: whoever reads
 * clocks takes run.start_mono_ns off first.  A subject that was there before
 * the run has the start 0.  It is added once, before its readings. */
/* Told again, it has another name. */
void store_add_subject(struct store *s, uint32_t id, const struct subject *x);
void store_end_subject(struct store *s, uint32_t id, uint64_t time_ns);
void store_add_reading(struct store *s, const struct reading *r);
void store_add_readings(struct store *s, const struct reading *r, size_t count);
/* One that is there already is replaced; so is an absence. */
void store_add_rollup(struct store *s, const struct rollup *r);
void store_add_absence(struct store *s, const struct absence_note *a);
void store_add_alert(struct store *s, const struct alert *a);
void store_end_alert(struct store *s, uint32_t number, uint64_t time_ns);

/* What is inside an inference: layers before their components, these before
 * their operations.  Names must be there. */
void store_add_power_sample(struct store *s, const struct power_sample *p);
void store_add_layer(struct store *s, const struct layer_metric *l);
void store_add_component(struct store *s, const struct component_metric *c);
void store_add_deep_operation(struct store *s,
        const struct deep_operation_metric *d);

/* Energy is known afterwards; sections and tokens are numbered from 1 in the
 * order of their coming. */
void store_set_section_energy(struct store *s, uint64_t number,
        double energy_mj, enum reading_method method);
void store_set_token_energy(struct store *s, uint64_t number, double energy_mj,
        enum reading_method method);
/* So is what lies within what, and what of a token's time its layers had. */
void store_set_section_parent(struct store *s, uint64_t number,
        uint64_t parent);
void store_set_token_layers(struct store *s, uint64_t number,
        const struct token *t);

/* What is known at a process's end: lost, untimed, torn, hook_ns. */
void store_end_process(struct store *s, const struct process *p);

/* Commits the inferences, operator runs and what was sampled so far.  The error
 * of this or an earlier call. */
int store_flush(struct store *s, struct error *e);

/* How many of them wait for store_flush(). */
size_t store_waiting(const struct store *s);

/* --- reading -------------------------------------------------------------- */

/* By its id, the beginning of one, "last", which is the one recorded last,
 * "last~2", the second before it, or a tag: of several with it, the newest.  An
 * id comes before a tag. */
int store_find_run(struct store *s, const char *name, int64_t *row,
        struct error *e);
/* The same by ids and "last" only: for what cannot be undone. */
int store_find_run_id(struct store *s, const char *name, int64_t *row,
        struct error *e);

/* The rows of runs: run_rows_add() is for all that call a function for each of
 * them.  Starts zeroed; `row` is to be freed. */
struct run_rows {
    int64_t *row;
    size_t count;
};
void run_rows_add(void *rows, int64_t row);

/* Every run that a name means: one by an id or "last", as above; else all of
 * the baseline of that name; else all with that tag.  The oldest first. */
int store_each_named(struct store *s, const char *name,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e);

/* Calls `each` for every run of every baseline, by name. */
int store_each_baseline(struct store *s,
        void (*each)(void *context, const char *name, const struct run *r),
        void *context, struct error *e);

/* Each calls `each` for every row, in the order in which things happened.
 * What is pointed to is gone after the call. */
#define STORE_EACH(name, type)                                                \
    int store_each_##name(struct store *s, int64_t run,                       \
            void (*each)(void *context, const struct type *x), void *context, \
            struct error *e)
STORE_EACH(process, process);
STORE_EACH(library, library);
STORE_EACH(session, session);
STORE_EACH(inference, inference);
/* Keeps the inferences of a run in memory until store_drop_inferences(), for
 * who goes over them several times: store_each_inference() is then ten times as
 * quick.  Only of one run at a time, and of none that has more than so many:
 * these are read from the file as ever. */
#define STORE_HELD_MAX 2000000
int store_hold_inferences(struct store *s, int64_t run, struct error *e);
void store_drop_inferences(struct store *s);
/* The newest 2,000 only, newest first; of each its session, process, thread,
 * times, phase and flags. */
STORE_EACH(newest_inference, inference);
STORE_EACH(operator, operator);
STORE_EACH(operator_run, operator_run);
STORE_EACH(operator_edge, operator_edge);
STORE_EACH(operator_tensor, operator_tensor);
STORE_EACH(operator_shape, operator_shape);
STORE_EACH(operator_sum, operator_sum);
STORE_EACH(traced_sum, traced_sum);
STORE_EACH(activation, activation);
STORE_EACH(latency_sum, latency_sum);
STORE_EACH(setting, setting);
STORE_EACH(sampler_rate, sampler_rate);
STORE_EACH(section, section);
STORE_EACH(token, token);
STORE_EACH(mark, note);
STORE_EACH(thread, note);
STORE_EACH(subject, subject_entry);
STORE_EACH(absence, absence_note);
STORE_EACH(alert, alert);
STORE_EACH(power_sample, power_sample);
STORE_EACH(layer, layer_metric);
STORE_EACH(component, component_metric);
STORE_EACH(deep_operation, deep_operation_metric);

/* Those of a metric that this ortmeter does not know are left out. */
STORE_EACH(reading, reading);

/* Those that came after the one with that number, at most so many; `after`
 * becomes the number of the last.  For who follows a run that is being
 * recorded. */
#define STORE_EACH_SINCE(name, type)                                          \
    int store_each_##name##_since(struct store *s, int64_t run,               \
            uint64_t *after, uint64_t limit,                                  \
            void (*each)(void *context, const struct type *x), void *context, \
            struct error *e)
STORE_EACH_SINCE(inference, inference);
STORE_EACH_SINCE(operator_run, operator_run);
STORE_EACH_SINCE(mark, note);
STORE_EACH_SINCE(section, section);
STORE_EACH_SINCE(token, token);
STORE_EACH_SINCE(reading, reading);

/* The number of the last operator run that belongs to an inference up to that
 * one; 0: there is none. */
int store_last_operator_run(struct store *s, int64_t run, uint64_t inference,
        uint64_t *number, struct error *e);

/* Changes with every commit of anybody else: so it can be told cheaply whether
 * there is something new. */
int64_t store_state(struct store *s);

/* The stretches of one width that lie in [from_ns, to_ns), or partly do. */
int store_each_latency_within(struct store *s, int64_t run, uint32_t width_s,
        uint64_t from_ns, uint64_t to_ns,
        void (*each)(void *context, const struct latency_sum *x), void *context,
        struct error *e);

/* The inferences from the first that ended at that time or later on, for at
 * most as many seconds as are between the two: without reading those before.
 * They come as they were recorded, which is nearly by their ends: some that are
 * not within come, too. */
int store_each_inference_within(struct store *s, int64_t run, uint64_t from_ns,
        uint64_t to_ns, void (*each)(void *context, const struct inference *x),
        void *context, struct error *e);

/* By metric, subject and second; or of one metric only. */
STORE_EACH(rollup, rollup);
int store_each_rollup_of(struct store *s, int64_t run,
        const struct metric *metric,
        void (*each)(void *context, const struct rollup *x), void *context,
        struct error *e);

/* In the order of their start; of what starts together, the longer first, and
 * operators last.  An operator does not start before its inference; those that
 * tell no time are left out. */
STORE_EACH(span, span);

/* The same for any type that is described, in the order of its keys. */
int store_each(struct store *s, int64_t run, const struct row_type *type,
        void (*each)(void *context, const void *row), void *context,
        struct error *e);

/* That run only.  -ENOENT: there is no such row. */
int store_read_run(struct store *s, int64_t row,
        void (*each)(void *context, const struct run *r), void *context,
        struct error *e);

/* Which runs are meant, and in which order.  Starts zeroed: all of them, the
 * newest first, and none of them while `limit` is 0. */
struct run_filter {
    const char *model;      /* part of a model's path, in any case */
    const char *tags;       /* the run has all of these; commas between */
    const char *experiment; /* its name */
    const char *prompt;     /* text in the prompt, in any case */
    uint64_t from_wall_ns;  /* begun then or later; 0: whenever */
    uint64_t to_wall_ns;    /* begun before; 0: whenever */
    int64_t row;            /* only this one; 0: any */
    const char *tag_parts;  /* each is part of one of its tags, in any case */
    const char *host;       /* part of the host's name, in any case */
    const char *text; /* part of its id, command, model or tags, in any case */
    bool has_status;  /* only those with `status` */
    enum run_status status;
    enum run_order { RUN_BY_DATE, RUN_BY_DURATION, RUN_BY_ENERGY } order;
    bool ascending; /* the oldest, shortest, least first */
    uint64_t limit, offset;
    const struct metric *metric; /* whose value is wanted, too; NULL: none */
};

/* What `list` shows of a run. */
struct run_line {
    const struct run *run;
    uint64_t inferences;
    uint64_t failed;
    const char *models; /* paths, one a line; "" when none is known */
    bool has_value;     /* the filter's metric is known of this run */
    double value;
};

/* Those that what is asked for is not known of come last. */
int store_list_runs(struct store *s, const struct run_filter *f,
        void (*each)(void *context, const struct run_line *l), void *context,
        struct error *e);

/* How many there are, whatever the page. */
int store_count_runs(struct store *s, const struct run_filter *f,
        uint64_t *count, struct error *e);

/* Runs that were begun, and whose meter is no more: its end is not written. */
int store_each_interrupted(struct store *s,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e);

/* Runs that ended, and have no figures kept of them. */
int store_each_unsummed(struct store *s,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e);

/* --- changing runs that are there ----------------------------------------- */

/* Says so in the file, and counts what was kept. */
int store_mark_interrupted(struct store *s, int64_t row, struct error *e);

/* Keeps figures of a whole run, for store_list_runs(); store_flush() commits
 * them. */
void store_set_figures(struct store *s, int64_t row, const struct run_figure *f,
        size_t count);

/* Replace what is there; NULL: none. */
int store_set_tags(struct store *s, int64_t row, const char *tags,
        struct error *e);
int store_set_note(struct store *s, int64_t row, const char *note,
        struct error *e);
int store_set_experiment(struct store *s, int64_t row, const char *name,
        struct error *e);

/* Baselines: runs to compare with, by a name.  One that is there is replaced.
 * Deleting: -ENOENT, there is none; its runs stay. */
int store_set_baseline(struct store *s, const char *name, const int64_t *rows,
        size_t count, struct error *e);
int store_delete_baseline(struct store *s, const char *name, struct error *e);

/* Deletes the run and all that belongs to it; what it wrote is overwritten in
 * the file.  -ENOENT: there is none.  -EBUSY: it is still being recorded. */
int store_delete_run(struct store *s, int64_t row, struct error *e);

/* Call it after deleting: takes what was deleted out of the write-ahead log
 * and the index of the prompts, too. */
int store_forget(struct store *s, struct error *e);

/* Gives the room of what was deleted back to the disk.  Needs as much again
 * for a while, and nobody else at the file. */
int store_vacuum(struct store *s, struct error *e);

/* Reads all of the file.  -EIO: it is damaged. */
int store_check(struct store *s, struct error *e);

/* Reads all rows of a run, as after an import.  -EBADMSG: one of them holds
 * what no run can (model/limits.h).  Whoever reads rows one by one is told so,
 * too, and gets none that does. */
int store_check_run(struct store *s, int64_t run, struct error *e);

/* Bytes on disk, with the log. */
uint64_t store_bytes(const struct store *s);

/* The rows of the runs that a pruning takes: begun before that time (0: any),
 * but never one of the newest `keep`, nor one that is a baseline or is still
 * being recorded. */
int store_each_prunable(struct store *s, uint64_t before_wall_ns, uint64_t keep,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e);

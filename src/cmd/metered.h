/* metered.h -- starts a program under the meter: what the commands that do so
 * have in common. */
#pragma once

#include "cmd/alarm.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/push_options.h"
#include "cmd/serving.h"
#include "energy/recorder.h"
#include "fleet/shipper.h"
#include "store/store.h"

#define METERED_HZ 100 /* to sample at, unless told otherwise */

/* As the options have it. */
struct metered_settings {
    struct database database;
    const char *store; /* of many machines, or NULL */
    struct option_texts tags;
    const char *ops;
    bool timelines;  /* of all traced inferences (collect/collector.h) */
    uint64_t stats;  /* one inference in so many; 0: none */
    uint64_t buffer; /* records; 0: as many as usual */
    double hz;       /* of sampling; 0: none */
    int energy;      /* of energy_mode_names */
    struct cpu_model_given watts;
    const char *meter;        /* or NULL */
    const char *meter_offset; /* seconds, or NULL */
    struct push_settings push;
    struct alarm_settings alarm;
    struct serving_settings serving;
    char *const *shown; /* the command as it is recorded; NULL: as it is */
    uint32_t pid;       /* a process to follow instead (collect/collector.h) */
    int until;
    const char *folder;       /* for its records; NULL: one of our own */
    struct option_maybe wait; /* for processes that the program left behind */
    bool strict;              /* no program without a recording */
    bool may_stop; /* who may control the run may end it (model/control.h) */
    bool keeps_streams; /* stdin and stdout are ours, too */
    const char *output; /* a file for what the program prints: then the streams
                           and signals are ours (collect/collector.h) */
    /* Who else is told what happens; NULL: nobody. */
    const struct subscriber *also;
};

#define METERED_SETTINGS                                       \
    {                                                          \
        .ops = "auto", .hz = METERED_HZ, .push = PUSH_SETTINGS \
    }

/* Rows of a verb's table of options, for a member that is one of those. */
#define METERED_OPTIONS(settings, member)                                      \
    OPTION_TEXT("ops", 0, settings, member.ops, "WHICH",                       \
            "trace the operators of: auto, as many inferences as cost less "   \
            "than 1 % of the time (default); all; a number N, one in N; off, " \
            "none (ONNX Runtime 1.15 or later)"),                              \
            OPTION_REAL("rate", 0, settings, member.hz, "HZ",                  \
                    "how often to sample CPU, memory and I/O; 100 if not "     \
                    "given, 0: not at all"),                                   \
            OPTION_CHOICE("energy", 0, settings, member.energy,                \
                    energy_mode_names, "HOW",                                  \
                    "joules: auto, what sensors say (default); model, an "     \
                    "estimate where no sensor measures the CPU; off"),         \
            OPTION_TEXTS("tag", 0, settings, member.tags, "TEXT",              \
                    "a tag to find the run by; may be repeated"),              \
            DATABASE_OPTIONS(settings, member.database),                       \
            OPTION_TEXT("store", 0, settings, member.store, "URL",             \
                    "send the run to a server of many machines, too: "         \
                    "clickhouse://USER@HOST:8123/DATABASE",                    \
                    .variable = "ORTMETER_STORE", .rare = true),               \
            OPTION_NUMBER("stats", 0, settings, member.stats, "N",             \
                    "of one inference in N, look at the operators' outputs: "  \
                    "mean, deviation, largest, zeros, NaN and Inf; its times " \
                    "count for nothing",                                       \
                    .rare = true),                                             \
            OPTION_NUMBER("buffer", 0, settings, member.buffer, "N",           \
                    "records that a process may be ahead of us: a power of "   \
                    "2, 64 bytes each; if not given a few, and as it needs "   \
                    "them up to 65536, with operators 262144",                 \
                    .rare = true),                                             \
            OPTION_TEXT("meter", 0, settings, member.meter, "FROM",            \
                    "an external meter's lines 'seconds watts': a file, a "    \
                    "pipe, or tcp:HOST:PORT",                                  \
                    .rare = true),                                             \
            OPTION_TEXT("meter-offset", 0, settings, member.meter_offset, "S", \
                    "seconds to add to the meter's times, instead of "         \
                    "finding them from the load",                              \
                    .rare = true),                                             \
            OPTION_REAL("idle-watts", 0, settings, member.watts.idle_watts,    \
                    "W", "what the CPU draws idle, for --energy model",        \
                    .rare = true),                                             \
            OPTION_REAL("full-watts", 0, settings, member.watts.full_watts,    \
                    "W", "what it draws at full load, likewise",               \
                    .rare = true),                                             \
            OPTION_REAL("tdp", 0, settings, member.watts.tdp_watts, "W",       \
                    "its thermal design power, likewise", .rare = true),       \
            PUSH_OPTIONS(settings, member.push),                               \
            ALARM_OPTIONS(settings, member.alarm),                             \
            OPTION_FLAG("serve", 0, settings, member.serving.on,               \
                    "serve the run over HTTP while it goes on: see "           \
                    "'ortmeter serve'"),                                       \
            SERVING_OPTIONS(settings, member.serving)

/* Whether the options make sense: -EINVAL with a sentence that names one. */
int metered_check(const struct metered_settings *s, struct error *e);

struct metered_outcome {
    struct run run; /* its texts are not kept */
    uint64_t inferences;
    uint64_t kept; /* of them, in the store */
    /* With an error: it is ours, and the program could run without us. */
    bool program_is_well;
    /* Recording stopped early; the program did not. */
    bool record_failed;
    struct error why;
    uint32_t alerts;     /* that were raised */
    uint64_t sending_ns; /* after the program's end, to receivers */
};

struct metered {
    struct metered_outcome outcome;
    struct store *store;       /* the database, to read the run from */
    struct shipper *shipper;   /* NULL: nothing is sent anywhere */
    struct serving *serving;   /* NULL: nobody is served */
    struct recording *running; /* all that has a part in it; or NULL */
};

/* Starts the program.  Failure means that it was not started, and that there is
 * nothing to close; outcome.program_is_well says whether it could run without
 * us.  The settings live as long as it runs. */
int metered_start(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e);

/* Records it to its end.  Until metered_close() any thread may ask for its pid,
 * and for its end. */
void metered_follow(struct metered *m);
uint32_t metered_pid(const struct metered *m);
const char *metered_folder(const struct metered *m);
const char *metered_id(const struct metered *m);
void metered_stop(struct metered *m);

/* Both. */
int metered_run(struct metered *out, const struct metered_settings *s,
        char *const *argv, struct error *e);

/* Sends the rest of the run to the store of many machines, where one is wanted,
 * and closes all.  What could not be sent is told on stderr, in the name of the
 * verb: it stays in the database, and is sent later. */
void metered_close(struct metered *m, const char *verb);

/* live.h -- a session of Windows' event tracing, taken as it happens.
 *
 * What Windows does is behind a table of functions, so that all decisions here
 * are tested without Windows: which session, whose it was before, what a
 * refusal means and what helps, what is passed on and what is lost. */
#pragma once

#include "etw/guid.h"
#include "etw/record.h"
#include "etw/trace.h"

/* Windows' own bits. */
enum etw_flag {
    ETW_FLAG_PROCESS = 0x1,
    ETW_FLAG_THREAD = 0x2,
    ETW_FLAG_IMAGE_LOAD = 0x4,
    ETW_FLAG_CSWITCH = 0x10,
    ETW_FLAG_DISK_IO = 0x100,
    ETW_FLAG_DISPATCHER = 0x800,
    ETW_FLAG_PAGE_FAULTS = 0x1000,
    ETW_FLAG_HARD_FAULTS = 0x2000,
    ETW_FLAG_VIRTUAL_ALLOC = 0x4000,
    ETW_FLAG_PROFILE = 0x1000000,
    ETW_FLAG_FILE_IO = 0x2000000,
    ETW_FLAG_FILE_IO_INIT = 0x4000000,
    ETW_FLAG_MEMORY_PAGE = ETW_FLAG_PAGE_FAULTS | ETW_FLAG_HARD_FAULTS,
};

/* "PROCESS" or "EVENT_TRACE_FLAG_PROCESS"; 0: there is no such flag. */
uint32_t etw_flag_of(const char *name);

#define ETW_LIST_MAX 32

struct etw_live_settings {
    const char *session_name;
    uint32_t buffer_size_kb, min_buffers, max_buffers;
    uint32_t flush_timer_s;
    uint32_t kernel_flags;
    uint32_t cpu_sampling_hz;
    bool stack_walk;
    /* Which processes: none in a list of those to include means all. */
    uint32_t include_pids[ETW_LIST_MAX], exclude_pids[ETW_LIST_MAX];
    size_t include_pid_count, exclude_pid_count;
    const char *include_names[ETW_LIST_MAX], *exclude_names[ETW_LIST_MAX];
    size_t include_name_count, exclude_name_count;
    uint64_t max_events_per_s; /* 0: no limit */
    bool onnxruntime;          /* ONNX Runtime's own events, too */
};

/* OnnxInferenceMonitor, 4 to 64 buffers of 64 KB, flushed every second;
 * PROCESS, THREAD, IMAGE_LOAD, MEMORY_PAGE, PROFILE, CSWITCH, and no DISK_IO;
 * 1000 samples a second, no stacks; neither pids 0 and 4 nor System, Idle and
 * Registry; 100,000 events a second. */
struct etw_live_settings etw_live_defaults(void);

enum etw_live_error_kind {
    ETW_ERROR_SESSION,  /* it cannot be made or read */
    ETW_ERROR_ACCESS,   /* the rights are missing */
    ETW_ERROR_PROVIDER, /* a provider cannot be switched on */
    ETW_ERROR_OTHER,
};

struct etw_live_error {
    enum etw_live_error_kind kind;
    uint32_t code;  /* Windows'; 0: none */
    char text[256]; /* a sentence, with what to do about it */
};

/* "session", "access", "provider", "other". */
const char *etw_live_error_name(enum etw_live_error_kind kind);

struct etw_live_loss {
    uint32_t events_lost, buffers_lost, realtime_buffers_lost;
};

typedef void etw_taker(void *context, const struct etw_record *r);

/* What Windows does.  Codes are Windows'; 0 is good. */
struct etw_live_api {
    void *context;
    bool (*available)(void *context);
    bool (*may)(void *context); /* the rights are there */
    uint32_t (*own_pid)(void *context);
    bool (*alive)(void *context, uint32_t pid);
    void (*each_session)(void *context,
            void (*each)(void *to, const char *name), void *to);
    uint32_t (*start)(void *context, const struct etw_live_settings *s,
            const char *name, uint64_t *session);
    uint32_t (*sampling)(void *context, uint32_t interval_100ns);
    uint32_t (*enable)(void *context, uint64_t session, const struct guid *g,
            uint8_t level, uint64_t keywords);
    /* Records are reported to `take` while process() goes on. */
    uint32_t (*open)(void *context, const char *name, struct etw_info *info,
            etw_taker *take, void *to, uint64_t *consumer);
    uint32_t (*process)(void *context, uint64_t consumer);
    uint32_t (*close)(void *context, uint64_t consumer);
    uint32_t (
            *stop)(void *context, const char *name, struct etw_live_loss *loss);
};

/* This system's own; NULL: there is no event tracing. */
const struct etw_live_api *etw_live_system(void);

struct etw_live;

struct etw_live_tally {
    uint64_t taken;            /* passed on */
    uint64_t filtered;         /* of processes that are not meant */
    uint64_t limited;          /* too many in one second */
    struct etw_live_loss loss; /* what Windows lost; once it stopped */
};

/* Checks the rights first, and stops the sessions that dead predecessors left.
 * The settings' texts are borrowed.  Fails with `e` filled and nothing left
 * running. */
int etw_live_start(struct etw_live **out, const struct etw_live_settings *s,
        const struct etw_live_api *api, etw_taker *take, void *context,
        struct etw_live_error *e);

/* Takes records until etw_live_stop(), which any thread may call, and `take`,
 * too. */
int etw_live_run(struct etw_live *l, struct etw_live_error *e);
void etw_live_stop(struct etw_live *l);

/* The clock of the records' times. */
const struct etw_info *etw_live_info(const struct etw_live *l);
const struct etw_live_tally *etw_live_tally(const struct etw_live *l);

/* Stops, if that did not happen.  NULL is welcome. */
void etw_live_free(struct etw_live *l);

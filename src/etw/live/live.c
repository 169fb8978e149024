#include "etw/live/live.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/str.h"
#include "etw/decode.h"
#include "etw/event.h"
#include "etw/info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Windows' codes. */
#define CODE_ACCESS_DENIED  5
#define CODE_ALREADY_EXISTS 183
#define CODE_NO_RESOURCES   1450
#define CODE_CANCELLED      1223

#define NAME_MAX_LEN 128
#define ORT_KEYWORDS UINT64_C(0x400000000103) /* session, logs, profiling */

struct etw_live {
    struct etw_live_settings settings;
    const struct etw_live_api *api;
    etw_taker *take;
    void *context;
    char name[NAME_MAX_LEN];
    uint64_t session, consumer;
    bool opened;
    atomic_bool stopping;
    struct etw_info info;
    struct etw_live_tally tally;
    struct map meant; /* by pid: 1 yes, 0 no, as its name says */
    int64_t second;   /* of the limit */
    uint64_t in_second;
};

/* --- settings --------------------------------------------------------------
 */

static const struct {
    const char *name;
    uint32_t bits;
} flags[] = {
    { "PROCESS", ETW_FLAG_PROCESS },
    { "THREAD", ETW_FLAG_THREAD },
    { "IMAGE_LOAD", ETW_FLAG_IMAGE_LOAD },
    { "CSWITCH", ETW_FLAG_CSWITCH },
    { "DISK_IO", ETW_FLAG_DISK_IO },
    { "DISPATCHER", ETW_FLAG_DISPATCHER },
    { "MEMORY_PAGE", ETW_FLAG_MEMORY_PAGE },
    { "PAGE_FAULTS", ETW_FLAG_PAGE_FAULTS },
    { "HARD_FAULTS", ETW_FLAG_HARD_FAULTS },
    { "VIRTUAL_ALLOC", ETW_FLAG_VIRTUAL_ALLOC },
    { "PROFILE", ETW_FLAG_PROFILE },
    { "FILE_IO", ETW_FLAG_FILE_IO },
    { "FILE_IO_INIT", ETW_FLAG_FILE_IO_INIT },
};

uint32_t etw_flag_of(const char *name)
{
    static const char prefix[] = "EVENT_TRACE_FLAG_";

    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
        name += sizeof(prefix) - 1;
    for (size_t i = 0; i < LEN(flags); i++)
        if (strcmp(flags[i].name, name) == 0)
            return flags[i].bits;
    return 0;
}

struct etw_live_settings etw_live_defaults(void)
{
    return (struct etw_live_settings){
        .session_name = "OnnxInferenceMonitor",
        .buffer_size_kb = 64,
        .min_buffers = 4,
        .max_buffers = 64,
        .flush_timer_s = 1,
        .kernel_flags = ETW_FLAG_PROCESS | ETW_FLAG_THREAD |
                        ETW_FLAG_IMAGE_LOAD | ETW_FLAG_MEMORY_PAGE |
                        ETW_FLAG_PROFILE | ETW_FLAG_CSWITCH,
        .cpu_sampling_hz = 1000,
        .exclude_pids = { 0, 4 },
        .exclude_pid_count = 2,
        .exclude_names = { "System", "Idle", "Registry" },
        .exclude_name_count = 3,
        .max_events_per_s = 100000,
        .onnxruntime = true,
    };
}

/* --- errors ----------------------------------------------------------------
 */

const char *etw_live_error_name(enum etw_live_error_kind kind)
{
    static const char *const names[] = {
        [ETW_ERROR_SESSION] = "session",
        [ETW_ERROR_ACCESS] = "access",
        [ETW_ERROR_PROVIDER] = "provider",
        [ETW_ERROR_OTHER] = "other",
    };

    return names[kind];
}

static int refuse(struct etw_live_error *e, enum etw_live_error_kind kind,
        uint32_t code, const char *what)
{
    *e = (struct etw_live_error){ .kind = kind, .code = code };
    if (code)
        (void)snprintf(e->text, sizeof(e->text),
                "%s (Windows' code %" PRIu32 ")", what, code);
    else
        (void)snprintf(e->text, sizeof(e->text), "%s", what);
    return kind == ETW_ERROR_ACCESS ? -EACCES : -EIO;
}

static int refuse_access(struct etw_live_error *e, uint32_t code)
{
    return refuse(e, ETW_ERROR_ACCESS, code,
            "the kernel's events need more rights: run as administrator, or be "
            "a member of the group Performance Log Users");
}

static int refuse_start(struct etw_live_error *e, uint32_t code)
{
    if (code == CODE_ACCESS_DENIED)
        return refuse_access(e, code);
    if (code == CODE_NO_RESOURCES)
        return refuse(e, ETW_ERROR_SESSION, code,
                "Windows has no session left: 'logman query -ets' lists them, "
                "'logman stop NAME -ets' ends one");
    return refuse(e, ETW_ERROR_SESSION, code, "the session cannot be started");
}

/* --- sessions of the dead --------------------------------------------------
 */

struct sweep {
    struct etw_live *live;
    char dead[ETW_LIST_MAX][NAME_MAX_LEN];
    size_t count;
};

/* Ours are named NAME-PID. */
static void see_session(void *to, const char *name)
{
    struct sweep *s = to;
    const struct etw_live *l = s->live;
    size_t len = strlen(l->settings.session_name);
    uint64_t pid;

    if (strncmp(name, l->settings.session_name, len) != 0 || name[len] != '-' ||
            str_u64(&pid, str_of(name + len + 1)) || pid > UINT32_MAX ||
            s->count == ETW_LIST_MAX || strlen(name) >= NAME_MAX_LEN)
        return;
    if (!l->api->alive(l->api->context, (uint32_t)pid))
        (void)snprintf(s->dead[s->count++], NAME_MAX_LEN, "%s", name);
}

/* They would record for ever, and take one of few places each. */
static void bury(struct etw_live *l)
{
    struct sweep s = { .live = l };
    struct etw_live_loss loss;

    l->api->each_session(l->api->context, see_session, &s);
    for (size_t i = 0; i < s.count; i++)
        (void)l->api->stop(l->api->context, s.dead[i], &loss);
}

/* --- records ---------------------------------------------------------------
 */

static bool in_pids(const uint32_t *list, size_t count, uint32_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

static bool in_names(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

/* A process told its name: whether it is meant by it. */
static void learn(struct etw_live *l, const struct etw_record *r)
{
    const struct etw_live_settings *s = &l->settings;
    struct etw_decoded d;
    struct buf name = { 0 };

    if (etw_class_of(r) != ETW_CLASS_PROCESS || !r->opcode || r->opcode > 4 ||
            !etw_decode(&d, r) || !etw_value(&d, "ImageFileName"))
        return;
    etw_value_text(&name, etw_value(&d, "ImageFileName"));
    map_put(&l->meant, etw_number(&d, "ProcessID", ETW_NO_ID),
            !in_names(s->exclude_names, s->exclude_name_count,
                    buf_cstr(&name)) &&
                    (!s->include_name_count ||
                            in_names(s->include_names, s->include_name_count,
                                    buf_cstr(&name))));
    buf_release(&name);
}

/* What has no pid may be anybody's, and passes: context switches. */
static bool is_meant(const struct etw_live *l, const struct etw_record *r)
{
    const struct etw_live_settings *s = &l->settings;
    const uint64_t *named;

    if (r->pid == ETW_NO_ID)
        return true;
    if (in_pids(s->exclude_pids, s->exclude_pid_count, r->pid))
        return false;
    if (s->include_pid_count)
        return in_pids(s->include_pids, s->include_pid_count, r->pid);
    named = map_find(&l->meant, r->pid);
    return named ? *named : !s->include_name_count;
}

static bool within_limit(struct etw_live *l, const struct etw_record *r)
{
    int64_t second = etw_trace_ns(&l->info, r->time) / 1000000000;

    if (!l->settings.max_events_per_s)
        return true;
    if (second != l->second) {
        l->second = second;
        l->in_second = 0;
    }
    return l->in_second++ < l->settings.max_events_per_s;
}

/* What says who is who passes always: the rest is understood by it. */
static bool is_structure(const struct etw_record *r)
{
    enum etw_class class = etw_class_of(r);

    return (class == ETW_CLASS_PROCESS && r->opcode <= 4) ||
           (class == ETW_CLASS_THREAD && r->opcode <= 4);
}

static void deliver(void *to, const struct etw_record *r)
{
    struct etw_live *l = to;
    bool structure = is_structure(r);

    if (atomic_load(&l->stopping))
        return;
    learn(l, r);
    if (!structure && !is_meant(l, r)) {
        l->tally.filtered++;
        return;
    }
    if (!structure && !within_limit(l, r)) {
        l->tally.limited++;
        return;
    }
    l->tally.taken++;
    l->take(l->context, r);
}

/* --- start and stop --------------------------------------------------------
 */

static int start_session(struct etw_live *l, struct etw_live_error *e)
{
    const struct etw_live_api *a = l->api;
    struct etw_live_loss loss;
    uint32_t code = a->start(a->context, &l->settings, l->name, &l->session);

    /* With our own pid in its name: one that a predecessor left. */
    if (code == CODE_ALREADY_EXISTS) {
        (void)a->stop(a->context, l->name, &loss);
        code = a->start(a->context, &l->settings, l->name, &l->session);
    }
    return code ? refuse_start(e, code) : 0;
}

static int open_session(struct etw_live *l, struct etw_live_error *e)
{
    const struct etw_live_api *a = l->api;
    uint32_t code = 0;

    if (l->settings.kernel_flags & ETW_FLAG_PROFILE &&
            l->settings.cpu_sampling_hz) /* it samples at its own rate, else */
        (void)a->sampling(a->context, 10000000 / l->settings.cpu_sampling_hz);
    if (l->settings.onnxruntime)
        code = a->enable(a->context, l->session, &etw_ort_provider, 5,
                ORT_KEYWORDS);
    if (code)
        return refuse(e, ETW_ERROR_PROVIDER, code,
                "ONNX Runtime's events cannot be switched on");
    /* Only now is it known that the session is a real one. */
    code = a->open(a->context, l->name, &l->info, deliver, l, &l->consumer);
    if (code == CODE_ACCESS_DENIED)
        return refuse_access(e, code);
    if (code)
        return refuse(e, ETW_ERROR_SESSION, code,
                "the session was started and cannot be read");
    l->opened = true;
    return 0;
}

int etw_live_start(struct etw_live **out, const struct etw_live_settings *s,
        const struct etw_live_api *api, etw_taker *take, void *context,
        struct etw_live_error *e)
{
    if (!api || !api->available(api->context))
        return refuse(e, ETW_ERROR_OTHER, 0, "ETW is not available here");
    if (!api->may(api->context))
        return refuse_access(e, 0);

    struct etw_live *l = alloc_zero(1, sizeof(*l));

    l->settings = *s;
    l->api = api;
    l->take = take;
    l->context = context;
    l->second = INT64_MIN;
    (void)snprintf(l->name, sizeof(l->name), "%s-%" PRIu32, s->session_name,
            api->own_pid(api->context));
    bury(l);

    int rc = start_session(l, e);

    if (rc) {
        etw_info_release(&l->info);
        free(l);
        return rc;
    }
    rc = open_session(l, e);
    if (rc) {
        etw_live_free(l);
        return rc;
    }
    *out = l;
    return 0;
}

int etw_live_run(struct etw_live *l, struct etw_live_error *e)
{
    uint32_t code = l->api->process(l->api->context, l->consumer);

    if (code && code != CODE_CANCELLED && !atomic_load(&l->stopping))
        return refuse(e, ETW_ERROR_SESSION, code,
                "the session ended before it was stopped");
    return 0;
}

void etw_live_stop(struct etw_live *l)
{
    if (atomic_exchange(&l->stopping, true))
        return;
    (void)l->api->stop(l->api->context, l->name, &l->tally.loss);
    if (l->opened)
        (void)l->api->close(l->api->context, l->consumer);
}

const struct etw_info *etw_live_info(const struct etw_live *l)
{
    return &l->info;
}

const struct etw_live_tally *etw_live_tally(const struct etw_live *l)
{
    return &l->tally;
}

void etw_live_free(struct etw_live *l)
{
    if (!l)
        return;
    etw_live_stop(l);
    map_release(&l->meant);
    etw_info_release(&l->info);
    free(l);
}

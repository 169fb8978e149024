/* monitor.c -- the C API of ortmeter_monitor.h: a thread that samples, and
 * functions that tell what it read. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "monitor/state.h"
#include "os/clock.h"
#include "os/process/pause.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_LEAST ((size_t)32 << 20)
#define PAUSE_NS      50000000 /* how long a stop may take */
#define BOARD_MAX     4096     /* rows, before those that ended are let go */

int monitor_result(int rc)
{
    switch (rc) {
    case 0: return ORTMETER_MONITOR_OK;
    case -EACCES:
    case -EPERM: return ORTMETER_MONITOR_DENIED;
    case -ESRCH:
    case -EALREADY: return ORTMETER_MONITOR_SESSION;
    case -ENOSYS:
    case -ENODEV: return ORTMETER_MONITOR_PROVIDER;
    default: return ORTMETER_MONITOR_FAILED;
    }
}

/* --- configuration -------------------------------------------------------- */

struct ortmeter_monitor_config ortmeter_monitor_defaults(void)
{
    return (struct ortmeter_monitor_config){
        .session_name = "OnnxInferenceMonitor",
        .buffer_size_kb = 64,
        .min_buffers = 4,
        .max_buffers = 64,
        .enable_process_events = true,
        .enable_thread_events = true,
        .enable_cpu_sampling = true,
        .enable_memory_events = true,
        .enable_context_switch = true,
        .cpu_sampling_interval = 100,
        .exclude_system_processes = true,
    };
}

/* The kernel's events, the switch for each, and the samplers that stand for
 * it here. */
static const struct {
    const char *flag;
    size_t at; /* in the config: a bool */
    const char *samplers[3];
} providers[] = {
    { "EVENT_TRACE_FLAG_PROCESS",
            offsetof(struct ortmeter_monitor_config, enable_process_events),
            { "process-files", "process-sockets" } },
    { "EVENT_TRACE_FLAG_THREAD",
            offsetof(struct ortmeter_monitor_config, enable_thread_events),
            { "process-threads" } },
    { "EVENT_TRACE_FLAG_PROFILE",
            offsetof(struct ortmeter_monitor_config, enable_cpu_sampling),
            { "perf-hardware" } },
    { "EVENT_TRACE_FLAG_MEMORY_PAGE",
            offsetof(struct ortmeter_monitor_config, enable_memory_events),
            { "process-memory" } },
    { "EVENT_TRACE_FLAG_DISK_IO",
            offsetof(struct ortmeter_monitor_config, enable_disk_io),
            { "pressure" } },
    { "EVENT_TRACE_FLAG_CSWITCH",
            offsetof(struct ortmeter_monitor_config, enable_context_switch),
            { "perf-software" } },
};

static bool *switch_of(struct ortmeter_monitor_config *c, size_t provider)
{
    return (bool *)((char *)c + providers[provider].at);
}

int ortmeter_monitor_set_kernel_flags(struct ortmeter_monitor *m,
        const char *const *flags)
{
    struct ortmeter_monitor_config config = m->config;

    if (m->sampling)
        return fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "the monitor was started already");
    for (size_t i = 0; i < LEN(providers); i++)
        *switch_of(&config, i) = false;
    for (; *flags; flags++) {
        size_t i = 0;

        while (i < LEN(providers) && strcmp(providers[i].flag, *flags) != 0)
            i++;
        if (i == LEN(providers))
            return fail(&m->reason, ORTMETER_MONITOR_PROVIDER,
                    "this system has no events '%s'", *flags);
        *switch_of(&config, i) = true;
    }
    m->config = config;
    return ORTMETER_MONITOR_OK;
}

int ortmeter_monitor_enable_stack_walking(struct ortmeter_monitor *m,
        bool enable)
{
    if (!enable) {
        m->config.enable_stack_walking = false;
        return ORTMETER_MONITOR_OK;
    }
    return fail(&m->reason, ORTMETER_MONITOR_PROVIDER,
            "stacks are not recorded on this system");
}

const char *ortmeter_monitor_reason(const struct ortmeter_monitor *m)
{
    return m->reason.text;
}

int ortmeter_monitor_new(struct ortmeter_monitor **out,
        const struct ortmeter_monitor_config *config)
{
    struct ortmeter_monitor *m = calloc(1, sizeof(*m));

    *out = m;
    if (!m)
        return ORTMETER_MONITOR_FAILED;
    m->config = *config;
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->first_tick, NULL);
    if (!config->cpu_sampling_interval || config->cpu_sampling_interval > 10000)
        return fail(&m->reason, ORTMETER_MONITOR_FAILED,
                "cpu_sampling_interval is 1 to 10000, not %u",
                config->cpu_sampling_interval);
    return ORTMETER_MONITOR_OK;
}

static void let_go(struct ortmeter_monitor *m)
{
    loop_close(m->loop);
    history_free(m->history);
    free(m->process);
    m->loop = NULL;
    m->board = NULL;
    m->history = NULL;
    m->sampling = NULL;
    m->process = NULL;
    m->process_count = m->process_cap = 0;
}

static void end_thread(struct ortmeter_monitor *m, bool reads_last)
{
    m->reads_last = reads_last;
    atomic_store(&m->stop, true);
    (void)pthread_join(m->thread, NULL);
    m->running = false;
}

void ortmeter_monitor_free(struct ortmeter_monitor *m)
{
    if (!m)
        return;
    if (m->running)
        end_thread(m, false); /* the callback's owner may be gone */
    let_go(m);
    (void)pthread_cond_destroy(&m->first_tick);
    (void)pthread_mutex_destroy(&m->lock);
    free(m->samples);
    free(m);
}

/* --- the thread ----------------------------------------------------------- */

/* Made ready under the lock, handed over without it. */
static void make_samples(void *to, const struct reading_list *list)
{
    struct ortmeter_monitor *m = to;

    m->sample_count = 0;
    if (m->sample_cap < list->count) {
        m->sample_cap = 2 * list->count;
        m->samples =
                alloc_resize(m->samples, m->sample_cap * sizeof(*m->samples));
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct reading *r = &list->items[i];
        const struct subject *x =
                subjects_get(sampling_subjects(m->sampling), r->subject);

        if (monitor_shows(m, x))
            m->samples[m->sample_count++] = monitor_sample(m, x, r);
    }
}

/* Reads what is due, or everything; whether it did. */
static bool read_now(struct loop *l, bool all)
{
    if (all) {
        loop_read_all(l);
        return true;
    }
    if (!loop_step(l))
        return false;
    loop_tell(l);
    return true;
}

static void tick(struct ortmeter_monitor *m, bool all)
{
    (void)pthread_mutex_lock(&m->lock);
    m->sample_count = 0;
    if (read_now(m->loop, all)) {
        monitor_follow(m);
        if (board_count(m->board) > BOARD_MAX)
            board_sweep(m->board);
        m->ticked = true;
        (void)pthread_cond_broadcast(&m->first_tick);
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (m->sample_count)
        m->config.callback(m->config.context, m->samples, m->sample_count);
}

static void *live(void *to)
{
    struct ortmeter_monitor *m = to;

    sleep_sharply();
    while (!atomic_load(&m->stop)) {
        loop_wait(m->loop, mono_ns() + PAUSE_NS);
        if (!atomic_load(&m->stop))
            tick(m, false);
    }
    if (m->reads_last)
        tick(m, true);
    return NULL;
}

/* --- starting and stopping ------------------------------------------------ */

static int open_sampling(struct ortmeter_monitor *m)
{
    const struct ortmeter_monitor_config *c = &m->config;
    struct sampling_rate off[LEN(providers) * 2];
    size_t off_count = 0;
    struct target_plan targets = {
        .pids = c->target_processes,
        .pid_count = c->target_process_count,
        .names = c->target_process_names,
        .name_count = c->target_process_name_count,
    };

    for (size_t i = 0; i < LEN(providers); i++)
        for (size_t k = 0; providers[i].samplers[k]; k++)
            if (!*switch_of(&m->config, i))
                off[off_count++] =
                        (struct sampling_rate){ providers[i].samplers[k], 0 };

    struct sampling_plan sampling = {
        .targets = targets.pid_count || targets.name_count ? &targets : NULL,
        .costly = c->enable_memory_events || c->enable_thread_events,
        .hz = c->cpu_sampling_interval,
        .rates = off,
        .rate_count = off_count,
        .budget = c->max_overhead_percent / 100,
    };

    return loop_open(&m->loop,
            &(struct loop_plan){ .sampling = &sampling,
                    .to = &m->to,
                    .keeps_board = true },
            &m->reason);
}

static size_t history_size(const struct ortmeter_monitor_config *c)
{
    size_t bytes = (size_t)c->buffer_size_kb * 1024 * c->max_buffers *
                   (c->min_buffers ? c->min_buffers : 1);

    return bytes > HISTORY_LEAST ? bytes : HISTORY_LEAST;
}

int ortmeter_monitor_start(struct ortmeter_monitor *m)
{
    int rc;

    if (m->running)
        return fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "the monitor is started already");
    if (m->config.enable_stack_walking)
        return ortmeter_monitor_enable_stack_walking(m, true);
    let_go(m);
    m->all = (struct subscribers){ 0 };
    m->to = subscriber_to_all(&m->all);
    rc = open_sampling(m);
    if (rc)
        return monitor_result(rc);
    m->sampling = loop_sampling(m->loop);
    m->board = loop_board(m->loop);
    m->history = history_new(history_size(&m->config));
    m->to_history = history_subscriber(m->history);
    subscribers_add(&m->all, &m->to_history);
    if (m->config.callback) {
        m->own = (struct subscriber){ .context = m, .readings = make_samples };
        subscribers_add(&m->all, &m->own);
    }
    m->mono_to_wall_ns = wall_ns() - mono_ns();
    m->ticked = false;
    atomic_store(&m->stop, false);
    rc = pthread_create(&m->thread, NULL, live, m);
    if (rc)
        return fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "cannot start a thread: %s", strerror(rc));
    m->running = true;
    (void)pthread_mutex_lock(&m->lock);
    while (!m->ticked)
        (void)pthread_cond_wait(&m->first_tick, &m->lock);
    (void)pthread_mutex_unlock(&m->lock);
    return ORTMETER_MONITOR_OK;
}

int ortmeter_monitor_stop(struct ortmeter_monitor *m)
{
    if (!m->running)
        return fail(&m->reason, ORTMETER_MONITOR_SESSION,
                "the monitor is not started");
    end_thread(m, true);
    return ORTMETER_MONITOR_OK;
}

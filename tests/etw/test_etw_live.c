/* The live session, with a scripted stand-in for Windows. */
#include "etw/bytes.h"
#include "etw/live/live.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define ACCESS_DENIED  5
#define ALREADY_EXISTS 183
#define NO_RESOURCES   1450

/* What Windows does and what was asked of it. */
static struct {
    bool available, may;
    uint32_t start_code, start_again_code, enable_code, open_code, process_code;
    const char *sessions[8];
    int starts, stops, enables, closes;
    char stopped[8][64];
    etw_taker *take;
    void *to;
    int events;    /* that process() delivers */
    uint32_t lost; /* buffers */
    uint32_t interval;
} fake;

static struct etw_live *live;
static int stop_at, taken;

static bool is_available(void *c)
{
    (void)c;
    return fake.available;
}
static bool may(void *c)
{
    (void)c;
    return fake.may;
}
static uint32_t own_pid(void *c)
{
    (void)c;
    return 500;
}
static bool is_alive(void *c, uint32_t pid)
{
    (void)c;
    return pid == 600;
}
static void each_session(void *c, void (*each)(void *to, const char *name),
        void *to)
{
    (void)c;
    for (int i = 0; fake.sessions[i]; i++)
        each(to, fake.sessions[i]);
}
static uint32_t start(void *c, const struct etw_live_settings *s,
        const char *name, uint64_t *session)
{
    (void)c;
    CHECK(strcmp(name, "OnnxInferenceMonitor-500") == 0);
    CHECK_INT(s->buffer_size_kb, 64);
    *session = 77;
    return fake.starts++ ? fake.start_again_code : fake.start_code;
}
static uint32_t sampling(void *c, uint32_t interval)
{
    (void)c;
    fake.interval = interval;
    return 0;
}
static uint32_t enable(void *c, uint64_t session, const struct guid *g,
        uint8_t level, uint64_t keywords)
{
    (void)c;
    (void)g;
    (void)level;
    (void)keywords;
    CHECK_INT(session, 77);
    fake.enables++;
    return fake.enable_code;
}
static uint32_t open_it(void *c, const char *name, struct etw_info *info,
        etw_taker *take, void *to, uint64_t *consumer)
{
    (void)c;
    (void)name;
    info->frequency = 10000000;
    fake.take = take;
    fake.to = to;
    *consumer = 88;
    return fake.open_code;
}
static uint32_t process(void *c, uint64_t consumer)
{
    unsigned char data[24] = { 0 };

    (void)c;
    CHECK_INT(consumer, 88);
    for (int i = 0; i < fake.events; i++) {
        struct etw_record r = { .kind = ETW_KERNEL,
            .group = 5,
            .opcode = 36,
            .version = 4,
            .pointer_bytes = 8,
            .pid = i % 3 == 0   ? 4
                   : i % 3 == 1 ? 42
                                : ETW_NO_ID,
            .tid = ETW_NO_ID,
            .time = i,
            .data = data,
            .len = sizeof(data) };

        fake.take(fake.to, &r);
    }
    return fake.process_code;
}
static uint32_t close_it(void *c, uint64_t consumer)
{
    (void)c;
    (void)consumer;
    fake.closes++;
    return 0;
}
static uint32_t stop(void *c, const char *name, struct etw_live_loss *loss)
{
    (void)c;
    *loss = (struct etw_live_loss){ 10, fake.lost, 1 };
    (void)snprintf(fake.stopped[fake.stops++ % 8], 64, "%s", name);
    return 0;
}

static const struct etw_live_api api = { NULL, is_available, may, own_pid,
    is_alive, each_session, start, sampling, enable, open_it, process, close_it,
    stop };

static void take(void *context, const struct etw_record *r)
{
    (void)context;
    (void)r;
    if (++taken == stop_at)
        etw_live_stop(live);
}

static void reset(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.available = fake.may = true;
    stop_at = taken = 0;
    live = NULL;
}

static int begin(struct etw_live_error *e)
{
    struct etw_live_settings s = etw_live_defaults();

    return etw_live_start(&live, &s, &api, take, NULL, e);
}

static void good(void)
{
    struct etw_live_error e;

    reset();
    fake.events = 9;
    fake.lost = 3;
    CHECK_INT(begin(&e), 0);
    CHECK_INT(fake.interval, 10000);
    CHECK_INT(fake.enables, 1);
    CHECK_INT(etw_live_run(live, &e), 0);
    etw_live_stop(live);
    etw_live_stop(live); /* once is enough */
    CHECK_INT(fake.stops, 1);
    CHECK_INT(fake.closes, 1);
    CHECK_INT(taken, 6); /* those of pid 4 are left out */
    CHECK_INT(etw_live_tally(live)->taken, 6);
    CHECK_INT(etw_live_tally(live)->filtered, 3);
    CHECK_INT(etw_live_tally(live)->loss.events_lost, 10);
    CHECK_INT(etw_live_tally(live)->loss.buffers_lost, 3);
    CHECK_INT(etw_live_tally(live)->loss.realtime_buffers_lost, 1);
    etw_live_free(live);
}

static void refused(void)
{
    struct etw_live_error e;

    reset();
    fake.available = false;
    CHECK_INT(begin(&e), -EIO);
    CHECK_INT(e.kind, ETW_ERROR_OTHER);
    CHECK(strcmp(e.text, "ETW is not available here") == 0);
    CHECK_INT(fake.starts, 0);

    reset();
    fake.may = false; /* seen before anything is started */
    CHECK_INT(begin(&e), -EACCES);
    CHECK_INT(e.kind, ETW_ERROR_ACCESS);
    CHECK(strstr(e.text, "administrator") != NULL);
    CHECK_INT(fake.starts, 0);

    reset();
    fake.start_code = ACCESS_DENIED;
    CHECK_INT(begin(&e), -EACCES);
    CHECK_INT(e.kind, ETW_ERROR_ACCESS);
    CHECK_INT(e.code, ACCESS_DENIED);
    CHECK_INT(fake.stops, 0);

    reset();
    fake.start_code = NO_RESOURCES;
    CHECK_INT(begin(&e), -EIO);
    CHECK_INT(e.kind, ETW_ERROR_SESSION);
    CHECK(strstr(e.text, "logman") != NULL);

    reset();
    fake.enable_code = 87;
    CHECK_INT(begin(&e), -EIO);
    CHECK_INT(e.kind, ETW_ERROR_PROVIDER);
    CHECK_INT(fake.stops, 1); /* nothing is left running */
    CHECK_INT(fake.closes, 0);

    reset();
    fake.open_code = ACCESS_DENIED; /* as under Wine: the start was a lie */
    CHECK_INT(begin(&e), -EACCES);
    CHECK_INT(e.kind, ETW_ERROR_ACCESS);
    CHECK_INT(fake.stops, 1);
    CHECK(strcmp(etw_live_error_name(e.kind), "access") == 0);
}

static void exists(void)
{
    struct etw_live_error e;

    reset();
    fake.start_code = ALREADY_EXISTS;
    CHECK_INT(begin(&e), 0);
    CHECK_INT(fake.starts, 2);
    CHECK(strcmp(fake.stopped[0], "OnnxInferenceMonitor-500") == 0);
    etw_live_free(live);

    reset();
    fake.start_code = fake.start_again_code = ALREADY_EXISTS;
    CHECK_INT(begin(&e), -EIO);
    CHECK_INT(e.kind, ETW_ERROR_SESSION);
    CHECK_INT(fake.starts, 2);
}

/* Those of the dead are stopped; of the living and of others, none. */
static void buried(void)
{
    struct etw_live_error e;
    const char *sessions[] = { "OnnxInferenceMonitor-123", "EventLog-System",
        "OnnxInferenceMonitor-600", "OnnxInferenceMonitor",
        "OnnxInferenceMonitor-12x" };

    reset();
    memcpy(fake.sessions, sessions, sizeof(sessions));
    CHECK_INT(begin(&e), 0);
    CHECK_INT(fake.stops, 1);
    CHECK(strcmp(fake.stopped[0], "OnnxInferenceMonitor-123") == 0);
    etw_live_free(live);
}

static void stopped_within(void)
{
    struct etw_live_error e;

    reset();
    fake.events = 100;
    stop_at = 5;
    fake.process_code = 1223; /* cancelled */
    CHECK_INT(begin(&e), 0);
    CHECK_INT(etw_live_run(live, &e), 0);
    CHECK_INT(taken, 5); /* nothing comes after it */
    CHECK_INT(fake.stops, 1);
    etw_live_free(live);
    CHECK_INT(fake.stops, 1);

    reset();
    fake.process_code = 1717; /* it ended by itself */
    CHECK_INT(begin(&e), 0);
    CHECK_INT(etw_live_run(live, &e), -EIO);
    CHECK_INT(e.kind, ETW_ERROR_SESSION);
    etw_live_free(live);
}

static void limited(void)
{
    struct etw_live_settings s = etw_live_defaults();
    struct etw_live_error e;

    reset();
    fake.events = 300; /* within a second; 200 of them are meant */
    s.max_events_per_s = 50;
    CHECK_INT(etw_live_start(&live, &s, &api, take, NULL, &e), 0);
    CHECK_INT(etw_live_run(live, &e), 0);
    CHECK_INT(taken, 50);
    CHECK_INT(etw_live_tally(live)->limited, 150);
    etw_live_free(live);

    reset();
    fake.events = 9;
    s.max_events_per_s = 0;
    s.include_pids[0] = 43; /* not 42; those without a pid stay */
    s.include_pid_count = 1;
    CHECK_INT(etw_live_start(&live, &s, &api, take, NULL, &e), 0);
    CHECK_INT(etw_live_run(live, &e), 0);
    CHECK_INT(taken, 3);
    etw_live_free(live);
}

static void defaults(void)
{
    struct etw_live_settings s = etw_live_defaults();

    CHECK(strcmp(s.session_name, "OnnxInferenceMonitor") == 0);
    CHECK_INT(s.min_buffers, 4);
    CHECK_INT(s.max_buffers, 64);
    CHECK_INT(s.flush_timer_s, 1);
    CHECK_INT(s.cpu_sampling_hz, 1000);
    CHECK(!s.stack_walk);
    CHECK(s.kernel_flags & ETW_FLAG_HARD_FAULTS);
    CHECK(s.kernel_flags & ETW_FLAG_PAGE_FAULTS);
    CHECK(!(s.kernel_flags & ETW_FLAG_DISK_IO));
    CHECK_INT(etw_flag_of("EVENT_TRACE_FLAG_MEMORY_PAGE"), 0x3000);
    CHECK_INT(etw_flag_of("CSWITCH"), 0x10);
    CHECK_INT(etw_flag_of("NOTHING"), 0);
}

int main(void)
{
    defaults();
    good();
    refused();
    exists();
    buried();
    stopped_within();
    limited();
    return test_result();
}

/* `etw record` with a scripted stand-in for Windows. */
#include "base/json_read.h"
#include "cmd/etw/etw_record.h"
#include "etw/bytes.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define EVENTS 100

static struct {
    uint32_t start_code;
    struct etw_live_settings asked;
    int starts, stops, closes;
    etw_taker *take;
    void *to;
} fake;

static bool yes(void *c)
{
    (void)c;
    return true;
}
static uint32_t own_pid(void *c)
{
    (void)c;
    return 500;
}
static bool is_alive(void *c, uint32_t pid)
{
    (void)c;
    return pid > 0;
}
static void each_session(void *c, void (*each)(void *to, const char *name),
        void *to)
{
    (void)c;
    (void)each;
    (void)to;
}
static uint32_t start(void *c, const struct etw_live_settings *s,
        const char *name, uint64_t *session)
{
    (void)c;
    (void)name;
    *session = 1;
    fake.asked = *s;
    fake.starts++;
    return fake.start_code;
}
static uint32_t sampling(void *c, uint32_t interval)
{
    (void)c;
    (void)interval;
    return 0;
}
static uint32_t enable(void *c, uint64_t session, const struct guid *g,
        uint8_t level, uint64_t keywords)
{
    (void)c;
    (void)session;
    (void)g;
    (void)level;
    (void)keywords;
    return 0;
}
static uint32_t open_it(void *c, const char *name, struct etw_info *info,
        etw_taker *take, void *to, uint64_t *consumer)
{
    (void)c;
    (void)name;
    info->frequency = 10000000;
    fake.take = take;
    fake.to = to;
    *consumer = 2;
    return 0;
}

/* Switches and samples by turns, a tenth of a second apart. */
static uint32_t process(void *c, uint64_t consumer)
{
    unsigned char data[24] = { 0 };

    (void)c;
    (void)consumer;
    for (int i = 0; i < EVENTS; i++) {
        struct etw_record r = { .kind = ETW_KERNEL,
            .group = i % 2 ? 15 : 5,
            .opcode = i % 2 ? 46 : 36,
            .version = 2,
            .pointer_bytes = 8,
            .pid = i % 10 == 9 ? 4 : ETW_NO_ID,
            .tid = ETW_NO_ID,
            .time = i * INT64_C(1000000),
            .data = data,
            .len = i % 2 ? 16 : 24 };

        put_u32(data, (uint32_t)i);
        fake.take(fake.to, &r);
    }
    return 0;
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
    (void)name;
    *loss = (struct etw_live_loss){ 10, 2, 1 };
    fake.stops++;
    return 0;
}

static const struct etw_live_api api = { NULL, yes, yes, own_pid, is_alive,
    each_session, start, sampling, enable, open_it, process, close_it, stop };

/* What came, and when it was to be in vain. */
struct got {
    struct buf text;
    int puts, last; /* puts that are taken; 0: all */
};

static bool put(void *to, struct str lines)
{
    struct got *g = to;

    buf_add(&g->text, lines.p, lines.len);
    return ++g->puts != g->last;
}

static int lines_of(const struct got *g)
{
    struct str rest = buf_str(&g->text);
    int count = 0;

    for (; rest.len; rest = str_after(rest, '\n'), count++)
        CHECK(json_is_sound(str_before(rest, '\n')));
    return count;
}

static struct etw_settings settings(void)
{
    memset(&fake, 0, sizeof(fake));
    return (struct etw_settings){ .record = ETW_RECORD_SETTINGS };
}

static void good(void)
{
    struct etw_settings s = settings();
    struct got g = { 0 };
    struct buf said = { 0 };
    struct error e = { 0 };

    s.filter.events.item[s.filter.events.count++] = "Thread/*";
    s.record.flags = "CSWITCH, PROFILE";
    s.record.stacks = true;
    s.record.only.item[s.record.only.count++] = "infer.exe";
    s.record.without.item[s.record.without.count++] = "other.exe";
    s.filter.pid = 42;
    s.filter.has_pid = true;
    CHECK_INT(etw_record_check(&s, &e), 0);
    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), 0);
    CHECK_INT(lines_of(&g), 50);
    CHECK(g.puts >= 9); /* one a second, for who watches */
    CHECK(strstr(buf_cstr(&g.text), "\"NewThreadID\":98") != NULL);
    CHECK(strcmp(buf_cstr(&said),
                  "50 events were recorded, 40 were not asked for, 10 were of "
                  "other processes; Windows lost 10 events and 3 buffers") ==
            0);
    CHECK_INT(fake.asked.kernel_flags, ETW_FLAG_CSWITCH | ETW_FLAG_PROFILE);
    CHECK(fake.asked.stack_walk);
    CHECK_INT(fake.asked.include_pid_count, 1);
    CHECK_INT(fake.asked.include_pids[0], 42);
    CHECK_INT(fake.asked.include_name_count, 1);
    CHECK_INT(fake.asked.exclude_name_count, 4);
    CHECK_INT(fake.stops, 1);
    CHECK_INT(fake.closes, 1);
    buf_release(&g.text);
    buf_release(&said);
}

/* It stops from within a callback, once. */
static void ended_early(void)
{
    struct etw_settings s = settings();
    struct got g = { 0 };
    struct buf said = { 0 };
    struct error e = { 0 };

    s.limit = 7;
    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), 0);
    CHECK_INT(lines_of(&g), 7);
    CHECK_INT(fake.stops, 1);
    buf_release(&g.text);
    buf_release(&said);

    s = settings();
    g = (struct got){ .last = 2 }; /* the disk is full */
    said = (struct buf){ 0 };
    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), 0);
    CHECK(lines_of(&g) < 30);
    CHECK_INT(fake.stops, 1);
    buf_release(&g.text);
    buf_release(&said);
}

static void refused(void)
{
    struct etw_settings s = settings();
    struct got g = { 0 };
    struct buf said = { 0 };
    struct error e = { 0 };

    CHECK_INT(etw_record(&s, NULL, put, &g, &said, &e), -ENOTSUP);
    CHECK(strstr(e.text, "only on Windows") != NULL);
    fake.start_code = 5;
    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), -EACCES);
    CHECK(strncmp(e.text, "access: ", 8) == 0);
    CHECK(strstr(e.text, "administrator") != NULL);
    fake.start_code = 183; /* it exists, twice */
    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), -EIO);
    CHECK(strncmp(e.text, "session: ", 9) == 0);
    CHECK_INT(g.puts, 0);
    CHECK_INT(said.len, 0);
}

/* What the command has as defaults are those of the session. */
static void defaults(void)
{
    struct etw_settings s = settings();
    struct etw_live_settings want = etw_live_defaults();
    struct got g = { 0 };
    struct buf said = { 0 };
    struct error e = { 0 };

    CHECK_INT(etw_record(&s, &api, put, &g, &said, &e), 0);
    CHECK(strcmp(fake.asked.session_name, want.session_name) == 0);
    CHECK_INT(fake.asked.buffer_size_kb, want.buffer_size_kb);
    CHECK_INT(fake.asked.min_buffers, want.min_buffers);
    CHECK_INT(fake.asked.max_buffers, want.max_buffers);
    CHECK_INT(fake.asked.flush_timer_s, want.flush_timer_s);
    CHECK_INT(fake.asked.kernel_flags, want.kernel_flags);
    CHECK_INT(fake.asked.cpu_sampling_hz, want.cpu_sampling_hz);
    CHECK_INT(fake.asked.max_events_per_s, want.max_events_per_s);
    CHECK_INT(fake.asked.include_pid_count, 0);
    CHECK_INT(fake.asked.exclude_name_count, 3);
    CHECK(!fake.asked.stack_walk);
    buf_release(&g.text);
    buf_release(&said);
}

static void wrong(void)
{
    struct error e = { 0 };
    struct etw_settings s = settings();

    CHECK_INT(etw_record_check(&s, &e), 0);
    s.record.flags = "PROCESS,NOTHING";
    CHECK_INT(etw_record_check(&s, &e), -EINVAL);
    CHECK(strstr(e.text, "'NOTHING'") != NULL);
    s.record.flags = "";
    CHECK_INT(etw_record_check(&s, &e), -EINVAL);
    s = settings();
    s.record.max_buffers = 3; /* fewer than the fewest */
    CHECK_INT(etw_record_check(&s, &e), -EINVAL);
    CHECK(strstr(e.text, "--max-buffers") != NULL);
    s = settings();
    s.record.session = "";
    CHECK_INT(etw_record_check(&s, &e), -EINVAL);
}

int main(void)
{
    defaults();
    good();
    ended_early();
    refused();
    wrong();
    return test_result();
}

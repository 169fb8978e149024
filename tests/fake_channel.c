/* fake_channel.c -- the hook's channel and clock, for tests. */
#include "base/ring.h"
#include "fake_ops.h"
#include "os/clock.h"

#include <pthread.h>
#include <stdalign.h>

#define RECORDS 65536
#define TEXTS   4096

_Atomic uint64_t fake_clock_ns = 1000000;

uint32_t channel_ticks_per_us; /* 0: the records' clock is this one */

uint64_t mono_ns(void)
{
    return atomic_load(&fake_clock_ns);
}

/* --- records -------------------------------------------------------------- */

static alignas(64) unsigned char memory[4096 + RECORDS * sizeof(struct record)];
static struct ring ring;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_ring(void)
{
    if (ring_bytes(sizeof(struct record), RECORDS) > sizeof(memory))
        abort();
    ring = ring_create(memory, sizeof(struct record), RECORDS);
}

const struct ring *channel_ring(void)
{
    (void)pthread_once(&once, make_ring);
    return fake.no_folder ? NULL : &ring;
}

bool channel_wanted(void)
{
    return !fake.no_folder;
}

void channel_send(const struct record *r)
{
    if (channel_ring())
        (void)ring_push(&ring, r);
}

void channel_send_many(const struct record *r)
{
    if (channel_ring())
        (void)ring_push_spare(&ring, r, RECORDS / 4);
}

void channel_untimed(void)
{
}

uint32_t channel_thread(void)
{
    static _Atomic uint32_t threads;
    static _Thread_local uint32_t thread;

    if (!thread)
        thread = atomic_fetch_add(&threads, 1) + 1;
    return thread;
}

bool channel_path(char out[CHANNEL_PATH], const char *prefix, uint64_t number)
{
    (void)snprintf(out, CHANNEL_PATH, "/folder/%s%u", prefix, (unsigned)number);
    return channel_wanted();
}

bool fake_record(struct record *out)
{
    return channel_ring() && ring_pop(&ring, out) > 0;
}

bool fake_record_of(enum record_kind kind, struct record *out)
{
    while (fake_record(out))
        if (out->kind == kind)
            return true;
    return false;
}

int fake_count(enum record_kind kind)
{
    struct record r;
    int count = 0;

    while (fake_record_of(kind, &r))
        count++;
    return count;
}

/* --- texts: a name is a place, and is given once ---------------------------
 */

static char *texts[TEXTS];
static uint64_t text_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t channel_text(const char *text)
{
    uint64_t at = 0;

    if (!text)
        return 0;
    (void)pthread_mutex_lock(&lock);
    while (at < text_count && strcmp(texts[at], text) != 0)
        at++;
    if (at == text_count && at < TEXTS)
        texts[text_count++] = strdup(text);
    (void)pthread_mutex_unlock(&lock);
    return at < TEXTS ? at + 1 : 0;
}

const char *fake_text(uint64_t name)
{
    return name && name <= text_count ? texts[name - 1] : "-";
}

/* --- what find_linux.c and the environment tell ----------------------------
 */

const char *hook_variable(const char *name)
{
    return strcmp(name, "ORTMETER_OPS") == 0 ? fake.asked : NULL;
}

const char *hook_own_path(void)
{
    return fake.own_path;
}

#include "etw/stacks.h"

#include "base/alloc.h"
#include "base/map.h"
#include "etw/bytes.h"
#include "etw/decode.h"

#include <stdlib.h>
#include <string.h>

#define WAITING_MAX   65536      /* events whose stack may still come */
#define ADDRESSES_MAX (1U << 21) /* of all different halves: 16 MB */
#define STACKS_MAX    (1U << 17) /* different ones */
#define HALVES_MAX    (1U << 18)
#define FRAMES_MAX    192 /* Windows' own limit */

/* Opcodes of stack records. */
enum {
    STACK = 32,
    KEY_CREATE = 34,
    KEY_DELETE = 35,
    KEY_RUNDOWN = 36,
    KEY_KERNEL = 37,
    KEY_USER = 38,
};

/* Half a stack: addresses, or a key whose addresses may come.  Number 0 is
 * none. */
struct half {
    uint32_t at, count; /* in the addresses; count 0: not known */
    uint32_t same;      /* the half with these addresses that came first */
};

struct waiting {
    int64_t time;
    uint32_t tid, pid;
    uint32_t kernel, user; /* halves */
    bool used;
    bool dropped; /* a half came that there was no room for */
};

struct seen {
    uint32_t pid, kernel, user; /* halves */
    uint64_t count;
};

struct etw_stacks {
    struct waiting *waiting; /* a ring, once it is full */
    size_t waiting_count, waiting_cap, next;
    struct map by_event; /* time and thread, to a place in the ring */
    uint64_t *addresses;
    size_t address_count, address_cap;
    struct half *halves;
    size_t half_count, half_cap;
    struct map by_addresses; /* hash to half */
    struct map by_key;       /* to half */
    struct seen *seen;
    size_t seen_count, seen_cap;
    struct map by_seen; /* hash to place */
    struct etw_stacks_tally tally;
};

static void *grown(void *items, size_t *cap, size_t count, size_t size)
{
    if (count < *cap)
        return items;
    *cap = *cap ? 2 * *cap : 256;
    return alloc_resize(items, *cap * size);
}

struct etw_stacks *etw_stacks_new(void)
{
    struct etw_stacks *s = alloc_zero(1, sizeof(*s));

    s->halves = grown(NULL, &s->half_cap, 0, sizeof(*s->halves));
    s->halves[s->half_count++] = (struct half){ 0 };
    return s;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

/* --- halves ----------------------------------------------------------------
 */

/* 0: there are too many. */
static uint32_t add_half(struct etw_stacks *s, struct half h)
{
    if (s->half_count >= HALVES_MAX)
        return 0;
    s->halves =
            grown(s->halves, &s->half_cap, s->half_count, sizeof(*s->halves));
    s->halves[s->half_count] = h;
    return (uint32_t)s->half_count++;
}

static uint64_t get_pointer(const struct etw_record *r, size_t at)
{
    return r->pointer_bytes == 8 ? get_u64(r->data + at)
                                 : get_u32(r->data + at);
}

static size_t read_addresses(uint64_t out[FRAMES_MAX], const unsigned char *p,
        size_t len, size_t pointer)
{
    size_t count = 0;

    for (; len >= pointer && count < FRAMES_MAX; len -= pointer, p += pointer)
        out[count++] = pointer == 8 ? get_u64(p) : get_u32(p);
    return count;
}

/* The half with these addresses; 0: it is empty, or there are too many. */
static uint32_t half_of(struct etw_stacks *s, const uint64_t *addresses,
        size_t count)
{
    uint64_t hash = mix(1, count);
    const uint64_t *found;

    for (size_t i = 0; i < count; i++)
        hash = mix(hash, addresses[i]);
    while ((found = map_find(&s->by_addresses, hash))) {
        const struct half *h = &s->halves[*found];

        if (h->count == count && memcmp(s->addresses + h->at, addresses,
                                         count * sizeof(*addresses)) == 0)
            return (uint32_t)*found;
        hash++;
    }
    if (!count || s->address_count + count > ADDRESSES_MAX)
        return 0;
    while (s->address_count + count > s->address_cap)
        s->addresses = grown(s->addresses, &s->address_cap, s->address_cap,
                sizeof(*s->addresses));

    uint32_t half =
            add_half(s, (struct half){ (uint32_t)s->address_count,
                                (uint32_t)count, (uint32_t)s->half_count });

    if (!half)
        return 0;
    memcpy(s->addresses + s->address_count, addresses,
            count * sizeof(*addresses));
    s->address_count += count;
    map_put(&s->by_addresses, hash, half);
    return half;
}

/* The half that a key stands for now. */
static uint32_t half_of_key(struct etw_stacks *s, uint64_t key)
{
    const uint64_t *found = map_find(&s->by_key, key);
    uint32_t half;

    if (found)
        return (uint32_t)*found;
    half = add_half(s, (struct half){ 0 });
    if (half)
        map_put(&s->by_key, key, half);
    return half;
}

/* A key's addresses.  One that is deleted is used again for another stack. */
static void take_key(struct etw_stacks *s, const struct etw_record *r)
{
    size_t pointer = r->pointer_bytes;
    uint64_t addresses[FRAMES_MAX];

    if (r->len < pointer)
        return;

    uint64_t key = get_pointer(r, 0);
    size_t count = read_addresses(addresses, r->data + pointer,
            r->len - pointer, pointer);
    uint32_t half = half_of_key(s, key), known = half_of(s, addresses, count);

    if (half && known)
        s->halves[half] = s->halves[known];
    if (r->opcode == KEY_DELETE)
        map_remove(&s->by_key, key);
}

/* --- events ----------------------------------------------------------------
 */

static uint64_t event_key(int64_t time, uint32_t tid)
{
    return mix((uint64_t)time, tid);
}

static void count_stack(struct etw_stacks *s, struct seen x)
{
    uint64_t hash = mix(mix(x.pid, x.kernel), x.user);
    const uint64_t *found;

    while ((found = map_find(&s->by_seen, hash))) {
        struct seen *y = &s->seen[*found];

        if (y->pid == x.pid && y->kernel == x.kernel && y->user == x.user) {
            y->count += x.count;
            return;
        }
        hash++;
    }
    if (s->seen_count >= STACKS_MAX) {
        s->tally.dropped += x.count;
        return;
    }
    s->seen = grown(s->seen, &s->seen_cap, s->seen_count, sizeof(*s->seen));
    s->seen[s->seen_count] = x;
    map_put(&s->by_seen, hash, s->seen_count++);
}

/* Nothing more comes for this one. */
static void settle(struct etw_stacks *s, struct waiting *w)
{
    const uint64_t *at = map_find(&s->by_event, event_key(w->time, w->tid));

    if (!w->used)
        return;
    if (at && *at == (size_t)(w - s->waiting))
        map_remove(&s->by_event, event_key(w->time, w->tid));
    if (w->kernel || w->user)
        count_stack(s, (struct seen){ w->pid, w->kernel, w->user, 1 });
    else if (w->dropped)
        s->tally.dropped++;
    else
        s->tally.bare++;
    w->used = false;
}

uint32_t etw_stack_thread(const struct etw_record *r)
{
    enum etw_class class = etw_class_of(r);
    size_t pointer = r->pointer_bytes;

    if (class == ETW_CLASS_PERF_INFO && r->opcode == 46)
        return r->len < pointer + 4 ? ETW_NO_ID : get_u32(r->data + pointer);
    if (class == ETW_CLASS_THREAD && r->opcode == 36)
        return r->len < 4 ? ETW_NO_ID : get_u32(r->data);
    return r->tid;
}

void etw_stacks_await(struct etw_stacks *s, const struct etw_record *r,
        uint32_t pid)
{
    struct waiting w = { .time = r->time,
        .tid = etw_stack_thread(r),
        .pid = pid,
        .used = true };

    if (s->next == s->waiting_count) {
        s->waiting = grown(s->waiting, &s->waiting_cap, s->next,
                sizeof(*s->waiting));
        s->waiting_count++;
    } else
        settle(s, &s->waiting[s->next]);
    s->waiting[s->next] = w;
    map_put(&s->by_event, event_key(w.time, w.tid), s->next);
    s->next = (s->next + 1) % WAITING_MAX;
}

static struct waiting *waiting_for(struct etw_stacks *s, int64_t time,
        uint32_t tid)
{
    const uint64_t *at = map_find(&s->by_event, event_key(time, tid));
    struct waiting *w = at ? &s->waiting[*at] : NULL;

    return w && w->used && w->time == time && w->tid == tid ? w : NULL;
}

/* The addresses themselves: the kernel's lie in the upper half. */
static uint32_t take_addresses(struct etw_stacks *s, const struct etw_record *r,
        bool *kernel)
{
    uint64_t addresses[FRAMES_MAX];
    size_t pointer = r->pointer_bytes;
    size_t count =
            read_addresses(addresses, r->data + 16, r->len - 16, pointer);

    *kernel = count &&
              (pointer == 8 ? addresses[0] >> 63 : addresses[0] >= 0x80000000);
    return half_of(s, addresses, count);
}

static void take_stack(struct etw_stacks *s, const struct etw_record *r)
{
    bool kernel = r->opcode == KEY_KERNEL;
    uint32_t half;

    if (r->len < 16 + (size_t)r->pointer_bytes)
        return;

    struct waiting *w =
            waiting_for(s, (int64_t)get_u64(r->data), get_u32(r->data + 12));

    if (!w) {
        s->tally.others++;
        return;
    }
    if (r->opcode == STACK)
        half = take_addresses(s, r, &kernel);
    else
        half = half_of_key(s, get_pointer(r, 16));
    if (w->pid == ETW_NO_ID)
        w->pid = get_u32(r->data + 8);
    *(kernel ? &w->kernel : &w->user) = half;
    w->dropped |= !half;
}

void etw_stacks_take(struct etw_stacks *s, const struct etw_record *r)
{
    if (etw_class_of(r) != ETW_CLASS_STACK_WALK)
        return;
    switch (r->opcode) {
    case STACK:
    case KEY_KERNEL:
    case KEY_USER: take_stack(s, r); break;
    case KEY_CREATE:
    case KEY_DELETE:
    case KEY_RUNDOWN: take_key(s, r); break;
    default: break;
    }
}

/* --- the end ---------------------------------------------------------------
 */

/* What different keys stood for may be the same. */
static void merge(struct etw_stacks *s)
{
    struct seen *all = s->seen;
    size_t count = s->seen_count;

    s->seen = NULL;
    s->seen_count = s->seen_cap = 0;
    map_release(&s->by_seen);
    for (size_t i = 0; i < count; i++) {
        struct seen x = all[i];

        x.kernel = s->halves[x.kernel].same;
        x.user = s->halves[x.user].same;
        if (x.kernel || x.user) {
            s->tally.joined += x.count;
            count_stack(s, x);
        } else
            s->tally.unsolved += x.count;
    }
    free(all);
}

void etw_stacks_end(struct etw_stacks *s)
{
    for (size_t i = 0; i < s->waiting_count; i++)
        settle(s, &s->waiting[i]);
    merge(s);
}

const struct etw_stacks_tally *etw_stacks_tally(const struct etw_stacks *s)
{
    return &s->tally;
}

size_t etw_stacks_count(const struct etw_stacks *s)
{
    return s->seen_count;
}

struct etw_stack etw_stacks_at(const struct etw_stacks *s, size_t at)
{
    const struct seen *x = &s->seen[at];
    const struct half *kernel = &s->halves[x->kernel];
    const struct half *user = &s->halves[x->user];

    return (struct etw_stack){ .pid = x->pid,
        .count = x->count,
        .kernel = s->addresses + kernel->at,
        .kernel_count = kernel->count,
        .user = s->addresses + user->at,
        .user_count = user->count };
}

void etw_stacks_free(struct etw_stacks *s)
{
    if (!s)
        return;
    map_release(&s->by_event);
    map_release(&s->by_addresses);
    map_release(&s->by_key);
    map_release(&s->by_seen);
    free(s->waiting);
    free(s->addresses);
    free(s->halves);
    free(s->seen);
    free(s);
}

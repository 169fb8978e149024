/* Whole, cut, damaged and shuffled traces. */
#include "etw/buffer.h"
#include "etw/bytes.h"
#include "etw/counts.h"
#include "made_trace.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#define LANES 3
#define EACH  500
#define BYTES 4096

static uint64_t count(struct etw_trace *t, bool *ordered)
{
    const struct etw_record *r;
    uint64_t records = 0;
    int64_t last = INT64_MIN;

    while ((r = etw_trace_next(t))) {
        records++;
        *ordered = *ordered && r->time >= last;
        last = r->time;
    }
    return records;
}

static void merged(void)
{
    struct buf b = { 0 };
    bool ordered = true;

    made_switches(&b, LANES, EACH);

    struct etw_trace *t = made_open(&b, b.len);

    CHECK(t != NULL);
    CHECK_INT(count(t, &ordered), LANES * EACH + 1);
    CHECK(ordered);
    CHECK_INT(etw_trace_tally(t)->buffers, b.len / BYTES);
    CHECK_INT(etw_trace_info(t)->processors, LANES);
    CHECK(strcmp(buf_cstr(&etw_trace_info(t)->session), "made") == 0);
    CHECK_INT(etw_trace_wall_ns(etw_trace_info(t)), MADE_WALL_NS);
    etw_trace_close(t);

    /* A circular file: its buffers lie in any order. */
    char *a = b.p + BYTES, *z = b.p + b.len - BYTES, kept[BYTES];

    for (; a < z; a += 2 * BYTES, z -= BYTES) {
        memcpy(kept, a, BYTES);
        memcpy(a, z, BYTES);
        memcpy(z, kept, BYTES);
    }
    t = made_open(&b, b.len);
    ordered = true;
    CHECK_INT(count(t, &ordered), LANES * EACH + 1);
    CHECK(ordered);
    etw_trace_close(t);
    buf_release(&b);
}

/* Every whole buffer is read, and one sentence says what is not. */
static void cut(void)
{
    struct buf b = { 0 };

    made_switches(&b, LANES, EACH);
    for (size_t len = 1; len < b.len; len += 97) {
        struct buf said = { 0 };
        bool ordered = true;
        unsigned char *tight = malloc(len);
        struct etw_trace *t = NULL;
        struct error e = { 0 };

        memcpy(tight, b.p, len);

        int rc = etw_trace_open_bytes(&t, tight, len, "cut.etl", &e);

        if (len < BYTES) {
            CHECK(rc == -ENODATA || rc == -EINVAL);
            CHECK(strstr(e.text, "cut.etl") != NULL);
        } else {
            CHECK_INT(rc, 0);
            (void)count(t, &ordered);
            CHECK_INT(etw_trace_tally(t)->buffers, len / BYTES);
            CHECK_INT(etw_trace_tally(t)->cut_bytes, len % BYTES);
            CHECK_INT(etw_trace_tally(t)->damaged_buffers, 0);
            etw_trace_missing(&said, t);
            CHECK((len % BYTES != 0) == (said.len != 0));
        }
        etw_trace_close(t);
        free(tight);
        buf_release(&said);
    }
    buf_release(&b);
}

/* Records, and the bytes of their payloads. */
static uint64_t payload(struct etw_trace *t, uint64_t *bytes)
{
    const struct etw_record *r;
    uint64_t records = 0;

    *bytes = 0;
    while ((r = etw_trace_next(t))) {
        records++;
        *bytes += r->len;
    }
    return records;
}

static bool is_told(const struct etw_tally *y)
{
    return y->skipped_bytes || y->unused_bytes || y->cut_bytes;
}

/* Reads `bad`, which was `b`: either it is refused in a sentence, or what is
 * missing was counted. */
static void read_damaged(const struct buf *b, const unsigned char *bad)
{
    struct etw_trace *t = NULL, *good = made_open(b, b->len);
    struct error e = { 0 };
    uint64_t bytes, whole, all = payload(good, &whole);

    if (etw_trace_open_bytes(&t, bad, b->len, "bad", &e)) {
        CHECK(strstr(e.text, "bad") != NULL);
    } else {
        uint64_t records = payload(t, &bytes);

        CHECK(records <= all);
        CHECK(records == all || bytes > whole || is_told(etw_trace_tally(t)));
    }
    etw_trace_close(good);
    etw_trace_close(t);
}

/* Some bits turned over anywhere: no crash, and a record that is missing was
 * counted, or lies in another that became longer. */
static void flip_some(const struct buf *b, int round, uint32_t *seed)
{
    unsigned char *bad = malloc(b->len);

    memcpy(bad, b->p, b->len);
    for (int i = 0; i <= round % 20; i++) {
        *seed = *seed * 1103515245 + 12345;
        bad[(*seed >> 4) % b->len] ^= (unsigned char)(1 << *seed % 8);
    }
    read_damaged(b, bad);
    free(bad);
}

/* Every bit of the header of every buffer, one at a time. */
static void flip_headers(const struct buf *b)
{
    unsigned char *bad = malloc(b->len);

    memcpy(bad, b->p, b->len);
    for (size_t i = 0; i < b->len / BYTES * ETW_BUFFER_HEADER * 8; i++) {
        size_t buffer = i / 8 / ETW_BUFFER_HEADER;
        unsigned char *at = bad + buffer * BYTES + i / 8 % ETW_BUFFER_HEADER;

        *at ^= (unsigned char)(1 << i % 8);
        read_damaged(b, bad);
        *at ^= (unsigned char)(1 << i % 8);
    }
    free(bad);
}

/* A record that is no record any more: the rest of its buffer is passed over,
 * to the byte. */
static void flip_one(const struct buf *b)
{
    const size_t record = 40, first = BYTES + ETW_BUFFER_HEADER;
    struct etw_trace *t;
    uint64_t bytes, all;

    t = made_open(b, b->len);
    all = payload(t, &bytes);
    etw_trace_close(t);
    for (size_t i = 0; i < 90; i++) {
        struct etw_buffer head;
        char *family = b->p + first + i * record + 3;

        CHECK(etw_buffer_parse(&head, (unsigned char *)b->p + BYTES));

        size_t rest = head.used - ETW_BUFFER_HEADER - i * record;

        *family ^= 0x40;
        t = made_open(b, b->len);
        CHECK_INT(payload(t, &bytes), all - rest / record);
        CHECK_INT(etw_trace_tally(t)->damaged_buffers, 1);
        CHECK_INT(etw_trace_tally(t)->skipped_bytes, rest);
        etw_trace_close(t);
        *family ^= 0x40;
    }
}

static void flipped(void)
{
    struct buf b = { 0 };
    uint32_t seed = 1;

    made_switches(&b, LANES, EACH);
    for (int round = 0; round < 600; round++)
        flip_some(&b, round, &seed);
    flip_headers(&b);
    flip_one(&b);
    /* A buffer whose header is gone is passed over; the others are read. */
    unsigned char *bad = (unsigned char *)b.p;
    bool ordered = true;

    memset(bad + 2 * BYTES, 0x5a, ETW_BUFFER_HEADER);

    struct etw_trace *t = made_open(&b, b.len);

    (void)count(t, &ordered);
    CHECK_INT(etw_trace_tally(t)->buffers, b.len / BYTES - 1);
    CHECK_INT(etw_trace_tally(t)->damaged_buffers, 1);
    CHECK_INT(etw_trace_tally(t)->skipped_bytes, BYTES);
    etw_trace_close(t);
    buf_release(&b);
}

static void clocks(void)
{
    struct etw_info i = { .frequency = 10000000, .first_time = 1000 };

    CHECK_INT(etw_trace_ns(&i, 1000), 0);
    CHECK_INT(etw_trace_ns(&i, 1001), 100);
    CHECK_INT(etw_trace_ns(&i, 990), -1000);
    i.frequency = 3592000000;
    CHECK_INT(etw_trace_ns(&i, 1000 + INT64_C(3592000000) * 86400 * 365),
            INT64_C(86400) * 365 * 1000000000);
    i.frequency = 1;
    CHECK_INT(etw_trace_ns(&i, INT64_MAX), ETW_NS_MAX);
    CHECK_INT(etw_trace_ns(&i, INT64_MIN + 2000), -ETW_NS_MAX);
}

/* Room that was reserved and never filled. */
static void unused(void)
{
    struct buf b = { 0 };
    static const char zeros[3 * BYTES];
    bool ordered = true;

    made_switches(&b, LANES, EACH);

    size_t whole = b.len;

    buf_add(&b, zeros, sizeof(zeros));

    struct etw_trace *t = made_open(&b, b.len);
    struct buf said = { 0 };

    CHECK_INT(count(t, &ordered), LANES * EACH + 1);
    CHECK_INT(etw_trace_tally(t)->buffers, whole / BYTES);
    CHECK_INT(etw_trace_tally(t)->unused_bytes, sizeof(zeros));
    etw_trace_missing(&said, t);
    CHECK_INT(said.len, 0);
    etw_trace_close(t);
    buf_release(&said);
    buf_release(&b);
}

static void files(void)
{
    struct etw_trace *t;
    struct error e = { 0 };

    CHECK_INT(etw_trace_open(&t, "/nowhere/x.etl", &e), -ENOENT);
    CHECK(strstr(e.text, "/nowhere/x.etl") != NULL);
    CHECK_INT(etw_trace_open(&t, SOURCE_ROOT, &e), -EISDIR);
    CHECK_INT(etw_trace_open(&t, SOURCE_ROOT "/LICENSE", &e), -EINVAL);
    CHECK(strstr(e.text, "is not an ETW trace") != NULL);
}

int main(void)
{
    merged();
    cut();
    flipped();
    clocks();
    unused();
    files();
    return test_result();
}

/* Real traces: every count is what three other readers agree on, and payloads
 * that others published decode to what they say. */
#include "base/compiler.h"
#include "base/json_read.h"
#include "etw/counts.h"
#include "etw/decode.h"
#include "etw/trace.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define DATA SOURCE_ROOT "/../shared/data/etw"

static char *slurp(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 20);

    *len = f && text ? fread(text, 1, 1 << 20, f) : 0;
    if (f)
        (void)fclose(f);
    return text;
}

static struct str member(struct str object, const char *name)
{
    struct str key, value;

    while (json_next_member(&object, &key, &value) > 0)
        if (str_is(key, name))
            return value;
    return (struct str){ NULL, 0 };
}

static uint64_t number(struct str value)
{
    uint64_t n = UINT64_MAX;

    (void)str_u64(&n, str_trim(value));
    return n;
}

/* --- counts ----------------------------------------------------------------
 */

static void compare(struct str file, const struct etw_counts *c,
        const struct etw_tally *y, struct str want)
{
    struct str counts = member(want, "counts"), key, value;
    size_t kinds = 0;

    CHECK_INT(y->buffers, number(member(want, "buffers")));
    CHECK_INT(y->records, number(member(want, "records")));
    CHECK_INT(y->skipped_bytes, 0);
    while (json_next_member(&counts, &key, &value) > 0) {
        bool found = false;

        kinds++;
        for (size_t i = 0; i < c->used && !found; i++) {
            struct buf b = { 0 };

            etw_count_key(&b, &c->slots[i]);
            found = str_eq(buf_str(&b), key) &&
                    c->slots[i].count == number(value);
            buf_release(&b);
        }
        if (!found) {
            (void)fprintf(stderr, "%.*s: %.*s\n", (int)file.len, file.p,
                    (int)key.len, key.p);
            CHECK(found);
        }
    }
    CHECK_INT(c->used, kinds);
}

static void counts(struct str file, struct str want)
{
    char path[512];
    struct etw_trace *t = NULL;
    struct error e = { 0 };
    struct etw_counts c = { 0 };
    const struct etw_record *r;

    (void)snprintf(path, sizeof(path), DATA "/%.*s", (int)file.len, file.p);
    if (etw_trace_open(&t, path, &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        CHECK(0);
        return;
    }
    while ((r = etw_trace_next(t)))
        etw_counts_add(&c, r);
    etw_counts_sort(&c);
    compare(file, &c, etw_trace_tally(t), want);
    etw_counts_release(&c);
    etw_trace_close(t);
}

/* --- payloads --------------------------------------------------------------
 */

static size_t base64(unsigned char *out, struct str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t len = 0;
    int have = 0;

    for (size_t i = 0; i < s.len; i++) {
        const char *at = strchr(digits, s.p[i]);

        if (!at || !s.p[i])
            continue;
        bits = bits << 6 | (uint32_t)(at - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[len++] = (unsigned char)(bits >> have);
        }
    }
    return len;
}

/* Their names and ours. */
static const char *const names[][2] = {
    { "new_tid", "NewThreadID" },
    { "old_tid", "OldThreadID" },
    { "new_priority", "NewThreadPriority" },
    { "old_priority", "OldThreadPriority" },
    { "previous_cstate", "PreviousCState" },
    { "old_wait_reason", "OldThreadWaitReason" },
    { "old_wait_mode", "OldThreadWaitMode" },
    { "old_state", "OldThreadState" },
    { "old_ideal_processor", "OldThreadWaitIdealProcessor" },
    { "new_wait_time", "NewThreadWaitTime" },
    { "pid", "ProcessID" },
    { "tid", "ThreadID" },
    { "stack_base", "StackBase" },
    { "stack_limit", "StackLimit" },
    { "start_address", "StartAddr" },
};

static void payload(struct str x)
{
    unsigned char bytes[256];
    struct str text = member(x, "base64"), expect = member(x, "expect");
    struct str key, value;
    struct etw_decoded d;
    struct etw_record r = { .kind = ETW_KERNEL,
        .group = ETW_CLASS_THREAD,
        .opcode = (uint8_t)number(member(x, "opcode")),
        .version = (uint16_t)number(member(x, "version")),
        .pointer_bytes = (uint8_t)number(member(x, "pointer_size")),
        .data = bytes };

    r.len = base64(bytes, text);
    CHECK(etw_decode(&d, &r));
    while (json_next_member(&expect, &key, &value) > 0) {
        bool known = false;

        for (size_t i = 0; i < LEN(names); i++)
            if (str_is(key, names[i][0])) {
                known = true;
                CHECK_INT(etw_number(&d, names[i][1], UINT64_MAX),
                        number(value));
            }
        CHECK(known);
    }
}

int main(void)
{
    size_t len;
    char *text = slurp(DATA "/expected-counts.json", &len);
    struct str rest = { text, len }, key, value;
    int files = 0, payloads = 0;

    if (!len) {
        (void)printf("no recordings in " DATA "\n");
        return 77;
    }
    while (json_next_member(&rest, &key, &value) > 0) {
        counts(key, value);
        files++;
    }
    CHECK_INT(files, 10);
    free(text);
    text = slurp(DATA "/thread-payloads.json", &len);
    rest = member((struct str){ text, len }, "payloads");
    while (json_next_element(&rest, &value) > 0) {
        payload(value);
        payloads++;
    }
    CHECK_INT(payloads, 3);
    free(text);
    return test_result();
}

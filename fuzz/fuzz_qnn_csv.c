#include "import/qnn_csv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t rows;
    uint64_t digest;
};

static void add(struct seen *s, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        s->digest = s->digest * 31 + (unsigned char)text.p[i];
}

/* Touches every byte that is handed out. */
static void take(void *to, const struct qnn_row *r)
{
    struct seen *s = to;
    struct qnn_operator o;

    s->rows++;
    add(s, r->message);
    add(s, r->source);
    add(s, r->identifier);
    if (qnn_operator(&o, r)) {
        if (!o.name.len)
            abort();
        add(s, o.name);
    }
}

static struct qnn_csv_tally feed(struct seen *s, const uint8_t *data,
        size_t size, size_t piece)
{
    struct qnn_csv *q = qnn_csv_new(take, s);

    for (size_t at = 0; at < size; at += piece)
        qnn_csv_feed(q, data + at, piece < size - at ? piece : size - at);

    struct qnn_csv_tally tally = *qnn_csv_end(q);

    qnn_csv_free(q);
    return tally;
}

/* However it is fed, the same is read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = { 0 }, parts = { 0 };
    size_t piece = size ? 1 + data[0] % 32 : 1;
    struct qnn_csv_tally one = feed(&whole, data, size, size + 1);
    struct qnn_csv_tally other = feed(&parts, data, size, piece);

    if (one.bytes != size || one.rows != whole.rows || one.cut_bytes > size)
        abort();
    if (memcmp(&one, &other, sizeof(one)) != 0 || whole.digest != parts.digest)
        abort();
    return 0;
}

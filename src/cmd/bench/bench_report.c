#include "cmd/bench/bench_report.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct head {
    uint32_t kind;
    uint32_t len;
};

bool bench_send(FILE *to, enum bench_frame kind, const void *bytes, size_t len)
{
    struct head h = { (uint32_t)kind, (uint32_t)len };

    return fwrite(&h, sizeof(h), 1, to) == 1 &&
           fwrite(bytes, 1, len, to) == len && fflush(to) == 0;
}

bool bench_send_text(FILE *to, enum bench_frame kind, const char *text)
{
    return bench_send(to, kind, text, strlen(text));
}

/* --- reading ----------------------------------------------------------------
 */

static char *text_of(struct str body)
{
    char *text = alloc_zero(body.len + 1, 1);

    memcpy(text, body.p, body.len);
    return text;
}

/* Room for one more of `size` bytes, filled from the frame. */
static bool append(void *array, size_t *count, size_t size, struct str body)
{
    void *items;

    if (body.len != size)
        return false;
    memcpy(&items, array, sizeof(items)); /* any pointer to a struct */
    items = alloc_resize(items, (*count + 1) * size);
    memcpy((char *)items + *count * size, body.p, size);
    memcpy(array, &items, sizeof(items));
    ++*count;
    return true;
}

static void add_note(struct bench_report *r, struct str body)
{
    r->notes = alloc_resize(r->notes, (r->note_count + 1) * sizeof(*r->notes));
    r->notes[r->note_count++] = text_of(body);
}

static bool take_input(struct bench_report *r, struct str body)
{
    if (!append(&r->inputs, &r->input_count, sizeof(*r->inputs), body))
        return false;

    struct bench_input *i = &r->inputs[r->input_count - 1];

    i->name[BENCH_NAME_MAX - 1] = 0;
    return i->rank <= TENSOR_RANK_MAX;
}

static bool take_dim(struct bench_report *r, struct str body)
{
    if (!append(&r->dims, &r->dim_count, sizeof(*r->dims), body))
        return false;
    r->dims[r->dim_count - 1].name[BENCH_NAME_MAX - 1] = 0;
    return true;
}

static bool take(struct bench_report *r, uint32_t kind, struct str body)
{
    switch (kind) {
    case BENCH_ERROR:
        free(r->error);
        r->error = text_of(body);
        return true;
    case BENCH_NOTE: add_note(r, body); return true;
    case BENCH_INPUT: return take_input(r, body);
    case BENCH_DIM: return take_dim(r, body);
    case BENCH_LOAD:
        if (body.len != sizeof(r->load))
            return false;
        memcpy(&r->load, body.p, sizeof(r->load));
        return true;
    case BENCH_ROW:
        return append(&r->rows, &r->row_count, sizeof(*r->rows), body);
    default: return false;
    }
}

int bench_report_parse(struct bench_report *out, struct str bytes)
{
    struct head h;

    *out = (struct bench_report){ 0 };
    while (bytes.len >= sizeof(h)) {
        memcpy(&h, bytes.p, sizeof(h));
        if (h.len > bytes.len - sizeof(h))
            return 0;
        if (!take(out, h.kind, (struct str){ bytes.p + sizeof(h), h.len }))
            return -EINVAL;
        bytes.p += sizeof(h) + h.len;
        bytes.len -= sizeof(h) + h.len;
    }
    return 0;
}

void bench_report_release(struct bench_report *r)
{
    free(r->error);
    for (size_t i = 0; i < r->note_count; i++)
        free(r->notes[i]);
    free(r->notes);
    free(r->inputs);
    free(r->dims);
    free(r->rows);
    *r = (struct bench_report){ 0 };
}

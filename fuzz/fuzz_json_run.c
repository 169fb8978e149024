/* fuzz_json_run.c -- an exported run that somebody changed: taken apart in two
 * pieces, its rows read and put into structs. */
#include "base/alloc.h"
#include "base/json_split.h"
#include "export/table/row_read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *to, struct str key, struct str value)
{
    struct error e = { 0 };
    const struct table *t = tables[0];

    for (const struct table *const *x = tables; *x; x++)
        if (str_is(key, (*x)->type->name))
            t = *x;

    void *row = alloc_zero(1, t->type->size);

    if (!row_read(to, t, value, &e))
        (void)row_put(to, t, row, &e);
    free(row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row_reader reader = { 0 };
    struct json_split *s = json_split_new(take, &reader);
    size_t half = size / 2;

    if (!json_split_feed(s, (const char *)data, half))
        (void)json_split_feed(s, (const char *)data + half, size - half);
    json_split_free(s);
    row_reader_release(&reader);
    return 0;
}

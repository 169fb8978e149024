#include "fleet/row_binary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char name[] = "x";
static struct stored_column columns[] = {
    { .name = name, .kind = COLUMN_INTEGER, .key = true },
    { .name = name, .kind = COLUMN_TEXT, .nullable = true },
    { .name = name, .kind = COLUMN_REAL, .nullable = true },
    { .name = name, .kind = COLUMN_NAME },
    { .name = name, .kind = COLUMN_INTEGER, .nullable = true },
};
static const struct stored_table table = { .name = name,
    .columns = columns,
    .count = 5 };

/* What is read, written again, is what was there, but for lengths of texts
 * that were written longer than need be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size }, id;
    struct stored_cell cells[5], again[5];

    for (;;) {
        struct str before = rest;
        struct buf b = { 0 };

        if (row_binary_take(&id, cells, &table, &rest) != 1) {
            if (rest.p != before.p || rest.len != before.len)
                abort();
            return 0;
        }
        buf_add(&b, id.p, id.len);
        row_binary_cells(&b, &table, cells);
        if (b.len > before.len - rest.len)
            abort();

        struct str copy = buf_str(&b);

        if (row_binary_take(&id, again, &table, &copy) != 1 || copy.len ||
                !str_eq(cells[1].text, again[1].text) ||
                !str_eq(cells[3].text, again[3].text) ||
                cells[0].integer != again[0].integer ||
                memcmp(&cells[2].real, &again[2].real, sizeof(double)) != 0)
            abort();
        buf_release(&b);
    }
}

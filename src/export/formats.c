/* formats.c -- the list: a format is one line in each half. */
#include "export/formats.h"

#include <string.h>

const struct export_format *const export_formats[] = {
    &export_json,
    &export_csv,
    &export_jsonl,
    &export_parquet,
    &export_markdown,
    &export_html,
    &export_junit,
    &export_chrome,
    &export_perfetto,
    &export_etl,
    &export_tensorboard,
    &export_prometheus,
    &export_otlp,
    NULL,
};

const struct export_format *export_format_find(const char *name)
{
    for (const struct export_format *const *f = export_formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

void export_formats_text(struct buf *out)
{
    for (const struct export_format *const *f = export_formats; *f; f++) {
        buf_printf(out, "  %-12s %s\n", (*f)->name, (*f)->about);
        for (const struct export_shape *x = (*f)->shapes; x && x->name; x++)
            buf_printf(out, "  %-12s   --shape %s\n", "", x->name);
    }
}

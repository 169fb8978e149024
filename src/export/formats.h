/* formats.h -- all formats that `ortmeter export` knows. */
#pragma once

#include "base/buf.h"
#include "export/format.h"

/* Ends with NULL; in the order of `ortmeter export --help`. */
extern const struct export_format *const export_formats[];

/* NULL: there is none of that name. */
const struct export_format *export_format_find(const char *name);

/* Adds a line for each format, and one for each of its shapes: for people. */
void export_formats_text(struct buf *out);

extern const struct export_format export_chrome, export_etl;
extern const struct export_format export_json;
extern const struct export_format export_markdown, export_html, export_junit;
extern const struct export_format export_perfetto;
extern const struct export_format export_tensorboard;
extern const struct export_format export_prometheus;
extern const struct export_format export_otlp;
extern const struct export_format export_csv, export_jsonl, export_parquet;

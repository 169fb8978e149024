/* qnn_csv.h -- reads what Qualcomm's QNN tells of its runs: the file that ONNX
 * Runtime's QNN provider writes (profiling_file_path), and the one that
 * qnn-profile-viewer makes of QNN's own log.
 *
 * Both are lines of seven fields, below a heading; the viewer's has lines
 * before it that say where it comes from, blanks behind commas, fields in
 * quotes and values that are empty or no numbers.  Later versions add fields,
 * which are passed over.
 *
 * It is fed in pieces of any size, its memory is bounded, and nothing here does
 * input or output. */
#pragma once

#include "base/str.h"

/* A longer line is passed over. */
#define QNN_CSV_LINE_MAX ((size_t)1 << 16)

enum qnn_unit {
    QNN_UNIT_OTHER,
    QNN_UNIT_US,
    QNN_UNIT_CYCLES, /* of the accelerator, whose clock is not told */
    QNN_UNIT_COUNT,
    QNN_UNIT_BYTES,
};

/* One line.  What is pointed to is gone after the call. */
struct qnn_row {
    struct str message; /* "EXECUTE", "NODE", "FINALIZE", ... */
    struct str source;  /* "BACKEND", "NETRUN" */
    struct str identifier;
    enum qnn_unit unit;
    uint32_t depth; /* 0: ROOT, 1: SUB-EVENT, 2: SUB-SUB-EVENT, ... */
    bool has_timestamp, has_value;
    uint64_t timestamp_us; /* of the message, from a clock that is not told */
    uint64_t value;
};

/* Whether the row tells of an operator: which, and what it is called. */
struct qnn_operator {
    struct str name;
    bool has_id;
    uint32_t id; /* "OpId_17" */
};

bool qnn_operator(struct qnn_operator *out, const struct qnn_row *r);

struct qnn_csv_tally {
    uint64_t bytes;
    uint64_t rows;
    uint64_t broken;    /* lines that are no rows, below the heading */
    uint64_t cut_bytes; /* at the end: of a line that is not ended */
    bool heading;       /* it was seen */
};

struct qnn_csv;

struct qnn_csv *qnn_csv_new(
        void (*each)(void *context, const struct qnn_row *r), void *context);

void qnn_csv_feed(struct qnn_csv *q, const void *bytes, size_t len);

/* That was all.  Valid until qnn_csv_free(). */
const struct qnn_csv_tally *qnn_csv_end(struct qnn_csv *q);

/* NULL is welcome. */
void qnn_csv_free(struct qnn_csv *q);

/* Whether a line is the heading. */
bool qnn_csv_is_heading(struct str line);

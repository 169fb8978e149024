/* empty_run.h -- why a run shows no inference, and what to do about it. */
#pragma once

#include "base/buf.h"
#include "os/process/program.h"

#include <stdint.h>

/* What is known of a run in which nothing was seen. */
struct empty_run {
    const char *name; /* the program, as it was asked for */
    enum program_kind kind;
    bool privileged;
    uint64_t processes;        /* that met ONNX Runtime, or used ortmeter.h */
    uint64_t libraries;        /* that the hook entered */
    uint64_t static_libraries; /* that it could not enter, */
    char *static_reason;       /* and why the last of them; NULL: not said */
    uint64_t sessions, sessions_failed;
    const char *web;   /* where it has onnxruntime-web; NULL: nowhere */
    bool failed;       /* the program ended with an error */
    bool unreadable;   /* it left rings of another version of the hook */
    uint64_t refused;  /* processes that could not leave their records */
    uint64_t unhooked; /* programs that the hook did not come into */
};

/* Some sentences. */
void empty_run_explain(struct buf *out, const struct empty_run *a);

/* diagnosis.h -- what `ortmeter doctor` found, as text and as JSON. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "cmd/cli/config.h"
#include "cmd/doctor/pythons.h"
#include "model/host.h"
#include "ort/runtime.h"
#include "sample/sampling.h"
#include "sample/source.h"

struct diagnosis {
    struct host_info host;

    const struct runtime_info *runtime; /* NULL: none */
    struct error no_runtime;            /* then this is why */

    struct python_found python[PYTHONS_MAX]; /* with an ONNX Runtime */
    size_t python_count;

    struct sampling *sampling; /* of ourselves, read once; NULL: it failed */
    struct error no_sampling;  /* then this is why */

    struct source_status source[SOURCES_MAX];
    size_t source_count;

    const char *database;           /* NULL: there is no place for it */
    const char *database_came_from; /* as settings_db_path() says */
    const struct config *files;     /* what settings come from; NULL: none */
};

/* Looks at the machine and every source: samplers are tried on ourselves. */
void diagnosis_examine(struct diagnosis *d);

/* The variables of the environment that we read; ends with NULL. */
extern const char *const diagnosis_variables[];

/* Adds the report for people, in colours or without. */
void diagnosis_text(struct buf *out, const struct diagnosis *d, bool colours);

/* Adds the report for programs: one document. */
void diagnosis_json(struct buf *out, const struct diagnosis *d);

/* Parts of it, as members: "host" and "ort"; "sources", "samplers" and
 * "missing". */
struct json;
void diagnosis_machine_json(struct json *j, const struct diagnosis *d);
void diagnosis_sources_json(struct json *j, const struct diagnosis *d);

/* doctor.c -- what can be measured on this machine, and what cannot. */
#include "base/alloc.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/settings.h"
#include "cmd/cmd.h"
#include "cmd/doctor/diagnosis.h"
#include "cmd/text/term.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    bool json;
    const char *ort, *db, *out;
};

/* An absent runtime or database is a finding, not a failure. */
static int report(const struct settings *s, struct error *e)
{
    struct diagnosis *d = alloc_zero(1, sizeof(*d));
    struct runtime *runtime = NULL;
    struct buf text = { 0 };
    char database[PATH_MAX];

    diagnosis_examine(d);
    if (runtime_open(&runtime, s->ort, &d->no_runtime) == 0)
        d->runtime = runtime_info(runtime);
    d->python_count =
            pythons_find(d->python, getenv("VIRTUAL_ENV"), getenv("PATH"));
    if (settings_db_path(database, sizeof(database), s->db,
                &d->database_came_from) == 0)
        d->database = database;
    d->files = options_files();
    for (size_t i = 0; d->files && i < config_count(d->files); i++)
        if (config_at(d->files, i)->value == s->db)
            d->database_came_from = config_at(d->files, i)->file;
    if (s->json)
        diagnosis_json(&text, d);
    else
        diagnosis_text(&text, d, !s->out && term_colours(stdout));

    int rc = output_write(s->out, buf_str(&text), e);

    buf_release(&text);
    runtime_close(runtime);
    sampling_close(d->sampling);
    free(d);
    return rc;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    OPTION_TEXT("ort", 0, struct settings, ort, "PATH",
            "the ONNX Runtime library to look at", .variable = "ORTMETER_ORT"),
    OPTION_TEXT("db", 0, struct settings, db, "FILE",
            "the database that would be used", .variable = "ORTMETER_DB"),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    return report(c->settings, e);
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .about = "what can be measured on this machine, and what cannot",
    .usage = "[options]",
    .text = "Reports what can be measured on this machine and what to do to "
            "get\n"
            "more: its hardware, the ONNX Runtime that is found, the Pythons "
            "that\n"
            "have onnxruntime, every source of figures or why it is missing, "
            "and\n"
            "the configuration in force.\n"
            "Changes nothing.\n",
    .options = options,
    .notes = "Environment:\n"
             "  NO_COLOR       no colours\n",
    .examples = "doctor\n"
                "doctor --ort /opt/onnxruntime/lib/libonnxruntime.so.1\n"
                "doctor --json -o machine.json\n",
    .settings_size = sizeof(struct settings),
    .run = run,
};

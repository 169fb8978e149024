/* doctor.c -- what can be measured on this machine, and what cannot. */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/diagnosis.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/settings.h"
#include "cmd/term.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/host.h"

#include <limits.h>
#include <stdlib.h>

static const char help[] =
        "Usage: ortmeter doctor [options]\n"
        "\n"
        "Tells what can be measured on this machine: its hardware, the ONNX\n"
        "Runtime that is found, the sources of data and why some are missing,\n"
        "and the configuration in force.  Changes nothing.\n"
        "\n"
        "Options:\n"
        "  --json       one JSON document instead of text\n"
        "  --ort PATH   the ONNX Runtime library to look at\n"
        "  --db FILE    the database that would be used\n"
        "  -o FILE      write to FILE\n"
        "  -h, --help   this text\n"
        "\n"
        "Environment:\n"
        "  ORTMETER_ORT   the ONNX Runtime library, when --ort is not given\n"
        "  ORTMETER_DB    the database, when --db is not given\n"
        "  NO_COLOR       no colours\n"
        "\n"
        "Examples:\n"
        "  ortmeter doctor\n"
        "  ortmeter doctor --ort /opt/onnxruntime/lib/libonnxruntime.so.1\n"
        "  ortmeter doctor --json -o machine.json\n";

struct settings {
    bool json, help;
    const char *ort, *db, *out;
};

static void examine(struct diagnosis *d)
{
    char hook[PATH_MAX] = "";
    struct source_context context = {
        .root = "",
        .hook = hook,
        .host = &d->host,
    };

    host_read(&d->host, "");
    (void)settings_hook_path(hook, sizeof(hook));
    d->source_count = source_probe(d->source, &context);
}

/* What `watch` would read, tried on ourselves. */
static void try_samplers(struct diagnosis *d)
{
    uint64_t pid = own_pid();
    struct target_plan targets = { .pids = &pid, .pid_count = 1 };

    if (sampling_open(&d->sampling,
                &(struct sampling_plan){ .targets = &targets },
                &d->no_sampling) == 0)
        (void)sampling_read_all(d->sampling, mono_ns());
}

/* An absent runtime or database is a finding, not a failure. */
static int report(const struct settings *s, struct error *e)
{
    struct diagnosis *d = alloc_zero(1, sizeof(*d));
    struct runtime *runtime = NULL;
    struct buf text = { 0 };
    char database[PATH_MAX];

    examine(d);
    try_samplers(d);
    if (runtime_open(&runtime, s->ort, &d->no_runtime) == 0)
        d->runtime = runtime_info(runtime);
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

static int run(int argc, char **argv)
{
    struct settings s = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        { "ort", 0, OPTION_TEXT, &s.ort },
        { "db", 0, OPTION_TEXT, &s.db },
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table };

    if (options_parse(&options, argc, argv, &e) < 0)
        return options_fail("doctor", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e) : report(&s, &e);

    return options_end("doctor", rc, &e);
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .about = "what can be measured on this machine, and what cannot",
    .help = help,
    .run = run,
};

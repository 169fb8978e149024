/* etw.c -- traces of Windows' own recorder: what is in an .etl file. */
#include "base/compiler.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/etw/etw_record.h"
#include "cmd/etw/etw_views.h"
#include "etw/trace.h"
#include "export/sink.h"
#include "os/process/self.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void say_missing(const struct etw_trace *t)
{
    struct buf text = { 0 };

    etw_trace_missing(&text, t);
    if (text.len)
        (void)fprintf(stderr, "ortmeter etw: %s\n", buf_cstr(&text));
    buf_release(&text);
}

static int show(const char *what, const char *path,
        const struct etw_settings *s, struct error *e)
{
    struct etw_trace *t;
    int rc = etw_trace_open(&t, path, e);

    if (rc)
        return rc;
    if (strcmp(what, "info") == 0)
        rc = etw_show_info(s, t, path, e);
    else if (strcmp(what, "stats") == 0)
        rc = etw_show_stats(s, t, path, e);
    else {
        rc = strcmp(what, "dump") == 0 ? etw_show_events(s, t, e)
                                       : etw_convert(s, t, e);
        say_missing(t);
    }
    etw_trace_close(t);
    return rc;
}

static bool put_lines(void *to, struct str lines)
{
    sink_write(to, lines);
    return !sink_failed(to);
}

static int record(const struct etw_settings *s, struct error *e)
{
    struct sink *to;
    struct buf said = { 0 };
    int rc = sink_open(&to, s->out, false, e);

    if (rc)
        return rc;
    rc = etw_record(s, etw_live_system(), put_lines, to, &said, e);
    if (said.len)
        (void)fprintf(stderr, "ortmeter etw: %s\n", buf_cstr(&said));
    buf_release(&said);

    int closed = sink_close(to, !rc, rc ? NULL : e);

    return rc ? rc : closed;
}

/* An option that would do nothing is a mistake. */
static int check_record(const struct etw_settings *s, bool recording,
        struct error *e)
{
    const struct etw_record_settings *r = &s->record;
    const struct {
        const char *name;
        const void *value;
        bool of_record;
    } some[] = {
        { "--duration", &r->seconds, true },
        { "--flags", &r->flags, true },
        { "--sample-hz", &r->sample_hz, true },
        { "--stacks", &r->stacks, true },
        { "--only", &r->only, true },
        { "--without", &r->without, true },
        { "--max-rate", &r->max_rate, true },
        { "--session", &r->session, true },
        { "--buffer-kb", &r->buffer_kb, true },
        { "--min-buffers", &r->min_buffers, true },
        { "--max-buffers", &r->max_buffers, true },
        { "--flush", &r->flush_s, true },
        { "--from", &s->filter.from_s, false },
        { "--to", &s->filter.to_s, false },
        { "--format", &s->format, false },
        { "--json", &s->json, false },
    };

    for (size_t i = 0; i < LEN(some); i++)
        if (some[i].of_record != recording && options_given(some[i].value))
            return fail(e, -EINVAL, "%s is %s", some[i].name,
                    recording ? "not for record" : "for record alone");
    return recording ? etw_record_check(s, e) : 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    static const char *const known[] = { "info", "dump", "stats", "convert",
        "record", NULL };
    struct etw_settings *s = c->settings;
    int words = c->word_count;
    const char *what = words ? c->words[0] : "";
    const char *const *k = known;

    s->filter.has_pid = options_given(&s->filter.pid);
    while (*k && strcmp(*k, what) != 0)
        k++;
    if (!*k)
        return fail(e, -EINVAL,
                "what to do with the trace is one of info, dump, stats, "
                "convert, record");

    bool recording = strcmp(what, "record") == 0;

    if (recording && words > 1)
        return fail(e, -EINVAL, "record reads no file: -o");

    int rc = check_record(s, recording, e);

    if (rc || recording)
        return rc;
    if (words < 2)
        return fail(e, -EINVAL, "there is no file to read");
    if (s->filter.to_s > 0 && s->filter.to_s <= s->filter.from_s)
        return fail(e, -EINVAL, "--to is not behind --from");
    if (strcmp(what, "convert") == 0 && etw_is_binary(s) && !s->out &&
            self_is_terminal(stdout))
        return fail(e, -EINVAL, "this format is nothing for a terminal: -o");
    return 0;
}

static const struct option options[] = {
    OPTION_TEXTS("provider", 0, struct etw_settings, filter.providers, "NAME",
            "only of that provider, by name or GUID; may be repeated"),
    OPTION_TEXTS("event", 0, struct etw_settings, filter.events, "NAME",
            "only that event, as in 'Process/Start'; one that ends with * is a "
            "beginning; may be repeated"),
    OPTION_NUMBER("pid", 0, struct etw_settings, filter.pid, "N",
            "only of that process"),
    OPTION_REAL("from", 0, struct etw_settings, filter.from_s, "S",
            "only between these seconds of the trace"),
    OPTION_REAL("to", 0, struct etw_settings, filter.to_s, "S",
            "only between these seconds of the trace"),
    OPTION_NUMBER("limit", 0, struct etw_settings, limit, "N",
            "no more than N records (dump, convert, record)"),
    OPTION_CHOICE("format", 'f', struct etw_settings, format, etw_formats, "F",
            "of convert: jsonl, csv, parquet, chrome, folded"),
    JSON_OPTION(struct etw_settings),
    OUT_OPTION(struct etw_settings),
    OPTION_REAL("duration", 0, struct etw_settings, record.seconds, "S",
            "of record: stop after S seconds; else at Ctrl-C"),
    OPTION_TEXT("flags", 0, struct etw_settings, record.flags, "A,B",
            "of record: what the kernel reports: PROCESS, THREAD, IMAGE_LOAD, "
            "MEMORY_PAGE (soft and hard faults), PROFILE, CSWITCH (these are "
            "the default), DISK_IO, DISPATCHER, PAGE_FAULTS, HARD_FAULTS, "
            "VIRTUAL_ALLOC, FILE_IO, FILE_IO_INIT"),
    OPTION_FLAG("stacks", 0, struct etw_settings, record.stacks,
            "of record: with the stacks of samples and context switches"),
    OPTION_TEXTS("only", 0, struct etw_settings, record.only, "NAME",
            "of record: only processes of that name; may be repeated"),
    OPTION_TEXTS("without", 0, struct etw_settings, record.without, "NAME",
            "of record: not those, nor System, Idle and Registry; may be "
            "repeated"),
    OPTION_NUMBER("sample-hz", 0, struct etw_settings, record.sample_hz, "N",
            "of record: samples a second of each processor (1000)",
            .rare = true),
    OPTION_NUMBER("max-rate", 0, struct etw_settings, record.max_rate, "N",
            "of record: events a second, the rest is counted (100000; 0: all)",
            .rare = true),
    OPTION_TEXT("session", 0, struct etw_settings, record.session, "NAME",
            "of record: the session's name, which the pid follows "
            "(OnnxInferenceMonitor)",
            .rare = true),
    OPTION_NUMBER("buffer-kb", 0, struct etw_settings, record.buffer_kb, "N",
            "of record: the size of each of Windows' buffers (64)",
            .rare = true),
    OPTION_NUMBER("min-buffers", 0, struct etw_settings, record.min_buffers,
            "N", "of record: how many of them at least (4)", .rare = true),
    OPTION_NUMBER("max-buffers", 0, struct etw_settings, record.max_buffers,
            "N", "of record: and at most (64)", .rare = true),
    OPTION_NUMBER("flush", 0, struct etw_settings, record.flush_s, "S",
            "of record: hand buffers on after S seconds (1)", .rare = true),
    OPTION_END,
};

static int run(const struct cmd_call *c, struct error *e)
{
    if (strcmp(c->words[0], "record") == 0)
        return record(c->settings, e);
    return show(c->words[0], c->words[1], c->settings, e);
}

const struct cmd cmd_etw = {
    .name = "etw",
    .about = "read traces of Windows' event tracing (.etl), record events",
    .usage = "info|dump|stats|convert|record [options] [FILE]",
    .text = "Reads traces of Windows' event tracing (.etl), on any system; "
            "takes the\n"
            "events as they happen, on Windows.\n"
            "\n"
            "  info      what the trace is, and how many records of each kind\n"
            "  dump      the records as JSON, one a line, in the order of "
            "their times\n"
            "  stats     what each process did; ONNX Runtime's inferences\n"
            "  convert   the records as jsonl, csv, parquet or chrome; the "
            "stacks of\n"
            "            samples, or of the events that --event names, as "
            "folded, for\n"
            "            flame graphs\n"
            "  record    what Windows reports now, as JSON, one a line "
            "(Windows, as\n"
            "            administrator); reads no FILE\n"
            "\n"
            "'ortmeter import FILE' makes a run of a trace; 'ortmeter export "
            "-f etl'\n"
            "makes a trace of a run.\n",
    .options = options,
    .notes = "Exit code: 0 good, also when the trace is cut or damaged, which "
             "is\n"
             "said; 1 it cannot be read or recorded, 2 wrong usage.\n",
    .examples = "etw info trace.etl --json\n"
                "etw dump trace.etl --provider Microsoft.ML.ONNXRuntime\n"
                "etw dump trace.etl --event 'Process/*' --pid 4242\n"
                "etw convert trace.etl -f parquet -o events.parquet\n"
                "etw convert trace.etl -f folded --pid 4242 | flamegraph.pl\n"
                "etw record --duration 10 --only infer.exe -o events.jsonl\n",
    .words_max = 2,
    .settings_size = sizeof(struct etw_settings),
    .defaults = &(const struct etw_settings){ .record = ETW_RECORD_SETTINGS },
    .check = check,
    .run = run,
};

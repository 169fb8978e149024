/* serve.c -- recorded and running runs over HTTP, until somebody stops it. */
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "cmd/serving.h"
#include "os/clock.h"
#include "os/process/interrupt.h"
#include "os/process/pause.h"

struct settings {
    struct serving_settings serving;
    struct source source;
};

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    struct serving *serving = NULL;
    struct address fleet = { 0 };
    int rc = source_is_fleet(&fleet, &s->source, e);

    interrupt_catch();
    if (rc >= 0)
        rc = serving_start(&serving, &s->serving, &s->source.database,
                rc ? &fleet : NULL, e);
    while (!rc && !interrupt_came())
        (void)sleep_until(mono_ns() + UINT64_C(3600000000000));
    serving_stop(serving);
    address_release(&fleet);
    return rc;
}

static const struct option options[] = {
    SERVING_OPTIONS(struct settings, serving),
    OPTION_FLAG("open", 0, struct settings, serving.opens,
            "open the page in a browser, where there is a display"),
    OPTION_FLAG("tls-self-signed", 0, struct settings, serving.self_signed,
            "TLS by a certificate of our own making, kept for a year",
            .rare = true),
    OPTION_TEXTS("embed-origin", 0, struct settings, serving.embedders, "URL",
            "pages from there may show /embed/... in them; may be repeated",
            .rare = true),
    OPTION_TEXTS("model-root", 0, struct settings, serving.model_roots,
            "FOLDER",
            "a folder with language models that clients with the role operator "
            "may have texts made by; may be repeated"),
    OPTION_FLAG("store-prompts", 0, struct settings, serving.store_prompts,
            "keep the prompts and texts of those, too", .rare = true),
    SOURCE_OPTIONS(struct settings, source),
    OPTION_END,
};

const struct cmd cmd_serve = {
    .name = "serve",
    .about = "runs over HTTP and WebSocket, for programs and the page",
    .usage = "[options]",
    .text = "Serves the runs in the database, and those that are being "
            "recorded, over\n"
            "HTTP and WebSocket, until it is stopped.  The address is told on "
            "stderr;\n"
            "behind its # is a token for the owner, who may do everything.  "
            "Without a\n"
            "token one may look, on this machine only.  docs/api.md says what "
            "can be\n"
            "asked for.\n"
            "With --store it serves the runs of many machines instead: those "
            "that were sent\n"
            "there, without what happens just now.\n",
    .options = options,
    .notes = "Tokens for others: 'ortmeter token'.  Every access is noted in "
             "audit.log\n"
             "in the folder ortmeter below XDG_STATE_HOME or ~/.local/state.\n",
    .examples = "serve\n"
                "serve --port 9000 --require-token\n"
                "serve --open --model-root ~/models\n"
                "serve --store clickhouse://meter@db.example:8123/runs\n"
                "serve --bind 0.0.0.0 --tls-cert c.pem --tls-key k.pem\n"
                "serve --bind 0.0.0.0 --tls-self-signed --host meter.lan\n",
    .settings_size = sizeof(struct settings),
    .run = run,
};

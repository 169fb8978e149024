/* energy.c -- the full account of a run's energy. */
#include "analyse/summary.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/database.h"
#include "cmd/energy_flops.h"
#include "cmd/energy_prices.h"
#include "cmd/energy_text.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/term.h"
#include "export/energy_json.h"
#include "export/energy_parts_json.h"
#include "export/summary_json.h"

static const char help[] =
        "Usage: ortmeter energy [options] [RUN]\n"
        "\n"
        "Prints what a recorded run drew, whose it was, and how that is "
        "known:\n"
        "measured by a sensor, apportioned from what one measured, or\n"
        "modelled.  RUN is its id, the beginning of one, or 'last', which is\n"
        "also meant when it is left out.\n"
        "\n"
        "Options:\n"
        "  --json          one JSON document instead of text\n"
        "  --region NAME   where the electricity comes from, for its carbon:\n"
        "                  DE, DEU, Germany, world ...\n"
        "  --carbon G      grams of CO2e for a kWh, instead of a region's\n"
        "  --price P       of a kWh\n"
        "  --pue N         of the data centre: its energy over its machines'\n"
        "  --by KEY        what work in the same stretch of time shares its\n"
        "                  energy by: busy (time; the default), flops, cycles\n"
        "  --flops N       floating-point operations of an inference; else as\n"
        "                  the model's file or the operators tell\n"
        "  --db FILE       the database to read\n"
        "  -o FILE         write to FILE\n"
        "  -h, --help      this text\n"
        "\n"
        "Exit code: 0 good, 1 there is no such run or it cannot be read, 2\n"
        "wrong usage.\n"
        "\n"
        "Examples:\n"
        "  ortmeter energy\n"
        "  ortmeter energy last --region FR --price 0.25\n"
        "  ortmeter energy last --by flops\n"
        "  ortmeter energy 3f2a --json -o energy.json\n";

struct settings {
    bool json, help;
    double flops;
    struct option_choice by; /* of energy_by_names */
    const char *out, *db;
    struct energy_price_options prices;
};

static void flops_json(struct json *j, const struct energy_flops *f)
{
    json_object(j, "flops");
    if (f->each > 0) {
        json_real(j, "per_inference", f->each);
        json_text(j, "source", f->source);
    } else {
        json_text(j, "reason", f->why.text);
    }
    json_end(j);
}

static void write_json(struct buf *text, const struct energy_flops *flops,
        const struct summary *summary)
{
    struct json j = json_into(text);
    struct energy_counts n = summary_energy_counts(summary);

    n.flops = flops->each;
    json_object(&j, NULL);
    json_int(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    summary_run_json(&j, "run", &summary->run);
    energy_json(&j, "energy", &summary->energy, &n, &summary->prices, true);
    energy_parts_json(&j, "parts", summary);
    flops_json(&j, flops);
    json_end(&j);
    buf_char(text, '\n');
}

static int show(const struct settings *s, const struct energy_prices *prices,
        const char *name, struct error *e)
{
    struct store *store = NULL;
    struct summary summary;
    struct buf text = { 0 };
    int64_t row = 0;
    int rc = database_open(&store, s->db, STORE_READ, e);

    if (!rc)
        rc = store_find_run(store, name, &row, e);
    if (!rc)
        rc = summary_read(&summary, store, row, e);
    if (rc) {
        store_close(store);
        return rc;
    }

    struct energy_flops flops = { 0 };

    rc = energy_share_by(&summary, store, (enum energy_by)s->by.index, e);
    if (!rc)
        energy_flops_find(&flops, s->flops, &summary, store);
    store_close(store);
    if (rc) {
        summary_release(&summary);
        return rc;
    }
    summary.prices = *prices;
    if (s->json)
        write_json(&text, &flops, &summary);
    else
        energy_text(&text, &summary, flops.each,
                !s->out && term_colours(stdout));
    rc = output_write(s->out, buf_str(&text), e);
    buf_release(&text);
    summary_release(&summary);
    return rc;
}

static int run(int argc, char **argv)
{
    struct settings s = { .by.all = energy_by_names };
    struct energy_prices prices = { 0 };
    struct error e = { "" };
    const struct option table[] = {
        { "json", 0, OPTION_FLAG, &s.json },
        { "region", 0, OPTION_TEXT, &s.prices.region },
        { "carbon", 0, OPTION_REAL, &s.prices.carbon },
        { "price", 0, OPTION_REAL, &s.prices.price },
        { "pue", 0, OPTION_REAL, &s.prices.pue },
        { "by", 0, OPTION_CHOICE, &s.by },
        { "flops", 0, OPTION_REAL, &s.flops },
        { "db", 0, OPTION_TEXT, &s.db },
        { NULL, 'o', OPTION_TEXT, &s.out },
        { "help", 'h', OPTION_FLAG, &s.help },
        { 0 },
    };
    const struct options options = { .table = table, .max_words = 1 };
    int words = options_parse(&options, argc, argv, &e);

    if (words < 0 || (!s.help && energy_prices(&prices, &s.prices, &e)))
        return options_fail("energy", &e);

    int rc = s.help ? output_write(NULL, str_of(help), &e)
                    : show(&s, &prices, words ? argv[1] : "last", &e);

    return options_end("energy", rc, &e);
}

const struct cmd cmd_energy = {
    .name = "energy",
    .about = "what a recorded run drew, and whose it was",
    .help = help,
    .run = run,
};

/* energy.c -- the full account of a run's energy. */
#include "analyse/summary.h"
#include "base/json.h"
#include "cmd/cli/database.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/text/energy_flops.h"
#include "cmd/text/energy_prices.h"
#include "cmd/text/energy_text.h"
#include "cmd/text/term.h"
#include "export/json/energy_json.h"
#include "export/json/energy_parts_json.h"
#include "export/json/summary_json.h"

#include <stdio.h>

struct settings {
    bool json;
    double flops;
    int by; /* of energy_by_names */
    const char *out, *db;
    struct energy_price_options price_options;
    struct energy_prices prices;
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

    rc = energy_share_by(&summary, store, (enum energy_by)s->by, e);
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

static const struct option options[] = {
    JSON_OPTION(struct settings),
    OPTION_TEXT("region", 0, struct settings, price_options.region, "NAME",
            "where the electricity comes from, for its carbon: DE, DEU, "
            "Germany, world ..."),
    OPTION_REAL("carbon", 0, struct settings, price_options.carbon, "G",
            "grams of CO2e for a kWh, instead of a region's"),
    OPTION_REAL("price", 0, struct settings, price_options.price, "P",
            "of a kWh"),
    OPTION_REAL("pue", 0, struct settings, price_options.pue, "N",
            "of the data centre: its energy over its machines'"),
    OPTION_CHOICE("by", 0, struct settings, by, energy_by_names, "KEY",
            "what work in the same stretch of time shares its energy by: busy "
            "(time; the default), flops, cycles"),
    OPTION_REAL("flops", 0, struct settings, flops, "N",
            "floating-point operations of an inference; else as the model's "
            "file or the operators tell"),
    OPTION_TEXT("db", 0, struct settings, db, "FILE", "the database to read",
            .variable = "ORTMETER_DB"),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;

    return energy_prices(&s->prices, &s->price_options, e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;

    return show(s, &s->prices, c->word_count ? c->words[0] : "last", e);
}

const struct cmd cmd_energy = {
    .name = "energy",
    .about = "what a recorded run drew, and whose it was",
    .usage = "[options] [RUN]",
    .text = "Prints what a recorded run drew, whose it was, and how that is "
            "known:\n"
            "measured by a sensor, apportioned from what one measured, or\n"
            "modelled.  RUN is its id, the beginning of one, or 'last', which "
            "is\n"
            "also meant when it is left out.\n",
    .options = options,
    .notes = "Exit code: 0 good, 1 there is no such run or it cannot be read, "
             "2\n"
             "wrong usage.\n",
    .examples = "energy\n"
                "energy last --region FR --price 0.25\n"
                "energy last --by flops\n"
                "energy 3f2a --json -o energy.json\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};

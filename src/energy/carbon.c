#include "energy/carbon.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define JOULES_PER_KWH 3.6e6
#define NEAR_COUNT     3
#define NAME_BYTES     32

static bool matches(const struct region *r, const char *text)
{
    return (r->code[0] && strcasecmp(text, r->code) == 0) ||
           (r->code_3[0] && strcasecmp(text, r->code_3) == 0) ||
           strcasecmp(text, r->name) == 0;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t of_two = a < b ? a : b;

    return of_two < c ? of_two : c;
}

/* How many letters must change to make one text the other, as Levenshtein
 * counts; of the first letters only, where a name is long. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_BYTES + 1];
    size_t len = strnlen(b, NAME_BYTES);

    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 0; i < NAME_BYTES && a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < len; j++) {
            size_t kept = diagonal + (lower(a[i]) != lower(b[j]));

            diagonal = row[j + 1];
            row[j + 1] = least(kept, row[j] + 1, diagonal + 1);
        }
    }
    return row[len];
}

static size_t nearness(const struct region *r, const char *text)
{
    size_t best = distance(text, r->name);
    size_t beginning = strlen(text);

    /* The beginning of a name is as near as can be without being it. */
    if (beginning > 2 && strncasecmp(text, r->name, beginning) == 0)
        return 0;
    if (r->code[0] && beginning <= 3) {
        size_t code = distance(text, beginning == 2 ? r->code : r->code_3);

        best = code < best ? code : best;
    }
    return best;
}

/* The nearest that is not among those chosen already; NULL: all are. */
static const struct region *nearest(const char *text,
        const struct region *const *chosen, size_t count)
{
    const struct region *best = NULL;

    for (size_t i = 0; i < region_count; i++) {
        const struct region *r = &region_table[i];
        bool taken = false;

        for (size_t k = 0; k < count; k++)
            taken |= chosen[k] == r;
        if (!taken && (!best || nearness(r, text) < nearness(best, text)))
            best = r;
    }
    return best;
}

static int unknown(const char *text, struct error *e)
{
    struct buf near = { 0 };
    const struct region *chosen[NEAR_COUNT];

    for (size_t n = 0; n < NEAR_COUNT; n++) {
        const struct region *r = nearest(text, chosen, n);

        if (!r)
            break;
        chosen[n] = r;
        buf_printf(&near, "%s%s%s%s%s", n ? ", " : "", r->name,
                r->code[0] ? " (" : "", r->code, r->code[0] ? ")" : "");
    }

    int rc = fail(e, -ENOENT,
            "no region is called '%.40s'; near are: %s; or give the grams for "
            "a kWh",
            text, buf_cstr(&near));

    buf_release(&near);
    return rc;
}

int carbon_region(struct carbon_grid *out, const char *text, struct error *e)
{
    for (size_t i = 0; i < region_count; i++) {
        const struct region *r = &region_table[i];

        if (!matches(r, text))
            continue;
        *out = (struct carbon_grid){
            .grams_per_kwh = r->grams_per_kwh,
            .name = r->name,
            .source = REGION_SOURCE ", " REGION_LICENCE,
            .year = r->year,
        };
        return 0;
    }
    return unknown(text, e);
}

struct carbon_grid carbon_given(double grams_per_kwh)
{
    return (struct carbon_grid){
        .grams_per_kwh = grams_per_kwh,
        .name = "given",
        .source = "the command line",
    };
}

double carbon_kwh(double joules)
{
    return joules / JOULES_PER_KWH;
}

double carbon_grams(double joules, double pue, const struct carbon_grid *grid)
{
    return carbon_kwh(joules) * pue * grid->grams_per_kwh;
}

double carbon_cost(double joules, double pue, double price_per_kwh)
{
    return carbon_kwh(joules) * pue * price_per_kwh;
}

struct carbon_sci carbon_sci(const struct carbon_sci_input *in)
{
    struct carbon_sci out = {
        .complete = in->embodied_grams > 0 && in->lifespan_s > 0,
    };

    if (out.complete)
        out.embodied_grams =
                in->embodied_grams * in->used_s / in->lifespan_s * in->share;
    if (in->units > 0)
        out.grams_per_unit =
                (in->operational_grams + out.embodied_grams) / in->units;
    return out;
}

#include "analyse/verdict/against_baseline.h"

#include "analyse/verdict/same_program.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A baseline, as far as it is of this program. */
struct candidate {
    char *name;
    struct run_rows rows; /* the oldest first */
    bool has_run;         /* the run itself is in it */
};

struct search {
    const struct run *run;
    struct candidate *all;
    size_t count;
};

static void take_baseline(void *to, const char *name, const struct run *r)
{
    struct search *s = to;

    if (!s->count || strcmp(s->all[s->count - 1].name, name) != 0) {
        s->all = alloc_resize(s->all, (s->count + 1) * sizeof(*s->all));
        s->all[s->count++] = (struct candidate){ .name = alloc_text(name) };
    }

    struct candidate *c = &s->all[s->count - 1];

    c->has_run |= r->row == s->run->row;
    if (same_program(r, s->run))
        run_rows_add(&c->rows, r->row);
}

static const struct candidate *choose(const struct search *s)
{
    const struct candidate *best = NULL;

    for (size_t i = 0; i < s->count; i++) {
        const struct candidate *c = &s->all[i];

        if (!c->has_run && c->rows.count &&
                (!best || c->rows.row[c->rows.count - 1] >
                                  best->rows.row[best->rows.count - 1]))
            best = c;
    }
    return best;
}

int against_baseline_read(struct against_baseline *out, struct store *s,
        const struct run *run, struct error *e)
{
    struct search search = { .run = run };
    const struct candidate *c;
    int rc = store_each_baseline(s, take_baseline, &search, e);

    *out = (struct against_baseline){ .name = NULL };
    if (!rc && (c = choose(&search)) != NULL) {
        rc = judgement_make(&out->judgement,
                &(struct judgement_runs){ s, c->rows.row, c->rows.count },
                &(struct judgement_runs){ s, &run->row, 1 },
                &(struct judgement_want){ .least = 0 }, e);
        out->name = rc ? NULL : alloc_text(c->name);
    }
    for (size_t i = 0; i < search.count; i++) {
        free(search.all[i].name);
        free(search.all[i].rows.row);
    }
    free(search.all);
    return rc;
}

void against_baseline_release(struct against_baseline *a)
{
    if (a->name)
        judgement_release(&a->judgement);
    free(a->name);
    *a = (struct against_baseline){ .name = NULL };
}

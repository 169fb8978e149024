/* rule_optimisation_off.c -- a session that asked for less than ONNX Runtime
 * can do with its graph. */
#include "analyse/finding/findings.h"
#include "base/json_read.h"

/* ONNX Runtime's: 0 none, 1 basic, 2 extended, 99 all.  -1: not said, which is
 * all. */
static int64_t level_of(const char *options)
{
    struct str rest = str_of(options ? options : "{}"), key, value;
    int64_t level = -1;

    while (json_next_member(&rest, &key, &value) > 0)
        if (str_is(key, "graph_optimization_level") && str_i64(&level, value))
            level = -1;
    return level;
}

int rule_optimisation_off(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    (void)e;
    if (!c->session)
        return 0;

    int64_t level = level_of(c->session->options);

    if (level != 0 && level != 1)
        return 0;

    struct finding *x = findings_add(f, "optimisation_off", FINDING_LOOK);

    buf_printf(&x->text, "the session runs its graph %s",
            level ? "with basic optimisation only" : "without optimisation");
    buf_text(&x->detail, "set graph_optimization_level to all, unless results "
                         "must be those of the file's nodes bit by bit");
    finding_evidence(x, "graph_optimization_level", (double)level, "level");
    return 0;
}

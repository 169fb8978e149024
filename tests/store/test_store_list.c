/* test_store_list.c -- which runs are listed, and in which order. */
#include "stored.h"

#include "base/compiler.h"
#include "model/metric.h"

/* A run is told by one letter: its command. */
static const struct {
    const char *letter, *tags, *experiment, *prompt;
    const char *models[2];
    uint64_t wall_ns, duration_ns;
    double energy_mj; /* 0: not known */
} runs[] = {
    { "a", "x,y", "one", "Tell me a TALE", { "/m/Mobile.onnx", NULL }, 100, 50,
            7 },
    { "b", "y", "one", NULL, { "/m/resnet.onnx", "/m/mobile2.onnx" }, 300, 10,
            0 },
    { "c", NULL, "two", "say \"hello\"", { "/m/resnet.onnx", NULL }, 200, 0,
            9 },
    { "d", " x , z ", NULL, "Grüße", { NULL, NULL }, 200, 50, 8 },
    { "e", "100%", NULL, "a_b%c", { "/m/100%.onnx", NULL }, 400, 20, 0 },
};

static void write_runs(struct store *s)
{
    for (size_t i = 0; i < LEN(runs); i++) {
        struct run r = {
            .started_wall_ns = runs[i].wall_ns,
            .meter_pid = own_pid(),
            .command = runs[i].letter,
            .version = "1",
            .tags = runs[i].tags,
            .experiment = runs[i].experiment,
            .prompt = runs[i].prompt,
        };

        CHECK_INT(store_begin_run(s, &r, NULL), 0);
        for (uint32_t m = 0; m < 2 && runs[i].models[m]; m++)
            store_add_session(s, &(struct session){ .id = m + 1,
                                         .process = 1,
                                         .model = runs[i].models[m] });
        r.status = RUN_COMPLETE;
        r.duration_ns = runs[i].duration_ns;
        r.energy_mj = runs[i].energy_mj;
        r.has_energy = runs[i].energy_mj > 0;
        CHECK_INT(store_end_run(s, &r, NULL), 0);
        if (i == 1)
            store_set_figures(s, r.row,
                    &(struct run_figure){ METRIC_inferences_per_second, 12.5 },
                    1);
    }
    stored_flush(s);
}

struct letters {
    char text[16];
    size_t len;
};

static void take(void *to, const struct run_line *l)
{
    struct letters *x = to;

    if (x->len + 1 < sizeof(x->text))
        x->text[x->len++] = *l->run->command;
    CHECK(l->has_value == (*l->run->command == 'b') || !l->has_value);
}

static void check_list(struct store *s, struct run_filter f, const char *want)
{
    struct letters got = { "", 0 };

    if (!f.limit)
        f.limit = 100;
    CHECK_INT(store_list_runs(s, &f, take, &got, NULL), 0);
    CHECK(strcmp(got.text, want) == 0);
    if (strcmp(got.text, want) != 0)
        (void)fprintf(stderr, "%s, not %s\n", got.text, want);
}

#define CHECK_LIST(want, ...) \
    check_list(s, (struct run_filter){ __VA_ARGS__ }, want)

static void filters(struct store *s)
{
    CHECK_LIST("ebdca", .limit = 100);
    CHECK_LIST("ba", .model = "mobile");
    CHECK_LIST("bc", .model = "RESNET");
    CHECK_LIST("e", .model = "100%");
    CHECK_LIST("", .model = "none such");
    CHECK_LIST("ebca", .model = ".onnx");
    CHECK_LIST("da", .tags = "x");
    CHECK_LIST("a", .tags = "x,y");
    CHECK_LIST("a", .tags = " y ,, x");
    CHECK_LIST("", .tags = "x,none");
    CHECK_LIST("", .tags = "X");
    CHECK_LIST("ba", .experiment = "one");
    CHECK_LIST("", .experiment = "on");
    CHECK_LIST("a", .prompt = "tale");
    CHECK_LIST("a", .prompt = "l me");
    CHECK_LIST("c", .prompt = "\"hello\"");
    CHECK_LIST("d", .prompt = "rüße");
    CHECK_LIST("d", .prompt = "üß");
    CHECK_LIST("e", .prompt = "_b%");
    CHECK_LIST("", .prompt = "eltl"); /* its grams, not in a row */
    CHECK_LIST("", .prompt = "hello world");
    CHECK_LIST("ebdc", .from_wall_ns = 200);
    CHECK_LIST("a", .to_wall_ns = 200);
    CHECK_LIST("dc", .from_wall_ns = 200, .to_wall_ns = 300);
    CHECK_LIST("b", .model = "mobile", .experiment = "one",
            .from_wall_ns = 101);
    CHECK_LIST("c", .model = "resnet", .prompt = "hello", .to_wall_ns = 201);
}

static void orders(struct store *s)
{
    CHECK_LIST("acdbe", .ascending = true);
    CHECK_LIST("daebc", .order = RUN_BY_DURATION); /* equal: the newer first */
    CHECK_LIST("cbead", .order = RUN_BY_DURATION, .ascending = true);
    CHECK_LIST("cdaeb", .order = RUN_BY_ENERGY);
    CHECK_LIST("da", .order = RUN_BY_ENERGY, .tags = "x");
    CHECK_LIST("ad", .order = RUN_BY_ENERGY, .tags = "x", .ascending = true);
    CHECK_LIST("cdb", .order = RUN_BY_ENERGY, .from_wall_ns = 150,
            .to_wall_ns = 350);
    CHECK_LIST("eb", .limit = 2);
    CHECK_LIST("dc", .limit = 2, .offset = 2);
    CHECK_LIST("a", .limit = 2, .offset = 4);
    CHECK_LIST("", .limit = 2, .offset = UINT64_MAX);
}

static void take_value(void *to, const struct run_line *l)
{
    if (l->has_value)
        *(double *)to += l->value;
}

/* A metric's history. */
static void figures(struct store *s)
{
    double sum = 0;

    CHECK_INT(
            store_list_runs(s,
                    &(struct run_filter){ .limit = 100,
                            .metric = &metric_table
                                              [METRIC_inferences_per_second] },
                    take_value, &sum, NULL),
            0);
    CHECK(sum == 12.5);
}

/* And when they are changed. */
static void tagging(struct store *s)
{
    int64_t row = 2; /* "b" */

    CHECK_INT(store_set_tags(s, row, "new, x", NULL), 0);
    CHECK_LIST("bda", .tags = "x");
    CHECK_LIST("a", .tags = "y");
    CHECK_LIST("b", .tags = "new");
    CHECK_INT(store_set_experiment(s, row, "two", NULL), 0);
    CHECK_LIST("bc", .experiment = "two");
    CHECK_INT(store_set_tags(s, row, NULL, NULL), 0);
    CHECK_INT(store_set_experiment(s, row, NULL, NULL), 0);
    CHECK_LIST("da", .tags = "x");
    CHECK_LIST("c", .experiment = "two");
    CHECK_LIST("", .tags = "new");
}

int main(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    CHECK_LIST("", .limit = 100);
    write_runs(s);
    filters(s);
    orders(s);
    figures(s);
    tagging(s);
    store_close(s);
    CHECK_INT(
            stored_number(&t, "SELECT count(*) FROM pragma_foreign_key_check"),
            0);
    tree_close(&t);
    return test_result();
}

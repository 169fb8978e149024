/* test_pipeline.c -- phases, sections and their shares. */
#include "analyse/generation/pipeline.h"

#include "cmd/text/pipeline_text.h"
#include "export/json/pipeline_json.h"
#include "stored.h"

#include <errno.h>
#include <math.h>

static void add(struct store *s, enum phase phase, const char *name,
        uint64_t duration_ns, double energy_mj)
{
    store_add_section(s, &(struct section){ .phase = (uint8_t)phase,
                                 .name = name,
                                 .start_ns = 1000000,
                                 .duration_ns = duration_ns,
                                 .energy_mj = energy_mj,
                                 .has_energy = energy_mj >= 0 });
}

static void has(const struct buf *text, const char *what)
{
    CHECK(strstr(buf_cstr(text), what));
    if (!strstr(buf_cstr(text), what))
        (void)fprintf(stderr, "no %s in:\n%s\n", what, buf_cstr(text));
}

static void shares(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t row = stored_run(s, 1).row;
    struct pipeline p;
    struct buf text = { 0 };
    double value = 0;

    add(s, PHASE_PRE, "tokenise", 1000000, 2);
    add(s, PHASE_PREFILL, "run", 2000000, 10);
    add(s, PHASE_DECODE, "step", 3000000, 4);
    add(s, PHASE_DECODE, "step", 4000000, 4);
    CHECK_INT(pipeline_read(&p, s, row, NULL), 0);
    CHECK_INT(p.count, 4);
    CHECK_INT(p.total.duration_ns, 10000000);
    CHECK(pipeline_time_share(&value, &p, &p.phases[PHASE_DECODE]));
    CHECK(fabs(value - 70) < 1e-9);
    CHECK(pipeline_energy_share(&value, &p, &p.phases[PHASE_PREFILL]));
    CHECK(fabs(value - 50) < 1e-9);
    CHECK(pipeline_power(&value, &p.phases[PHASE_PREFILL]));
    CHECK(fabs(value - 5000) < 1e-9); /* 10 mJ in 2 ms */

    pipeline_json(&text, &p, "some-id");
    has(&text, "\"run_id\": \"some-id\"");
    has(&text, "\"total_duration_ms\": 10.000000");
    has(&text, "\"total_energy_mj\": 20");
    has(&text, "\"section_count\": 2");
    has(&text, "\"duration_percentage\": 70.0000");
    has(&text, "\"energy_percentage\": 40.0000");
    has(&text, "\"end_time_ms\": 5.000000");
    buf_clear(&text);
    pipeline_text(&text, &p, false);
    has(&text, "  step ");
    has(&text, "70.0 %");
    buf_release(&text);
    pipeline_release(&p);
    store_close(s);
    tree_close(&t);
}

/* A sum that misses some of its parts is no sum. */
static void partly_known(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t row = stored_run(s, 1).row;
    struct error e = { 0 };
    struct pipeline p;
    struct buf text = { 0 };
    double value = 0;

    CHECK_INT(pipeline_read(&p, s, row, &e), -ENOENT);
    CHECK(strstr(e.text, "no sections"));
    add(s, PHASE_PRE, "a", 0, 2);
    add(s, PHASE_POST, "b", 0, -1);
    CHECK_INT(pipeline_read(&p, s, row, NULL), 0);
    CHECK(p.phases[PHASE_PRE].has_energy && !p.total.has_energy);
    CHECK(!pipeline_energy_share(&value, &p, &p.phases[PHASE_PRE]));
    CHECK(!pipeline_time_share(&value, &p, &p.phases[PHASE_PRE]));
    CHECK(!pipeline_power(&value, &p.phases[PHASE_PRE])); /* in no time */
    pipeline_json(&text, &p, "x");
    CHECK(!strstr(buf_cstr(&text), "percentage"));
    buf_clear(&text);
    pipeline_text(&text, &p, true);
    CHECK(!strstr(buf_cstr(&text), "nan") && !strstr(buf_cstr(&text), " inf"));
    buf_release(&text);
    pipeline_release(&p);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    shares();
    partly_known();
    return test_result();
}

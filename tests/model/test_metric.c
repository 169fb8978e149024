#include "model/metric.h"
#include "test.h"

#include <string.h>

static bool ends_with(struct str s, const char *end)
{
    size_t len = strlen(end);

    return s.len >= len && str_is((struct str){ s.p + s.len - len, len }, end);
}

/* What metric.h promises of a name: snake_case that ends with the unit. */
static bool is_well_named(const struct metric *m)
{
    struct str name = str_of(m->name);
    const char *end = m->kind == METRIC_COUNTER ? "_total"
                      : m->kind == METRIC_INFO  ? "_info"
                                                : "";

    if (strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_") != name.len)
        return false;
    if (m->name[0] < 'a' || strstr(m->name, "__") || !ends_with(name, end))
        return false;
    if (m->kind != METRIC_COUNTER && ends_with(name, "_total"))
        return false;
    if (str_starts(name, "ortmeter_")) /* only on export */
        return false;
    name.len -= strlen(end);
    if (ends_with(name, "_in_flight"))
        name.len -= strlen("_in_flight");
    return m->kind == METRIC_INFO ? !strcmp(m->unit, "none")
                                  : ends_with(name, m->unit);
}

static bool is_well_explained(const struct metric *m)
{
    return ends_with(str_of(m->help), ".") && !strpbrk(m->help, "|\n\"\\");
}

static void table(void)
{
    for (size_t i = 0; i < METRIC_IDS; i++) {
        const struct metric *m = &metric_table[i];
        int before = test_failures;

        CHECK(is_well_named(m));
        CHECK(is_well_explained(m));
        CHECK(metric_find(str_of(m->name)) == m); /* so no name is twice */
        if (test_failures != before)
            (void)fprintf(stderr, "  %s\n", m->name);
    }
}

static void finding(void)
{
    const struct metric *m = metric_find(str_of("inference_duration_seconds"));

    CHECK(m == &metric_table[METRIC_inference_duration_seconds]);
    CHECK(!strcmp(m->unit, "seconds"));
    CHECK(!strcmp(metric_kind_name(m->kind), "histogram"));
    CHECK(!strcmp(metric_scope_name(m->scope), "inference"));
    CHECK(!strcmp(metric_source_name(m->source), "hook"));
    CHECK(!metric_find(str_of("inference_duration")));
    CHECK(!metric_find(str_of("inference_duration_seconds2")));
    CHECK(!metric_find(str_of("")));
    for (int i = 0; i < METRIC_KINDS; i++)
        CHECK(metric_kind_name((enum metric_kind)i));
    for (int i = 0; i < METRIC_SCOPES; i++)
        CHECK(metric_scope_name((enum metric_scope)i));
    for (int i = 0; i < METRIC_SOURCES; i++)
        CHECK(metric_source_name((enum metric_source)i));
}

/* Every metric has one row, and `path` holds exactly this text. */
static void document(const char *path)
{
    struct buf made = { 0 }, kept = { 0 };
    char part[4096];
    size_t len, rows = 0;
    FILE *f = fopen(path, "rb");

    CHECK(f);
    if (!f)
        return;
    while ((len = fread(part, 1, sizeof(part), f)) > 0)
        buf_add(&kept, part, len);
    (void)fclose(f);

    metric_write_markdown(&made);

    struct str rest = buf_str(&made), line;

    while (str_line(&line, &rest))
        rows += str_starts(line, "| `");
    CHECK_INT(rows, METRIC_IDS);
    if (!str_eq(buf_str(&made), buf_str(&kept))) {
        test_failures++;
        (void)fprintf(stderr, "%s is out of date: run metrics_md > %s\n", path,
                path);
    }
    buf_release(&made);
    buf_release(&kept);
}

int main(void)
{
    table();
    finding();
    document(SOURCE_ROOT "/docs/metrics.md");
    return test_result();
}

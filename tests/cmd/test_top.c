/* test_top.c -- what `ortmeter top` draws: from a model to rows of text. */
#include "cmd/top/top_draw.h"

#include "test.h"

#include <string.h>

static struct top_process processes[40];
static struct buf screen; /* all rows of the last drawing */

static struct top_value known(double value)
{
    return (struct top_value){ true, value };
}

static struct top_model make_model(void)
{
    struct top_model m = {
        .host = "lab",
        .clock = "12:34:56",
        .hz = 10,
        .cost = 0.004,
        .busy = known(0.5),
        .memory_used = known(4e9),
        .memory_total = known(16e9),
        .busy_line = { { 0, 0.25, 0.5, 1 }, 4 },
        .core = { 0.1, 0.95, 0, 1 },
        .cores = 4,
        .no_device = "no driver",
        .run = "no models: nothing is being recorded",
        .process = processes,
        .processes = 4,
    };

    memset(processes, 0, sizeof(processes));
    processes[0] = (struct top_process){ .pid = 41,
        .name = "node",
        .cpu_cores = known(1.5),
        .rss_bytes = known(3e8),
        .threads = known(11) };
    processes[1] = (struct top_process){ .pid = 7,
        .name = "python3",
        .cpu_cores = known(0.2),
        .rss_bytes = known(9e8),
        .threads = known(3) };
    processes[2] = (struct top_process){ .pid = 9, .name = "young" };
    processes[3] = (struct top_process){ .pid = 100,
        .name = "idle\033[2J",
        .cpu_cores = known(0),
        .rss_bytes = known(1e6),
        .threads = known(1) };
    return m;
}

static const char *draw(struct top_model *m, const struct top_view *v, int rows,
        int cols)
{
    struct grid g = { 0 };

    grid_reset(&g, rows, cols);
    top_draw(&g, m, v);
    buf_clear(&screen);
    for (int i = 0; i < rows; i++) {
        grid_row(&screen, &g, i);
        buf_char(&screen, '\n');
    }
    grid_release(&g);
    return buf_cstr(&screen);
}

static int has(const char *text)
{
    int found = strstr(buf_cstr(&screen), text) != NULL;

    if (!found)
        (void)fprintf(stderr, "no '%s' in\n%s", text, buf_cstr(&screen));
    return found;
}

/* Whether one stands above or left of the other. */
static int before(const char *a, const char *b)
{
    const char *x = strstr(buf_cstr(&screen), a);
    const char *y = strstr(buf_cstr(&screen), b);

    return x && y && x < y;
}

static void check_screen(void)
{
    struct top_model m = make_model();
    struct top_view v = { 0 };

    (void)draw(&m, &v, 24, 80);
    CHECK(has("ortmeter top  lab  12:34:56  10 Hz  ortmeter itself 0.4 %"));
    CHECK(has("CPU  █████████████░░░░░░░░░░░░░  50.0 % ▁▃▅█"));
    CHECK(has("4.00 GB of 16.0 GB"));
    CHECK(has("  1 ██████████░  95 %"));
    CHECK(has("no GPU or NPU: no driver"));
    CHECK(has("no models: nothing is being recorded"));
    CHECK(has("      41  node                 150.0    300 MB       11"));
    /* What is not known is not 0. */
    CHECK(has("       9  young                    –         –        –"));
    /* A name cannot move the cursor. */
    CHECK(has("idle [2J"));
    CHECK(has("q quit  space pause"));
    /* The busiest first, the unknown last. */
    CHECK(before("node", "python3"));
    CHECK(before("idle", "young"));
    CHECK(has("CPU %▾"));
}

static void check_models(void)
{
    struct top_model m = make_model();
    struct top_view v = { 0 };

    m.latencies = 1;
    m.latency[0] = (struct top_latency){ .name = "silero_vad",
        .count = 100,
        .per_s = 312.5,
        .p50_ns = 96000,
        .p95_ns = 120000,
        .last_ns = 99000,
        .failed = 2 };
    m.devices = 1;
    (void)snprintf(m.device[0].name, sizeof(m.device[0].name), "npu0");
    m.device[0].busy = known(0.25);
    m.device[0].watts = known(3.5);
    (void)snprintf(m.run, sizeof(m.run), "run 0123abcd");
    (void)draw(&m, &v, 30, 100);
    CHECK(has("run 0123abcd"));
    CHECK(has("silero_vad"));
    CHECK(has("312.5     96.0 µs      120 µs     99.0 µs 2 failed"));
    CHECK(has("npu0"));
    CHECK(has(" 25 %"));
    CHECK(has("3.5 W"));
    CHECK(!strstr(buf_cstr(&screen), "°C")); /* nobody told */
    CHECK(!strstr(buf_cstr(&screen), "no GPU"));
}

static void press(struct top_view *v, const char *keys)
{
    for (; *keys; keys++)
        top_key(v, *keys);
}

static void check_keys(void)
{
    struct top_model m = make_model();
    struct top_view v = { 0 };

    press(&v, "m");
    (void)draw(&m, &v, 24, 80);
    CHECK(before("python3", "node") && has("RSS▾"));
    press(&v, "m"); /* again: the other way round */
    (void)draw(&m, &v, 24, 80);
    CHECK(before("node", "python3") && has("RSS▴"));
    press(&v, "p");
    (void)draw(&m, &v, 24, 80);
    CHECK(before("python3", "young") && before("young", "node"));
    press(&v, "n");
    (void)draw(&m, &v, 24, 80);
    CHECK(before("idle", "node") && before("python3", "young"));
    press(&v, "tr");
    CHECK(v.order == TOP_BY_THREADS && v.reversed);

    /* A filter is typed: q is a letter then. */
    press(&v, "c/pyq");
    CHECK(v.typing && !v.quit);
    (void)draw(&m, &v, 24, 80);
    CHECK(has("filter: pyq_") && has("no process has that"));
    top_key(&v, TOP_KEY_BACKSPACE);
    press(&v, "\n");
    (void)draw(&m, &v, 24, 80);
    CHECK(!v.typing && has("python3") && has("filter: py "));
    CHECK(!strstr(buf_cstr(&screen), "node"));
    top_key(&v, 27);
    CHECK(!v.filter[0]);
    press(&v, "/41\n"); /* a pid will do */
    (void)draw(&m, &v, 24, 80);
    CHECK(has("node") && !strstr(buf_cstr(&screen), "python3"));
    top_key(&v, 27);

    press(&v, "?");
    (void)draw(&m, &v, 24, 80);
    CHECK(has("sort by memory") && !strstr(buf_cstr(&screen), "python3"));
    press(&v, "? ");
    (void)draw(&m, &v, 24, 80);
    CHECK(v.paused && has("PAUSED") && has("python3"));
    press(&v, "q");
    CHECK(v.quit);
}

static void check_scroll(void)
{
    struct top_model m = make_model();
    struct top_view v = { .order = TOP_BY_PID };

    m.processes = 40;
    for (int i = 0; i < 40; i++) {
        processes[i] = (struct top_process){ .pid = 1000 + (uint64_t)i };
        (void)snprintf(processes[i].name, sizeof(processes[i].name), "p%d_", i);
    }
    (void)draw(&m, &v, 24, 80);
    CHECK(has("p0_") && !strstr(buf_cstr(&screen), "p39_"));
    top_key(&v, TOP_KEY_DOWN);
    (void)draw(&m, &v, 24, 80);
    CHECK(!strstr(buf_cstr(&screen), "p0_") && has("p1_"));
    for (int i = 0; i < 10; i++)
        top_key(&v, TOP_KEY_PAGE_DOWN);
    (void)draw(&m, &v, 24, 80);
    CHECK(has("p39_")); /* no further than the end */
    for (int i = 0; i < 20; i++)
        top_key(&v, TOP_KEY_PAGE_UP);
    top_key(&v, TOP_KEY_UP);
    (void)draw(&m, &v, 24, 80);
    CHECK(has("p0_"));
}

/* Whatever the size: nothing is written outside, and the foot stays. */
static void check_sizes(void)
{
    struct top_model m = make_model();
    struct top_view v = { 0 };

    m.cores = TOP_CORES;
    m.latencies = TOP_MODELS;
    m.devices = TOP_DEVICES;
    for (int rows = 1; rows < 60; rows += 3)
        for (int cols = 1; cols < 250; cols += 7) {
            v.help = !v.help;
            (void)draw(&m, &v, rows, cols);
        }
    v.help = false;
    (void)draw(&m, &v, 5, 30);
    CHECK(has("q quit  space pause  / filter"));
    (void)draw(&m, &v, 0, 0);
    (void)draw(&m, &v, 60, 200);
    CHECK(has("+ "));
}

int main(void)
{
    check_screen();
    check_models();
    check_keys();
    check_scroll();
    check_sizes();
    buf_release(&screen);
    return test_result();
}

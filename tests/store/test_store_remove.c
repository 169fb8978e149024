/* test_store_remove.c -- runs that go, and what stays. */
#include "stored.h"

#include "base/compiler.h"

#include <errno.h>
#include <sys/wait.h>

/* Two runs that share some texts, labels and a machine. */
static struct run add_run(struct store *s, const char *own, uint64_t wall_ns)
{
    struct run r = {
        .started_wall_ns = wall_ns,
        .meter_pid = own_pid(),
        .command = own,
        .version = "1",
        .host = "{}",
        .tags = "shared-tag",
        .experiment = own,
        .prompt = own,
    };

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    store_add_process(s, &(struct process){ .id = 1, .program = own });
    store_add_session(s, &(struct session){ .id = 1, .model = own });
    store_add_token(s, &(struct token){ .text = own });
    store_add_section(s, &(struct section){ .name = "shared-text" });
    store_add_operator(s, &(struct operator){ .id = 1, .name = own });
    store_add_operator_run(s, &(struct operator_run){ .operator_id = 1 });
    store_add_mark(s, &(struct note){ .text = own });
    (void)store_add_inference(s,
            &(struct inference){ .flags = FLAG_FAILED, .error = own });
    store_add_subject(s, 0, &(struct subject){ .name = own });
    store_add_reading(s, &(struct reading){ .time_ns = 1 });
    store_add_rollup(s, &(struct rollup){ .count = 1 });
    store_add_absence(s, &(struct absence_note){ .reason = own });
    store_set_figures(s, r.row, &(struct run_figure){ 0, 1 }, 1);
    stored_flush(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    return r;
}

/* How often the bytes are in a file. */
static size_t count_in(const char *path, const char *bytes)
{
    FILE *f = fopen(path, "rb");
    size_t len = strlen(bytes), found = 0, have = 0;
    char window[64] = "";
    int c;

    if (!f)
        return 0;
    while ((c = fgetc(f)) != EOF) {
        if (have == len)
            memmove(window, window + 1, len - 1);
        else
            have++;
        window[have - 1] = (char)c;
        found += have == len && memcmp(window, bytes, len) == 0;
    }
    (void)fclose(f);
    return found;
}

static size_t count_anywhere(const struct tree *t, const char *bytes)
{
    size_t found = count_in(stored_path(t), bytes);

    return found + count_in(tree_path(t, "runs.db-wal"), bytes);
}

static int64_t rows_in_all(const struct tree *t)
{
    static const char *const tables[] = { "processes", "sessions", "tokens",
        "pipeline_sections", "operators", "operator_runs", "events",
        "inferences", "subjects", "readings", "rollups", "absences",
        "run_figures", "run_labels", "text_uses" };
    int64_t rows = 0;

    for (size_t i = 0; i < LEN(tables); i++) {
        char sql[80];

        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
        rows += stored_number(t, sql);
    }
    return rows;
}

/* All that was one run's goes, and nothing of the other's. */
static void deleted(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run one = add_run(s, "SECRET-OF-ONE", 1);
    int64_t rows = rows_in_all(&t);

    (void)add_run(s, "SECRET-OF-TWO", 2);
    CHECK_INT(rows_in_all(&t), 2 * rows);
    CHECK(count_anywhere(&t, "SECRET-OF-ONE") > 5);
    CHECK_INT(store_delete_run(s, one.row, NULL), 0);
    CHECK_INT(store_delete_run(s, one.row, NULL), -ENOENT);
    CHECK_INT(store_delete_run(s, 999, NULL), -ENOENT);
    CHECK_INT(store_forget(s, NULL), 0);
    CHECK_INT(rows_in_all(&t), rows);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM texts"), 2);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM labels"), 3);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM hosts"), 1);

    /* Its bytes are nowhere any more, while the store is still open. */
    CHECK_INT(count_anywhere(&t, "SECRET-OF-ONE"), 0);
    CHECK(count_anywhere(&t, "SECRET-OF-TWO") > 5);
    CHECK_INT(stored_number(&t,
                      "SELECT count(*) FROM prompts WHERE prompts MATCH"
                      " '\"one\"'"),
            0);
    store_close(s);
    CHECK_INT(stored_is_whole(&t), 1);
    tree_close(&t);
}

/* Not one that another process records. */
static void recording(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = { .command = "x", .version = "1", .meter_pid = 1 };
    int64_t rows = 0;

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    CHECK_INT(store_delete_run(s, r.row, NULL), -EBUSY);
    CHECK_INT(store_find_run(s, r.id, &rows, NULL), 0);
    store_close(s);
    tree_close(&t);
}

/* --- pruning -------------------------------------------------------------- */

static void take_row(void *to, int64_t row)
{
    char *text = to;
    size_t len = strlen(text);

    text[len] = (char)('0' + row);
    text[len + 1] = 0;
}

static void check_prunable(struct store *s, uint64_t before, uint64_t keep,
        const char *want)
{
    char got[16] = "";

    CHECK_INT(store_each_prunable(s, before, keep, take_row, got, NULL), 0);
    CHECK(strcmp(got, want) == 0);
    if (strcmp(got, want) != 0)
        (void)fprintf(stderr, "%s, not %s\n", got, want);
}

static void pruned(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    for (uint64_t i = 1; i <= 5; i++)
        (void)add_run(s, "run", 100 * i);
    stored_change(&t, "INSERT INTO baselines VALUES ('main', 2, 1, NULL);"
                      "UPDATE profiling_runs SET status = 0 WHERE id = 1");
    check_prunable(s, 0, 1, "43"); /* newest first, not 2 and not 1 */
    check_prunable(s, 0, 0, "543");
    check_prunable(s, 400, 0, "3");
    check_prunable(s, 401, 0, "43");
    check_prunable(s, 500, 3, "");
    check_prunable(s, 1, 0, "");
    check_prunable(s, 0, UINT64_MAX, "");
    store_close(s);
    tree_close(&t);
}

static void vacuumed(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    for (int i = 0; i < 40000; i++) {
        if (!i)
            (void)stored_run(s, 1);
        (void)store_add_inference(s, &(struct inference){ .start_ns = 1 });
    }
    stored_flush(s);
    stored_change(&t, "INSERT INTO texts (text) VALUES ('left over')");
    CHECK_INT(store_forget(s, NULL), 0);

    uint64_t before = store_bytes(s);

    CHECK_INT(store_delete_run(s, 1, NULL), 0);
    CHECK_INT(store_vacuum(s, NULL), 0);
    CHECK(store_bytes(s) * 2 < before);
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM texts"), 0);
    CHECK_INT(stored_is_whole(&t), 1);
    tree_close(&t);
}

int main(void)
{
    deleted();
    recording();
    pruned();
    vacuumed();
    return test_result();
}

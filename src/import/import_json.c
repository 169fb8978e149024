/* import_json.c -- a run that `ortmeter export -f json` wrote, into the store
 * again, with its id and times: exported again it is the same file.
 *
 * The document is taken apart as it comes (base/json_split), so memory does not
 * grow with its rows.  Nothing in it is trusted. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/json_read.h"
#include "base/json_split.h"
#include "export/json/json_depth.h"
#include "export/json/json_run.h"
#include "export/table/row_read.h"
#include "export/table/table.h"
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json_import {
    struct store *store;
    struct run *run;
    const char *tags; /* of the command line */
    struct json_split *split;
    struct row_reader reader;
    struct row_reader run_reader; /* whose texts last to the end */
    bool format_seen, run_seen;
    const struct table *table; /* of the row before */
    uint64_t number;           /* of the row in it */
    uint64_t rows;
    uint64_t counts[4]; /* sessions, inferences, operators, operator runs */
    int failed;
    struct error why;
};

static bool recognise(struct str head)
{
    struct str s = str_trim(head);
    size_t look = s.len < 256 ? s.len : 256;

    return look && *s.p == '{' &&
           str_find((struct str){ s.p, look }, "\"" JSON_RUN_FORMAT "\"");
}

/* --- the run -------------------------------------------------------------- */

static int refuse(struct json_import *j, const char *what)
{
    return fail(&j->why, -EINVAL, "%s", what);
}

static bool is_id(struct str s)
{
    if (s.len != RUN_ID_LEN)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        bool hex = (s.p[i] >= '0' && s.p[i] <= '9') ||
                   (s.p[i] >= 'a' && s.p[i] <= 'f');

        if (dash ? s.p[i] != '-' : !hex)
            return false;
    }
    return true;
}

/* Its id is no column that a struct can be filled with. */
static int read_id(struct json_import *j)
{
    const struct cell *id = &j->run_reader.cells[0];
    int64_t there;

    if (!id->known || !is_id(id->text))
        return refuse(j, "its run has no id");
    memcpy(j->run->id, id->text.p, RUN_ID_LEN);
    if (!store_find_run_id(j->store, j->run->id, &there, NULL))
        return fail(&j->why, -EEXIST, "the run %.8s is in the database already",
                j->run->id);
    return 0;
}

/* The file's and the command line's, where the file's would be kept. */
static void add_tags(struct json_import *j)
{
    struct buf joined = { 0 };
    size_t i = 0;

    if (!j->tags)
        return;
    while (strcmp(tables[0]->type->columns[i].name, "tags") != 0)
        i++;
    if (j->run->tags)
        buf_printf(&joined, "%s,", j->run->tags);
    buf_text(&joined, j->tags);
    buf_release(&j->run_reader.texts[i]);
    j->run_reader.texts[i] = joined;
    j->run->tags = buf_cstr(&j->run_reader.texts[i]);
}

static int take_run(struct json_import *j, struct str value)
{
    struct run r = { .id = "" };
    const struct table *t = tables[0];
    int rc = row_read(&j->run_reader, t, value, &j->why);

    if (j->run_seen)
        return refuse(j, "it holds two runs");
    if (!rc)
        rc = row_put(&j->run_reader, t, &r, &j->why);
    if (rc)
        return rc;
    j->tags = j->run->tags;
    *j->run = r;
    rc = read_id(j);
    if (rc)
        return rc;
    add_tags(j);
    if (!j->run->command || !j->run->version)
        return refuse(j, "its run has no command or no version");
    /* It runs no more, here. */
    if (j->run->status == RUN_RUNNING)
        j->run->status = RUN_INTERRUPTED;
    j->run_seen = true;
    return store_begin_kept_run(j->store, j->run, &j->why);
}

/* --- rows ----------------------------------------------------------------- */

static void count(struct json_import *j, const struct table *t)
{
    static const char *const names[] = { "sessions", "inferences", "operators",
        "operator_runs" };

    j->rows++;
    for (size_t i = 0; i < LEN(names); i++)
        j->counts[i] += strcmp(names[i], t->type->name) == 0;
}

static int add_row(struct json_import *j, const struct table *t,
        struct str value)
{
    struct error why = { 0 };
    void *row = alloc_zero(1, t->type->size);
    int rc = row_read(&j->reader, t, value, &why);

    j->number = t == j->table ? j->number + 1 : 1;
    j->table = t;
    if (!rc)
        rc = row_put(&j->reader, t, row, &why);
    if (rc)
        (void)fail(&j->why, rc, "row %" PRIu64 " of %s: %.100s", j->number,
                t->type->name, why.text);
    else
        table_add(t, j->store, row);
    free(row);
    count(j, t);
    return rc;
}

/* With the rows that lie within it, at most three deep. */
static int take_row(struct json_import *j, const struct table *t,
        struct str value)
{
    const char *below_key = NULL;
    const struct table *below = json_depth_below(t, &below_key);
    struct str rest = value, key, list, item;
    int rc = add_row(j, t, value);

    while (!rc && below && json_next_member(&rest, &key, &list) > 0) {
        if (!str_is(key, below_key))
            continue;
        while (!rc && json_next_element(&list, &item) > 0)
            rc = take_row(j, below, item);
    }
    return rc;
}

static int take_format(struct json_import *j, struct str value)
{
    int64_t version = 0;

    if (str_i64(&version, value) || version < 1)
        return refuse(j, "its schema_version is no number");
    if (version > JSON_RUN_VERSION)
        return refuse(j, "a newer ortmeter wrote it");
    j->format_seen = true;
    return 0;
}

/* What we do not know is of a newer version, or empty. */
static void take(void *to, struct str key, struct str value)
{
    struct json_import *j = to;
    char name[64];

    if (j->failed || key.len >= sizeof(name))
        return;
    memcpy(name, key.p, key.len);
    name[key.len] = 0;
    if (str_is(key, "schema_version")) {
        j->failed = take_format(j, value);
        return;
    }
    if (str_is(key, "run")) {
        j->failed = j->format_seen ? take_run(j, value)
                                   : refuse(j, "it has no schema_version");
        return;
    }

    const struct table *t = table_find(name);

    if (!t || !table_takes_rows(t))
        return;
    j->failed = j->run_seen ? take_row(j, t, value)
                            : refuse(j, "its run does not come first");
}

/* --- the importer --------------------------------------------------------- */

static void begin(void *state, struct store *s, struct run *run)
{
    struct json_import *j = state;

    j->store = s;
    j->run = run;
    j->split = json_split_new(take, j);
}

static void feed(void *state, const char *bytes, size_t len)
{
    struct json_import *j = state;
    int rc = j->failed ? 0 : json_split_feed(j->split, bytes, len);

    if (rc && !j->failed)
        j->failed = refuse(j,
                rc == -EFBIG ? "a value in it is too long" : "it is no JSON");
}

static int end(void *state, struct import_tally *out, struct error *e)
{
    struct json_import *j = state;

    /* The run's texts are ours, and wanted for longer. */
    out->texts = j->run_reader.texts;
    out->text_count = out->texts ? ROW_COLUMNS_MAX : 0;
    j->run_reader.texts = NULL;
    if (!j->failed && !json_split_ended(j->split))
        j->failed = refuse(j, "its end is missing");
    if (!j->failed && !j->run_seen)
        j->failed = refuse(j, "there is no run in it");
    if (!j->failed)
        j->failed = store_flush(j->store, &j->why);
    if (!j->failed)
        j->failed = store_end_run(j->store, j->run, &j->why);
    if (j->failed)
        return fail(e, j->failed, "%s", j->why.text);
    out->events = j->rows;
    out->sessions = j->counts[0];
    out->inferences = j->counts[1];
    out->operators = j->counts[2];
    out->operator_runs = j->counts[3];
    out->node_events = j->counts[3];
    out->duration_ns = j->run->duration_ns;
    return 0;
}

static void release(void *state)
{
    struct json_import *j = state;

    json_split_free(j->split);
    row_reader_release(&j->reader);
    row_reader_release(&j->run_reader);
}

const struct importer import_json = {
    .name = "ortmeter_json",
    .about = "a run of ortmeter's",
    .own_run = true,
    .state_size = sizeof(struct json_import),
    .recognise = recognise,
    .begin = begin,
    .feed = feed,
    .end = end,
    .release = release,
};

/* readers.c -- everybody who reads a database. */
#include "base/json_read.h"
#include "chaos.h"
#include "cmd/top/top_fill.h"
#include "export/formats.h"
#include "os/clock.h"
#include "serve/live/live_run.h"
#include "serve/state.h"

#include <stdarg.h>
#include <unistd.h>

#define WORDS 12

unsigned long chaos_runs, chaos_refused;

/* --- verbs ---------------------------------------------------------------- */

int verb(const struct cmd *cmd, ...)
{
    char *argv[WORDS + 1] = { (char *)cmd->name };
    int argc = 1;
    va_list words;

    va_start(words, cmd);
    for (const char *w; argc < WORDS && (w = va_arg(words, const char *));)
        argv[argc++] = (char *)w;
    va_end(words);

    int rc = cmd_main(cmd, argc, argv);

    chaos_runs++;
    chaos_refused += rc == EXIT_FAILED;
    if (rc == EXIT_USAGE) { /* our own mistake: nothing was tried */
        (void)dprintf(STDERR_FILENO, "chaos: %s %s\n", cmd->name, argv[1]);
        abort();
    }
    return rc;
}

static void export_some(const char *db, uint64_t share)
{
    char folder[128];
    uint64_t turn = chaos_round;

    (void)snprintf(folder, sizeof(folder), "%s/tables/", chaos_work.root);
    for (const struct export_format *const *f = export_formats; *f; f++) {
        if (turn++ % share)
            continue;
        if ((*f)->write)
            (void)verb(&cmd_export, "-f", (*f)->name, "--db", db, "-o",
                    "/dev/null", "--quiet", NULL);
        for (const struct export_shape *x = (*f)->shapes; x && x->name; x++)
            (void)verb(&cmd_export, "-f", (*f)->name, "--shape", x->name,
                    "--db", db, "-o", "/dev/null", "--quiet", NULL);
        if ((*f)->write_table)
            (void)verb(&cmd_export, "-f", (*f)->name, "--db", db, "-o", folder,
                    "--quiet", NULL);
    }
}

static void ask_verbs(const char *db)
{
    (void)verb(&cmd_list, "--db", db, NULL);
    (void)verb(&cmd_list, "--json", "--db", db, NULL);
    (void)verb(&cmd_list, "--model", "a", "--sort", "energy", "--db", db, NULL);
    (void)verb(&cmd_report, "last", "--db", db, NULL);
    (void)verb(&cmd_report, "--json", "last", "--db", db, NULL);
    (void)verb(&cmd_energy, "last", "--db", db, NULL);
    (void)verb(&cmd_energy, "--json", "--by", "flops", "last", "--db", db,
            NULL);
    (void)verb(&cmd_compare, "last~1", "last", "--db", db, NULL);
    (void)verb(&cmd_baseline, "list", "--db", db, NULL);
}

/* --- the server's answers ------------------------------------------------- */

static int open_db(void *db, struct store **out, enum store_mode mode,
        struct error *e)
{
    return store_open(out, db, mode, e);
}

static bool takes(const struct route *r, const char *name)
{
    for (const struct param *p = r->params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static void add_query(struct request *r, const struct route *route,
        const char *name, const char *value)
{
    if (takes(route, name))
        r->query[r->query_count++] =
                (struct query){ str_of(name), str_of(value) };
}

static void ask(struct server *s, const struct route *route, struct str id,
        struct store **store)
{
    struct request r = { .method = str_of("GET"), .path = str_of(route->path) };
    struct dispatch d = { .route = route, .who.role = ROLE_ADMIN, .id = id };
    struct answer a = { 0 };

    add_query(&r, route, "run", "last");
    add_query(&r, route, "a", "last");
    add_query(&r, route, "b", "last");
    if (chaos_round % 2) {
        add_query(&r, route, "from", "0.1s");
        add_query(&r, route, "to", "1.2s");
        add_query(&r, route, "width", "100");
    }
    dispatch_answer(s, &d, &r, store, &a);
    chaos_runs++;
    chaos_refused += a.status >= 400;
    if (a.status == 400 || (strstr(a.type, "json") && a.body.len &&
                                   !json_is_sound(buf_str(&a.body)))) {
        (void)dprintf(STDERR_FILENO, "chaos: %s: %d %.200s\n", route->path,
                a.status, buf_cstr(&a.body));
        abort(); /* we asked badly, or it is no JSON */
    }
    answer_release(&a);
}

/* All that read the database and change nothing. */
static void ask_server(const char *db, struct str id, uint64_t share)
{
    struct server s = {
        .plan = { .open_store = open_db, .context = (void *)db },
        .open = true,
    };
    struct store *store = NULL;
    uint64_t turn = chaos_round;

    for (const struct route *r = routes; r->path; r++)
        if (strcmp(r->method, "GET") == 0 && (r->flags & ROUTE_STORE) &&
                turn++ % share == 0)
            ask(&s, r, strchr(r->path, '{') ? id : str_of(""), &store);
    store_close(store);
}

/* --- what follows a run --------------------------------------------------- */

static void tell(void *to, const char *type, const char *run, char *json)
{
    (void)to;
    (void)type;
    (void)run;
    free(json);
}

static void follow_run(void *store, const struct run *r)
{
    struct following *f = following_new(r);

    (void)following_read(f, store, tell, NULL);
    following_show(f, store);
    following_end(f, store, tell, NULL);
    following_free(f);
}

static void keep_id(void *to, const struct run *r)
{
    memcpy(to, r->id, sizeof(r->id));
}

static void follow(const char *db, char id[RUN_ID_LEN + 1])
{
    struct top_model *top = calloc(1, sizeof(*top));
    struct store *s = NULL;
    int64_t row = 0;

    chaos_runs += 2;
    if (store_open(&s, db, STORE_READ, NULL) == 0 &&
            store_find_run(s, "last", &row, NULL) == 0 &&
            store_read_run(s, row, keep_id, id, NULL) == 0) {
        (void)store_read_run(s, row, follow_run, s, NULL);
        top_fill_runs(top, s, NULL, mono_ns());
    } else {
        chaos_refused += 2;
    }
    store_close(s);
    free(top);
}

/* --- all ------------------------------------------------------------------ */

void read_all(const char *db, uint64_t share)
{
    char id[RUN_ID_LEN + 1] = "";

    ask_verbs(db);
    export_some(db, share);
    follow(db, id);
    ask_server(db, str_of(id), share);
}

void change_all(const char *db)
{
    (void)verb(&cmd_tag, "last", "c", "--db", db, NULL);
    (void)verb(&cmd_prune, "--keep", "1", "--db", db, NULL);
    (void)verb(&cmd_delete, "last", "--db", db, NULL);
    (void)verb(&cmd_vacuum, "--db", db, NULL);
}

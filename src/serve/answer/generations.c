#include "serve/answer/generations.h"

#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "os/file.h"
#include "os/path.h"
#include "os/process/child.h"
#include "os/thread.h"
#include "serve/answer/generate_request.h"
#include "serve/lws_service.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 4
#define ARGS_MAX    96
#define LOOK_MS     20 /* for its run, and for its end */
#define RUNS_LOOKED 64 /* the newest, among which its run is */
#define STOPPED     "signal 15 ended the process"
#define COMPLAINT   "ortmeter generate: "

/* One that waits or is under way. */
struct generation {
    struct generate_request request;
    char model[PATH_MAX];
    bool async;
    struct job *job; /* NULL: it is answered */
    struct buf prompt_file, out_file, document_file;
    uint32_t pid;
    int64_t row;
    char run_id[RUN_ID_LEN + 1]; /* "": not known yet */
    struct generation *next;
};

struct generations {
    struct server *server;
    struct thread *thread;
    mtx_t mutex; /* of what follows */
    cnd_t wake;
    struct generation *waiting, **end;
    size_t count; /* of those, and of the one under way */
    bool stops;
};

static void generation_free(struct generation *x)
{
    generate_request_release(&x->request);
    buf_release(&x->prompt_file);
    buf_release(&x->out_file);
    buf_release(&x->document_file);
    free(x);
}

/* --- taking a request ----------------------------------------------------- */

static bool is_below(const char *path, const char *root)
{
    size_t len = strlen(root);

    return strncmp(path, root, len) == 0 &&
           (path[len] == '/' || (len && root[len - 1] == '/'));
}

/* The folder that is meant, without links; false: it is not below one of the
 * roots, or not there at all. */
static bool find_model(char out[PATH_MAX], const struct server_plan *p,
        const char *named)
{
    for (size_t i = 0; i < p->model_root_count; i++) {
        char root[PATH_MAX];

        if (path_real(root, sizeof(root), "%s", p->model_roots[i]))
            continue;
        if ((named[0] == '/' ? path_real(out, PATH_MAX, "%s", named)
                             : path_real(out, PATH_MAX, "%s/%s", root,
                                       named)) == 0 &&
                is_below(out, root) && path_kind(out) == PATH_FOLDER)
            return true;
    }
    return false;
}

static bool check_request(struct generations *g, struct generation *x,
        struct job *j)
{
    const struct server_plan *p = &g->server->plan;
    struct call c = { .server = g->server,
        .request = &j->request,
        .route = j->what.route };
    struct answer *a = &j->answer;
    struct error why = { 0 };
    const char *wrong;
    bool asked_well;

    if (!p->generate) {
        answer_problem(a, 501, "not_built", NULL,
                "this server does not generate: see 'ortmeter serve'");
        return false;
    }
    asked_well = dispatch_type_fits(&j->what, &j->request, a) &&
                 query_read(&c, a) == 0;
    query_release(&c);
    if (!asked_well)
        return false;
    wrong = generate_request_read(&x->request, buf_str(&j->body));
    if (wrong)
        answer_problem(a, 400, "bad_body", NULL, "%s", wrong);
    else if (!find_model(x->model, p, buf_cstr(&x->request.model)))
        answer_problem(a, 404, "not_found", NULL,
                "there is no such model below --model-root");
    else if (x->request.require_energy && p->energy(p->context, &why))
        answer_problem(a, 503, "unavailable", NULL, "%s%s%s", why.text,
                why.remedy[0] ? ": " : "", why.remedy);
    else
        return true;
    return false;
}

bool generations_take(struct generations *g, struct job *j)
{
    struct generation *x = alloc_zero(1, sizeof(*x));
    bool full;

    if (!check_request(g, x, j)) {
        generation_free(x);
        return false;
    }
    x->job = j;
    x->async = str_find(j->request.prefer, "respond-async") != NULL;
    (void)mtx_lock(&g->mutex);
    full = g->count > WAITING_MAX;
    if (!full) {
        g->count++;
        *g->end = x;
        g->end = &x->next;
        (void)cnd_signal(&g->wake);
    }
    (void)mtx_unlock(&g->mutex);
    if (full) {
        answer_problem(&j->answer, 429, "too_many", NULL,
                "one generation is under way and four wait");
        buf_text(&j->answer.headers, "Retry-After: 10\n");
        generation_free(x);
    }
    return !full;
}

/* --- answers -------------------------------------------------------------- */

static void give_back(struct generations *g, struct generation *x)
{
    struct job *j = x->job;

    x->job = NULL;
    server_answered(g->server, j);
}

static void answer_done(struct generations *g, struct generation *x, int status,
        const char *response, const char *message)
{
    struct answer *a = x->job ? &x->job->answer : NULL;
    struct json j;

    if (!a)
        return;
    a->status = status;
    a->type = "application/json";
    j = json_line_into(&a->body);
    json_object(&j, NULL);
    json_text(&j, "runId", x->run_id);
    if (response)
        json_text(&j, "response", response);
    json_text(&j, "message", message);
    if (status == 202) {
        json_text(&j, "status", "running");
        buf_printf(&a->headers, "Location: /api/profiling/run/%s\n", x->run_id);
    }
    json_end(&j);
    give_back(g, x);
}

static void answer_broken(struct generations *g, struct generation *x,
        const char *why)
{
    live_say_error(g->server->live, x->run_id, "generation_failed", why);
    if (!x->job)
        return;
    answer_problem(&x->job->answer, 500, "internal", NULL, "%s", why);
    give_back(g, x);
}

/* --- one generation ------------------------------------------------------- */

static int write_prompt(const struct generation *x)
{
    FILE *f = fopen(buf_cstr(&x->prompt_file), "wbe");
    size_t len = x->request.prompt.len;
    bool good = f && fwrite(x->request.prompt.p, 1, len, f) == len;

    if (f && fclose(f))
        good = false;
    return good ? 0 : -EIO;
}

static int start(const struct generations *g, const struct generation *x,
        struct child **out, struct error *e)
{
    struct buf options = { 0 };
    char *argv[ARGS_MAX] = { 0 };
    size_t n = 0;
    int rc;

    generate_request_options(&options, &x->request);
    buf_printf(&options, "--prompt-file=%s", buf_cstr(&x->prompt_file));
    buf_char(&options, 0);
    buf_printf(&options, "-o%s", buf_cstr(&x->document_file));
    buf_char(&options, 0);
    while (n < ARGS_MAX / 2 && g->server->plan.generate[n]) {
        argv[n] = g->server->plan.generate[n];
        n++;
    }
    for (char *p = options.p; p < options.p + options.len && n < ARGS_MAX - 2;
            p += strlen(p) + 1)
        argv[n++] = p;
    argv[n++] = (char *)x->model;
    rc = child_start(out,
            &(struct child_plan){ .argv = argv,
                    .variables =
                            (struct child_variable[]){
                                    { "ORTMETER_GENERATE_SYSTEM",
                                            x->request.system.len
                                                    ? buf_cstr(&x->request
                                                                        .system)
                                                    : NULL },
                                    { 0 } },
                    .gets_signals = true,
                    .output = buf_cstr(&x->out_file) },
            e);
    buf_release(&options);
    return rc;
}

static void take_run(void *to, const struct run_line *l)
{
    struct generation *x = to;

    if (x->run_id[0] || l->run->meter_pid != x->pid)
        return;
    memcpy(x->run_id, l->run->id, sizeof(x->run_id));
    x->row = l->run->row;
}

/* Its run is the one that its process meters. */
static void find_run(struct generations *g, struct generation *x,
        struct store **store)
{
    const struct server_plan *p = &g->server->plan;
    struct run_filter newest = { .limit = RUNS_LOOKED };

    if (x->run_id[0] ||
            (!*store && p->open_store(p->context, store, STORE_READ, NULL)))
        return;
    (void)store_list_runs(*store, &newest, take_run, x, NULL);
}

static bool is_stopping(struct generations *g)
{
    bool stops;

    (void)mtx_lock(&g->mutex);
    stops = g->stops;
    (void)mtx_unlock(&g->mutex);
    return stops;
}

static void follow(struct generations *g, struct generation *x,
        struct child *child, struct child_end *end)
{
    struct store *store = NULL;
    bool asked = false;

    x->pid = child_pid(child);
    while (!child_wait(child, LOOK_MS, end)) {
        find_run(g, x, &store);
        if (x->run_id[0] && x->async)
            answer_done(g, x, 202, NULL, "the generation is under way");
        if (!asked && is_stopping(g)) {
            child_signal_end(child, false);
            asked = true;
        }
    }
    find_run(g, x, &store);
    store_close(store);
}

static void read_whole(struct buf *out, const char *path)
{
    FILE *f = fopen(path, "rbe");
    char piece[16384];
    size_t len;

    while (f && (len = fread(piece, 1, sizeof(piece), f)) > 0)
        buf_add(out, piece, len);
    if (f)
        (void)fclose(f);
}

/* The text in the document that the command wrote. */
static bool find_text(struct buf *out, struct str document)
{
    struct str rest =
            json_member(json_member(document, "generate"), "generations");
    struct str one, texts;

    if (json_next_element(&rest, &one) <= 0)
        return false;
    texts = json_member(one, "texts");
    return json_next_element(&texts, &one) > 0 &&
           json_member_text(out, one, "text");
}

/* What it printed: the text so far, and behind it, why there is no more. */
static const char *complaint_in(struct buf *printed)
{
    char *last = NULL;

    for (char *at = printed->p; at && (at = strstr(at, COMPLAINT)); at++)
        last = at;
    if (!last)
        return "";
    *last = 0;
    last += strlen(COMPLAINT);
    last[strcspn(last, "\n")] = 0;
    return last;
}

static void finish(struct generations *g, struct generation *x,
        const struct child_end *end)
{
    struct buf document = { 0 }, text = { 0 }, printed = { 0 };
    const char *why;

    read_whole(&document, buf_cstr(&x->document_file));
    read_whole(&printed, buf_cstr(&x->out_file));
    why = complaint_in(&printed);
    if (end->told && !end->exit_code && !end->signal &&
            find_text(&text, buf_str(&document)))
        answer_done(g, x, 200, buf_cstr(&text), "the generation is complete");
    else if (strstr(why, STOPPED))
        answer_done(g, x, 200, buf_cstr(&printed),
                "the generation was stopped");
    else
        answer_broken(g, x, *why ? why : "the generation ended without a text");
    buf_release(&document);
    buf_release(&text);
    buf_release(&printed);
}

static void name_experiment(struct generations *g, const struct generation *x)
{
    const struct server_plan *p = &g->server->plan;
    struct store *store = NULL;

    if (!x->run_id[0] || !x->request.experiment.len ||
            p->open_store(p->context, &store, STORE_CHANGE, NULL))
        return;
    (void)store_set_experiment(store, x->row, buf_cstr(&x->request.experiment),
            NULL);
    store_close(store);
}

static void make(struct generations *g, struct generation *x)
{
    static const char *const ends[] = { "prompt", "out", "json" };
    struct buf *const files[] = { &x->prompt_file, &x->out_file,
        &x->document_file };
    struct child *child = NULL;
    struct child_end end = { 0 };
    struct error e = { 0 };

    for (size_t i = 0; i < LEN(files); i++)
        buf_printf(files[i], "%s/generate-%u.%s", g->server->plan.folder,
                own_pid(), ends[i]);
    if (write_prompt(x))
        answer_broken(g, x, "the prompt cannot be handed over");
    else if (start(g, x, &child, &e))
        answer_broken(g, x, "ortmeter generate cannot be started");
    else {
        follow(g, x, child, &end);
        name_experiment(g, x);
        finish(g, x, &end);
    }
    child_close(child);
    for (size_t i = 0; i < LEN(files); i++) {
        file_wipe(buf_cstr(files[i]));
        (void)file_remove(buf_cstr(files[i]));
    }
}

/* --- the thread ----------------------------------------------------------- */

static struct generation *next(struct generations *g)
{
    struct generation *x;

    (void)mtx_lock(&g->mutex);
    while (!g->waiting && !g->stops)
        (void)cnd_wait(&g->wake, &g->mutex);
    x = g->stops ? NULL : g->waiting;
    if (x) {
        g->waiting = x->next;
        if (!g->waiting)
            g->end = &g->waiting;
    }
    (void)mtx_unlock(&g->mutex);
    return x;
}

static void run(void *to)
{
    struct generations *g = to;
    struct generation *x;

    while ((x = next(g))) {
        make(g, x);
        generation_free(x);
        (void)mtx_lock(&g->mutex);
        g->count--;
        (void)mtx_unlock(&g->mutex);
    }
}

int generations_start(struct generations **out, struct server *s,
        struct error *e)
{
    struct generations *g = alloc_zero(1, sizeof(*g));
    int rc;

    g->server = s;
    g->end = &g->waiting;
    (void)mtx_init(&g->mutex, mtx_plain);
    (void)cnd_init(&g->wake);
    rc = thread_start(&g->thread, run, g);
    if (rc) {
        generations_stop(g);
        return fail(e, rc, "cannot start a thread");
    }
    *out = g;
    return 0;
}

/* Those who wait are told so, as far as they still listen. */
static void turn_away(struct generations *g, struct generation *x)
{
    answer_problem(&x->job->answer, 503, "unavailable", NULL,
            "the server stops");
    give_back(g, x);
    generation_free(x);
}

void generations_stop(struct generations *g)
{
    if (!g)
        return;
    (void)mtx_lock(&g->mutex);
    g->stops = true;
    (void)cnd_signal(&g->wake);
    (void)mtx_unlock(&g->mutex);
    thread_join(g->thread);
    while (g->waiting) {
        struct generation *x = g->waiting;

        g->waiting = x->next;
        turn_away(g, x);
    }
    cnd_destroy(&g->wake);
    mtx_destroy(&g->mutex);
    free(g);
}

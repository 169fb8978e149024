#include "cmd/serving.h"

#include "base/alloc.h"
#include "base/json_read.h"
#include "cmd/doctor/diagnosis.h"
#include "energy/recorder.h"
#include "os/browser.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/process/self.h"
#include "serve/certificate.h"
#include "store/table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define LOOK_AGAIN_NS UINT64_C(10000000000)

struct serving {
    struct server *server;
    struct database database;
    const struct address *fleet; /* or NULL */
    const char *recording;       /* or NULL */
    char folder[PATH_MAX];
    mtx_t mutex; /* of what follows */
    uint64_t looked_ns;
    struct buf sources, machine; /* members of an object */
    int energy;                  /* 0: it can be measured */
    struct error no_energy;
    char self[PATH_MAX]; /* of what follows: */
    struct buf options[2];
    char *generate[6]; /* the command */
};

int serving_folder(char *out, size_t cap, struct error *e)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = state && state[0] == '/';
    char path[PATH_MAX];
    int n = given  ? snprintf(path, sizeof(path), "%s/ortmeter", state)
            : home ? snprintf(path, sizeof(path), "%s/.local/state/ortmeter",
                             home)
                   : -1;

    if (n < 0 || (size_t)n >= sizeof(path) || (size_t)n >= cap)
        return fail(e, -ENOENT, "there is no home for tokens and the log");
    for (char *slash = strchr(path + 1, '/'); slash;
            slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)path_make_folder(path, true);
        *slash = '/';
    }

    int rc = path_make_folder(path, true);

    if (rc)
        return fail(e, rc, "cannot make the folder %.200s: %s", path,
                strerror(-rc));
    memcpy(out, path, (size_t)n + 1);
    return 0;
}

static int open_store(void *to, struct store **out, enum store_mode mode,
        struct error *e)
{
    struct serving *s = to;

    if (s->recording)
        return store_open(out, s->recording, mode, e);
    if (!s->fleet)
        return database_open_as(out, &s->database, mode, e);

    int rc = store_open_copy(out, e); /* nothing is recorded there */

    return rc ? rc : store_end_copy(*out, e);
}

/* --- what only doctor knows ----------------------------------------------- */

/* The members of an object that is open, of another text. */
static void copy_members(struct json *j, const struct buf *text)
{
    struct str rest = buf_str(text), key, value;

    while (json_next_member(&rest, &key, &value) > 0) {
        char name[64] = "";

        memcpy(name, key.p, key.len < 63 ? key.len : 63);
        json_raw_str(j, name, value);
    }
}

/* Whether one of the samplers that energy comes from has something to read. */
static int look_for_energy(const struct sampling *s, struct error *why)
{
    struct sampling_rate rates[ENERGY_SAMPLERS_MAX];
    size_t count = energy_rates(rates, &(struct energy_plan){ 0 });

    (void)fail(why, -ENODEV, "nothing here measures energy");
    for (size_t i = 0; s && i < sampling_source_count(s); i++)
        for (size_t k = 0; k < count; k++) {
            const struct sampling_source *x = sampling_source_at(s, i);

            if (strcmp(x->sampler->name, rates[k].name) != 0)
                continue;
            if (!x->rc)
                return 0;
            if (x->why.remedy[0])
                *why = x->why;
        }
    return -ENODEV;
}

/* Looking takes some time, so what was seen is kept for a while. */
static void look(struct serving *s)
{
    struct diagnosis *d;
    struct runtime *runtime = NULL;
    struct json j;

    if (s->looked_ns && mono_ns() - s->looked_ns < LOOK_AGAIN_NS)
        return;
    d = alloc_zero(1, sizeof(*d));
    diagnosis_examine(d);
    buf_clear(&s->sources);
    j = json_line_into(&s->sources);
    json_object(&j, NULL);
    diagnosis_sources_json(&j, d);
    json_end(&j);
    if (!s->machine.len) { /* a runtime is loaded to be asked: once */
        if (runtime_open(&runtime, getenv("ORTMETER_ORT"), &d->no_runtime) == 0)
            d->runtime = runtime_info(runtime);
        j = json_line_into(&s->machine);
        json_object(&j, NULL);
        diagnosis_machine_json(&j, d);
        json_end(&j);
        runtime_close(runtime);
    }
    s->energy = look_for_energy(d->sampling, &s->no_energy);
    sampling_close(d->sampling);
    free(d);
    s->looked_ns = mono_ns();
}

static int find_energy(void *to, struct error *why)
{
    struct serving *s = to;
    int rc;

    (void)mtx_lock(&s->mutex);
    look(s);
    rc = s->energy;
    *why = s->no_energy;
    (void)mtx_unlock(&s->mutex);
    return rc;
}

static void write_sources(void *to, struct json *j)
{
    struct serving *s = to;

    (void)mtx_lock(&s->mutex);
    look(s);
    copy_members(j, &s->sources);
    (void)mtx_unlock(&s->mutex);
}

static void write_machine(void *to, struct json *j)
{
    struct serving *s = to;

    (void)mtx_lock(&s->mutex);
    look(s);
    copy_members(j, &s->machine);
    (void)mtx_unlock(&s->mutex);
}

/* --- start and stop ------------------------------------------------------- */

/* Our own program, and where it is to keep what it records. */
static char *const *generate_command(struct serving *s,
        const struct serving_settings *x)
{
    const char *const values[] = { s->database.path, s->database.key_file };
    static const char *const names[] = { "--db", "--key-file" };
    static char verb[] = "generate", store_prompts[] = "--store-prompts";
    size_t n = 0;

    if (self_path(s->self, sizeof(s->self)))
        return NULL;
    s->generate[n++] = s->self;
    s->generate[n++] = verb;
    for (size_t i = 0; i < LEN(values); i++)
        if (values[i]) {
            buf_printf(&s->options[i], "%s=%s", names[i], values[i]);
            s->generate[n++] = s->options[i].p;
        }
    if (x->store_prompts)
        s->generate[n++] = store_prompts;
    return s->generate;
}

/* Whoever connects compares it: nobody else vouches for the certificate. */
static void tell_certificate(const struct serving *s)
{
    struct buf path = { 0 };
    char print[CERTIFICATE_PRINT_LEN];

    buf_printf(&path, "%s/tls-cert.pem", s->folder);
    certificate_fingerprint(print, buf_cstr(&path));
    (void)fprintf(stderr, "ortmeter: its certificate has the SHA-256 %s\n",
            print);
    buf_release(&path);
}

int serving_start(struct serving **out, const struct serving_settings *x,
        const struct database *d, const struct address *fleet, struct error *e)
{
    struct serving *s = alloc_zero(1, sizeof(*s));
    int rc = x->port > 65535
                     ? fail(e, -EINVAL, "--port takes 1 to 65535, not %llu",
                               (unsigned long long)x->port)
                     : serving_folder(s->folder, sizeof(s->folder), e);

    s->database = *d;
    s->fleet = fleet;
    s->recording = x->recording;
    (void)mtx_init(&s->mutex, mtx_plain);
    if (!rc)
        rc = server_start(&s->server,
                &(struct server_plan){
                        .bind = x->bind,
                        .port = (uint16_t)x->port,
                        .tls_cert = x->tls_cert,
                        .tls_key = x->tls_key,
                        .self_signed = x->self_signed,
                        .require_token = x->require_token,
                        .requests_per_s = x->rate_limit,
                        .hosts = x->hosts.item,
                        .host_count = (size_t)x->hosts.count,
                        .origins = x->origins.item,
                        .origin_count = (size_t)x->origins.count,
                        .embedders = x->embedders.item,
                        .embedder_count = (size_t)x->embedders.count,
                        .recorded = x->recording != NULL,
                        .folder = s->folder,
                        .fleet = fleet,
                        .open_store = open_store,
                        .sources = write_sources,
                        .machine = write_machine,
                        .energy = find_energy,
                        .generate = x->on ? NULL : generate_command(s, x),
                        .model_roots = x->model_roots.item,
                        .model_root_count = (size_t)x->model_roots.count,
                        .context = s,
                },
                e);
    if (rc) {
        serving_stop(s);
        return rc;
    }
    (void)fprintf(stderr, "ortmeter: serving at %s\n", server_url(s->server));
    if (x->self_signed)
        tell_certificate(s);
    if (x->opens && browser_open(server_url(s->server), s->folder, e))
        (void)fprintf(stderr, "ortmeter: no browser was opened: %s\n", e->text);
    *out = s;
    return 0;
}

void serving_settle(struct serving *s)
{
    if (s)
        server_settle(s->server);
}

void serving_stop(struct serving *s)
{
    if (!s)
        return;
    server_stop(s->server);
    buf_release(&s->sources);
    buf_release(&s->machine);
    buf_release(&s->options[0]);
    buf_release(&s->options[1]);
    mtx_destroy(&s->mutex);
    free(s);
}

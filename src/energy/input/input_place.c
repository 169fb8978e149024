/* input_place.c -- which work a sensor feeds: that of a GPU or NPU what was
 * computed there, that of the CPU and its memory all but that.
 *
 * An operator is where its provider computes, an inference and the loading of a
 * model where those of its session do.  On the CPU, an inference waits for what
 * the GPU computes: that time is the inference's, and not the operator's. Where
 * it cannot be told on which of several devices something ran, all of them feed
 * it. */
#include "energy/input/input.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "sample/device/device_match.h"

#include <stdlib.h>

#define DEVICES_MAX 64

/* Where something computes. */
struct place {
    bool known;                  /* whoever made it told its providers */
    enum device_match_kind kind; /* if so */
    uint64_t devices;            /* that fit, a bit each */
    char *options; /* of a session, as they are stored; NULL: not told */
};

struct placing {
    const struct energy_input *g;
    struct subjects *devices;           /* numbered anew, from 1 */
    uint32_t subject[DEVICES_MAX];      /* of each, in the run */
    bool counted[DEVICES_MAX];          /* it has a sensor that is counted */
    struct place *sessions, *operators; /* by their ids */
    size_t session_count, operator_count;
};

static struct place *at(struct place **items, size_t *count, uint32_t id)
{
    if (id >= *count) {
        *items = alloc_resize(*items, (2 * (size_t)id + 1) * sizeof(**items));
        for (; *count < 2 * (size_t)id + 1; ++*count)
            (*items)[*count] = (struct place){ 0 };
    }
    return &(*items)[id];
}

static struct place match(const struct placing *p, struct str providers,
        const char *options)
{
    struct device_match m;
    struct place place = { .known = true };

    device_match(&m, p->devices, providers, options);
    place.kind = m.kind;
    for (size_t i = 0; i < m.count; i++)
        place.devices |= UINT64_C(1) << m.device[i];
    return place;
}

static void take_session(void *to, const struct session *x)
{
    struct placing *p = to;
    struct place *place = at(&p->sessions, &p->session_count, x->id);

    if (x->providers)
        *place = match(p, str_of(x->providers), x->options);
    place->options = x->options ? alloc_text(x->options) : NULL;
}

static void take_operator(void *to, const struct operator* x)
{
    struct placing *p = to;
    const char *options = x->session < p->session_count
                                  ? p->sessions[x->session].options
                                  : NULL;
    struct buf list = { 0 };

    if (!x->provider)
        return;
    buf_printf(&list, "[\"%s\"]", x->provider);
    *at(&p->operators, &p->operator_count, x->id) =
            match(p, buf_str(&list), options);
    buf_release(&list);
}

static void list_devices(struct placing *p)
{
    const struct energy_input *g = p->g;

    for (size_t i = 0; i < g->subject_count; i++) {
        const struct input_subject *x = &g->subjects[i];

        if (x->kind != SUBJECT_DEVICE ||
                subjects_count(p->devices) >= DEVICES_MAX)
            continue;

        uint32_t number = subjects_add(p->devices,
                &(struct subject){ .kind = SUBJECT_DEVICE,
                        .name = x->name,
                        .detail = *x->detail ? x->detail : NULL });

        p->subject[number] = x->id;
    }
}

static struct place place_of(const struct placing *p,
        const struct energy_class *c)
{
    if (c->work == ENERGY_OPERATOR && c->operator_id < p->operator_count)
        return p->operators[c->operator_id];
    if ((c->work == ENERGY_INFERENCE || c->work == ENERGY_LOAD) &&
            c->session < p->session_count)
        return p->sessions[c->session];
    /* A section's own time, and what was told of no one. */
    return (struct place){ .known = c->work == ENERGY_SECTION };
}

/* The device that a sensor is of, as it is numbered here; 0: of none. */
static uint32_t device_of(const struct placing *p, uint32_t subject)
{
    size_t count = subjects_count(p->devices);

    for (size_t step = 0; step < p->g->subject_count && subject; step++) {
        const struct input_subject *x = input_find(p->g, subject);

        for (uint32_t i = 1; i < count; i++)
            if (p->subject[i] == subject)
                return i;
        subject = x ? x->parent : 0;
    }
    return 0;
}

static bool runs_on(struct place x, uint32_t device)
{
    if (!x.known)
        return true;
    if (x.kind == DEVICE_MATCH_CPU || x.kind == DEVICE_MATCH_ABSENT)
        return false;
    return !device || !x.devices || x.devices >> device & 1;
}

/* It draws from sensors of its own, and not from the CPU's. */
static bool is_away(const struct placing *p, struct place x)
{
    if (!x.known || x.kind != DEVICE_MATCH_FOUND)
        return false;
    for (uint32_t i = 1; i < DEVICES_MAX; i++)
        if (x.devices >> i & 1 && !p->counted[i])
            return false;
    return true;
}

static void set_here(const struct placing *p, struct account_sensor *s)
{
    const struct run_energy *r = p->g->out;
    bool device = s->zone.part == ZONE_GPU || s->zone.part == ZONE_NPU;
    bool cpu = s->zone.part == ZONE_CPU || s->zone.part == ZONE_DRAM;
    uint32_t number = device ? device_of(p, s->zone.subject) : 0;

    if (!device && !cpu)
        return; /* it measures all of the machine */

    bool *here = alloc_zero(r->class_count, sizeof(*here));

    for (uint32_t i = 0; i < r->class_count; i++) {
        const struct energy_class *c = &r->classes[i];
        struct place place = place_of(p, c);

        here[i] = device ? runs_on(place, number)
                         : c->work != ENERGY_OPERATOR || !is_away(p, place);
    }
    s->here = here;
}

int input_place(const struct energy_input *g, struct account_sensor *sensors,
        size_t count, struct store *store, struct error *e)
{
    struct placing p = { .g = g, .devices = subjects_new("") };
    bool any = false;

    list_devices(&p);
    for (size_t i = 0; i < count; i++) {
        const struct energy_zone *z = &sensors[i].zone;

        if (z->role == ZONE_COUNTED &&
                (z->part == ZONE_GPU || z->part == ZONE_NPU)) {
            p.counted[device_of(&p, z->subject)] = true;
            any = true;
        }
    }

    /* Without one, there is nothing to tell apart. */
    int rc = any ? store_each_session(store, g->run, take_session, &p, e) : 0;

    if (!rc && any)
        rc = store_each_operator(store, g->run, take_operator, &p, e);
    for (size_t i = 0; !rc && any && i < count; i++)
        set_here(&p, &sensors[i]);
    subjects_free(p.devices);
    for (size_t i = 0; i < p.session_count; i++)
        free(p.sessions[i].options);
    free(p.sessions);
    free(p.operators);
    return rc;
}

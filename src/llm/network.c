#include "llm/network.h"

#include "base/alloc.h"
#include "ort/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what its inputs are
 * ---------------------------------------------------------- */

static bool is_given(const char *name, const struct network_given *given,
        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].name, name) == 0)
            return true;
    return false;
}

static const struct {
    const char *name;
    enum network_use use;
} known[] = {
    { "input_ids", NETWORK_IDS },
    { "decoder_input_ids", NETWORK_IDS },
    { "attention_mask", NETWORK_MASK },
    { "position_ids", NETWORK_POSITIONS },
    { "token_type_ids", NETWORK_SEGMENTS },
    { "encoder_hidden_states", NETWORK_HIDDEN },
    { "encoder_attention_mask", NETWORK_ENCODER_MASK },
    { "use_cache_branch", NETWORK_HAS_PAST },
};

static int find_use(enum network_use *out, const struct tensor_spec *in,
        const struct network_given *given, size_t given_count, struct error *e)
{
    for (size_t i = 0; i < LEN(known); i++) {
        if (strcmp(in->name, known[i].name) == 0) {
            *out = known[i].use;
            return 0;
        }
    }
    *out = NETWORK_PAST;
    if (strncmp(in->name, "past", 4) == 0 && in->rank >= 4)
        return 0;
    *out = NETWORK_GIVEN;
    if (is_given(in->name, given, given_count))
        return 0;
    return fail(e, -ENOTSUP,
            "its input %s is not known: give it by --input %s=FILE.npy",
            in->name, in->name);
}

/* The output that a cache's input is fed by: "present" where that says "past".
 */
static int find_present(const struct network *n, const char *past)
{
    static const char *const heads[][2] = { { "past_key_values", "present" },
        { "past_key_values", "present_key_values" }, { "past", "present" } };

    for (size_t h = 0; h < LEN(heads); h++) {
        struct buf name = { 0 };

        if (!str_starts(str_of(past), heads[h][0]))
            continue;
        buf_printf(&name, "%s%s", heads[h][1], past + strlen(heads[h][0]));
        for (size_t i = 0; i < n->out.count; i++) {
            if (strcmp(n->out.item[i].name, buf_cstr(&name)) == 0) {
                buf_release(&name);
                return (int)i;
            }
        }
        buf_release(&name);
    }
    return -1;
}

static int understand(struct network *n, const char *main_output,
        const struct network_given *given, size_t given_count, struct error *e)
{
    n->use = alloc_zero(n->in.count + 1, sizeof(*n->use));
    n->present = alloc_zero(n->in.count + 1, sizeof(*n->present));
    for (size_t i = 0; i < n->in.count; i++) {
        int rc = find_use(&n->use[i], &n->in.item[i], given, given_count, e);

        if (rc)
            return rc;
        n->present[i] = -1;
        n->has_positions |= n->use[i] == NETWORK_POSITIONS;
        if (n->use[i] == NETWORK_PAST) {
            n->has_past = true;
            n->present[i] = find_present(n, n->in.item[i].name);
        }
    }
    for (n->main = 0; n->main < n->out.count; n->main++)
        if (strcmp(n->out.item[n->main].name, main_output) == 0)
            return 0;
    return fail(e, -ENOTSUP, "it makes no text: it has no output '%s'",
            main_output);
}

int network_open(struct network *out, const struct engine *g, const char *path,
        const struct engine_setup *setup, const char *main_output,
        const struct network_given *given, size_t given_count, struct error *e)
{
    struct network n = { .engine = g };
    struct error why = { 0 };
    int rc = engine_load(&n.session, g, path, setup, &why);

    if (!rc)
        rc = tensor_specs_read_inputs(&n.in, engine_api(g), n.session, &why);
    if (!rc)
        rc = tensor_specs_read_outputs(&n.out, engine_api(g), n.session, &why);
    if (!rc)
        rc = understand(&n, main_output, given, given_count, &why);
    if (rc) {
        network_close(&n);
        return fail(e, rc, "%.100s: %.150s", path, why.text);
    }
    *out = n;
    return 0;
}

void network_close(struct network *n)
{
    if (n->engine)
        engine_unload(n->engine, n->session);
    tensor_specs_release(&n->in);
    tensor_specs_release(&n->out);
    free(n->use);
    free(n->present);
    *n = (struct network){ 0 };
}

/* --- caches
 * -------------------------------------------------------------------------- */

static void release_value(const struct engine *g, struct ort_value **value)
{
    if (*value)
        ORT(engine_api(g), ReleaseValue)(*value);
    *value = NULL;
}

void network_state_release(struct network_state *s, const struct engine *g)
{
    for (size_t i = 0; i < s->cache_count; i++) {
        release_value(g, &s->cache[i].value);
        free(s->cache[i].name);
        free(s->cache[i].zeros);
    }
    free(s->cache);
    release_value(g, &s->hidden);
    *s = (struct network_state){ 0 };
}

/* An empty cache's shape: [batch, heads, length, size], with a 2 before all
 * that where keys and values are one. */
static int empty_shape(int64_t *shape, const struct tensor_spec *in,
        const struct model_folder *m, size_t batch, struct error *e)
{
    size_t r = in->rank;

    for (size_t i = 0; i < r; i++) {
        const char *symbol = in->symbol[i] ? in->symbol[i] : "";

        shape[i] = in->dim[i];
        if (shape[i] >= 0)
            continue;
        if (i == r - 4)
            shape[i] = (int64_t)batch;
        else if (i == r - 3)
            shape[i] = m->kv_heads;
        else if (i == r - 1)
            shape[i] = m->head_size;
        else if (i == r - 2)
            shape[i] = strstr(symbol, "sliding") ? m->window : 0;
        if (shape[i] < 0)
            return fail(e, -EINVAL,
                    "nothing tells dimension %zu (%s) of the cache %s", i,
                    symbol, in->name);
    }
    return 0;
}

static int make_tensor(struct ort_value **out, const struct engine *g,
        void *data, enum ort_type type, const int64_t *shape, size_t rank,
        struct error *e)
{
    size_t elements = 1, bytes = 0;

    for (size_t i = 0; i < rank; i++)
        elements *= (size_t)shape[i];
    if (!tensor_bytes(&bytes, type, elements))
        return fail(e, -ENOTSUP, "it has an input of a type that is not known");
    return status_fail(engine_api(g),
            ORT(engine_api(g), CreateTensorWithDataAsOrtValue)(engine_memory(g),
                    data, bytes, shape, rank, (int)type, out),
            e);
}

static int make_empty(struct network_cache *c, const struct network *n,
        const struct tensor_spec *in, const struct model_folder *m,
        size_t batch, struct error *e)
{
    int64_t shape[TENSOR_RANK_MAX] = { 0 };
    size_t elements = 1;
    int rc = empty_shape(shape, in, m, batch, e);

    if (rc)
        return rc;
    for (size_t i = 0; i < in->rank; i++)
        elements *= (size_t)shape[i];
    if (elements > (size_t)1 << 32)
        return fail(e, -E2BIG, "the cache %s would take more than 32 GB",
                in->name);
    c->zeros = alloc_zero(elements + 1, 8);
    return make_tensor(&c->value, n->engine, c->zeros, in->type, shape,
            in->rank, e);
}

int network_state_begin(struct network_state *s, const struct network *n,
        const struct model_folder *m, struct error *e)
{
    int rc = 0;

    s->cache = alloc_zero(n->in.count + 1, sizeof(*s->cache));
    for (size_t i = 0; i < n->in.count && !rc; i++) {
        if (n->use[i] != NETWORK_PAST)
            continue;

        struct network_cache *c = &s->cache[s->cache_count++];

        c->name = alloc_text(n->in.item[i].name);
        rc = make_empty(c, n, &n->in.item[i], m, s->batch, e);
    }
    return rc;
}

/* They are asked for in the order of the inputs, mostly: so it is the one
 * behind the last. */
static struct network_cache *find_cache(struct network_state *s,
        const char *name)
{
    for (size_t i = 0; i < s->cache_count; i++) {
        size_t at = (s->found + 1 + i) % s->cache_count;

        if (strcmp(s->cache[at].name, name) != 0)
            continue;
        s->found = at;
        return &s->cache[at];
    }
    return NULL;
}

/* --- a step
 * ----------------------------------------------------------------------------
 */

/* What a run takes and gives, until it is over. */
struct pass {
    const struct engine *g;
    size_t in_count, out_count;
    const char **in_name, **out_name;
    struct ort_value **in, **out;
    struct ort_value **made; /* of `in`, those that are ours */
    void **data;
};

static void pass_release(struct pass *p)
{
    for (size_t i = 0; i < p->in_count; i++) {
        release_value(p->g, &p->made[i]);
        free(p->data[i]);
    }
    for (size_t i = 0; i < p->out_count; i++)
        release_value(p->g, &p->out[i]);
    free(p->in_name);
    free(p->out_name);
    free(p->in);
    free(p->out);
    free(p->made);
    free(p->data);
}

/* Numbers as the input wants them: int64, int32, float. */
static int add_numbers(struct pass *p, size_t at, const struct tensor_spec *in,
        const int64_t *from, size_t rows, size_t columns, struct error *e)
{
    int64_t shape[2] = { (int64_t)rows, (int64_t)columns };
    size_t count = rows * columns;
    int64_t *wide = alloc_zero(count + 1, sizeof(*wide));

    p->data[at] = wide;
    for (size_t i = 0; i < count; i++) {
        int64_t number = from ? from[i] : 0;
        int32_t narrow = (int32_t)number;
        float real = (float)number;

        if (in->type == ORT_TYPE_INT32)
            memcpy((char *)wide + 4 * i, &narrow, 4);
        else if (in->type == ORT_TYPE_FLOAT)
            memcpy((char *)wide + 4 * i, &real, 4);
        else
            wide[i] = number;
    }
    if (in->type != ORT_TYPE_INT64 && in->type != ORT_TYPE_INT32 &&
            in->type != ORT_TYPE_FLOAT)
        return fail(e, -ENOTSUP, "its input %s has type %s", in->name,
                tensor_type_name(in->type));
    return make_tensor(&p->made[at], p->g, wide, in->type, shape, 2, e);
}

static int add_flag(struct pass *p, size_t at, bool flag, struct error *e)
{
    int64_t one = 1;
    bool *data = alloc_zero(8, 1);

    *data = flag;
    p->data[at] = data;
    return make_tensor(&p->made[at], p->g, data, ORT_TYPE_BOOL, &one, 1, e);
}

static int add_given(struct pass *p, size_t at, const struct tensor_spec *in,
        const struct network_given *given, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        const struct npy *a = &given[i].array;

        if (strcmp(given[i].name, in->name) != 0)
            continue;
        if (a->type != in->type)
            return fail(e, -EINVAL, "--input %s: the file has %s, not %s",
                    in->name, tensor_type_name(a->type),
                    tensor_type_name(in->type));
        p->data[at] = alloc_zero(a->data.len + 8, 1);
        memcpy(p->data[at], a->data.p, a->data.len);
        return make_tensor(&p->made[at], p->g, p->data[at], a->type, a->shape,
                a->rank, e);
    }
    return fail(e, -EINVAL, "--input %s=FILE.npy is missing", in->name);
}

static int add_input(struct pass *p, size_t i, const struct network *n,
        struct network_state *s, const struct network_step *step,
        const struct network_given *given, size_t given_count, struct error *e)
{
    const struct tensor_spec *in = &n->in.item[i];
    const struct network_cache *c;

    switch (n->use[i]) {
    case NETWORK_IDS:
        return add_numbers(p, i, in, step->ids, s->batch, step->count, e);
    case NETWORK_MASK:
        return add_numbers(p, i, in, step->mask, s->batch, step->total, e);
    case NETWORK_POSITIONS:
        return add_numbers(p, i, in, step->positions, s->batch, step->count, e);
    case NETWORK_SEGMENTS:
        return add_numbers(p, i, in, NULL, s->batch, step->count, e);
    case NETWORK_ENCODER_MASK:
        return add_numbers(p, i, in, s->hidden_mask, s->batch, s->hidden_len,
                e);
    case NETWORK_HAS_PAST: return add_flag(p, i, step->has_past, e);
    case NETWORK_GIVEN: return add_given(p, i, in, given, given_count, e);
    case NETWORK_HIDDEN: p->in[i] = s->hidden; return 0;
    case NETWORK_PAST: break;
    }
    c = find_cache(s, in->name);
    if (!c)
        return fail(e, -EINVAL, "nothing fills its cache %s", in->name);
    p->in[i] = c->value;
    return 0;
}

/* Adds the outputs that the next step's caches are fed by.  A cache over what
 * the encoder saw is made once: later steps give an empty one. */
static void ask_for_caches(struct pass *p, const struct network *n,
        const struct network *next, const struct network_step *step,
        int *source)
{
    for (size_t i = 0; i < next->in.count; i++) {
        const char *name = next->in.item[i].name;
        int from = next->use[i] != NETWORK_PAST ? -1
                   : n == next                  ? n->present[i]
                                                : find_present(n, name);

        source[i] = -1;
        if (from < 0 || !step->keep_past ||
                (step->has_past && strstr(name, ".encoder.")))
            continue;
        source[i] = (int)p->out_count;
        p->out_name[p->out_count++] = n->out.item[from].name;
    }
}

static void take_caches(struct pass *p, const struct network *next,
        struct network_state *s, const int *source)
{
    for (size_t i = 0; i < next->in.count; i++) {
        struct network_cache *c;

        if (source[i] < 0 || !(c = find_cache(s, next->in.item[i].name)))
            continue;
        release_value(p->g, &c->value);
        free(c->zeros);
        c->zeros = NULL;
        c->value = p->out[source[i]];
        p->out[source[i]] = NULL;
    }
}

static void pass_init(struct pass *p, const struct network *n,
        const struct network *next)
{
    *p = (struct pass){ .g = n->engine, .in_count = n->in.count };
    p->in_name = alloc_zero(n->in.count + 1, sizeof(*p->in_name));
    p->in = alloc_zero(n->in.count + 1, sizeof(struct ort_value *));
    p->made = alloc_zero(n->in.count + 1, sizeof(struct ort_value *));
    p->data = alloc_zero(n->in.count + 1, sizeof(*p->data));
    p->out_name = alloc_zero(next->in.count + 2, sizeof(*p->out_name));
    p->out = alloc_zero(next->in.count + 2, sizeof(struct ort_value *));
    for (size_t i = 0; i < n->in.count; i++)
        p->in_name[i] = n->in.item[i].name;
    p->out_name[p->out_count++] = n->out.item[n->main].name;
}

int network_run(struct ort_value **out, const struct network *n,
        struct network_state *s, const struct network_step *step,
        const struct network_given *given, size_t given_count,
        const struct network *next, struct error *e)
{
    int *source = alloc_zero(next->in.count + 1, sizeof(*source));
    struct pass p;
    int rc = 0;

    pass_init(&p, n, next);
    ask_for_caches(&p, n, next, step, source);
    for (size_t i = 0; i < n->in.count && !rc; i++) {
        rc = add_input(&p, i, n, s, step, given, given_count, e);
        if (!rc && p.made[i])
            p.in[i] = p.made[i];
    }
    if (!rc)
        rc = status_fail(engine_api(p.g),
                ORT(engine_api(p.g), Run)(n->session, NULL, p.in_name,
                        (const struct ort_value *const *)p.in, p.in_count,
                        p.out_name, p.out_count, p.out),
                e);
    if (!rc) {
        take_caches(&p, next, s, source);
        *out = p.out[0];
        p.out[0] = NULL;
    }
    pass_release(&p);
    free(source);
    return rc;
}

/* --- numbers
 * ----------------------------------------------------------------------------
 */

static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31;
    uint32_t bits, fraction = half & 1023;
    float value;

    if (exponent == 31)
        bits = sign | 0x7f800000 | fraction << 13;
    else if (exponent)
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    else {
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Of half as many bits as a float32. */
static bool read_half(float *out, const char *data, size_t i,
        enum ort_type type)
{
    uint16_t half;
    uint32_t bits;

    memcpy(&half, data + 2 * i, 2);
    if (type == ORT_TYPE_FLOAT16) {
        *out = half_to_float(half);
        return true;
    }
    bits = (uint32_t)half << 16;
    memcpy(out, &bits, 4);
    return type == ORT_TYPE_BFLOAT16;
}

static int shape_of(int64_t shape[3], int *type, const struct ort_api *api,
        const struct ort_value *value, struct error *e)
{
    struct ort_tensor_info *info = NULL;
    size_t rank = 0;
    int rc = status_fail(api, ORT(api, GetTensorTypeAndShape)(value, &info), e);

    if (!rc)
        rc = status_fail(api, ORT(api, GetDimensionsCount)(info, &rank), e);
    if (!rc && rank != 3)
        rc = fail(e, -ENOTSUP, "its logits have %zu dimensions, not 3", rank);
    if (!rc)
        rc = status_fail(api, ORT(api, GetDimensions)(info, shape, 3), e);
    if (!rc)
        rc = status_fail(api, ORT(api, GetTensorElementType)(info, type), e);
    if (info)
        ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    return rc;
}

int network_logits(float **out, size_t *vocabulary, const struct network *n,
        struct ort_value *value, size_t batch, struct error *e)
{
    const struct ort_api *api = engine_api(n->engine);
    int64_t shape[3];
    void *data = NULL;
    int type = 0;
    int rc = shape_of(shape, &type, api, value, e);

    if (!rc)
        rc = status_fail(api, ORT(api, GetTensorMutableData)(value, &data), e);
    if (rc)
        return rc;
    if (shape[0] != (int64_t)batch || shape[1] < 1 || shape[2] < 1)
        return fail(e, -EINVAL, "its logits have a shape that makes no sense");
    *vocabulary = (size_t)shape[2];
    *out = alloc_resize(*out, batch * *vocabulary * sizeof(**out));
    for (size_t b = 0; b < batch; b++) {
        size_t from = ((b + 1) * (size_t)shape[1] - 1) * *vocabulary;

        if (type == ORT_TYPE_FLOAT) {
            memcpy(*out + b * *vocabulary, (const float *)data + from,
                    *vocabulary * sizeof(**out));
            continue;
        }
        for (size_t i = 0; i < *vocabulary; i++)
            if (!read_half(*out + b * *vocabulary + i, data, from + i,
                        (enum ort_type)type))
                return fail(e, -ENOTSUP, "its logits have type %s",
                        tensor_type_name((enum ort_type)type));
    }
    return 0;
}

/* shape.c -- what the tensors of a run tell: bytes, batch, sequence, phase.
 *
 * From version 1.24 on ONNX Runtime lends a tensor's shape for 5 ns; before,
 * it makes a description that must be given back, 77 ns.  So on older ones
 * only the tensors that say something of the phase are read at every run, and
 * the bytes at one run in BYTES_EVERY. */
#include "base/compiler.h"
#include "hook/hook.h"
#include "hook/table.h"
#include "hook/text.h"

#include <stdatomic.h>

#define BYTES_EVERY 16
#define SESSIONS    1024 /* a power of 2 */
#define MAX_RANK    64

/* --- one tensor ----------------------------------------------------------- */

static bool failed(const struct library *lib, struct ort_status *status)
{
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    return status != NULL;
}

static bool lends_shapes(const struct library *lib)
{
    return lib->minor >= ORT_SINCE_GetTensorElementTypeAndShapeDataReference;
}

static void copy_dims(struct shape *out, const int64_t *dims, size_t rank)
{
    out->rank = rank;
    for (size_t i = 0; i < rank && i < sizeof(out->dims) / 8; i++)
        out->dims[i] = dims[i];
    /* Beyond: folded into the last, so that the product stays right. */
    for (size_t i = sizeof(out->dims) / 8; i < rank; i++)
        out->dims[sizeof(out->dims) / 8 - 1] *= dims[i];
}

static bool read_description(const struct library *lib,
        const struct ort_value *v, struct shape *out)
{
    struct ort_tensor_info *info = NULL;
    int64_t dims[MAX_RANK];
    size_t rank = 0;

    if (failed(lib, ORT(lib->api, GetTensorTypeAndShape)(v, &info)))
        return false;

    bool ok = !failed(lib,
                      ORT(lib->api, GetTensorElementType)(info, &out->type)) &&
              !failed(lib, ORT(lib->api, GetDimensionsCount)(info, &rank)) &&
              rank <= MAX_RANK &&
              !failed(lib, ORT(lib->api, GetDimensions)(info, dims, rank));

    ORT(lib->api, ReleaseTensorTypeAndShapeInfo)(info);
    out->data = NULL;
    if (ok)
        copy_dims(out, dims, rank);
    return ok;
}

/* Borrowed: what ONNX Runtime keeps of a tensor, as long as it is there. */
struct lent {
    int type;
    size_t rank;
    const int64_t *dims;
};

/* False: it is no tensor.  So there is no need to ask for that first. */
static bool lend(const struct library *lib, const struct ort_value *v,
        struct lent *out)
{
    return v && !failed(lib, ORT(lib->api,
                                     GetTensorElementTypeAndShapeDataReference)(
                                     v, &out->type, &out->dims, &out->rank));
}

static bool is_dense(const struct library *lib, const struct ort_value *v)
{
    int is_tensor = 0;

    return v && !failed(lib, ORT(lib->api, IsTensor)(v, &is_tensor)) &&
           is_tensor;
}

bool shape_read(const struct library *lib, const struct ort_value *v,
        struct shape *out)
{
    struct lent lent;

    if (!lends_shapes(lib))
        return is_dense(lib, v) && read_description(lib, v, out);
    if (!lend(lib, v, &lent))
        return false;
    out->type = lent.type;
    out->data = NULL;
    copy_dims(out, lent.dims, lent.rank);
    return true;
}

static bool size_of(int type, const int64_t *dims, size_t rank, uint64_t *bytes)
{
    /* Bits of an element, by ONNXTensorElementDataType; 0: no fixed size.
     * Behind bfloat16: four kinds of float8, uint4, int4, float4. */
    static const uint8_t bits[] = { 0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64,
        32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4, 4 };
    uint64_t count = 1;

    if (type < 0 || (size_t)type >= sizeof(bits) || !bits[type])
        return false;
    for (size_t i = 0; i < rank; i++)
        count *= (uint64_t)dims[i];
    *bytes = (count * bits[type] + 7) / 8;
    return true;
}

bool shape_size(const struct shape *s, uint64_t *bytes)
{
    size_t kept = sizeof(s->dims) / sizeof(s->dims[0]);

    return size_of(s->type, s->dims, s->rank < kept ? s->rank : kept, bytes);
}

/* What all the tensors hold together, where shapes are lent: this is what every
 * run pays, so each is asked once and nothing is copied.  `batch`: the tensor
 * whose first dimension is wanted; that is -1 if it has none. */
static inline bool sum_lent(const struct library *lib,
        const struct ort_value *const *v, size_t n, uint64_t *bytes,
        size_t batch, int64_t *first)
{
    uint64_t sum = 0, size;
    struct lent t;

    for (size_t i = 0; i < n; i++) {
        if (!lend(lib, v[i], &t) || !size_of(t.type, t.dims, t.rank, &size))
            return false;
        sum += size;
        if (i == batch)
            *first = t.rank ? t.dims[0] : -1;
    }
    *bytes = sum;
    return true;
}

static bool sum_read(const struct library *lib,
        const struct ort_value *const *v, size_t n, uint64_t *bytes)
{
    uint64_t sum = 0, size;
    struct shape s;

    for (size_t i = 0; i < n; i++) {
        if (!shape_read(lib, v[i], &s) || !shape_size(&s, &size))
            return false;
        sum += size;
    }
    *bytes = sum;
    return true;
}

HOT bool shape_bytes(const struct library *lib,
        const struct ort_value *const *v, size_t n, uint64_t *bytes)
{
    int64_t none;

    return lends_shapes(lib) ? sum_lent(lib, v, n, bytes, n, &none)
                             : sum_read(lib, v, n, bytes);
}

uint64_t shape_key(const struct library *lib, const struct ort_value *const *v,
        size_t n)
{
    const uint64_t prime = UINT64_C(1099511628211);
    uint64_t key = UINT64_C(14695981039346656037);
    struct shape s;

    for (size_t i = 0; i < n; i++) {
        if (!v[i] || !shape_read(lib, v[i], &s) ||
                s.rank > sizeof(s.dims) / sizeof(*s.dims))
            return 0;
        key = (key ^ (uint64_t)s.type) * prime;
        key = (key ^ s.rank) * prime;
        for (size_t k = 0; k < s.rank; k++)
            key = (key ^ (uint64_t)s.dims[k]) * prime;
    }
    return key;
}

/* --- what the names mean -------------------------------------------------- */

/* "past_key_values.0.encoder.key", "past_key_cross_0": the same at each step.
 */
static bool of_encoder(const char *name)
{
    return text_contains(name, "encoder") || text_contains(name, "cross");
}

enum role shape_role(const char *name)
{
    if (!name) /* ONNX Runtime refuses it; we only pass by */
        return ROLE_NONE;
    if (text_is(name, "input_ids") || text_is(name, "inputs_embeds") ||
            text_is(name, "decoder_input_ids"))
        return ROLE_IDS;
    if (text_is(name, "attention_mask"))
        return ROLE_MASK;
    if (text_begins(name, "past"))
        return of_encoder(name) ? ROLE_NONE : ROLE_PAST;
    if (text_begins(name, "present"))
        return of_encoder(name) ? ROLE_NONE : ROLE_PRESENT;
    if (text_is(name, "position_ids") || text_is(name, "cache_position"))
        return ROLE_POSITION;
    if (text_is(name, "use_cache_branch"))
        return ROLE_BRANCH;
    if (text_is(name, "encoder_hidden_states") ||
            text_is(name, "last_hidden_state"))
        return ROLE_STATES;
    return ROLE_NONE;
}

static bool mask_at(const struct shape *mask, int64_t at)
{
    switch (mask->type) {
    case ORT_TYPE_INT64: return ((const int64_t *)mask->data)[at] != 0;
    case ORT_TYPE_INT32: return ((const int32_t *)mask->data)[at] != 0;
    default: return true;
    }
}

/* How many tokens a mask lets through, of the first text.  One as wide as a
 * buffer of fixed size has zeros at an end; else its width tells. */
static int64_t mask_length(const struct shape *mask)
{
    int64_t width = mask->dims[1], ones = 0;

    if (!mask->data || width <= 0 ||
            (mask_at(mask, 0) && mask_at(mask, width - 1)))
        return width;
    for (int64_t i = 0; i < width; i++)
        ones += mask_at(mask, i);
    return ones;
}

/* Ids are [batch, sequence] or [batch, sequence, width]; a mask is [batch, all
 * tokens so far]; a past is [..., tokens, width].  The mask knows better than
 * the past, which may be a buffer of fixed size. */
void shape_phase(struct record *r, const struct shape *ids,
        const struct shape *mask, const struct shape *past, bool present)
{
    if (!ids || ids->rank < 2)
        return;
    r->run.sequence = (uint32_t)ids->dims[1];
    r->flags |= FLAG_SEQUENCE;
    if (!past && !present)
        return;

    bool empty = past && past->rank >= 4 && past->rank <= 8 &&
                 past->dims[past->rank - 2] == 0;
    int64_t length =
            past && !empty && mask && mask->rank == 2 ? mask_length(mask) : -1;

    if (length >= ids->dims[1])
        r->run.past = (uint32_t)(length - ids->dims[1]);
    else if (past && past->rank >= 4 && past->rank <= 8)
        r->run.past = (uint32_t)past->dims[past->rank - 2];
    else if (past)
        return; /* of a kind that does not tell how long it is */
    r->flags |= FLAG_PAST;

    bool decodes = r->run.sequence == 1 && r->run.past;

    r->place = record_place(decodes ? PHASE_DECODE : PHASE_PREFILL,
            record_library(r));
}

/* --- what was learnt of a session: where to look -------------------------- */

#define NOWHERE 0xff

/* One word, so that threads read and write it whole. */
union plan {
    uint64_t word;
    struct {
        uint8_t known : 1;
        uint8_t present : 1; /* it returns a cache */
        uint8_t sparse : 1;  /* an input is no dense tensor: it has no size */
        uint8_t roles : 1;   /* there are ids, a mask or a past */
        uint8_t states : 1;  /* it returns an encoder's states */
        uint8_t batch;       /* which input's first dimension is the batch */
        uint8_t ids, mask, past, position, branch;
        uint8_t n_in; /* it holds for that many inputs */
    };
};

static struct table_place plans[SESSIONS];

void shape_forget(const struct ort_session *session)
{
    table_write(plans, SESSIONS, session, 0);
}

/* Seats are among the first, so more than that are as good as any. */
static uint8_t so_many(size_t n_in)
{
    return n_in < UINT8_MAX ? (uint8_t)n_in : UINT8_MAX;
}

COLD static union plan learn(const struct library *lib,
        const char *const *in_names, const struct ort_value *const *in,
        size_t n_in, const char *const *out_names, size_t n_out)
{
    union plan p = { .known = 1,
        .batch = NOWHERE,
        .ids = NOWHERE,
        .mask = NOWHERE,
        .past = NOWHERE,
        .position = NOWHERE,
        .branch = NOWHERE,
        .n_in = so_many(n_in) };
    size_t best_rank = 0;

    for (size_t i = 0; i < n_in && i < NOWHERE; i++) {
        p.sparse |= !is_dense(lib, in[i]);

        enum role role = shape_role(in_names[i]);
        uint8_t *seat = role == ROLE_IDS        ? &p.ids
                        : role == ROLE_MASK     ? &p.mask
                        : role == ROLE_PAST     ? &p.past
                        : role == ROLE_POSITION ? &p.position
                        : role == ROLE_BRANCH   ? &p.branch
                                                : NULL;
        struct shape s;

        if (seat && *seat == NOWHERE)
            *seat = (uint8_t)i;
        /* The batch leads the first input that has at least two dimensions,
         * or else the first that has any. */
        if (best_rank < 2 && shape_read(lib, in[i], &s) && s.rank > best_rank) {
            best_rank = s.rank;
            p.batch = (uint8_t)i;
        }
    }

    uint8_t ids = p.ids;
    bool roles = ids != NOWHERE || p.mask != NOWHERE || p.past != NOWHERE;

    if (ids != NOWHERE)
        p.batch = ids;
    for (size_t i = 0; out_names && i < n_out; i++) {
        enum role role = shape_role(out_names[i]);

        p.present |= role == ROLE_PRESENT;
        p.states |= role == ROLE_STATES;
    }
    p.roles = roles;
    return p;
}

COLD static bool roles_hold(union plan p, const char *const *in_names)
{
    return (p.ids == NOWHERE || shape_role(in_names[p.ids]) == ROLE_IDS) &&
           (p.mask == NOWHERE || shape_role(in_names[p.mask]) == ROLE_MASK) &&
           (p.past == NOWHERE || shape_role(in_names[p.past]) == ROLE_PAST) &&
           (p.position == NOWHERE ||
                   shape_role(in_names[p.position]) == ROLE_POSITION) &&
           (p.branch == NOWHERE ||
                   shape_role(in_names[p.branch]) == ROLE_BRANCH);
}

static bool holds(union plan p, const char *const *in_names, size_t n_in)
{
    return p.known && p.n_in == so_many(n_in) &&
           (!p.roles || roles_hold(p, in_names));
}

static union plan plan_for(const struct library *lib,
        const struct ort_session *session, const char *const *in_names,
        const struct ort_value *const *in, size_t n_in,
        const char *const *out_names, size_t n_out)
{
    _Atomic uint64_t *kept = table_word(plans, SESSIONS, session);
    union plan p = {
        .word = kept ? atomic_load_explicit(kept, memory_order_relaxed) : 0
    };

    if (!holds(p, in_names, n_in)) {
        p = learn(lib, in_names, in, n_in, out_names, n_out);
        if (kept)
            atomic_store_explicit(kept, p.word, memory_order_relaxed);
    }
    return p;
}

/* Is it this run's turn to have its bytes read? */
static bool weigh(const struct library *lib)
{
    static _Atomic uint32_t turn;

    return lends_shapes(lib) ||
           atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) %
                           BYTES_EVERY ==
                   0;
}

static const struct shape *read_seat(const struct library *lib,
        const struct ort_value *const *in, uint8_t seat, struct shape *s)
{
    return seat != NOWHERE && shape_read(lib, in[seat], s) ? s : NULL;
}

/* Where shapes are lent.  False: there is one without a size, a text. */
static bool read_lent(struct record *r, const struct library *lib,
        const struct ort_value *const *in, size_t n_in, uint8_t batch)
{
    int64_t first = -1;

    if (!sum_lent(lib, in, n_in, &r->run.in_bytes,
                batch == NOWHERE ? n_in : batch, &first))
        return false;
    r->flags |= FLAG_INPUT_BYTES;
    if (first >= 0) {
        r->run.batch = (uint32_t)first;
        r->flags |= FLAG_SHAPE;
    }
    return true;
}

COLD static void read_copied(struct record *r, const struct library *lib,
        const struct ort_value *const *in, size_t n_in, union plan p,
        bool weighed)
{
    struct shape lead;

    if (read_seat(lib, in, p.batch, &lead) && lead.rank) {
        r->run.batch = (uint32_t)lead.dims[0];
        r->flags |= FLAG_SHAPE;
    }
    if (weighed && !p.sparse && shape_bytes(lib, in, n_in, &r->run.in_bytes))
        r->flags |= FLAG_INPUT_BYTES;
}

static const void *values_at(const struct library *lib,
        const struct ort_value *const *in, uint8_t seat)
{
    return seat != NOWHERE ? passed_values(lib, in[seat]) : NULL;
}

/* A past says how long it is, unless it is a buffer of fixed size, or not to be
 * used at all. */
static void true_length(struct shape *past, const bool *branch,
        const struct shape *position)
{
    if (past->rank < 4 || past->rank > 8)
        return;

    int64_t *tokens = &past->dims[past->rank - 2];

    if (branch && !*branch)
        *tokens = 0;
    else if (position && position->data && position->type == ORT_TYPE_INT64 &&
             position->rank && position->rank <= 2 && position->dims[0] &&
             *(const int64_t *)position->data <= *tokens)
        *tokens = *(const int64_t *)position->data;
}

void shape_text(struct record *r, const struct handed *h)
{
    if (h->past && (h->branch || !h->mask))
        true_length(h->past, h->branch, h->mask ? NULL : h->position);
    shape_phase(r, h->ids, h->mask, h->past, h->present);
}

COLD static void read_phase(struct record *r, const struct library *lib,
        const struct ort_value *const *in, union plan p)
{
    struct shape ids, mask, past, position;
    struct handed h = {
        .ids = read_seat(lib, in, p.ids, &ids),
        .mask = read_seat(lib, in, p.mask, &mask),
        .past = read_seat(lib, in, p.past, &past) ? &past : NULL,
        .present = p.present,
    };

    if (h.mask)
        mask.data = values_at(lib, in, p.mask);
    if (h.past)
        h.branch = values_at(lib, in, p.branch);
    if (h.past && !h.mask) {
        h.position = read_seat(lib, in, p.position, &position);
        if (h.position)
            position.data = values_at(lib, in, p.position);
    }
    shape_text(r, &h);
}

HOT bool shape_inputs(struct record *r, struct record *passed,
        const struct library *lib, const struct ort_session *session,
        const char *const *in_names, const struct ort_value *const *in,
        size_t n_in, const char *const *out_names, size_t n_out)
{
    bool weighed = weigh(lib);

    passed->kind = RECORD_NONE;
    if (!n_in || !in_names || !in)
        return weighed;

    union plan p = plan_for(lib, session, in_names, in, n_in, out_names, n_out);

    if (p.sparse || !lends_shapes(lib) || !read_lent(r, lib, in, n_in, p.batch))
        read_copied(r, lib, in, n_in, p, weighed);
    if (p.roles)
        read_phase(r, lib, in, p);
    if (r->flags & FLAG_PAST || p.states)
        passed_in(passed, lib, r, in_names, in, n_in);
    return weighed;
}

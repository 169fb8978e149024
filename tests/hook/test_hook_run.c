/* test_hook_run.c -- what the record of an inference says: when, how large, of
 * which phase. */
#include "base/compiler.h"
#include "hooked.h"
#include "os/clock.h"

#define MOST 12

static struct ort_session *const session = (struct ort_session *)0x7000;
static struct ort_status failure = { 2, "Invalid rank for input: x" };

/* A tensor of a run, by its name. */
struct tensor {
    const char *name;
    struct ort_value value;
};

#define FLOATS(...)                                               \
    {                                                             \
        ORT_TYPE_FLOAT, ROOM(__VA_ARGS__), { __VA_ARGS__ }, false \
    }
#define IDS(...)                                                  \
    {                                                             \
        ORT_TYPE_INT64, ROOM(__VA_ARGS__), { __VA_ARGS__ }, false \
    }
#define ROOM(...) (sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static struct ort_status *run_session(struct ort_session *s,
        const struct tensor *in, const struct tensor *out)
{
    const char *in_names[MOST], *out_names[MOST];
    const struct ort_value *inputs[MOST];
    struct ort_value outputs[MOST], *made[MOST], *given[MOST] = { NULL };
    size_t n_in = 0, n_out = 0;

    for (; in && in[n_in].name; n_in++) {
        in_names[n_in] = in[n_in].name;
        inputs[n_in] = &in[n_in].value;
    }
    for (; out && out[n_out].name; n_out++) {
        out_names[n_out] = out[n_out].name;
        outputs[n_out] = out[n_out].value;
        made[n_out] = &outputs[n_out];
    }
    fake.outputs = made;
    return CALL(Run)(s, NULL, in_names, inputs, n_in, out_names, n_out, given);
}

static const struct record *run(const struct tensor *in,
        const struct tensor *out)
{
    CHECK(run_session(session, in, out) == fake.status);
    return hooked_last(RECORD_RUN);
}

/* --- time, thread, session ------------------------------------------------ */

static uint64_t in_the_middle_ns;

static void look_at_the_clock(void)
{
    in_the_middle_ns = mono_ns();
}

static void times(void)
{
    hooked_begin("1.30.0");
    fake.during = look_at_the_clock;

    uint64_t before_ns = mono_ns();
    const struct record *r = run(NULL, NULL);

    CHECK(r->run.start >= before_ns);
    CHECK(r->run.start <= in_the_middle_ns);
    CHECK(r->run.end >= in_the_middle_ns && r->run.end <= mono_ns());
    CHECK_INT(r->run.session, U(session));
    CHECK_INT(r->run.thread, getpid());
    CHECK_INT(record_phase(r), PHASE_OTHER);
    CHECK(!(r->flags & (FLAG_SHAPE | FLAG_SEQUENCE | FLAG_PAST | FLAG_FAILED)));
}

/* --- bytes and batch ------------------------------------------------------ */

static const struct {
    struct tensor in[4], out[4];
    bool in_known, out_known, batch_known;
    uint64_t in_bytes, out_bytes;
    uint32_t batch;
} sizes[] = {
    { { { "x", FLOATS(8, 3, 224, 224) } }, { { "y", FLOATS(8, 1000) } }, true,
            true, true, 8 * 3 * 224 * 224 * 4, 8 * 1000 * 4, 8 },
    /* The batch leads the first that has two dimensions... */
    { { { "s", FLOATS(5) }, { "x", FLOATS(2, 7) }, { "z", FLOATS(3, 9, 9) } },
            { { "y", FLOATS(1) } }, true, true, true, (5 + 14 + 243) * 4, 4,
            2 },
    /* ...or else the first that has any. */
    { { { "a", { ORT_TYPE_FLOAT, 0, { 0 }, false } }, { "b", FLOATS(6) } },
            { { "y", FLOATS(1) } }, true, true, true, 4 + 24, 4, 6 },
    /* A number alone has neither. */
    { { { "a", { ORT_TYPE_BOOL, 0, { 0 }, false } } }, { { "y", FLOATS(1) } },
            true, true, false, 1, 4, 0 },
    /* Nothing in a tensor is 0, and known. */
    { { { "x", FLOATS(0, 4) } }, { { "y", FLOATS(0) } }, true, true, true, 0, 0,
            0 },
    /* More dimensions than we keep. */
    { { { "x", FLOATS(2, 1, 1, 1, 1, 1, 1, 3, 5, 7) } }, { { "y", FLOATS(1) } },
            true, true, true, 2 * 3 * 5 * 7 * 4, 4, 2 },
    /* Half bytes; texts and sequences have no size. */
    { { { "x", { 22, 2, { 3, 3 }, false } } }, { { "y", FLOATS(1) } }, true,
            true, true, 5, 4, 3 },
    { { { "x", { ORT_TYPE_STRING, 1, { 4 }, false } } },
            { { "y", { ORT_TYPE_STRING, 1, { 4 }, false } } }, false, false,
            true, 0, 0, 4 },
    { { { "x", { ORT_TYPE_FLOAT, 2, { 4, 4 }, true } } },
            { { "y", { ORT_TYPE_FLOAT, 2, { 4, 4 }, true } } }, false, false,
            false, 0, 0, 0 },
    { { { "x", { 999, 1, { 4 }, false } } }, { { "y", FLOATS(2) } }, false,
            true, true, 0, 8, 4 },
};

static void check_size(const struct record *r, size_t i)
{
    CHECK_INT((r->flags & FLAG_INPUT_BYTES) != 0, sizes[i].in_known);
    CHECK_INT((r->flags & FLAG_OUTPUT_BYTES) != 0, sizes[i].out_known);
    CHECK_INT((r->flags & FLAG_SHAPE) != 0, sizes[i].batch_known);
    CHECK_INT(r->run.in_bytes, sizes[i].in_bytes);
    CHECK_INT(r->run.out_bytes, sizes[i].out_bytes);
    CHECK_INT(r->run.batch, sizes[i].batch);
}

/* Each with a session of its own: what is learnt is kept by session. */
static void sizes_lent(void)
{
    hooked_begin("1.24.0");
    for (size_t i = 0; i < LEN(sizes); i++) {
        struct ort_session *s = (struct ort_session *)(0x8000 + 64 * i);

        CHECK(!run_session(s, sizes[i].in, sizes[i].out));
        check_size(hooked_last(RECORD_RUN), i);
    }
    CHECK_INT(atomic_load(&fake.descriptions), 0);
}

/* Before 1.24 shapes are dear, so only one run in sixteen is weighed. */
static void sizes_described(void)
{
    hooked_begin("1.23.2");
    for (size_t i = 0; i < LEN(sizes); i++) {
        struct ort_session *s = (struct ort_session *)(0x8000 + 64 * i);
        uint64_t weighed = 0;

        for (int n = 0; n < 16; n++) {
            CHECK(!run_session(s, sizes[i].in, sizes[i].out));

            const struct record *r = hooked_last(RECORD_RUN);
            bool turn = r->flags & (FLAG_INPUT_BYTES | FLAG_OUTPUT_BYTES);

            CHECK_INT(r->run.batch, sizes[i].batch);
            weighed += turn;
            if (turn)
                check_size(r, i);
        }
        CHECK_INT(weighed, sizes[i].in_known || sizes[i].out_known);
    }
    CHECK_INT(atomic_load(&fake.descriptions), 0); /* all were given back */
}

/* --- phases --------------------------------------------------------------- */

static const struct {
    const char *name;
    struct tensor in[5], out[3];
    enum phase phase;
    int64_t sequence, past; /* -1: not known */
} phases[] = {
    { "a picture", { { "x", FLOATS(1, 3, 8, 8) } }, { { "y", FLOATS(1) } },
            PHASE_OTHER, -1, -1 },
    { "an encoder, without a cache",
            { { "input_ids", IDS(2, 9) }, { "attention_mask", IDS(2, 9) } },
            { { "last_hidden_state", FLOATS(1) } }, PHASE_OTHER, 9, -1 },
    { "the prompt",
            { { "input_ids", IDS(1, 9) }, { "attention_mask", IDS(1, 9) },
                    { "past_key_values.0.key", FLOATS(1, 4, 0, 64) } },
            { { "logits", FLOATS(1) }, { "present.0.key", FLOATS(1) } },
            PHASE_PREFILL, 9, 0 },
    { "a token",
            { { "input_ids", IDS(1, 1) }, { "attention_mask", IDS(1, 10) },
                    { "past_key_values.0.key", FLOATS(1, 4, 9, 64) } },
            { { "logits", FLOATS(1) }, { "present.0.key", FLOATS(1) } },
            PHASE_DECODE, 1, 9 },
    { "a part of a long prompt",
            { { "input_ids", IDS(1, 512) }, { "attention_mask", IDS(1, 1536) },
                    { "past_key_values.0.key", FLOATS(1, 4, 1024, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_PREFILL, 512, 1024 },
    { "a prompt of one token",
            { { "input_ids", IDS(1, 1) }, { "attention_mask", IDS(1, 1) },
                    { "past_key_values.0.key", FLOATS(1, 4, 0, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_PREFILL, 1, 0 },
    { "without a mask, the past tells",
            { { "inputs_embeds", FLOATS(3, 1, 256) },
                    { "past.0", FLOATS(2, 3, 4, 17, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_DECODE, 1, 17 },
    { "a past in a buffer of fixed size: the mask knows better",
            { { "input_ids", IDS(1, 1) }, { "attention_mask", IDS(1, 33) },
                    { "past_key_values.0.key", FLOATS(1, 4, 4096, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_DECODE, 1, 32 },
    { "the first model of two: it returns a cache and takes none",
            { { "decoder_input_ids", IDS(1, 5) } },
            { { "logits", FLOATS(1) }, { "present.0.key", FLOATS(1) } },
            PHASE_PREFILL, 5, 0 },
    { "a mask of another kind",
            { { "input_ids", IDS(1, 1) },
                    { "attention_mask", FLOATS(1, 1, 1, 8) },
                    { "past_key_values.0.key", FLOATS(1, 4, 7, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_DECODE, 1, 7 },
    { "a mask that is too short to be one of all tokens",
            { { "input_ids", IDS(1, 9) }, { "attention_mask", IDS(1, 4) },
                    { "past_key_values.0.key", FLOATS(1, 4, 7, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_PREFILL, 9, 7 },
    { "a past of a shape that we do not know",
            { { "input_ids", IDS(1, 1) }, { "past_state", FLOATS(1, 64) } },
            { { "logits", FLOATS(1) } }, PHASE_OTHER, 1, -1 },
    { "ids of one dimension", { { "input_ids", IDS(9) } },
            { { "logits", FLOATS(1) } }, PHASE_OTHER, -1, -1 },
};

static void check_phase(size_t i, struct ort_session *s)
{
    CHECK(!run_session(s, phases[i].in, phases[i].out));

    const struct record *r = hooked_last(RECORD_RUN);
    int64_t sequence = r->flags & FLAG_SEQUENCE ? (int64_t)r->run.sequence : -1;
    int64_t past = r->flags & FLAG_PAST ? (int64_t)r->run.past : -1;

    if (record_phase(r) == phases[i].phase && sequence == phases[i].sequence &&
            past == phases[i].past)
        return;
    test_failures++;
    (void)fprintf(stderr, "%s: phase %d, sequence %d, past %d\n",
            phases[i].name, record_phase(r), (int)sequence, (int)past);
}

static const char *phase_version;

static void phases_of(void)
{
    hooked_begin(phase_version);
    for (size_t i = 0; i < LEN(phases); i++)
        for (int n = 0; n < 2; n++) /* learnt, and known */
            check_phase(i, (struct ort_session *)(0x8000 + 64 * i));
    CHECK_INT(atomic_load(&fake.descriptions), 0);
}

/* One address, another session behind it: what was learnt is forgotten, also
 * when nobody said that the first is gone. */
static void same_address(void)
{
    hooked_begin("1.30.0");
    for (size_t i = 0; i < LEN(phases); i++) {
        check_phase(i, session);
        if (i % 2)
            CALL(ReleaseSession)(session);
    }
    for (size_t i = LEN(phases); i-- > 0;) {
        CALL(ReleaseSession)(session);
        check_phase(i, session);
    }
}

/* --- what only values tell ------------------------------------------------ */

static void hold(size_t at, const struct tensor *t, void *data)
{
    fake.held[at] = (struct fake_data){ &t->value, data };
}

/* A buffer of 8, of which the mask says how much counts. */
static void fixed_buffer(void)
{
    static int64_t ones[8] = { 1, 1, 1, 1, 1, 0, 0, 0 };
    static const struct tensor in[] = { { "input_ids", IDS(1, 1) },
        { "attention_mask", IDS(1, 8) },
        { "past_key_values.0.value", FLOATS(1, 1, 8, 2) }, { NULL, { 0 } } };

    hooked_begin("1.30.0");
    hold(0, &in[1], ones);
    CHECK_INT(run(in, NULL)->run.past, 4);
    ones[5] = 1;
    CHECK_INT(run(in, NULL)->run.past, 5);

    static int64_t at[1] = { 3 };
    static const struct tensor by_position[] = { { "input_ids", IDS(1, 1) },
        { "position_ids", IDS(1, 1) },
        { "past_key_values.0.value", FLOATS(1, 1, 8, 2) }, { NULL, { 0 } } };

    hold(1, &by_position[1], at);
    CHECK_INT(run(by_position, NULL)->run.past, 3);
}

/* One model for both: a past that is there and does not count. */
static void branch(void)
{
    static bool use;
    static const struct tensor in[] = { { "input_ids", IDS(1, 1) },
        { "past_key_values.0.decoder.key", FLOATS(1, 1, 1, 2) },
        { "past_key_values.0.encoder.key", FLOATS(1, 1, 30, 2) },
        { "use_cache_branch", { ORT_TYPE_BOOL, 1, { 1 }, false } },
        { NULL, { 0 } } };

    hooked_begin("1.30.0");
    hold(0, &in[3], &use);

    const struct record *r = run(in, NULL);

    CHECK_INT(record_phase(r), PHASE_PREFILL);
    CHECK_INT(r->run.past, 0);
    use = true;
    r = run(in, NULL);
    CHECK_INT(record_phase(r), PHASE_DECODE);
    CHECK_INT(r->run.past, 1);
}

/* The rows of a cache have the same numbers where they are handed on. */
static void passed_on(void)
{
    static float cache[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, copied[6];
    static const struct tensor first[] = { { "input_ids", IDS(1, 2) },
        { "past_key_values.0.value", FLOATS(1, 1, 2, 2) }, { NULL, { 0 } } };
    static const struct tensor next[] = { { "input_ids", IDS(1, 1) },
        { "past_key_values.0.value", FLOATS(1, 1, 3, 2) }, { NULL, { 0 } } };
    static struct ort_value made = FLOATS(1, 1, 4, 2);
    static struct ort_value *out[1] = { &made };
    const char *out_name = "present.0.value";
    const char *in_names[2] = { "input_ids", "past_key_values.0.value" };
    const struct ort_value *in[2] = { &first[0].value, &first[1].value };
    struct ort_value *given[1] = { NULL };

    hooked_begin("1.30.0");
    fake.outputs = out;
    fake.held[0] = (struct fake_data){ &made, cache };
    CHECK(!CALL(Run)(session, NULL, in_names, in, 2, &out_name, 1, given));

    struct record r = *hooked_last(RECORD_PASSED);

    CHECK(r.passed.out[0] && r.passed.out[1] && !r.passed.out[2]);
    CHECK(r.passed.out[0] != r.passed.out[1]);

    /* Cut by one, and copied. */
    memcpy(copied, cache, sizeof(copied));
    hold(1, &next[1], copied);
    fake.outputs = NULL;
    (void)run(next, NULL);
    CHECK_INT(hooked_last(RECORD_PASSED)->passed.in, r.passed.out[1]);

    /* On a device nothing is read. */
    fake.held[1].of = NULL;
    (void)run(next, NULL);
    CHECK_INT(hooked_last(RECORD_PASSED)->passed.in, 0);
}

/* --- what goes wrong ------------------------------------------------------ */

static void failing(void)
{
    hooked_begin("1.30.0");
    fake.status = &failure;

    const struct record *r = run(sizes[0].in, sizes[0].out);

    CHECK_INT(r->flags,
            FLAG_FAILED | FLAG_INPUT_BYTES | FLAG_SHAPE); /* no outputs */
    CHECK_INT(r->run.in_bytes, sizes[0].in_bytes);
    CHECK_INT(r->run.out_bytes, 0);

    const struct record *why = hooked_last(RECORD_ERROR);

    CHECK(hooked_text(why->error.text, failure.text));
    CHECK_INT(why->error.code, 2);
    CHECK_INT(why->error.thread, r->run.thread);
    CHECK(why < r);
    CHECK_INT(atomic_load(&fake.statuses_released), 0);
}

/* ONNX Runtime refuses these with a status; so must we live with them. */
static void strange_arguments(void)
{
    const char *const no_names[2] = { NULL, NULL };
    const struct ort_value *const no_values[2] = { NULL, NULL };
    struct ort_value *out[2] = { NULL, NULL };

    hooked_begin("1.30.0");
    fake.status = &failure;
    CHECK(CALL(Run)(session, NULL, no_names, no_values, 2, no_names, 2, out) ==
            &failure);
    CHECK(CALL(Run)(session, NULL, no_names, no_values, 2, NULL, 2, out) ==
            &failure);
    CHECK(CALL(Run)(session, NULL, NULL, NULL, 2, no_names, 2, NULL) ==
            &failure);
    CHECK(CALL(Run)(session, NULL, NULL, NULL, 0, NULL, 0, NULL) == &failure);
    CHECK_INT(hooked_count(RECORD_RUN), 4);
}

/* Shapes cannot be had: what was asked for is given back, all else goes on. */
static void no_shapes(void)
{
    hooked_begin("1.23.2");
    fake.shapes = &failure;
    for (int i = 0; i < 16; i++) {
        const struct record *r = run(phases[3].in, phases[3].out);

        CHECK_INT(r->flags, 0);
        CHECK_INT(record_phase(r), PHASE_OTHER);
    }
    CHECK(atomic_load(&fake.statuses_released) > 0);
    CHECK_INT(atomic_load(&fake.descriptions), 0);
}

/* More inputs than a plan has room for, and then few again. */
static void many_inputs(void)
{
    enum { MANY = 300 };
    static struct ort_value value = FLOATS(2, 5);
    static const char *names[MANY];
    static const struct ort_value *in[MANY];

    hooked_begin("1.30.0");
    for (size_t i = 0; i < MANY; i++) {
        names[i] = i == 280 ? "input_ids" : "x";
        in[i] = &value;
    }
    CHECK(!CALL(Run)(session, NULL, names, in, MANY, NULL, 0, NULL));
    CHECK_INT(hooked_last(RECORD_RUN)->run.in_bytes, MANY * 40);
    CHECK_INT(hooked_last(RECORD_RUN)->run.batch, 2);
    check_phase(3, session);
}

int main(void)
{
    HOOKED(times);
    HOOKED(sizes_lent);
    HOOKED(sizes_described);
    phase_version = "1.30.0";
    HOOKED(phases_of);
    phase_version = "1.10.0";
    HOOKED(phases_of);
    HOOKED(same_address);
    HOOKED(fixed_buffer);
    HOOKED(branch);
    HOOKED(passed_on);
    HOOKED(failing);
    HOOKED(strange_arguments);
    HOOKED(no_shapes);
    HOOKED(many_inputs);
    return test_result();
}

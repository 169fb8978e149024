/* test_hook_binding.c -- RunWithBinding, which names no tensors itself. */
#include "hooked.h"

static struct ort_session *const session = (struct ort_session *)0x7000;
static struct ort_status failure = { 2, "it failed" };

static struct ort_binding *binding_number(uintptr_t number)
{
    return (struct ort_binding *)(0x9000 + 64 * number);
}

static struct ort_binding *const first = (struct ort_binding *)0x9000;

static struct ort_value tensor(int64_t a, int64_t b)
{
    return (struct ort_value){ ORT_TYPE_FLOAT, 2, { a, b }, false };
}

static struct ort_value past_of(int64_t tokens)
{
    return (struct ort_value){ ORT_TYPE_FLOAT, 4, { 1, 4, tokens, 64 }, false };
}

static void input(struct ort_binding *b, const char *name, struct ort_value v)
{
    CHECK(CALL(BindInput)(b, name, &v) == fake.status);
}

static void output(struct ort_binding *b, const char *name, struct ort_value v)
{
    CHECK(CALL(BindOutput)(b, name, &v) == fake.status);
}

static const struct record *run(struct ort_binding *b)
{
    CHECK(CALL(RunWithBinding)(session, NULL, b) == fake.status);
    return hooked_last(RECORD_RUN);
}

static void good(void)
{
    hooked_begin("1.30.0");
    input(first, "x", tensor(8, 3));
    input(first, "s", (struct ort_value){ ORT_TYPE_INT64, 1, { 2 }, false });
    output(first, "y", tensor(8, 10));

    const struct record *r = run(first);

    CHECK_INT(r->flags,
            FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES | FLAG_OUTPUT_BYTES);
    CHECK_INT(r->run.session, U(session));
    CHECK_INT(r->run.thread, getpid());
    CHECK_INT(r->run.batch, 8);
    CHECK_INT(r->run.in_bytes, 8 * 3 * 4 + 16);
    CHECK_INT(r->run.out_bytes, 8 * 10 * 4);
    CHECK(r->run.start && r->run.end >= r->run.start);
    CHECK_INT(run(first)->run.in_bytes, 8 * 3 * 4 + 16); /* again */

    fake.status = &failure;
    r = run(first);
    CHECK_INT(r->flags,
            FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES | FLAG_FAILED);
    CHECK(hooked_text(hooked_last(RECORD_ERROR)->error.text, "it failed"));
}

/* What is bound to a name again takes the other's place. */
static void bound_again(void)
{
    hooked_begin("1.30.0");
    input(first, "x", tensor(8, 3));
    output(first, "y", tensor(8, 10));
    CHECK_INT(run(first)->run.batch, 8);
    input(first, "x", tensor(2, 3));
    output(first, "y", tensor(2, 10));

    const struct record *r = run(first);

    CHECK_INT(r->run.batch, 2);
    CHECK_INT(r->run.in_bytes, 2 * 3 * 4);
    CHECK_INT(r->run.out_bytes, 2 * 10 * 4);

    /* To something that has neither. */
    input(first, "x", (struct ort_value){ ORT_TYPE_FLOAT, 2, { 4, 4 }, true });
    r = run(first);
    CHECK_INT(r->flags, FLAG_BINDING | FLAG_OUTPUT_BYTES);

    /* What was refused is not bound. */
    input(first, "x", tensor(5, 3));
    fake.status = &failure;
    input(first, "x", tensor(6, 3));
    output(first, "y", tensor(6, 10));
    fake.status = NULL;
    r = run(first);
    CHECK_INT(r->run.batch, 5);
    CHECK_INT(r->run.out_bytes, 2 * 10 * 4);
}

static void cleared(void)
{
    hooked_begin("1.30.0");
    input(first, "x", tensor(8, 3));
    output(first, "y", tensor(8, 10));
    CALL(ClearBoundInputs)(first);

    const struct record *r = run(first);

    CHECK_INT(r->flags, FLAG_BINDING | FLAG_OUTPUT_BYTES);
    CALL(ClearBoundOutputs)(first);
    CHECK_INT(run(first)->flags, FLAG_BINDING);
    input(first, "x", tensor(4, 3));
    r = run(first);
    CHECK_INT(r->flags, FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES);
    CHECK_INT(r->run.batch, 4);
    CALL(ClearBoundInputs)(binding_number(5)); /* never met */

    /* Another one at the same address knows nothing of the first. */
    CALL(ReleaseIoBinding)(first);
    CHECK_INT(run(first)->flags, FLAG_BINDING);
    output(first, "z", tensor(1, 1));
    CHECK_INT(run(first)->flags, FLAG_BINDING | FLAG_OUTPUT_BYTES);
}

/* On a device, of a size that shows only later. */
static void unknown_outputs(void)
{
    hooked_begin("1.30.0");
    input(first, "x", tensor(8, 3));
    output(first, "y", tensor(8, 10));
    CHECK(!CALL(BindOutputToDevice)(first, "z", NULL));

    const struct record *r = run(first);

    CHECK_INT(r->flags, FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES);
    CHECK_INT(r->run.out_bytes, 0);
    output(first, "z", tensor(1, 1)); /* now it is known */
    CHECK_INT(run(first)->run.out_bytes, 324);
    CHECK(!CALL(BindOutputToDevice)(first, "y", NULL));
    CHECK(!(run(first)->flags & FLAG_OUTPUT_BYTES));
    CHECK(!CALL(BindOutputToDevice)(first, NULL, NULL)); /* no name */
}

/* More names than are kept: then no sum is claimed, until they are cleared. */
static void many_names(void)
{
    char name[16];

    hooked_begin("1.30.0");
    output(first, "y", tensor(1, 1));
    for (int i = 0; i < 191; i++) {
        (void)snprintf(name, sizeof(name), "x%d", i);
        input(first, name, tensor(2, 1));
    }
    CHECK_INT(run(first)->run.in_bytes, 191 * 8);
    CHECK_INT(run(first)->run.out_bytes, 4);
    input(first, "x190", tensor(2, 2)); /* one that is there */
    CHECK_INT(run(first)->run.in_bytes, 192 * 8);
    input(first, "one too many", tensor(2, 1));

    const struct record *r = run(first);

    CHECK_INT(r->flags, FLAG_BINDING | FLAG_SHAPE | FLAG_OUTPUT_BYTES);
    CHECK_INT(r->run.out_bytes, 4);
    output(first, "z", tensor(1, 1));
    CHECK_INT(run(first)->flags, FLAG_BINDING | FLAG_SHAPE);

    /* Clearing one side does not make the other known. */
    CALL(ClearBoundInputs)(first);
    CHECK_INT(run(first)->flags, FLAG_BINDING);
    input(first, "x", tensor(3, 1));
    CHECK_INT(run(first)->flags, FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES);
    CALL(ClearBoundOutputs)(first);
    output(first, "z", tensor(1, 1));
    CHECK_INT(run(first)->run.out_bytes, 4);
}

/* More bindings than are kept: they run as any, and nothing is claimed. */
static void many_bindings(void)
{
    hooked_begin("1.30.0");
    for (uintptr_t i = 0; i < 70; i++)
        input(binding_number(i), "x", tensor((int64_t)i + 1, 1));
    for (uintptr_t i = 0; i < 70; i++) {
        const struct record *r = run(binding_number(i));

        CHECK_INT(r->run.batch, i < 64 ? i + 1 : 0);
        CHECK_INT(r->flags,
                i < 64 ? FLAG_BINDING | FLAG_SHAPE | FLAG_INPUT_BYTES
                       : FLAG_BINDING);
    }
    CALL(ReleaseIoBinding)(binding_number(3));
    input(binding_number(69), "x", tensor(70, 1));
    CHECK_INT(run(binding_number(69))->run.batch, 70);
    CHECK_INT(run(binding_number(4))->run.batch, 5);
}

/* --- a language model ----------------------------------------------------- */

static void check_phase(enum phase phase, uint32_t sequence, int64_t past)
{
    const struct record *r = run(first);

    CHECK_INT(record_phase(r), phase);
    CHECK(r->flags & FLAG_SEQUENCE);
    CHECK_INT(r->run.sequence, sequence);
    CHECK_INT(r->flags & FLAG_PAST ? (int64_t)r->run.past : -1, past);
    CHECK_INT(r->run.batch, 1);
}

static void phases(void)
{
    hooked_begin("1.30.0");
    input(first, "position_ids", tensor(1, 9));
    input(first, "input_ids", tensor(1, 9));
    check_phase(PHASE_OTHER, 9, -1);
    output(first, "present.0.key", past_of(9));
    check_phase(PHASE_PREFILL, 9, 0);
    input(first, "attention_mask", tensor(1, 9));
    input(first, "past_key_values.0.key", past_of(0));
    check_phase(PHASE_PREFILL, 9, 0);
    for (int64_t i = 9; i < 12; i++) {
        input(first, "input_ids", tensor(1, 1));
        input(first, "attention_mask", tensor(1, i + 1));
        input(first, "past_key_values.0.key", past_of(i));
        check_phase(PHASE_DECODE, 1, i);
    }
    /* Without the mask, what the past says. */
    CALL(ClearBoundInputs)(first);
    input(first, "input_ids", tensor(1, 1));
    input(first, "past_key_values.0.key", past_of(33));
    check_phase(PHASE_DECODE, 1, 33);
    CALL(ClearBoundOutputs)(first);
    CALL(ClearBoundInputs)(first);
    input(first, "input_ids", tensor(1, 4));
    check_phase(PHASE_OTHER, 4, -1);
}

int main(void)
{
    HOOKED(good);
    HOOKED(bound_again);
    HOOKED(cleared);
    HOOKED(unknown_outputs);
    HOOKED(many_names);
    HOOKED(many_bindings);
    HOOKED(phases);
    return test_result();
}

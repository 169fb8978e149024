/* From events to what processes did, and to ONNX Runtime's inferences. */
#include "etw/activity.h"
#include "etw/event.h"
#include "etw/ort.h"
#include "made_trace.h"
#include "test.h"

#define MS UINT64_C(1000000)

static const struct etw_provider ort = { &etw_ort_provider,
    "Microsoft.ML.ONNXRuntime" };

static struct etw_activity *taken(struct buf *b, struct etw_trace **t)
{
    const struct etw_record *r;
    int64_t last = 0;

    *t = made_open(b, b->len);

    struct etw_activity *a = etw_activity_new(etw_trace_info(*t));

    while ((r = etw_trace_next(*t))) {
        etw_activity_take(a, r);
        last = r->time;
    }
    etw_activity_settle(a, last);
    return a;
}

static void switches(void)
{
    struct buf b = { 0 };
    struct etw_writer *w = made_writer(&b, 2);
    struct etw_stamp s = { 0, 42, 1, 0 };
    struct etw_trace *t;
    bool measured;

    etw_write_process(w, &s, ETW_STARTS, 9, 0, "a.exe", "a.exe");
    etw_write_thread(w, &s, ETW_STARTS, NULL);
    s.tid = 2;
    etw_write_thread(w, &s, ETW_STARTS, NULL);
    s.time_ns = 1 * MS;
    etw_write_switch(w, &s, 1, 0, 2, 0);
    s.time_ns = 4 * MS; /* 3 ms, then it lost its CPU to the other */
    etw_write_switch(w, &s, 2, 1, 1, 0);
    s.time_ns = 6 * MS; /* 2 ms, then it waits; the first was ready for 2 */
    etw_write_switch(w, &s, 1, 2, 5, 6);
    s.time_ns = 11 * MS; /* 5 more up to the trace's end */
    etw_write_process(w, &s, ETW_STOPS, 9, 5, "a.exe", "a.exe");
    (void)etw_writer_end(w);

    struct etw_activity *a = taken(&b, &t);
    const struct etw_process *p =
            etw_activity_process(a, etw_activity_find(a, 42));

    CHECK_INT(etw_process_cpu_ns(a, p, &measured), 10 * MS);
    CHECK(measured);
    CHECK_INT(p->preemptions, 1);
    CHECK_INT(p->waits, 1);
    CHECK_INT(p->parent, 9);
    CHECK_INT(p->threads_max, 2);
    CHECK(p->started && p->ended && p->exit_status == 5);
    CHECK_INT(p->end_ns, 11 * MS);
    CHECK_INT(etw_activity_thread(a, 0)->cpu_ns, 8 * MS);
    CHECK_INT(etw_activity_thread(a, 0)->ready_ns, 2 * MS);
    CHECK_INT(etw_activity_thread(a, 1)->cpu_ns, 2 * MS);
    etw_activity_free(a);
    etw_trace_close(t);
    buf_release(&b);
}

static void samples(void)
{
    struct buf b = { 0 };
    struct etw_writer *w = made_writer(&b, 1);
    struct etw_stamp s = { 0, 42, 1, 0 };
    struct etw_trace *t;
    bool measured;

    etw_write_thread(w, &s, ETW_IS_THERE, NULL);
    for (int i = 0; i < 7; i++) {
        s.time_ns += MS;
        etw_write_sample(w, &s, i < 2 ? 0xfffff80000000000 : 0x1000);
    }
    s.tid = 0; /* idle */
    etw_write_sample(w, &s, 0xfffff80000000000);
    (void)etw_writer_end(w);

    struct etw_activity *a = taken(&b, &t);
    const struct etw_process *p =
            etw_activity_process(a, etw_activity_find(a, 42));

    CHECK_INT(etw_process_cpu_ns(a, p, &measured), 7 * MS);
    CHECK(!measured);
    CHECK_INT(p->kernel_samples, 2);
    CHECK_INT(etw_activity_has(a), ETW_HAS_SAMPLES);
    etw_activity_free(a);
    etw_trace_close(t);
    buf_release(&b);
}

/* --- ONNX Runtime ----------------------------------------------------------
 */

struct got {
    int inferences, failed, sessions;
    uint64_t total_ns;
};

static void take_inference(void *context, const struct etw_ort_inference *x)
{
    struct got *g = context;

    g->inferences++;
    g->failed += x->error != NULL;
    g->total_ns += x->duration_ns;
    CHECK(x->has_session);
}

static void take_session(void *context, const struct etw_ort_session *x)
{
    struct got *g = context;

    g->sessions++;
    CHECK(x->model && strcmp(x->model, "m.onnx") == 0);
    CHECK(!x->whole);
}

static void evaluate(struct etw_writer *w, uint32_t tid, uint64_t time_ns,
        const char *name, uint32_t session)
{
    struct etw_draft d = { 0 };
    const struct etw_stamp s = { 0, 42, tid, time_ns };

    etw_draft_begin(&d, name);
    etw_draft_u32(&d, "sessionId", session);
    if (strcmp(name, "RuntimeInferenceError") == 0)
        etw_draft_text(&d, "errorMessage", "no");
    if (strcmp(name, "SessionCreation_CaptureState") == 0)
        etw_draft_text(&d, "modelFileName", "m.onnx");
    etw_draft_write(w, &s, &ort, &d, 5, 0, 0);
    etw_draft_release(&d);
}

static void pairs(void)
{
    struct buf b = { 0 };
    struct etw_writer *w = made_writer(&b, 1);
    struct got got = { 0 };
    const struct etw_record *r;

    evaluate(w, 1, 1, "SessionCreation_CaptureState", 1);
    evaluate(w, 9, 5, "EvaluationStop", 1); /* its start was before */
    evaluate(w, 1, 100, "EvaluationStart", 1);
    evaluate(w, 2, 110, "EvaluationStart", 1);
    evaluate(w, 1, 120, "EvaluationStart", 2); /* one within another */
    evaluate(w, 1, 125, "EvaluationStop", 2);
    evaluate(w, 2, 130, "RuntimeInferenceError", 1);
    evaluate(w, 2, 140, "EvaluationStop", 1);
    evaluate(w, 1, 150, "EvaluationStop", 1);
    evaluate(w, 1, 160, "EvaluationStart", 3); /* its end is lost */
    evaluate(w, 1, 200, "EvaluationStart", 1);
    evaluate(w, 1, 210, "EvaluationStop", 1);
    evaluate(w, 2, 300, "EvaluationStart", 1); /* the trace ends */
    (void)etw_writer_end(w);

    struct etw_trace *t = made_open(&b, b.len);
    struct etw_ort *o = etw_ort_new(etw_trace_info(t),
            &(struct etw_ort_sink){ .context = &got,
                    .inference = take_inference,
                    .session = take_session });

    while ((r = etw_trace_next(t)))
        etw_ort_take(o, r);
    etw_ort_end(o);
    CHECK_INT(got.inferences, 4);
    CHECK_INT(got.failed, 1);
    CHECK_INT(got.sessions, 1);
    CHECK_INT(got.total_ns, 5 + 30 + 50 + 10);
    CHECK_INT(etw_ort_tally(o)->unpaired_starts, 2);
    CHECK_INT(etw_ort_tally(o)->unpaired_stops, 1);
    etw_ort_free(o);
    etw_trace_close(t);
    buf_release(&b);
}

int main(void)
{
    switches();
    samples();
    pairs();
    return test_result();
}

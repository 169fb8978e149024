/* failing.c -- runs that fail, and say why: failing MODEL COUNT.
 *
 * COUNT times: an inference, one with an unknown input, one with an input of
 * another rank.  Then a session from a file that is not there, and from one
 * that is no model.  Prints ONNX Runtime's sentences. */
#include "ort_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct ort_api_base *OrtGetApiBase(void);

/* Prints the sentence if `show`, and lets the status go. */
static void expect_failure(const struct host *h, struct ort_status *status,
        int show)
{
    if (!status)
        die("what had to fail did not");
    if (show)
        printf("%d %s\n", ORT(h->api, GetErrorCode)(status),
                ORT(h->api, GetErrorMessage)(status));
    ORT(h->api, ReleaseStatus)(status);
}

static struct ort_status *run_with(const struct job *j, const char *name,
        const struct ort_value *in)
{
    struct ort_value *out[JOB_TENSORS] = { NULL };

    return ORT(j->host->api, Run)(j->session, NULL, &name, &in, 1,
            (const char *const *)j->out_name, j->n_out, out);
}

int main(int argc, char **argv)
{
    static float data[64];
    static const int64_t shape[] = { 2, 2, 2, 2, 2, 2 };
    struct host h = { 0 };
    struct job j = { 0 };
    struct ort_value *odd = NULL;
    struct ort_session *session = NULL;

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    host_open(&h, OrtGetApiBase());
    job_open_alone(&j, &h, argv[1]);
    host_check(&h, ORT(h.api, CreateTensorWithDataAsOrtValue)(h.memory, data,
                           sizeof(data), shape, 6, ORT_TYPE_FLOAT, &odd));

    uint64_t count = number(argv[2]);
    uint64_t sum = SUM_START;

    for (uint64_t i = 0; i < count; i++) {
        sum = job_run(&j, sum);
        expect_failure(&h, run_with(&j, "nobody", j.in[0]), i == 0);
        expect_failure(&h, run_with(&j, j.in_name[0], odd), i == 0);
    }
    expect_failure(&h,
            ORT(h.api, CreateSession)(h.env, "missing.onnx", NULL, &session),
            1);
    expect_failure(&h,
            ORT(h.api, CreateSession)(h.env, "/dev/null", NULL, &session), 1);
    printf("failing %" PRIu64 " %016" PRIx64 "\n", count, sum);
    ORT(h.api, ReleaseValue)(odd);
    job_close(&j);
    host_close(&h);
    return 0;
}

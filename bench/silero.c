#include "bench/silero.h"

static const char *const in_names[] = { "input", "state", "sr" };
static const char *const out_names[] = { "output", "stateN" };

static struct ort_value *tensor(const struct host *h, void *data, size_t bytes,
        int type, const int64_t *shape, size_t rank)
{
    struct ort_value *v = NULL;

    host_check(h, ORT(h->api, CreateTensorWithDataAsOrtValue)(h->memory, data,
                          bytes, shape, rank, type, &v));
    return v;
}

void silero_open(struct silero *s, const struct host *h, const char *model)
{
    static const int64_t window[] = { 1, 512 };
    static const int64_t state[] = { 2, 1, 128 };
    static const int64_t one[] = { 1, 1 };
    struct ort_options *options = host_options(h, 1);

    *s = (struct silero){ .host = h,
        .n_in = SILERO_INPUTS,
        .n_out = SILERO_OUTPUTS,
        .rate_hz = 16000 };
    host_check(h,
            ORT(h->api, CreateSession)(h->env, model, options, &s->session));
    ORT(h->api, ReleaseSessionOptions)(options);

    s->in[0] = tensor(h, s->samples, sizeof(s->samples), ORT_TYPE_FLOAT, window,
            2);
    s->in[1] = tensor(h, s->state, sizeof(s->state), ORT_TYPE_FLOAT, state, 3);
    s->in[2] =
            tensor(h, &s->rate_hz, sizeof(s->rate_hz), ORT_TYPE_INT64, one, 0);
    s->out[0] = tensor(h, &s->probability, sizeof(s->probability),
            ORT_TYPE_FLOAT, one, 2);
    s->out[1] = tensor(h, s->next_state, sizeof(s->next_state), ORT_TYPE_FLOAT,
            state, 3);
}

void silero_run(struct silero *s, ort_Run run)
{
    struct ort_status *status = run(s->session, NULL, in_names, s->in, s->n_in,
            out_names, s->n_out, s->out);

    if (status)
        host_check(s->host, status);
}

void silero_close(struct silero *s)
{
    const struct ort_api *api = s->host->api;

    for (size_t i = 0; i < SILERO_INPUTS; i++)
        ORT(api, ReleaseValue)((struct ort_value *)s->in[i]);
    for (size_t i = 0; i < SILERO_OUTPUTS; i++)
        ORT(api, ReleaseValue)(s->out[i]);
    ORT(api, ReleaseSession)(s->session);
}

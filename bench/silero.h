/* silero.h -- Silero's voice detector, version 5, as its users call it: one
 * window of 512 samples at 16 kHz, the state of the window before, and the
 * rate; back come the probability and the next state.
 *
 * The outputs lie in tensors of ours, so a run leaves nothing to release, and
 * all runs work on the same memory.  A step that fails ends the program with
 * ONNX Runtime's own sentence (ort_host.h). */
#pragma once

#include "tests/programs/ort_host.h"

enum { SILERO_INPUTS = 3, SILERO_OUTPUTS = 2 };

struct silero {
    const struct host *host;
    struct ort_session *session;
    const struct ort_value *in[SILERO_INPUTS];
    struct ort_value *out[SILERO_OUTPUTS];
    size_t n_in, n_out; /* how many of them a run is given */

    float samples[512];
    float state[2 * 128];
    int64_t rate_hz;
    float probability;
    float next_state[2 * 128];
};

/* One intra-op thread.  It is not to be moved afterwards: the tensors are its
 * members.  The stub (stub_ort.c) takes any `model`. */
void silero_open(struct silero *s, const struct host *h, const char *model);

/* One inference through `run`, which is what stands or stood in slot Run. */
void silero_run(struct silero *s, ort_Run run);

void silero_close(struct silero *s);

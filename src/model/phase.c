#include "model/phase.h"

const char *phase_name(enum phase phase)
{
    static const char *const names[PHASES + 1] = {
        [PHASE_OTHER] = "other",
        [PHASE_PRE] = "pre_inference",
        [PHASE_PREFILL] = "prefill",
        [PHASE_DECODE] = "decode",
        [PHASE_POST] = "post_inference",
        [PHASE_IDLE] = "idle",
    };

    return (unsigned)phase <= PHASE_IDLE ? names[phase] : names[PHASE_OTHER];
}

enum phase phase_of_most(const uint64_t ns[PHASES])
{
    unsigned best = PHASE_OTHER;

    for (unsigned i = 0; i < PHASES; i++)
        if (ns[i] > ns[best])
            best = i;
    return ns[best] ? (enum phase)best : PHASE_IDLE;
}

/* measured.h -- which inferences a benchmark measured: those within its
 * sections of that name.  Of any other run all of them are. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "store/store.h"

struct measured {
    struct measured_window {
        uint32_t process;
        uint64_t start_ns, end_ns;
    } * windows; /* none: all was measured */
    size_t count;
};

int measured_read(struct measured *out, struct store *s, int64_t run,
        struct error *e);
bool measured_has(const struct measured *m, const struct inference *i);
void measured_release(struct measured *m);

#include "energy/model_text.h"

#include "base/compiler.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>

void model_text(char out[MODEL_TEXT], const struct cpu_model *m)
{
    (void)snprintf(out, MODEL_TEXT,
            "idle %.6g full %.6g low %.6g high %.6g: %s", m->idle_watts,
            m->full_watts, m->low_factor, m->high_factor, m->basis);
}

int model_from_text(struct cpu_model *out, const char *text)
{
    struct cpu_model m = { 0 };
    struct str numbers = str_before(str_of(text), ':');
    struct str basis = str_trim(str_after(str_of(text), ':'));
    const struct {
        const char *word;
        double *value;
    } fields[] = {
        { "idle", &m.idle_watts },
        { "full", &m.full_watts },
        { "low", &m.low_factor },
        { "high", &m.high_factor },
    };

    for (size_t i = 0; i < LEN(fields); i++) {
        if (!str_is(str_word(&numbers), fields[i].word) ||
                str_f64(fields[i].value, str_word(&numbers)))
            return -EINVAL;
    }
    (void)snprintf(m.basis, sizeof(m.basis), "%.*s", (int)basis.len, basis.p);
    *out = m;
    return 0;
}

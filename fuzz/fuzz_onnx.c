/* fuzz_onnx.c -- any bytes as a model: read, gone through with a size chosen,
 * placed, and told in both ways. */
#include "cmd/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void go_through(const struct onnx_model *m)
{
    const struct study_size chosen[] = { { { "N", 1 }, 3 },
        { { "x:0", 3 }, 2 } };
    struct study *study = study_new(m, chosen, 2);
    struct arch *arch = arch_new(m);
    struct buf text = { 0 };
    struct inspection x = {
        .path = "fuzz",
        .model = m,
        .study = study,
        .arch = arch,
        .nodes = true,
    };

    tally_init(&x.tally, m, study, arch);
    if (x.tally.all.nodes != m->graph->node_count ||
            x.tally.all.known > x.tally.all.nodes)
        abort();
    inspect_json(&text, &x);
    inspect_text(&text, &x, false);
    tally_release(&x.tally);
    buf_release(&text);
    arch_free(arch);
    study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;
    struct str bytes = { (const char *)data, size };

    if (onnx_parse(&m, bytes, "fuzz", &e)) {
        /* A refusal is a sentence of one line. */
        if (!e.text[0] || strchr(e.text, '\n'))
            abort();
        return 0;
    }
    go_through(m);
    onnx_close(m);
    return 0;
}

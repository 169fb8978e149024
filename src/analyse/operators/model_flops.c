#include "analyse/operators/model_flops.h"

#include "analyse/operators/fusion.h"
#include "onnx/model.h"
#include "onnx/tally.h"

#include <errno.h>

static int flops_of_file(double *out, const char *path, struct error *e)
{
    struct onnx_model *model = NULL;
    int rc = onnx_open(&model, path, e);

    if (rc)
        return rc;

    struct study *study = study_new(model, NULL, 0);
    struct arch *arch = arch_new(model);
    struct tally tally;

    tally_init(&tally, model, study, arch);
    if (tally_is_complete(&tally.all))
        *out = (double)onnx_flops(&tally.all.cost);
    else
        rc = fail(e, -ENODATA,
                "%s leaves open sizes that the cost of %u of its %u nodes "
                "depends on",
                path, tally.all.nodes - tally.all.known, tally.all.nodes);
    tally_release(&tally);
    arch_free(arch);
    study_free(study);
    onnx_close(model);
    return rc;
}

int model_flops_of_session(double *out, const struct summary *s,
        const struct summary_session *x, struct error *e)
{
    char path[4096];

    if (!x->model)
        return fail(e, -ENODATA, "the file of a model is not known");

    int rc = fusion_model_path(path, sizeof(path), s, x, e);

    return rc ? rc : flops_of_file(out, path, e);
}

int model_flops(double *out, const struct summary *s, struct error *e)
{
    double sum = 0, inferences = 0;

    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];
        double flops = 0;

        if (!x->inferences)
            continue;

        int rc = model_flops_of_session(&flops, s, x, e);

        if (rc)
            return rc;
        sum += flops * (double)x->inferences;
        inferences += (double)x->inferences;
    }
    if (!(inferences > 0))
        return fail(e, -ENODATA, "there was no inference");
    *out = sum / inferences;
    return 0;
}

/* inspect.c -- what is in a model file. */
#include "cmd/inspect/inspect.h"

#include "base/alloc.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/text/term.h"
#include "onnx/quote.h"
#include "os/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    bool json, nodes;
    const char *out;
    struct option_texts dims;
};

/* --- which file ----------------------------------------------------------- */

static bool is_model_name(const char *name)
{
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".onnx") == 0;
}

/* Of a folder: model.onnx, or the only .onnx that it holds. */
static int choose_file(struct buf *out, const char *path, struct error *e)
{
    char name[QUOTE_PATH];
    struct folder folder;
    const char *found = NULL;
    int count = 0, rc = folder_read(&folder, "%s", path);

    for (size_t i = 0; i < folder.count; i++) {
        if (strcmp(folder.name[i], "model.onnx") == 0) {
            found = folder.name[i];
            count = 1;
            break;
        }
        if (is_model_name(folder.name[i])) {
            found = folder.name[i];
            count++;
        }
    }
    if (rc)
        buf_text(out, path); /* a file, or what open() will tell */
    else if (count == 1)
        buf_printf(out, "%s%s%s", path,
                path[strlen(path) - 1] == '/' ? "" : "/", found);
    rc = rc || count == 1 ? 0 : -ENOENT;
    if (rc)
        (void)fail(e, rc, "%s holds %s", quote_path(name, path),
                count ? "several .onnx files and no model.onnx: name one"
                      : "no .onnx file");
    folder_release(&folder);
    return rc;
}

/* --- sizes ---------------------------------------------------------------- */

static int read_size(struct study_size *out, const char *text, struct error *e)
{
    struct str all = str_of(text);
    struct str number = str_after_last(all, '=');
    uint64_t size;

    if (number.len + 1 >= all.len || str_u64(&size, number) || size > INT32_MAX)
        return fail(e, -EINVAL, "--dim '%.100s' is not of the form NAME=N",
                text);
    out->name = (struct str){ all.p, all.len - number.len - 1 };
    out->size = (int64_t)size;
    return 0;
}

static void list_size(void *context, struct str name)
{
    struct buf *list = context;

    if (list->len)
        buf_text(list, ", ");
    quote_add(list, name);
}

/* A size for a dimension that is not there was meant for another. */
static int check_sizes(const struct inspection *x, const struct settings *s,
        struct error *e)
{
    for (int i = 0; i < s->dims.count; i++) {
        struct buf open = { 0 };

        if (study_size_fits(x->study, (size_t)i))
            continue;
        inspection_open_sizes(x, list_size, &open);
        (void)fail(e, -EINVAL,
                "--dim '%.60s': the model leaves no dimension of that name "
                "open; open are: %.120s",
                s->dims.item[i], open.len ? buf_cstr(&open) : "none");
        buf_release(&open);
        return -EINVAL;
    }
    return 0;
}

static bool is_open(const struct inspection *x, const struct onnx_value *v,
        int axis)
{
    const struct fact *f = study_value(x->study, v->name);

    return v->dims[axis].size < 0 && f && axis < f->rank && f->dims[axis] < 0;
}

void inspection_open_sizes(const struct inspection *x,
        void (*tell)(void *context, struct str name), void *context)
{
    const struct onnx_graph *g = x->model->graph;
    struct map told = { 0 };

    for (uint32_t i = 0; i < g->input_count; i++) {
        const struct onnx_value *v = &g->inputs[i];

        for (int k = 0; !v->has_default && k < v->rank; k++) {
            struct buf axis = { 0 };
            struct str input = symbol_text(&x->model->symbols, v->name);
            struct str name = symbol_text(&x->model->symbols, v->dims[k].name);

            if (!is_open(x, v, k) ||
                    (name.len && map_find(&told, v->dims[k].name)))
                continue;
            map_put(&told, v->dims[k].name, 1);
            buf_printf(&axis, "%.*s:%d", (int)input.len, input.p, k);
            tell(context, name.len ? name : buf_str(&axis));
            buf_release(&axis);
        }
    }
    map_release(&told);
}

/* --- the command ---------------------------------------------------------- */

static int tell(struct inspection *x, const struct settings *s, struct error *e)
{
    struct buf text = { 0 };

    tally_init(&x->tally, x->model, x->study, x->arch);
    if (s->json)
        inspect_json(&text, x);
    else
        inspect_text(&text, x, !s->out && term_colours(stdout));

    int rc = output_write(s->out, buf_str(&text), e);

    tally_release(&x->tally);
    buf_release(&text);
    return rc;
}

static int inspect_file(const char *path, const struct settings *s,
        struct error *e)
{
    struct study_size sizes[OPTION_TEXTS_MAX];
    struct onnx_model *model;

    for (int i = 0; i < s->dims.count; i++)
        if (read_size(&sizes[i], s->dims.item[i], e))
            return EXIT_USAGE;

    int rc = onnx_open(&model, path, e);

    if (rc)
        return rc;

    struct study *study = study_new(model, sizes, (size_t)s->dims.count);
    struct arch *arch = arch_new(model);
    struct inspection x = {
        .path = path,
        .model = model,
        .study = study,
        .arch = arch,
        .nodes = s->nodes,
    };
    rc = check_sizes(&x, s, e) ? EXIT_USAGE : tell(&x, s, e);

    arch_free(arch);
    study_free(study);
    onnx_close(model);
    return rc;
}

static int inspect(const char *path, const struct settings *s, struct error *e)
{
    struct buf file = { 0 };
    int rc = path[0] ? choose_file(&file, path, e)
                     : fail(e, -EINVAL, "the model's name is empty");

    if (!rc)
        rc = inspect_file(buf_cstr(&file), s, e);
    buf_release(&file);
    return rc;
}

static const struct option options[] = {
    JSON_OPTION(struct settings),
    OPTION_FLAG("nodes", 0, struct settings, nodes, "also a row for each node"),
    OPTION_TEXTS("dim", 0, struct settings, dims, "NAME=N",
            "the size of a dimension that the file leaves open; INPUT:AXIS=N "
            "for one without a name; INPUT=N for an input that is one whole "
            "number; repeatable"),
    OUT_OPTION(struct settings),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    return c->word_count ? 0 : fail(e, -EINVAL, "which model?");
}

static int run(const struct cmd_call *c, struct error *e)
{
    return inspect(c->words[0], c->settings, e);
}

const struct cmd cmd_inspect = {
    .name = "inspect",
    .about = "what is in a model file, and what a run of it takes",
    .usage = "MODEL [options]",
    .text = "Tells what is in a model: its graph, operators, inputs and "
            "outputs,\n"
            "size, kind, and the arithmetic that one run takes.  MODEL is a "
            ".onnx\n"
            "file or a folder that holds one.  Weights are never read.\n",
    .options = options,
    .notes = "A MAC is a multiplication with its addition; FLOPs are two for "
             "each\n"
             "MAC and one for each element that any other arithmetic makes.\n",
    .examples = "inspect model.onnx\n"
                "inspect llama/ --dim batch_size=1 --dim sequence_length=128\n"
                "inspect model.onnx --nodes --json -o model.json\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};

/* demo.c -- the page on a run that came with ortmeter, until somebody stops
 * it. */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/recording.h"
#include "cmd/serving.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/process/interrupt.h"
#include "os/process/pause.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct settings {
    struct serving_settings serving;
};

static int write_file(const char *path, const void *bytes, size_t len,
        struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool written = f && fwrite(bytes, 1, len, f) == len;

    if (f && fclose(f))
        written = false;
    return written ? 0
                   : fail(e, -EIO, "cannot write the recorded run to %s: %s",
                             path, strerror(errno));
}

/* The server wants a file. */
static int unpack(const char *path, struct error *e)
{
    size_t len = (size_t)ZSTD_getFrameContentSize(recording, recording_len);
    char *bytes = alloc_zero(len, 1);
    int rc = ZSTD_decompress(bytes, len, recording, recording_len) == len
                     ? write_file(path, bytes, len, e)
                     : fail(e, -EBADMSG, "the recorded run is damaged");

    free(bytes);
    return rc;
}

/* An older ortmeter may have recorded it. */
static int bring_up_to_date(const char *path, struct error *e)
{
    struct store *s = NULL;
    int rc = store_open(&s, path, STORE_WRITE, e);

    store_close(s);
    return rc;
}

static int serve(struct serving_settings *x, struct error *e)
{
    const struct database none = { 0 };
    struct serving *serving = NULL;
    int rc = serving_start(&serving, x, &none, NULL, e);

    if (!rc)
        (void)fprintf(stderr,
                "ortmeter: it shows a recorded run of a small language model; "
                "stop it with Ctrl-C\n");
    while (!rc && !interrupt_came())
        (void)sleep_until(mono_ns() + UINT64_C(3600000000000));
    serving_stop(serving);
    return rc;
}

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    char folder[PATH_MAX - 16], path[PATH_MAX];
    int rc = path_make_temporary(folder, sizeof(folder), "ortmeter-demo");

    if (rc)
        return fail(e, rc, "cannot make a folder for the recorded run: %s",
                strerror(-rc));
    interrupt_catch();
    (void)snprintf(path, sizeof(path), "%s/ortmeter.db", folder);
    s->serving.on = true; /* nothing is generated into it */
    s->serving.recording = path;
    rc = unpack(path, e);
    if (!rc)
        rc = bring_up_to_date(path, e);
    if (!rc)
        rc = serve(&s->serving, e);
    (void)path_remove_folder(folder);
    return rc;
}

static const struct option options[] = {
    OPTION_NUMBER("port", 0, struct settings, serving.port, "N",
            "where to serve; if not given 8000, or the next that is free"),
    OPTION_FLAG("open", 0, struct settings, serving.opens,
            "open the page in a browser, where there is a display"),
    OPTION_END,
};

const struct cmd cmd_demo = {
    .name = "demo",
    .about = "the page on a recorded run, with no model at hand",
    .usage = "[options]",
    .text = "Serves the page with a run that came with ortmeter: a small "
            "language model\n"
            "that continues a text, with all its operators traced.  Neither a "
            "model nor\n"
            "ONNX Runtime is needed, and your own runs are left alone.  The "
            "page says\n"
            "'recorded' wherever it shows that run.\n",
    .options = options,
    .examples = "demo\n"
                "demo --open\n"
                "demo --port 9000\n",
    .settings_size = sizeof(struct settings),
    .run = run,
};

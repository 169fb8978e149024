#include "collect/web_runtime.h"

#include "base/compiler.h"
#include "os/path.h"

#include <string.h>

static bool runs_javascript(const char *program)
{
    static const char *const names[] = { "node", "nodejs", "npm", "npx", "yarn",
        "pnpm", "tsx", "ts-node", "electron" };
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;

    for (size_t i = 0; i < LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* In `folder`, or in one above it. */
static bool find_above(struct buf *out, const char *folder)
{
    size_t len = strlen(folder);

    for (;;) {
        buf_clear(out);
        buf_printf(out, "%.*s/node_modules/onnxruntime-web", (int)len, folder);
        if (path_kind(buf_cstr(out)) == PATH_FOLDER)
            return true;
        while (len && folder[len - 1] != '/')
            len--;
        if (!len)
            return false;
        len--;
    }
}

bool web_runtime_find(struct buf *out, char *const *argv)
{
    char here[4096];

    if (!runs_javascript(argv[0]) || path_current(here, sizeof(here)))
        return false;
    for (size_t i = 1; argv[i]; i++) {
        const char *slash = strrchr(argv[i], '/');
        struct buf folder = { 0 };

        if (*argv[i] == '-' || path_kind(argv[i]) != PATH_FILE)
            continue;
        if (*argv[i] != '/')
            buf_printf(&folder, "%s/", here);
        buf_add(&folder, argv[i], slash ? (size_t)(slash - argv[i]) : 0);

        bool found = find_above(out, buf_cstr(&folder));

        buf_release(&folder);
        if (found)
            return true;
        break; /* what follows are the script's own words */
    }
    return find_above(out, here);
}

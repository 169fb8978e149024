#include "cmd/doctor/pythons.h"

#include "base/str.h"
#include "os/path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    struct python_found *out;
    size_t count;
};

/* "onnxruntime_gpu-1.23.2.dist-info" */
static bool read_name(struct python_found *p, const char *name)
{
    static const char ending[] = ".dist-info";
    const char *dash = strchr(name, '-');
    size_t len = strlen(name);

    if (strncmp(name, "onnxruntime", 11) != 0 || !dash ||
            len < sizeof(ending) ||
            strcmp(name + len - (sizeof(ending) - 1), ending) != 0)
        return false;

    int package = (int)(dash - name);
    int version = (int)(len - (sizeof(ending) - 1)) - package - 1;

    return version > 0 && (size_t)package < sizeof(p->package) &&
           (size_t)version < sizeof(p->version) &&
           snprintf(p->package, sizeof(p->package), "%.*s", package, name) >
                   0 &&
           snprintf(p->version, sizeof(p->version), "%.*s", version, dash + 1) >
                   0;
}

static void add(struct search *s, const struct python_found *p)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->out[i].program, p->program) == 0 &&
                strcmp(s->out[i].python, p->python) == 0 &&
                strcmp(s->out[i].package, p->package) == 0)
            return;
    if (s->count < PYTHONS_MAX)
        s->out[s->count++] = *p;
}

static void look_into(struct search *s, const char *bin, const char *folder)
{
    struct folder f = { 0 };
    struct python_found p = { 0 };
    int len = snprintf(p.program, sizeof(p.program), "%s/python3", bin);

    if (len > 0 && (size_t)len < sizeof(p.program) &&
            snprintf(p.python, sizeof(p.python), "%s", folder + 6) <
                    (int)sizeof(p.python) &&
            folder_read(&f, "%s/../lib/%s/site-packages", bin, folder) == 0)
        for (size_t i = 0; i < f.count; i++)
            if (read_name(&p, f.name[i]))
                add(s, &p);
    folder_release(&f);
}

/* Its packages lie in ../lib/python3.N/site-packages. */
static void look_beside(struct search *s, const char *bin)
{
    struct folder f = { 0 };

    if (path_readable("%s/python3", bin) == 0 &&
            folder_read(&f, "%s/../lib", bin) == 0)
        for (size_t i = 0; i < f.count; i++)
            if (strncmp(f.name[i], "python3.", 8) == 0)
                look_into(s, bin, f.name[i]);
    folder_release(&f);
}

size_t pythons_find(struct python_found out[PYTHONS_MAX], const char *venv,
        const char *path)
{
    struct search s = { .out = out };
    char bin[PATH_MAX];

    if (venv && *venv &&
            snprintf(bin, sizeof(bin), "%s/bin", venv) < (int)sizeof(bin))
        look_beside(&s, bin);
    while (path && *path) {
        size_t len = strcspn(path, ":");

        if (len && len < sizeof(bin)) {
            memcpy(bin, path, len);
            bin[len] = 0;
            look_beside(&s, bin);
        }
        path += len + (path[len] == ':');
    }
    return s.count;
}

const char *pythons_captured(const struct python_found *p)
{
    unsigned long minor = strncmp(p->version, "1.", 2) == 0
                                  ? strtoul(p->version + 2, NULL, 10)
                                  : 0;

    if (strcmp(p->package, "onnxruntime_genai") == 0)
        return "all, through the ONNX Runtime that it loads";
    if (strchr(p->python, 't'))
        return "nothing: this Python has no GIL, and is not known yet";
    return minor >= 15 ? "sessions, inferences, operators"
                       : "sessions and inferences; operators from 1.15 on";
}

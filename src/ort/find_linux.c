/* find_linux.c -- the loader knows the system's library by its name.  The npm
 * package onnxruntime-node has one for each system and processor; its folder
 * and its own name have changed over the years:
 *
 *     npm[/node_modules]/onnxruntime-node/bin/
 *         napi-v3/linux/x64/libonnxruntime.so.1.17.0
 *         napi-v6/linux/x64/libonnxruntime.so.1 */
#include "ort/find.h"

#include "base/compiler.h"
#include "base/str.h"
#include "os/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

struct list {
    struct runtime_place *item;
    size_t count;
    size_t cap;
};

static void add(struct list *l, const char *folder, const char *name,
        const char *came_from)
{
    if (l->count == l->cap)
        return;

    struct runtime_place *p = &l->item[l->count];
    int n = snprintf(p->path, sizeof(p->path), "%s%s%s", folder,
            folder[0] ? "/" : "", name);

    if (n < 0 || (size_t)n >= sizeof(p->path))
        return;
    p->came_from = came_from;
    l->count++;
}

/* What node calls this processor. */
static const char *node_processor(void)
{
    static struct {
        const char *machine;
        const char *node;
    } const known[] = { { "x86_64", "x64" }, { "aarch64", "arm64" } };
    struct utsname u;

    if (uname(&u) != 0)
        return "";
    for (size_t i = 0; i < LEN(known); i++)
        if (strcmp(u.machine, known[i].machine) == 0)
            return known[i].node;
    return "";
}

/* The libraries of one folder, the newest first. */
static void add_libraries(struct list *l, const char *folder)
{
    struct folder names;

    (void)folder_read(&names, "%s", folder);
    for (size_t i = names.count; i > 0; i--)
        if (str_starts(str_of(names.name[i - 1]), "libonnxruntime.so"))
            add(l, folder, names.name[i - 1], "fetched by make");
    folder_release(&names);
}

static void add_package(struct list *l, const char *own_folder,
        const char *package)
{
    struct folder versions;
    char folder[RUNTIME_PATH];

    (void)folder_read(&versions, "%s/%s/bin", own_folder, package);
    for (size_t i = versions.count; i > 0; i--) {
        int n = snprintf(folder, sizeof(folder), "%s/%s/bin/%s/linux/%s",
                own_folder, package, versions.name[i - 1], node_processor());

        if (n > 0 && (size_t)n < sizeof(folder) &&
                str_starts(str_of(versions.name[i - 1]), "napi-v"))
            add_libraries(l, folder);
    }
    folder_release(&versions);
}

size_t runtime_places(struct runtime_place *out, size_t cap,
        const char *own_folder)
{
    struct list l = { out, 0, cap };

    add(&l, "", "libonnxruntime.so.1", "the system");
    add(&l, "", "libonnxruntime.so", "the system");
    add_package(&l, own_folder, "npm/node_modules/onnxruntime-node");
    add_package(&l, own_folder, "npm/onnxruntime-node");
    return l.count;
}

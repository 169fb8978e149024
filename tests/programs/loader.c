/* loader.c -- a program that finds ONNX Runtime while it runs:
 *
 *     loader load LIBRARY MODEL COUNT       dlopen and dlsym; a bare name is
 *     loader deepbind LIBRARY MODEL COUNT   found through our own RUNPATH
 *     loader plugin PLUGIN MODEL COUNT      a library that uses ONNX Runtime
 *     loader reload LIBRARY MODEL COUNT     three times, with dlclose
 *     loader idle LIBRARY                   no session at all
 */
#include "ort_host.h"

#include <dlfcn.h>
#include <string.h>

typedef void (*plugin_run)(const char *model, uint64_t count);

static void use(const char *path, int flags, const char *model, uint64_t count)
{
    void *library = library_open(path, flags);

    host_session(library_base(library), "loader", model, count);
    (void)dlclose(library);
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[1] : "";

    if (argc == 3 && !strcmp(how, "idle")) {
        struct host h = { 0 };

        host_open(&h, library_base(library_open(argv[2], 0)));
        host_close(&h);
        return 0;
    }
    if (argc != 5)
        die("use: %s load|deepbind|plugin|reload LIBRARY MODEL COUNT", argv[0]);

    uint64_t count = number(argv[4]);

    if (!strcmp(how, "load"))
        use(argv[2], 0, argv[3], count);
    else if (!strcmp(how, "deepbind"))
        use(argv[2], RTLD_DEEPBIND, argv[3], count);
    else if (!strcmp(how, "plugin"))
        ((plugin_run)library_find(library_open(argv[2], 0), "plugin_run"))(
                argv[3], count);
    else if (!strcmp(how, "reload"))
        for (int i = 0; i < 3; i++)
            use(argv[2], 0, argv[3], count);
    else
        die("%s is not a way to load", how);
    return 0;
}

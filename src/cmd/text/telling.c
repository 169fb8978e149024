#include "cmd/text/telling.h"

#include "cmd/cli/settings.h"
#include "os/dl.h"

#include <limits.h>

typedef struct ortmeter_section (
        *begin_function)(enum ortmeter_phase, const char *);
typedef void (*end_function)(struct ortmeter_section *);
typedef void (*token_function)(uint32_t, int64_t, const char *);

void telling_open(struct telling *t)
{
    char path[PATH_MAX];
    struct dl *lib = NULL;

    *t = (struct telling){ 0 };
    if (settings_hook_path(path, sizeof(path)) || dl_open(&lib, path, NULL))
        return;
    t->begin = (begin_function)dl_find(lib, "ortmeter_section_begin");
    t->end = (end_function)dl_find(lib, "ortmeter_section_end");
    t->token = (token_function)dl_find(lib, "ortmeter_token");
    /* It stays loaded, as it was before. */
}

struct ortmeter_section telling_begin_phase(const struct telling *t,
        enum ortmeter_phase phase, const char *name)
{
    return t->begin ? t->begin(phase, name) : (struct ortmeter_section){ 0 };
}

struct ortmeter_section telling_begin(const struct telling *t, const char *name)
{
    return telling_begin_phase(t, ORTMETER_OTHER, name);
}

void telling_end(const struct telling *t, struct ortmeter_section *section)
{
    if (t->end)
        t->end(section);
}

void telling_token(const struct telling *t, uint32_t index, int64_t id,
        const char *text)
{
    if (t->token)
        t->token(index, id, text);
}

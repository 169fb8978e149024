#include "cmd/text/own_sections.h"

#include "cmd/cli/settings.h"
#include "os/dl.h"

#include <limits.h>

typedef struct ortmeter_section (
        *begin_function)(enum ortmeter_phase, const char *);
typedef void (*end_function)(struct ortmeter_section *);
typedef void (
        *token_function)(uint32_t, int64_t, const char *, uint64_t, double);
typedef void (*mark_function)(const char *);
typedef void (*look_function)(int);

void own_sections_open(struct own_sections *t)
{
    char path[PATH_MAX];
    struct dl *lib = NULL;

    *t = (struct own_sections){ 0 };
    if (settings_hook_path(path, sizeof(path)) || dl_open(&lib, path, NULL))
        return;
    t->begin = (begin_function)dl_find(lib, "ortmeter_section_begin");
    t->end = (end_function)dl_find(lib, "ortmeter_section_end");
    t->token = (token_function)dl_find(lib, "ortmeter_token_chosen");
    t->mark = (mark_function)dl_find(lib, "ortmeter_mark");
    t->look_again = (look_function)dl_find(lib, "ortmeter_look_again");
    /* It stays loaded, as it was before. */
}

struct ortmeter_section own_sections_begin_phase(const struct own_sections *t,
        enum ortmeter_phase phase, const char *name)
{
    return t->begin ? t->begin(phase, name) : (struct ortmeter_section){ 0 };
}

struct ortmeter_section own_sections_begin(const struct own_sections *t,
        const char *name)
{
    return own_sections_begin_phase(t, ORTMETER_OTHER, name);
}

void own_sections_end(const struct own_sections *t,
        struct ortmeter_section *section)
{
    if (t->end)
        t->end(section);
}

void own_sections_token(const struct own_sections *t, uint32_t index,
        int64_t id, const char *text, uint64_t duration_ns, double probability)
{
    if (t->token)
        t->token(index, id, text, duration_ns, probability);
}

void own_sections_mark(const struct own_sections *t, const char *text)
{
    if (t->mark)
        t->mark(text);
}

void own_sections_look_again(const struct own_sections *t, bool on)
{
    if (t->look_again)
        t->look_again(on);
}

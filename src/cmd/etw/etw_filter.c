/* etw_filter.c -- which records of a trace are meant. */
#include "cmd/etw/etw_views.h"
#include "etw/decode.h"
#include "etw/event.h"

#include <string.h>

static bool is_named(const char *name, const char *wanted)
{
    size_t len = strlen(wanted);

    if (len && wanted[len - 1] == '*')
        return strncmp(name, wanted, len - 1) == 0;
    return strcmp(name, wanted) == 0;
}

static bool in_list(const struct option_texts *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (is_named(name, list->item[i]))
            return true;
    return false;
}

static bool has_provider(const struct option_texts *list,
        const struct etw_record *r)
{
    struct buf name = { 0 };
    struct guid guid;
    bool found = false;

    for (int i = 0; i < list->count && !found && r->guid; i++)
        found = etw_provider_find(&guid, list->item[i]) &&
                guid_is(r->guid, &guid);
    if (!found) {
        etw_event_provider(&name, r);
        found = in_list(list, buf_cstr(&name));
    }
    buf_release(&name);
    return found;
}

static bool has_event(const struct option_texts *list,
        const struct etw_record *r)
{
    struct buf name = { 0 };

    etw_event_name(&name, r);

    bool found = in_list(list, buf_cstr(&name));

    buf_release(&name);
    return found;
}

/* Records without a pid in their header may have one in their payload. */
static bool has_pid(uint64_t pid, const struct etw_record *r)
{
    struct etw_decoded d;

    if (r->pid == pid)
        return true;
    if (!etw_decode(&d, r))
        return false;
    return etw_number(&d, "ProcessID", UINT64_MAX) == pid ||
           etw_number(&d, "PID", UINT64_MAX) == pid;
}

bool etw_filter_passes(const struct etw_filter *f, const struct etw_record *r,
        const struct etw_info *info)
{
    if (f->from_s > 0 || f->to_s > 0) {
        double at = (double)etw_trace_ns(info, r->time) / 1e9;

        if (at < f->from_s || (f->to_s > 0 && at >= f->to_s))
            return false;
    }
    if (f->has_pid && !has_pid(f->pid, r))
        return false;
    if (f->providers.count && !has_provider(&f->providers, r))
        return false;
    return !f->events.count || has_event(&f->events, r);
}

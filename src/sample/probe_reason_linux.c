#include "sample/probe_reason.h"

#include "os/host.h"

#include <errno.h>

int probe_reason(probe_function *probe, const struct sample_context *c,
        struct error *e)
{
    struct host_info host;
    struct source s = { 0 };

    if (!c->host)
        host_read(&host, c->root);
    probe(&s, &(struct source_context){ .root = c->root,
                      .hook = "",
                      .host = c->host ? c->host : &host });
    if (s.state == SOURCE_AVAILABLE)
        return 0;
    return fail(e, s.state == SOURCE_DENIED ? -EACCES : -ENODEV, "%s%s%s",
            s.reason, s.remedy[0] ? "; " : "", s.remedy);
}
